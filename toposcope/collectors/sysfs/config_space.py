"""PCI configuration space, as ``/sys/bus/pci/devices/*/config`` gives it in hex.

Layout (PCI Local Bus 3.0 section 6.1, PCI Express Base 6.0 sections 7.5 to 7.9): a header of 64 bytes that everybody
may read, a list of capabilities from the byte at 0x34, and from 0x100 on the list of extended capabilities. Without
root the file ends after the header; a device that fell off the bus reads as ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.collectors.records import PciLink

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES = 64
EXTENDED_BEGINS = 0x100
_EXPRESS, _SUBSYSTEM = 0x10, 0x0D
_AER, _ACS, _ATS, _SRIOV, _RESIZABLE = 0x01, 0x0D, 0x0F, 0x10, 0x15
_MEBIBYTE = 1 << 20
_MOST_CAPABILITIES = 96

PORT_TYPES = {
    0: "Endpoint",
    1: "Legacy Endpoint",
    4: "Root Port",
    5: "Upstream Port",
    6: "Downstream Port",
    7: "PCI-Express to PCI/PCI-X Bridge",
    8: "PCI/PCI-X to PCI-Express Bridge",
    9: "Root Complex Integrated Endpoint",
    10: "Root Complex Event Collector",
}
_SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
# Bits of the ACS control register and the names that all readers of it use.
ACS_PRESENT = "acs.present"
ACS_BITS = (
    "acs.source_validation",
    "acs.translation_blocking",
    "acs.request_redirect",
    "acs.completion_redirect",
    "acs.upstream_forwarding",
    "acs.egress_control",
    "acs.direct_translated",
)
# Bits of the AER status registers under the names that lspci prints.
_UNCORRECTABLE = {
    4: "DLP", 5: "SDES", 12: "TLP", 13: "FCP", 14: "CmpltTO", 15: "CmpltAbrt", 16: "UnxCmplt", 17: "RxOF",
    18: "MalfTLP", 19: "ECRC", 20: "UnsupReq", 21: "ACSViol", 22: "UncorrIntErr", 23: "BlockedTLP",
    24: "AtomicOpBlocked", 25: "TLPBlockedErr", 26: "PoisonTLPBlocked",
}  # fmt: skip
_CORRECTABLE = {
    0: "RxErr", 6: "BadTLP", 7: "BadDLLP", 8: "Rollover", 12: "Timeout", 13: "AdvNonFatalErr", 14: "CorrIntErr",
    15: "HeaderOF",
}  # fmt: skip
EXPRESS_NAMES = ("payload.max", "payload.capable", "read_request.max", "relaxed_ordering")


@dataclass(frozen=True, slots=True)
class ConfigSpace:
    """What a config space says. ``settings`` are names and values; ``readable`` False: cut after the header.

    ``extended`` tells whether the extended capabilities could be read at all; where it is False nothing is known of
    ACS and ATS.
    """

    alive: bool = True
    readable: bool = True
    extended: bool = False
    express: bool = False
    port_type: str | None = None
    capability: PciLink | None = None
    status: PciLink | None = None
    secondary: int | None = None
    subordinate: int | None = None
    subsystem_id: str | None = None
    slot: str | None = None
    settings: tuple[tuple[str, int | float | str], ...] = ()


def parse_hex(text: str) -> bytes | None:
    """Return the bytes of a hex text with or without blanks, None where it is none or holds no whole header."""
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return None
    return data if len(data) >= HEADER_BYTES else None


def parse_config(data: bytes) -> ConfigSpace:
    """Read a config space of at least 64 bytes."""
    if data[:4] == b"\xff\xff\xff\xff":
        return ConfigSpace(alive=False, readable=len(data) > HEADER_BYTES)
    bridge = data[0x0E] & 0x7F == 1
    capabilities = dict(_capabilities(data))
    express = capabilities.get(_EXPRESS)
    express = express if express is not None and express + 0x14 <= len(data) else None
    space = ConfigSpace(
        readable=len(data) > HEADER_BYTES,
        extended=len(data) > EXTENDED_BEGINS + 4,
        secondary=data[0x19] if bridge else None,
        subordinate=data[0x1A] if bridge else None,
        subsystem_id=_subsystem(data, capabilities, bridge=bridge),
        settings=tuple(_extended_settings(data)),
    )
    return space if express is None else _with_express(space, data, express)


def _word(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little")


def _long(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")


def _capabilities(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield identifier and offset of each capability; a broken list ends, a ring is left after 48 steps."""
    if len(data) <= HEADER_BYTES or not _word(data, 6) & 0x10:
        return
    offset = data[0x34] & 0xFC
    for _ in range(_MOST_CAPABILITIES):
        if offset < HEADER_BYTES or offset + 2 > min(len(data), EXTENDED_BEGINS):
            return
        yield data[offset], offset
        offset = data[offset + 1] & 0xFC


