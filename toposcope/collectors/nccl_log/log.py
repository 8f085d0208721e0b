r"""The log that NCCL and RCCL write with ``NCCL_DEBUG=INFO``: what they found, were told, and chose.

Grammar; other lines of the job stand between, and so do those of other hosts and ranks::

    line    = [prefix] host ":" pid ":" thread " [" device "] NCCL " ("INFO" | "WARN") " " message
    message = "NCCL version 2.21.5+cuda12.4"
            | NAME " set by environment to " value ["."]  |  NAME " set to " value
            | "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ... ; OOB eth0:..."
            | "GPU Direct RDMA " ("Enabled" | "Disabled") " for " ("GPU " gpu " / HCA " n | "HCA " n " 'mlx5_0'") ...
            | "Channel 00/0 : " rank "[" gpu "] -> " rank "[" gpu "] " ["[send] " | "[receive] "] "via " transport
            | "NET/IB : " [device ":" port] " Got async event : " event
            | "... Got completion ... status=12 ... vendor err 129 ..."
            | a line of the printed graph (``graph``), which is read once, of the first host

``gpu`` is the number of the device, in older releases its bus id (``3000``). What a log says of devices is of its first
host only. Settings of the host: ``nccl.log``, ``nccl.library``, ``nccl.version``, ``nccl.set.NAME``, ``nccl.hcas``,
``nccl.network``, ``nccl.completion_error``, ``nccl.graph.gpus``; of an accelerator ``nccl.net`` (the transport) and
``nccl.net.gdr``; of a pair on this host ``nccl.transport``; of a NIC ``nccl.gdr``, ``nccl.async_event`` and
(where it is harmless) ``nccl.port_event``.

``/etc/nccl.conf`` and ``~/.nccl.conf`` hold lines ``NAME=value`` and comments (``#``): settings ``nccl.conf.NAME``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.base.clean import without_ansi
from toposcope.collectors.nccl_log.graph import BEGINS, Graph, pci_of_bus
from toposcope.collectors.output_lines import LONGEST_LINE, output_lines
from toposcope.collectors.records import Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin

HOST = "host"
_LINE = re.compile(r"NCCL (?:INFO|WARN) ")
_PREFIX = re.compile(r"(?P<host>[A-Za-z0-9][\w.-]{0,120}):\d{1,9}:\d{1,9} \[\d{1,4}\]\s*$")
_VERSION = re.compile(r"\b(?P<library>[NR]CCL) version (?P<version>\d{1,3}(?:\.\d{1,4}){1,3})")
_SET = re.compile(r"(?P<name>[NR]CCL_[A-Z0-9_]{1,80}) set (?:by environment )?to (?P<value>\S.*)")
_USING = re.compile(r"NET/IB : Using (?P<hcas>(?:\[\d{1,3}\]\S+ ?)+)")
_HCA = re.compile(r"\[\d{1,3}\](\S+)")
_NO_HCA = re.compile(r"NET/IB : No device found")
_NETWORK = re.compile(r"Using network (?P<name>\S+)")
_GDR_OF_HCA = re.compile(r"GPU Direct RDMA (?P<what>Enabled|Disabled) for HCA \d{1,3} '(?P<name>[\w.-]{1,64})'")
_GDR_OF_GPU = re.compile(r"GPU Direct RDMA Enabled for GPU (?P<gpu>[0-9a-fA-F]{1,9}) / HCA \d{1,3} ")
_CHANNEL = re.compile(
    r"(?:Channel|Ring) \d{1,4}(?:/\d{1,4})? : (?P<a>\d{1,7})\[(?P<gpu_a>[0-9a-f]{1,9})\] -> "
    r"(?P<b>\d{1,7})\[(?P<gpu_b>[0-9a-f]{1,9})\] (?:\[(?P<way>send|receive)\] )?"
    r"via (?P<transport>\S{1,64}(?: (?!comm\b)\S{1,64}){0,2})"
)
_ASYNC = re.compile(
    r"NET/IB : (?:(?P<name>[\w.-]{1,64}):(?P<port>\d{1,3}) )?Got (?:non-fatal )?async event ?: (?P<event>[\w ]{1,60})"
)
_BAD = re.compile(r"err|fatal|fail|down", re.IGNORECASE)
_COMPLETION = re.compile(r"Got completion .{0,300}?status=(?P<status>\d{1,4})\b.{0,200}?vendor err (?P<vendor>\d{1,6})")
_GRAPH_GPU = re.compile(r"GPU/(?:[0-9A-Fa-f]{1,4}-)?(?P<bus>[0-9A-Fa-f]{1,9}) \(\d{1,7}\)")
_BRANCH = re.compile(r"\s*\+ [A-Z0-9]{2,8}\[")
_VARIABLE = re.compile(r"\s*(?P<name>[NR]CCL_[A-Z0-9_]{1,80})\s*=(?P<value>.*)")
_SHORT = 3
"""A device's number has at most so many digits; a bus id has more."""


