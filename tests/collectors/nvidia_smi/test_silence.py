"""No damage gives a GPU, a link or the host a value that was not printed for it, without a problem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.nvidia_smi import mutations, printers
from tests.collectors.nvidia_smi.printers import Gpu, capture
from toposcope.collectors.nvidia_smi import listing, nvlink, query, report_text, report_xml, table
from toposcope.collectors.records import Accelerator, FabricLink

MACHINE = tuple(
    Gpu(
        index,
        address=f"00000000:{0x11 * (index + 1):02X}:00.0",
        uuid=f"GPU-{index}{index}{index}{index}-aa",
        mib=10000 + 1111 * index,
        state=(0, 8, 12)[index % 3],
        utilisation=11 * index,
        generation=(1 + index % 4, 5),
        links=(25.0, None, 25.781)[: index % 3 + 1],
        reasons=("Idle",) if index % 2 else (),
    )
    for index in range(12)
)
OUTPUTS = {
    "table": (printers.table(MACHINE), table.parse),
    "old table": (printers.table(MACHINE, printers.OLD), table.parse),
    "listing": (printers.listing(MACHINE), listing.parse),
    "nvlink": (printers.status(MACHINE), nvlink.parse_status),
    "query": (printers.query(MACHINE), query.parse),
    "report": (printers.report(MACHINE), report_text.parse),
    "xml": (printers.xml(MACHINE), report_xml.parse),
}
DAMAGES = (
    mutations.drop,
    mutations.keep_the_beginning,
    mutations.keep_the_end,
    mutations.wrap,
    mutations.lose_the_box,
    mutations.squeeze,
)


def said(reading):
    """Return all values of a reading by what they are said of; no place, and no value that is none."""
    return {
        (*_subject(record), name): value
        for record in reading.records
        for name in record.__slots__
        if name not in ("origin", "subject", "name", "status") and (value := getattr(record, name)) is not None
    }


def _subject(record):
    if isinstance(record, Accelerator):
        return "card", record.label or record.pci
    if isinstance(record, FabricLink):
        return record.accelerator, record.link
    return record.subject, record.name


def _is_cut_text(value):
    """Return whether a value is text of a report that can be cut to other text, or a list that can lose a line."""
    (*subject, name), _ = value
    return name in ("model", "serial", "uuid") or subject[-1] in (*_TEXTS, "model", "serial", "uuid")


_TEXTS = ("clocks.active_reasons", "fabric.state", "fabric.status", "driver.nvidia", "driver.cuda")


@pytest.mark.parametrize("output", OUTPUTS)
@given(damage=st.sampled_from(DAMAGES), place=st.integers(0, 1000), cut=st.integers(0, 120))
def test_a_damaged_line_gives_no_wrong_value_in_silence(output, damage, place, cut):
    text, parse = OUTPUTS[output]
    lines = text.rstrip("\n").split("\n")
    at = place % len(lines)
    line = lines[at]
    lines[at : at + 1] = damage(line, min(cut, len(line)), "")
    whole, reading = parse(capture(text)), parse(capture("\n".join(lines)))

    assert not whole.problems
    wrong = {value for value in said(reading).items() - said(whole).items() if not _is_cut_text(value)}
    assert not wrong or reading.problems, (damage.__name__, line, wrong)