def _extended(data: bytes) -> Iterator[tuple[int, int]]:
    offset = EXTENDED_BEGINS
    for _ in range(_MOST_CAPABILITIES):
        if offset < EXTENDED_BEGINS or offset + 8 > len(data):
            return
        header = _long(data, offset)
        if header in (0, 0xFFFFFFFF):
            return
        yield header & 0xFFFF, offset
        offset = header >> 20 & 0xFFC


def _subsystem(data: bytes, capabilities: dict[int, int], *, bridge: bool) -> str | None:
    """Return the subsystem: a device keeps it in the header, a bridge in a capability of its own."""
    offset = capabilities.get(_SUBSYSTEM) if bridge else 0x28
    if offset is None or data[0x0E] & 0x7F > 1:
        return None
    vendor, device = _word(data, offset + 4), _word(data, offset + 6)
    return f"{vendor:04x}:{device:04x}" if vendor else None


def _with_express(space: ConfigSpace, data: bytes, offset: int) -> ConfigSpace:
    flags = _word(data, offset + 2)
    number = _long(data, offset + 0x14) >> 19 if flags & 0x100 and offset + 0x18 <= len(data) else 0
    return replace(
        space,
        express=True,
        port_type=PORT_TYPES.get(flags >> 4 & 0xF),
        capability=_link(_long(data, offset + 0x0C)),
        status=_link(_word(data, offset + 0x12)),
        slot=str(number) if number else None,
        settings=(*_express_settings(data, offset), *space.settings),
    )


def _link(register: int) -> PciLink | None:
    """Speed in the low four bits, width in the six above. An endpoint inside the root complex has no link at all."""
    speed, width = _SPEEDS.get(register & 0xF), register >> 4 & 0x3F
    return PciLink(speed, width) if speed is not None or width else None


def _express_settings(data: bytes, offset: int) -> Iterator[tuple[str, float]]:
    capable, control = _long(data, offset + 4), _word(data, offset + 8)
    yield "payload.max", 128 << (control >> 5 & 7)
    yield "payload.capable", 128 << (capable & 7)
    yield "read_request.max", 128 << (control >> 12 & 7)
    yield "relaxed_ordering", bool(control & 0x10)
    target = _SPEEDS.get(_word(data, offset + 0x30) & 0xF)
    if target is not None and _word(data, offset + 2) & 0xF > 1:  # link control 2 exists from version 2 on
        yield "lnkctl2.target_gts", target


def _extended_settings(data: bytes) -> Iterator[tuple[str, int | str]]:
    for identifier, offset in _extended(data):
        if identifier == _ACS:
            control = _word(data, offset + 6)
            yield ACS_PRESENT, True
            yield from ((name, bool(control >> bit & 1)) for bit, name in enumerate(ACS_BITS))
        elif identifier == _ATS:
            yield "ats.enabled", bool(_word(data, offset + 6) & 0x8000)
        elif identifier == _AER and offset + 0x14 <= len(data):
            yield "aer.uncorrectable", _set_bits(_long(data, offset + 4), _UNCORRECTABLE)
            yield "aer.correctable", _set_bits(_long(data, offset + 0x10), _CORRECTABLE)
        elif identifier == _SRIOV and offset + 0x12 <= len(data):
            yield "iov.total_vfs", _word(data, offset + 0x0E)
            yield "iov.num_vfs", _word(data, offset + 0x10)
        elif identifier == _RESIZABLE and (largest := _largest_bar(data, offset)):
            yield "bar.resizable_bytes", largest


def _set_bits(register: int, names: dict[int, str]) -> str:
    return " ".join(name for bit, name in names.items() if register >> bit & 1)


def _largest_bar(data: bytes, offset: int) -> int:
    """Return the present size of the largest region that can be resized; its control register holds the exponent."""
    count = min(_long(data, offset + 8) >> 5 & 7, 6)
    controls = (_long(data, offset + 8 + 8 * entry) for entry in range(count))
    return max((_MEBIBYTE << (control >> 8 & 0x3F) for control in controls), default=0)