@dataclass(slots=True)
class _Ends:
    """What channels showed: ranks with their devices and hosts, and the transport of each pair."""

    devices: dict[int, str] = field(default_factory=dict)
    hosts: dict[int, str] = field(default_factory=dict)
    pairs: dict[tuple[int, int], tuple[str, Origin]] = field(default_factory=dict)
    outward: dict[int, list[tuple[str, Origin]]] = field(default_factory=dict)


@dataclass(slots=True)
class _Log:
    capture: Capture
    settings: dict[tuple[str, str], Setting] = field(default_factory=dict)
    ends: _Ends = field(default_factory=_Ends)
    gpus: dict[str, Origin] = field(default_factory=dict)
    first_host: str | None = None
    graph: Graph | None = None
    graph_of: str = ""
    torn: list[Problem] = field(default_factory=list)
    elsewhere: dict[str, Problem] = field(default_factory=dict)

    def set(self, subject: str, name: str, value: str | bool, index: int) -> None:  # noqa: FBT001 - a value
        """Keep a setting, the first of its name."""
        self.settings.setdefault((subject, name), Setting(subject, name, value, self.capture.origin(index)))


def parse(capture: Capture) -> Reading:
    """Read a log. Lines of the job itself pass; a line of the graph that is none any more is a problem."""
    log = _Log(capture)
    for index, line in enumerate(capture.text.split("\n")):
        found = _LINE.search(line, 0, LONGEST_LINE)
        if found is not None:
            text = without_ansi(line[:LONGEST_LINE])
            _read(log, text, _LINE.search(text) or found, index)
        elif _takes_graph(log, "", line[:LONGEST_LINE], index):
            continue
        elif version := _VERSION.search(line, 0, 400):
            _take_version(log, version, index)
    drawn = log.graph.records if log.graph is not None else ()
    unfinished = log.graph.problems() if log.graph is not None else ()
    records = (*log.settings.values(), *_graph(log), *_transports(log), *drawn)
    return Reading(records, (*log.torn, *unfinished, *log.elsewhere.values()))


def _read(log: _Log, text: str, found: re.Match[str], index: int) -> None:
    host = _PREFIX.search(text[: found.start()])
    name = host["host"] if host else None
    log.set(HOST, "nccl.log", "recorded", index)
    log.first_host = log.first_host or name
    message = text[found.end() :].strip()
    if _takes_graph(log, text[: found.start()], text[found.end() :], index):
        pass
    elif channel := _CHANNEL.match(message):
        _take_channel(log, channel, name, index)
    elif match := _SET.match(message):
        log.set(HOST, f"nccl.set.{match['name']}", match["value"].strip().rstrip("."), index)
    elif name == log.first_host:
        _take_of_host(log, message, index)
    if version := _VERSION.search(message):
        _take_version(log, version, index)


def _takes_graph(log: _Log, prefix: str, text: str, index: int) -> bool:
    """Read a line of the first graph that is printed; the other processes of the job print the same between."""
    if BEGINS.fullmatch(text):
        _begin_graph(log, prefix, log.capture.origin(index))
        return True
    if log.graph is None or not log.graph.open or prefix != log.graph_of:
        return False
    origin = log.capture.origin(index)
    taken = log.graph.take(text, origin)
    if not taken and _BRANCH.match(text):
        log.torn.append(Problem(ProblemKind.UNREAD, origin, "a damaged line of the printed graph", text.strip()))
    if taken and (gpu := _GRAPH_GPU.search(text)) is not None:
        log.gpus.setdefault(pci_of_bus(gpu["bus"]), origin)
    return taken


def _begin_graph(log: _Log, prefix: str, origin: Origin) -> None:
    host = _PREFIX.search(prefix)
    if host is not None and host["host"] != log.first_host:
        message = f"the graph of {host['host']}, while the log is read of {log.first_host}: give it alone to see it"
        log.elsewhere.setdefault(host["host"], Problem(ProblemKind.UNREAD, origin, message))
    elif log.graph is None:
        log.graph, log.graph_of = Graph(origin), prefix
    else:
        log.graph.open = log.graph.open and prefix != log.graph_of  # another begins: the first was cut


