r"""Read the outputs of ``nvidia-smi nvlink``: status, capabilities, remote ends, error counters, firmware.

Each is blocks of a GPU (:mod:`blocks`) with lines of its own, indented by nine blanks or by TAB and blank::

    -s     "Link" n ":" ( rate "GB/s" | "<inactive>" )
    -R     "Link" n ":" "Remote Device" pci ":" "Link" m            (-p prints the address alone)
    -c     "Link" n "," capability ":" ( "true" | "false" )
    -e     "Link" n ":" counter ":" number
    -info  name ":" value | name ":"                                (a name without value heads those below it)

``rate`` is one link's, one direction. A GPU without any live link prints, instead of links,
``NVML: Unable to retrieve NVLink information as all links are inActive``.

-R counts live links only, so on bridged boards its numbers are not those of -s (six of 18 links of an H100 PCIe are
never wired). The address of its far end is a GPU or an NVSwitch; ``fffffff:ff:ff.0`` stands for a switch that this
host does not see (Blackwell, MNNVL).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.blocks import walk
from toposcope.collectors.nvidia_smi.lines import unread
from toposcope.collectors.records import FabricLink, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toposcope.base import Capture, Origin, Problem
    from toposcope.collectors.nvidia_smi.blocks import Found, LineReader
    from toposcope.collectors.records import Reading, Record

_LINK = re.compile(r"[\s>]*Link (?P<link>\d{1,4})\s?[:,]\s{0,40}(?P<rest>[^\n]*)")
_RATE = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)\s?GB/s")
_REMOTE = re.compile(
    r"(?:(?P<kind>Remote Device)\s{1,9})?(?P<pci>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])"
    r"(?::\s{0,9}Link (?P<link>\d{1,4}))?",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?P<name>[^:\n]{1,80}):\s{0,40}(?P<value>[^\n]{1,60})")
_NAMED = re.compile(r"(?P<indent>[\s>]*)(?P<name>[A-Za-z][^:\n]{0,60}):\s{0,60}(?P<value>[^\n]{0,120})")
_ALL_INACTIVE = re.compile(r"[\s>]*(?:NVML: )?Unable to retrieve NVLink information[^\n]{0,200}", re.IGNORECASE)
_INACTIVE = {"<inactive>", "inactive", "<disabled>", "disabled", "<off>", "off"}
_CAPABILITIES = {
    "p2p": "p2p",
    "access to system memory": "system_memory",
    "p2p atomics": "p2p_atomics",
    "system memory atomics": "system_memory_atomics",
    "sli": "sli",
    "link": "link",
}
_TRUTH = {"true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class _Line:
    """One ``Link 3: rest`` of a GPU."""

    gpu: str
    link: int
    rest: str
    text: str
    origin: Origin

    def unread(self, message: str) -> Found:
        return (), (unread(self.origin, message, self.text),)


def parse_status(capture: Capture) -> Reading:
    """Read ``nvlink -s``: one :class:`FabricLink` a line; ``nvlink.state`` for a GPU whose links are all down."""
    reading = _without_strangers(walk(capture, _of_link(_status), "GPU or link of nvidia-smi nvlink -s"))
    return replace(reading, problems=(*reading.problems, *_missing_links(reading)))


def parse_remote(capture: Capture) -> Reading:
    """Read ``nvlink -R`` (or ``-p``): the far end of each live link."""
    return _without_strangers(walk(capture, _of_link(_remote), "GPU or link of nvidia-smi nvlink -R"))


def parse_capabilities(capture: Capture) -> Reading:
    """Read ``nvlink -c``: settings ``nvlink.3.p2p``, ``.system_memory``, ``.p2p_atomics`` ... of the GPU."""
    return walk(capture, _of_link(_capability), "GPU or link of nvidia-smi nvlink -c")


def parse_errors(capture: Capture) -> Reading:
    """Read ``nvlink -e``: settings ``counter.nvlink.3.replay``, ``.recovery``, ``.crc``, ``.fec_0`` ... of the GPU.

    ``fec_0`` counts words without an error: large and growing on a healthy link.
    """
    return walk(capture, _of_link(_counter), "GPU or link of nvidia-smi nvlink -e")


def parse_firmware(capture: Capture) -> Reading:
    """Read ``nvlink -info``: settings ``nvlink.nvle``, ``nvlink.firmware_version.netir`` ... of the GPU."""
    sections: list[tuple[int, str]] = []

    def read(line: str, label: str | None, origin: Origin) -> Found | None:
        return _all_inactive(line, label, origin) or _firmware(sections, line, label, origin)

    return walk(capture, read, "GPU or value of nvidia-smi nvlink -info")


def key(name: str) -> str:
    """Return a printed name as part of a setting's key: ``Link recovery failed events`` -> ``link_recovery_failed``."""
    plain = _NOT_KEY.sub("_", name.lower()).strip("_")
    return _NOISE.sub("", plain) or plain


