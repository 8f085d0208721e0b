r"""The outputs of ``lspci``: lists, verbose lists, trees, paths and the machine-readable forms.

Which form a text has is told by its shape; names and command lines only decide which source it is called::

    lspci-t     -t, -tv, -tvv, -tnnv ...   the tree: bridges with their buses, every device below its bridge
    lspci-pp    -P, -PP, with or without v the list with the way from the root before each device
    lspci-mm    -mm, -nmm, -vmm, -vmmkn    quoted words or tagged lines
    lspci-vvv   -v, -vv, -vvv, with -nn -D -k -xxx: link, NUMA node, ACS, AER and the rest of each device
    lspci       one line a device, also through ``grep``

A live run executes ``lspci -D -nn -vvv`` alone: bus numbers of its bridges give the tree, ids and classes are printed,
and no domain is left out. As root it shows the capabilities as well. The other sources are read where somebody
recorded them. A list with ways begins like any list, so content alone calls it ``lspci``; both are read alike.

Settings of bridges, accelerators, NVSwitches and network functions: ``acs.present`` and the bits of ACSCtl,
``ats.enabled``, ``payload.max``, ``payload.capable`` and ``read_request.max`` (bytes), ``relaxed_ordering``,
``bar.largest_bytes`` and ``bar.resizable_bytes``, ``aer.correctable`` and ``aer.uncorrectable`` (names of the bits that
are set), ``lnkctl2.target_gts``, ``iov.total_vfs``, ``iov.num_vfs``, ``power_state``, ``link.capability`` and
``link.status`` (``16GT/s x8``).
"""

from __future__ import annotations

import re

from toposcope.collectors.lspci.prefixes import PREFIX
from toposcope.collectors.source import Collector, Parsers, Source

listing = Parsers(f"{__name__}.listing")
machine = Parsers(f"{__name__}.machine")
tree = Parsers(f"{__name__}.tree")

_ADDRESS = r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
# Start of a line in a pasted text: blanks, a page break, marks of quotation or code, a prefix.
_START = rf"^{PREFIX}?[ \t\f>]*`?"
_CLASS = r"(?:[A-Z0-9][\w/(). -]{1,70}?(?: \[[0-9a-f]{4}\])?|[0-9a-f]{4})"
_HEAD = rf"{_START}{_ADDRESS}(?:/(?:[0-9a-f]{{2}}:)?[0-9a-f]{{2}}\.[0-7])*[ \t]+{_CLASS}:(?=[ \t]|$)"


def _named(letter: str) -> re.Pattern[str]:
    """Match an ``lspci`` with this option before any pipe; ``-s 01:00.0`` is the argument."""
    until_pipe = r"(?:(?!\||\bPIPE\b).)*?"
    address = r"(?P<argument>(?:[0-9a-f]{1,8}[: ])?[0-9a-f]{1,2}[: ][0-9a-f]{1,2}\.[0-7])\b"
    slot = rf"{until_pipe}\s-[a-zA-Z]*s\s*{address}"
    option = rf"(?={until_pipe}\s-[a-zA-Z]*{letter})" if letter else ""
    return re.compile(rf"lspci\b{option}(?:{slot})?")


COLLECTOR = Collector(
    "lspci",
    (
        Source(
            key="lspci-t",
            parse=tree.parse,
            named=_named("t"),
            begins=re.compile(
                rf"{_START}(?:(?:-(?:\+-)?|[+\\]-)\[[0-9a-f]{{4,8}}:[0-9a-f]{{2}}\]-|\[[0-9a-f]{{4,8}}:[0-9a-f]{{2}}\]-[+-])",
                re.MULTILINE,
            ),
            gives="the PCI tree: which device is below which bridge",
        ),
        Source(
            key="lspci-pp",
            parse=listing.parse,
            named=_named("P"),
            gives="all PCI devices, each with the way from its root",
        ),
        Source(
            key="lspci-mm",
            parse=machine.parse,
            named=_named("m"),
            begins=re.compile(
                rf'{_START}(?:(?:Slot|Device):[ \t]*{_ADDRESS}[ \t]*$|{_ADDRESS}[ \t]+"[^"\n]*"[ \t]+")', re.MULTILINE
            ),
            gives="all PCI devices with class, ids, driver and NUMA node",
        ),
        Source(
            key="lspci-vvv",
            parse=listing.parse,
            named=_named("v"),
            begins=re.compile(
                rf"{_HEAD}[^\n]*\n(?:[ \t]*(?:Subsystem|DeviceName|Physical Slot|Control|Flags|LnkCap|LnkSta)\b"
                rf"|[ \t]+(?:[A-Z][\w ]*:|!!!))",
                re.MULTILINE,
            ),
            command=("lspci", "-D", "-nn", "-vvv"),
            root=True,
            gives="PCI links and their state, bridges, NUMA nodes, ACS, AER",
        ),
        Source(
            key="lspci",
            parse=listing.parse,
            named=_named(""),
            begins=re.compile(_HEAD, re.MULTILINE),
            gives="the list of PCI devices",
        ),
    ),
)
