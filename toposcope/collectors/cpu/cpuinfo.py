"""What ``/proc/cpuinfo`` holds: a block a CPU, from which the sockets are counted.

Grammar::

    output = (("processor" ":" number) (key ":" value)*)*       # blocks divided by empty lines

x86 prints ``physical id``, ARM does not; a guest under KVM has the flag ``hypervisor``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.records import Cpu, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture


def parse(capture: Capture) -> Reading:
    """Read all blocks into one record; ``cpus`` counts them."""
    lines = output_lines(capture)
    first: int | None = None
    fields: dict[str, str] = {}
    packages: set[str] = set()
    count = 0
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None:
            lines.stray(index)
            continue
        lines.fits(index)
        key, value = pair
        if key == "processor":
            first = index if first is None else first
            count += 1
        elif key == "physical id":
            packages.add(value)
        elif key not in fields:
            fields[key] = value
    if first is None:
        return Reading((), lines.all_problems("no line of /proc/cpuinfo"))
    cpu = Cpu(
        capture.origin(first),
        model=fields.get("model name"),
        vendor=fields.get("vendor_id"),
        family=whole(fields.get("cpu family", "")),
        model_number=whole(fields.get("model", "")),
        sockets=len(packages) or None,
        cpus=count,
    )
    return Reading((cpu,), lines.all_problems("no key and value"))