_NOT_KEY = re.compile(r"[^a-z0-9]+")
_NOISE = re.compile(r"_(?:errors|events)(?=_|$)")


def _of_link(read: Callable[[_Line], Found]) -> LineReader:
    """Return a reader of ``Link n`` lines; one whose GPU's line was cut off is a problem."""

    def read_line(line: str, label: str | None, origin: Origin) -> Found | None:
        match = _LINK.fullmatch(line) if "Link " in line else None
        if match is None:
            return _all_inactive(line, label, origin)
        if label is None:
            return (), (unread(origin, "a link without the GPU above it", line),)
        return read(_Line(label, int(match["link"]), match["rest"], line, origin))

    return read_line


def _all_inactive(line: str, label: str | None, origin: Origin) -> Found | None:
    if not _ALL_INACTIVE.fullmatch(line):
        return None
    if label is None:
        return (), (unread(origin, "NVLink is inactive on a GPU that is not named", line),)
    return (Setting(label, "nvlink.state", "inactive", origin),), ()


def _status(line: _Line) -> Found:
    if match := _RATE.fullmatch(line.rest):
        rate = Bandwidth.gigabytes(float(match[1]))
        return (FabricLink(line.gpu, line.link, line.origin, active=True, rate=rate),), ()
    if line.rest.lower() in _INACTIVE:
        return (FabricLink(line.gpu, line.link, line.origin, active=False),), ()
    return line.unread("the state of an NVLink was not understood")


def _without_strangers(reading: Reading) -> Reading:
    """Drop links behind one whose number is not above the last: they are another GPU's, whose own line was lost."""
    kept: list[Record] = []
    problems = list(reading.problems)
    last, strangers = -1, False
    for record in reading.records:
        if not isinstance(record, FabricLink):
            last, strangers = -1, False
        elif record.link <= last and not strangers:
            strangers = True
            problems.append(
                unread(record.origin, f"link numbers begin again below {record.accelerator}: a GPU is lost")
            )
        if not strangers:
            kept.append(record)
            last = record.link if isinstance(record, FabricLink) else last
    return replace(reading, records=tuple(kept), problems=tuple(problems))


def _missing_links(reading: Reading) -> Iterator[Problem]:
    """Report links that are left out: -s numbers all that a GPU has, from 0."""
    last: dict[str, int] = {}
    for record in reading.records:
        if isinstance(record, FabricLink):
            expected = last.get(record.accelerator, -1) + 1
            if record.link > expected:
                message = f"links {expected} to {record.link - 1} of {record.accelerator} are missing before this line"
                yield unread(record.origin, message)
            last[record.accelerator] = record.link


def _remote(line: _Line) -> Found:
    match = _REMOTE.fullmatch(line.rest)
    peer = pci_address(match["pci"]) if match else None
    if match is None or peer is None:
        inactive = line.rest.lower() in _INACTIVE
        return _status(line) if inactive else line.unread("the far end of an NVLink was not understood")
    far = int(match["link"]) if match["link"] else None
    link = FabricLink(line.gpu, line.link, line.origin, active=True, peer=peer, peer_kind=match["kind"], peer_link=far)
    return (link,), ()


def _capability(line: _Line) -> Found:
    match = _PAIR.fullmatch(line.rest)
    name = match["name"].lower().removesuffix(" supported").removesuffix(" is") if match else ""
    value = _TRUTH.get(match["value"].lower()) if match else None
    if match is None or value is None:
        return line.unread("a capability of an NVLink was not understood")
    setting = f"nvlink.{line.link}.{_CAPABILITIES.get(name, key(name))}"
    return (Setting(line.gpu, setting, value, line.origin),), ()


def _counter(line: _Line) -> Found:
    match = _PAIR.fullmatch(line.rest)
    if match is None:
        inactive = line.rest.lower() in _INACTIVE
        return _status(line) if inactive else line.unread("a counter of an NVLink was not understood")
    name = f"counter.nvlink.{line.link}.{key(match['name'])}"
    status = tokens.no_answer(match["value"])
    if status is not None:
        return (Setting(line.gpu, name, None, line.origin, status=status),), ()
    return (Setting(line.gpu, name, tokens.number(match["value"]), line.origin),), ()


def _firmware(sections: list[tuple[int, str]], line: str, label: str | None, origin: Origin) -> Found | None:
    match = _NAMED.fullmatch(line)
    if match is None or label is None or not match["indent"]:
        return None
    depth = len(match["indent"])
    while sections and sections[-1][0] >= depth:
        sections.pop()
    if not match["value"]:
        sections.append((depth, key(match["name"])))
        return (), ()
    name = ".".join(("nvlink", *(section for _, section in sections), key(match["name"])))
    return (Setting(label, name, match["value"], origin),), ()
