"""A matrix that was asked for and not given."""

from __future__ import annotations

from toposcope.base import Capture
from toposcope.collectors.nvidia_smi import topo
from toposcope.collectors.records import Setting


def test_a_tool_that_gave_up_is_an_unreadable_matrix() -> None:
    reading = topo.relations(Capture("nvidia-smi-topo-m", "m", "\nFailed to run topology matrix\n", first_line=4))

    (setting,) = reading.records
    assert isinstance(setting, Setting)
    assert (setting.subject, setting.name, setting.status) == ("host", "nvidia-smi.topo", "unreadable")
    assert setting.origin.line == 5
    assert reading.problems == ()
