r"""The fields of a verbose list, told by their first word. All other lines of a device are passed over.

A field may go on in the lines below it: by design (``DevCtl``, ``UESta`` since 3.13), or because a terminal or a forum
broke the line. Styles of the link lines, by version of pciutils::

    LnkCap: Port #0, Speed 32GT/s, Width x16, ASPM ...
    LnkSta: Speed unknown, Width x2, TrErr- ...                 up to 3.5
    LnkSta: Speed 16GT/s (downgraded), Width x2 (ok)            3.6 and 3.7; also (strange)
    LnkSta: Speed 16GT/s (downgraded), Width x2                 since 3.8; also (overdriven)
    Link: Supported Speed 2.5Gb/s, Width x8, ...                up to 2.2, then "Link: Speed 2.5Gb/s, Width x8"

The marks in brackets are not read: since 3.8 they are left out at root and downstream ports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.lspci.draft import ACS_BITS
from toposcope.collectors.lspci.lines import joined
from toposcope.collectors.records import PciLink

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.base import Capture
    from toposcope.collectors.lspci.draft import Draft

    Reader = Callable[["Draft", "Capture", list[str], int], None]

_MOST_LINES = 10
_EXTENDED_BEGINS = 0x100
# What ends a field: another field, a header. An empty line does not: copies may be double-spaced.
_END = re.compile(r"\s*[A-Z!][\w /-]{0,30}:|\s*(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7][ \t/]")
_LINK = re.compile(r"Speed (?:unknown|<?([0-9.]{1,8})\s?G[Tb]/s)(?: \(\w+\))?,\s*Width x([0-9]{1,3})")
_BUS = re.compile(r"secondary=([0-9a-f]{2}),\s*subordinate=([0-9a-f]{2})")
_NODE = re.compile(r"NUMA node:?\s+([0-9]{1,5})\b")
_GROUP = re.compile(r"IOMMU group:?\s+([0-9]{1,6})\b")
_ID = re.compile(r"\b([0-9a-f]{4}:[0-9a-f]{4})\]?\s*$")
_CAPABILITY = re.compile(r"\s*Capabilities: \[([0-9a-f]{1,4})(?: v[0-9]+)?\] *(.*)")
_EXPRESS = re.compile(r"Express (?:\(v[0-9]+\) )?([^,(]*[^,( ])")
_IRQ = re.compile(r" IRQ [0-9]+$")
_TARGET = re.compile(r"Target Link Speed:\s+([0-9.]{1,8})GT/s")
_PAYLOAD = re.compile(r"MaxPayload ([0-9]{1,6}) bytes")
_REQUEST = re.compile(r"MaxReadReq ([0-9]{1,6}) bytes")
_RELAXED = re.compile(r"RlxdOrd([+-])")
_VFS = re.compile(r"Total VFs:\s+([0-9]{1,6}),\s*Number of VFs:\s+([0-9]{1,6})")
_SIZE = re.compile(r"\[size=([0-9]{1,6})([KMGTPE]?)\]")
_RESIZABLE = re.compile(r"BAR [0-9]: current size: ([0-9]{1,6})([KMGTPE]?)B")
_POWER = re.compile(r"\s*Status: (D[0-3]\w*)\b")
_FLAGS = re.compile(r"\s*(?:[\w/]+[+-]\s*)+")
_FLAG_SET = re.compile(r"\b(\w+)\+")

_UNIT = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}

_ACS_BIT = re.compile(rf"\b({'|'.join(ACS_BITS)})([+-])")


def _whole(lines: list[str], index: int) -> str:
    """Return the field with the lines that go on with it."""
    whole = above = lines[index]
    for line in lines[index + 1 : index + _MOST_LINES]:
        if _END.match(line):
            break
        if line[:1] in ("", "\t", " "):
            whole = f"{whole} {line.strip()}"
        else:  # broken by a mail or a terminal
            whole += joined(above, line)[len(above) :]
        above = line
    return whole


def _search(pattern: re.Pattern[str], lines: list[str], index: int) -> re.Match[str] | None:
    return pattern.search(lines[index]) or pattern.search(_whole(lines, index))


def _link(name: str) -> Reader:
    def read(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
        match = _search(_LINK, lines, index)
        if match is not None:
            draft.keep(name, PciLink(_number(match[1]), int(match[2])), index)

    return read


def _stated_link(name: str) -> Reader:
    """Keep the line of a link as well, which proves more than that of its device: ``link.status`` = ``16GT/s x8``."""
    keep = _link(name)

    def read(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
        keep(draft, capture, lines, index)
        link = draft.values.get(name)
        if isinstance(link, PciLink) and link.gts is not None:
            draft.set(f"link.{name}", f"{link.gts:g}GT/s x{link.width}", capture.origin(index))

    return read


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _old_link(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    _link("capability" if "Supported" in lines[index] else "status")(draft, capture, lines, index)


def _bus(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
    match = _search(_BUS, lines, index)
    if match is not None:
        draft.keep("secondary", int(match[1], 16), index)
        draft.keep("subordinate", int(match[2], 16), index)


def _place(name: str, pattern: re.Pattern[str]) -> Reader:
    def read(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
        match = _search(pattern, lines, index)
        if match is not None:
            draft.keep(name, int(match[1]), index)

    return read


def _flags(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    """Read NUMA node and IOMMU group, which ``-v`` prints among the flags."""
    _place("numa", _NODE)(draft, capture, lines, index)
    _place("iommu_group", _GROUP)(draft, capture, lines, index)


def _after_colon(name: str, title: str) -> Reader:
    def read(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
        head, _, value = lines[index].partition(":")
        if head.strip() == title and value.strip():
            draft.keep(name, value.strip(), index)

    return read


def _subsystem(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
    match = _ID.search(lines[index])
    if match is not None:
        draft.keep("subsystem_id", match[1], index)


def _capability(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    line = lines[index]
    if "access denied" in line:
        draft.values["denied"] = draft.exhausted is None
        return
    match = _CAPABILITY.match(line)
    if match is None:
        return
    offset, title = match.groups()
    draft.capability = title
    if int(offset, 16) >= _EXTENDED_BEGINS:
        draft.titles.append(title)
    if title.startswith("Express "):
        kind = _EXPRESS.match(title)
        if kind is not None:
            draft.keep("port_type", _IRQ.sub("", kind[1]), index)
    elif title.startswith("Access Control Services"):
        draft.set("acs.present", value=True, origin=capture.origin(index))


def _alive_not(draft: Draft, _capture: Capture, lines: list[str], index: int) -> None:
    if draft.exhausted is None and re.search(r"Unknown header type (?:7f|ff)\b", lines[index]):
        draft.values["alive"] = False


def _payload_capable(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    _integer(draft, capture, lines, index, {"payload.capable": _PAYLOAD})


def _control(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    _integer(draft, capture, lines, index, {"payload.max": _PAYLOAD, "read_request.max": _REQUEST})
    relaxed = _RELAXED.search(_whole(lines, index))
    if relaxed is not None:
        draft.set("relaxed_ordering", value=relaxed[1] == "+", origin=capture.origin(index))


def _integer(
    draft: Draft, capture: Capture, lines: list[str], index: int, patterns: dict[str, re.Pattern[str]]
) -> None:
    text = _whole(lines, index)
    for name, pattern in patterns.items():
        match = pattern.search(text)
        if match is not None:
            draft.set(name, int(match[1]), capture.origin(index))


def _target(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    match = _search(_TARGET, lines, index)
    if match is not None:
        draft.set("lnkctl2.target_gts", _number(match[1]), capture.origin(index))


def _acs(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    origin = capture.origin(index)
    draft.set("acs.present", value=True, origin=origin)
    for name, sign in _ACS_BIT.findall(_whole(lines, index)):
        draft.set(ACS_BITS[name], value=sign == "+", origin=origin)


def _ats(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    draft.set("ats.enabled", value="Enable+" in lines[index], origin=capture.origin(index))


def _errors(name: str) -> Reader:
    def read(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
        flags = _FLAG_SET.findall(lines[index])
        for line in lines[index + 1 : index + _MOST_LINES]:
            if line and not _FLAGS.fullmatch(line):
                break
            flags += _FLAG_SET.findall(line)
        draft.set(name, " ".join(flags), capture.origin(index))

    return read


def _power(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    """Read ``Status: D3 NoSoftRst-`` of power management: a sleeping device shows an idle link."""
    match = _POWER.match(lines[index])
    if match is not None:
        draft.set("power_state", match[1], capture.origin(index))


def _functions(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    match = _search(_VFS, lines, index)
    if match is not None:
        draft.set("iov.total_vfs", int(match[1]), capture.origin(index))
        draft.set("iov.num_vfs", int(match[2]), capture.origin(index))


def _region(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    """Keep the largest prefetchable region; the regions of SR-IOV stand among the capabilities and are not meant."""
    line = lines[index]
    if draft.capability or "prefetchable)" not in line or "non-prefetchable" in line:
        return
    _largest(draft, capture, index, "bar.largest_bytes", _SIZE.search(line))


def _resizable(draft: Draft, capture: Capture, lines: list[str], index: int) -> None:
    if not draft.capability.startswith("Virtual"):
        _largest(draft, capture, index, "bar.resizable_bytes", _RESIZABLE.search(lines[index]))


def _largest(draft: Draft, capture: Capture, index: int, name: str, match: re.Match[str] | None) -> None:
    if match is None:
        return
    size = int(match[1]) * _UNIT[match[2]]
    before = draft.settings.pop(name, None)
    if before is not None and isinstance(before.value, int) and before.value >= size:
        draft.settings[name] = before
    else:
        draft.set(name, size, capture.origin(index))


OF_EACH: dict[str, Reader] = {
    "LnkCap:": _link("capability"),
    "LnkSta:": _link("status"),
    "Link:": _old_link,
    "Bus:": _bus,
    "NUMA": _place("numa", _NODE),
    "IOMMU": _place("iommu_group", _GROUP),
    "Flags:": _flags,
    "Physical": _after_colon("slot", "Physical Slot"),
    "Kernel": _after_colon("driver", "Kernel driver in use"),
    "Subsystem:": _subsystem,
    "Capabilities:": _capability,
    "!!!": _alive_not,
}

WITH_SETTINGS: dict[str, Reader] = OF_EACH | {
    "LnkCap:": _stated_link("capability"),
    "LnkSta:": _stated_link("status"),
    "DevCap:": _payload_capable,
    "DevCtl:": _control,
    "LnkCtl2:": _target,
    "ACSCtl:": _acs,
    "ATSCtl:": _ats,
    "UESta:": _errors("aer.uncorrectable"),
    "CESta:": _errors("aer.correctable"),
    "Initial": _functions,
    "Status:": _power,
    "Region": _region,
    "Memory": _region,
    "[virtual]": _region,
    "BAR": _resizable,
}
