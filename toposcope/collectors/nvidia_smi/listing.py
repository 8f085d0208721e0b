r"""Read ``nvidia-smi -L``: the GPUs and, indented under each, its MIG devices.

Grammar, one line each (the ``gpu`` line is that of :mod:`blocks`)::

    listing = { gpu { mig } }
    mig     = indent "MIG" profile "Device" index ":" "(UUID:" uuid ")"

A profile may carry a compute slice (``1c.3g.20gb``) or extras (``1g.10gb+me``). UUIDs of MIG devices read
``MIG-...`` since driver 470, ``MIG-GPU-.../7/0`` before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.blocks import walk
from toposcope.collectors.nvidia_smi.lines import unread
from toposcope.collectors.records import Accelerator, Setting

if TYPE_CHECKING:
    from toposcope.base import Capture, Origin
    from toposcope.collectors.nvidia_smi.blocks import Found
    from toposcope.collectors.records import Reading

_MIG = re.compile(
    r"[\s>]*MIG (?P<profile>\S{1,60})\s{1,40}Device\s{1,9}(?P<index>\d{1,3})\s?:?\s{0,9}"
    r"(?:\(UUID: (?P<id>[^)\n]{0,120})\)?)?"
)


def parse(capture: Capture) -> Reading:
    """Read a listing. MIG device 1 of GPU 0 is ``GPU0/1``; its model is the profile, ``MIG 1g.10gb``."""
    return walk(capture, _mig, "GPU of nvidia-smi -L")


def _mig(line: str, label: str | None, origin: Origin) -> Found | None:
    match = _MIG.fullmatch(line)
    if match is None:
        return None
    if label is None:
        return (), (unread(origin, "a MIG device without the GPU above it", line),)
    name = f"{label}/{match['index']}"
    device = Accelerator(origin, label=name, model=f"MIG {match['profile']}", uuid=tokens.uuid(match["id"] or ""))
    return (device, Setting(name, "mig.profile", match["profile"], origin)), ()
