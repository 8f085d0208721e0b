"""Config space byte by byte: what is written is read, and a broken list of capabilities ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.sysfs.printers import PORT_TYPE_CODES, SPEED_CODES, config
from toposcope.collectors.records import PciLink
from toposcope.collectors.sysfs.config_space import ACS_BITS, parse_config, parse_hex

SPEEDS = st.sampled_from(sorted(SPEED_CODES))
POWERS = st.sampled_from((128, 256, 512, 1024, 2048, 4096))


SPACES = st.fixed_dictionaries(
    {
        "port_type": st.sampled_from(sorted(PORT_TYPE_CODES)),
        "gts": SPEEDS,
        "now_gts": SPEEDS,
        "width": st.sampled_from((1, 2, 4, 8, 16, 32)),
        "now_width": st.integers(0, 32),
        "payload": POWERS,
        "capable": POWERS,
        "read_request": POWERS,
        "relaxed": st.booleans(),
        "acs": st.none() | st.integers(0, 127),
        "ats": st.none() | st.booleans(),
    }
)


@given(SPACES)
def test_what_is_written_is_read(fields):
    space = parse_config(config(**fields))
    assert space.port_type == fields["port_type"]
    assert space.capability == PciLink(fields["gts"], fields["width"])
    assert space.status == PciLink(fields["now_gts"], fields["now_width"])
    assert space.subsystem_id == "1abc:0007"
    found = dict(space.settings)
    assert found["payload.max"] == fields["payload"]
    assert found["payload.capable"] == fields["capable"]
    assert found["read_request.max"] == fields["read_request"]
    assert found["relaxed_ordering"] is fields["relaxed"]
    assert found["lnkctl2.target_gts"] == fields["gts"]
    assert found.get("ats.enabled") is fields["ats"]
    acs = fields["acs"]
    bits = {name: bool(acs >> bit & 1) for bit, name in enumerate(ACS_BITS)} if acs is not None else {}
    assert {name: found[name] for name in ACS_BITS if name in found} == bits


def test_errors_are_named_as_lspci_names_them():
    found = dict(parse_config(config(uncorrectable=1 << 18 | 1 << 20, correctable=1 | 1 << 13)).settings)
    assert found["aer.uncorrectable"] == "MalfTLP UnsupReq"
    assert found["aer.correctable"] == "RxErr AdvNonFatalErr"


def test_the_redirects_are_bits_two_and_three():
    found = dict(parse_config(config(port_type="Downstream Port", bridge=(1, 2, 3), acs=0b0001100)).settings)
    assert [name for name in ACS_BITS if found[name]] == ["acs.request_redirect", "acs.completion_redirect"]


def test_a_header_alone_is_not_readable():
    space = parse_config(config(size=64))
    assert not space.readable
    assert space.settings == ()
    assert space.capability is None


def test_a_ring_of_capabilities_ends():
    data = bytearray(config())
    data[0x51] = 0x50
    data[0x150:0x154] = (0x0D | 1 << 16 | 0x150 << 20).to_bytes(4, "little")
    assert parse_config(bytes(data)).port_type is None


@given(st.binary(min_size=64, max_size=600))
def test_no_bytes_make_it_raise(data):
    parse_config(data)


@given(st.binary(min_size=64, max_size=4096))
def test_hex_is_read_with_and_without_blanks(data):
    assert parse_hex(data.hex()) == parse_hex(data.hex(" ")) == data


def test_less_than_a_header_is_nothing():
    assert parse_hex("00" * 63) is None
    assert parse_hex("zz" * 64) is None