def _take_version(log: _Log, match: re.Match[str], index: int) -> None:
    log.set(HOST, "nccl.library", match["library"], index)
    log.set(HOST, "nccl.version", match["version"], index)


def _take_of_host(log: _Log, message: str, index: int) -> None:
    if match := _USING.match(message):
        log.set(HOST, "nccl.hcas", " ".join(_HCA.findall(match["hcas"])), index)
    elif _NO_HCA.match(message):
        log.set(HOST, "nccl.hcas", "none", index)
    elif match := _NETWORK.match(message):
        log.set(HOST, "nccl.network", match["name"], index)
    elif match := _GDR_OF_HCA.search(message):
        log.set(match["name"], "nccl.gdr", match["what"] == "Enabled", index)
    elif match := _GDR_OF_GPU.search(message):
        log.set(_device(match["gpu"]), "nccl.net.gdr", True, index)  # noqa: FBT003 - a value
    elif match := _ASYNC.search(message):
        subject = f"{match['name']}/{match['port']}" if match["name"] else HOST
        event = match["event"].strip()
        log.set(subject, "nccl.async_event" if _BAD.search(event) else "nccl.port_event", event, index)
    elif match := _COMPLETION.search(message):
        log.set(HOST, "nccl.completion_error", f"status {match['status']}, vendor err {match['vendor']}", index)
    elif (match := _GRAPH_GPU.search(message)) and not message.startswith("GPU/"):
        log.gpus.setdefault(pci_of_bus(match["bus"]), log.capture.origin(index))


def _take_channel(log: _Log, match: re.Match[str], host: str | None, index: int) -> None:
    """Note a channel. Its line is printed where the data leaves, with ``[receive]`` where it comes in."""
    ends = log.ends
    a, b = int(match["a"]), int(match["b"])
    local = b if match["way"] == "receive" else a
    ends.devices.setdefault(a, _device(match["gpu_a"]))
    ends.devices.setdefault(b, _device(match["gpu_b"]))
    if host is not None:
        ends.hosts.setdefault(local, host)
    origin = log.capture.origin(index)
    transport = match["transport"]
    if transport.startswith("NET/"):
        ends.outward.setdefault(local, []).append((transport, origin))
    elif host is not None:
        ends.hosts.setdefault(b if local == a else a, host)
    ends.pairs.setdefault((min(a, b), max(a, b)), (transport, origin))


def _device(text: str) -> str:
    """Return what names a device: ``GPU3``, or the PCI address that an older release prints (``3b000``)."""
    return f"GPU{int(text)}" if text.isdecimal() and len(text) < _SHORT else pci_of_bus(text)


def _graph(log: _Log) -> Iterator[Setting]:
    if log.gpus:
        yield Setting(HOST, "nccl.graph.gpus", " ".join(log.gpus), next(iter(log.gpus.values())))


def _transports(log: _Log) -> Iterator[Setting]:
    """Yield what each pair of this host uses, and what each of its accelerators uses to leave it."""
    ends = log.ends
    for (a, b), (transport, origin) in ends.pairs.items():
        here = {ends.hosts.get(a), ends.hosts.get(b)}
        if here == {log.first_host} and log.first_host is not None and ends.devices[a] != ends.devices[b]:
            yield Setting(f"{ends.devices[a]}|{ends.devices[b]}", "nccl.transport", transport, origin)
    for rank, used in ends.outward.items():
        if ends.hosts.get(rank) != log.first_host:
            continue
        direct = [each for each in used if "GDRDMA" in each[0]]
        transport, origin = (direct or used)[0]
        yield Setting(ends.devices[rank], "nccl.net", transport, origin)
        yield Setting(ends.devices[rank], "nccl.net.gdr", bool(direct), origin)


def parse_conf(capture: Capture) -> Reading:
    """Read ``nccl.conf``: each variable that it sets."""
    lines = output_lines(capture)
    settings: dict[str, Setting] = {}
    for index, text in enumerate(lines.texts):
        match = _VARIABLE.fullmatch(text)
        if match is not None:
            value = match["value"].strip().strip("\"'")
            settings[match["name"]] = Setting(HOST, f"nccl.conf.{match['name']}", value, capture.origin(index))
        elif text.strip() and not text.lstrip().startswith("#"):
            lines.stray(index)
            continue
        lines.fits(index)
    return Reading(tuple(settings.values()), lines.all_problems("no variable of nccl.conf"))
