r"""What ``perfquery`` prints: the counters of one port.

Grammar::

    output  = "# Port " ("counters" | "extended counters") ": Lid " lid " port " n [" (CapMask: " hex ")"] counter*
    counter = name ":" "."* number

The port is named by its LID; ``-C mlx5_0 -P 1`` in the command names the device. Settings ``counter.NAME`` of that
device's port, else of ``lid N``. Counters of 16 bits stop at their most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import output_lines, whole
from toposcope.collectors.records import Reading, Setting

if TYPE_CHECKING:
    from toposcope.base import Capture

_HEAD = re.compile(r"# Port (?:extended )?counters: Lid (?P<lid>\d{1,6}) port (?P<port>\d{1,3})\b.*")
_COUNTER = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]{1,60}):\.*(?P<value>\S+)\s*")
_DEVICE = re.compile(r"(?:-C|--Ca)[ =]?(?P<device>[A-Za-z][\w.-]{0,63})")
_PORT = re.compile(r"(?:-P|--Port)[ =]?(?P<port>\d{1,3})\b")
_SELECTORS = ("PortSelect", "CounterSelect", "CounterSelect2")


def parse(capture: Capture) -> Reading:
    """Read the counters of one port or several."""
    lines = output_lines(capture, keep_prompts=True)  # its first line begins like the prompt of root
    argument = re.sub(r"(mlx\d) (?=\d)", r"\1_", capture.argument or "")
    device, asked = _DEVICE.search(argument), _PORT.search(argument)
    subject: str | None = None
    settings: list[Setting] = []
    for index, text in enumerate(lines.texts):
        if head := _HEAD.fullmatch(text.strip()):
            port = asked["port"] if asked else head["port"]
            subject = f"{device['device']}/{port}" if device else f"lid {head['lid']}"
            lines.fits(index)
            continue
        match = _COUNTER.fullmatch(text.strip())
        if match is None or subject is None:
            lines.stray(index)
            continue
        lines.fits(index)
        number = whole(match["value"])
        if match["name"] not in _SELECTORS and number is not None:
            settings.append(Setting(subject, f"counter.{match['name']}", number, capture.origin(index)))
    return Reading(tuple(settings), lines.all_problems("no line of perfquery"))
