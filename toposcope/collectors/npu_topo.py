"""``npu-smi info -t topo``: relations of NPUs (and of NIC slots since driver 26), with CPU affinity.

The grammar is that of :mod:`toposcope.collectors.matrix`. Labels are ``NPU0`` or, on boards of two dies a card,
``Phy-ID0``; the affinity column may be absent. ``NA`` is a word: the driver's call failed for that pair. Boards that
have no such query answer with one sentence instead.
"""

from __future__ import annotations

import re

from toposcope.base import Capture, Problem, ProblemKind
from toposcope.collectors.matrix import Vocabulary, read
from toposcope.collectors.matrix.pattern import begins
from toposcope.collectors.matrix.text import plain
from toposcope.collectors.records import Reading, Setting
from toposcope.collectors.source import Source

_RELATIONS = Vocabulary(
    r"NPU\d+|Phy-ID\d+",
    ("X", "HCCS_SW", "HCCS", "XLink_SW", "XLink", "SIO", "UB", "SYS", "PHB", "PIX", "PXB", "PIB", "NA"),
)
_UNSUPPORTED = re.compile(
    r"\W*(?:This device do[es]+ not support querying (?:the )?topo\w*|This command cannot be executed on a VM)"
)
_FAILED = re.compile(
    r"\W*(?:Failed to |There is no NPU|Invalid card|Error parameter|Usage: *npu-smi|dcmi m\w+ initialize failed)"
)


def parse(capture: Capture) -> Reading:
    """Read the matrix; a refusal becomes the setting ``npu-smi.topo`` of the host, without a value."""
    settings: list[Setting] = []
    problems: list[Problem] = []
    for index, line in enumerate(capture.text.split("\n")[:64]):
        text = plain(line[:512]).strip()
        if _UNSUPPORTED.match(text):
            settings.append(Setting("host", "npu-smi.topo", None, capture.origin(index), "unsupported"))
        elif _FAILED.match(text):
            settings.append(Setting("host", "npu-smi.topo", None, capture.origin(index), "unreadable"))
            problems.append(Problem(ProblemKind.UNREAD, capture.origin(index), "npu-smi gave no matrix", text))
    matrices, found = read(capture, _RELATIONS)
    if matrices or not settings:
        return Reading((*matrices, *settings[:1]), (*problems, *found))
    return Reading((settings[0],), tuple(problems))


TOPO = Source(
    key="npu-smi-topo",
    parse=parse,
    named=re.compile(r"npu-smi\b.*?\binfo\b.*?-t +topo(?![A-Za-z])"),
    begins=begins("NPU|Phy-ID", also=r"^[ \t]*This device do[es]+ not support querying topo\b"),
    command=("npu-smi", "info", "-t", "topo"),
    gives="relations of NPUs, CPU affinity",
)
