"""No damage makes any parser raise, and what vanishes without trace is never a GPU in the middle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.nvidia_smi import printers
from tests.collectors.nvidia_smi.mutations import damaged
from tests.collectors.nvidia_smi.printers import Gpu, capture
from toposcope.collectors.nvidia_smi import sources

MACHINE = (
    Gpu(0, links=(25.0, None), migs=(10, 20), mig="Enabled"),
    Gpu(1, address="00000000:5E:00.0", links=(None,)),
    Gpu(2, address="00000000:86:00.0", links=(25.781,) * 3, reasons=("Idle",)),
)
TEXTS = [
    printers.table(MACHINE),
    printers.table(MACHINE, printers.OLD),
    printers.listing(MACHINE),
    printers.status(MACHINE),
    printers.query(MACHINE),
    printers.query(MACHINE, header=False),
    printers.report(MACHINE),
    printers.xml(MACHINE),
    "GPU 0: X\n\t Link 0: Remote Device 00000000:5E:00.0: Link 1\n\t Link 0, P2P is supported: true\n",
    "=== GPU 0 NVLink Errors ===\nGPU 0: X\n\t Link 0: CRC Errors: 0\n\n",
    "GPU 0: X\n         NVLE: on\n         Version:\n             A: 1\n",
    "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.\n",
    '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>\n<nvidia_smi_log>&d;</nvidia_smi_log>\n',
]
PARSERS = {source.key: source.parse for source in sources.SOURCES}


@pytest.mark.parametrize("key", PARSERS)
@given(text=damaged(TEXTS), argument=st.none() | st.sampled_from(["0", "index,name", "", "²", "name"]))
def test_no_damage_makes_it_raise(key, text, argument):
    reading = PARSERS[key](capture(text, argument=argument))

    lines = text.count("\n") + 1
    assert all(1 <= record.origin.line <= lines for record in reading.records)
    assert all(1 <= problem.origin.line <= lines for problem in reading.problems)


@pytest.mark.parametrize("key", PARSERS)
@given(text=st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Z", "Cc"])))
def test_no_text_makes_it_raise(key, text):
    PARSERS[key](capture(text))
