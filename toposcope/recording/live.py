"""A live run: the commands of all collectors, /sys and NVML of this host become a recording.

Commands without a placeholder run first, all at once; their records fill the placeholders of the others. What is
absent, refused or too slow is noted in the recording's commands; nothing of it ends the run. A tool that hangs whatever
it is asked is soon not asked any more: the run ends after the time limit, however many commands the tool has. Of the
environment only the variables of communication libraries and of device visibility are kept.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.base import Capture
from toposcope.base.version import __version__
from toposcope.collectors import COLLECTORS
from toposcope.collectors.cpu.kernel import is_wanted_variable
from toposcope.recording import nvml, sysfs
from toposcope.recording.disk_tree import DiskTree
from toposcope.recording.naming import NVML, file_name, free_name
from toposcope.recording.outcomes import MASKED, problems_of
from toposcope.recording.process import Ran, Runner, run, run_cat
from toposcope.recording.recording import Command, Outcome, Recording
from toposcope.recording.text import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from toposcope.collectors import Collector, Source
    from toposcope.collectors.records import Record

WORKERS = 32
"""Commands that run at a time."""
WORKERS_OF_TOOL = 16
"""Commands of one tool that run at a time: drivers answer one after the other, and all of them have one time limit."""
MAX_TARGETS = 256
"""Values that one placeholder may take: devices of a host."""
HANGS = 8
"""Commands of one tool that may hang before the rest of them is not tried, if none has answered."""
_PLACEHOLDER = re.compile(r"\{\w+\}")
_TARGET = re.compile(r"[A-Za-z0-9_][\w.:@/-]{0,127}")
_SYSFS = "sysfs"
_ENV = "env"


@dataclass(frozen=True, slots=True)
class _Job:
    """One command to run for a source."""

    source: Source
    words: tuple[str, ...]
    argument: str | None = None


class _Tool:
    """One tool: how many of its commands run, and whether it answers at all."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(WORKERS_OF_TOOL)
        self.answers = False
        self.hangs = 0


@dataclass(slots=True)
class _Run:
    """A run under way: what it runs with and what it has gathered."""

    runner: Runner
    sysroot: Path
    timeout_s: float
    progress: Callable[[str, str], None]
    stop: threading.Event = field(default_factory=threading.Event)
    captures: list[Capture] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    names: set[str] = field(default_factory=lambda: {"manifest.json"})
    tools: dict[str, _Tool] = field(default_factory=dict)


def collect(
    *,
    runner: Runner = run,
    sysroot: Path = Path("/"),
    timeout: float = 10.0,
    root: bool | None = None,
    host: str | None = None,
    time: str | None = None,
    environ: Mapping[str, str] | None = None,
    progress: Callable[[str, str], None] | None = None,
    collectors: tuple[Collector, ...] = COLLECTORS,
) -> Recording:
    """Record this host.

    ``timeout`` is in seconds, for each command. ``sysroot`` is where ``/sys``, ``/proc`` and ``/etc`` are read from.
    ``root``, ``host``, ``time`` and ``environ`` tell what the process would find out itself. ``progress`` is called
    with a source's key and ``running`` or the outcome, from this thread alone. Ctrl-C ends the run: what there is is
    returned.
    """
    under_way = _Run(runner, sysroot, timeout, progress or (lambda _key, _state: None))
    _gather(under_way, collectors)
    _add_environment(under_way, os.environ if environ is None else environ, collectors)
    sources = [source for collector in collectors for source in collector.sources]
    is_root = os.geteuid() == 0 if root is None else root
    return Recording(
        host=(host if host is not None else socket.gethostname()) or None,
        captures=tuple(sorted(under_way.captures, key=_order(collectors))),
        problems=tuple(problems_of(under_way.commands, sources, as_root=is_root)),
        made_by=f"toposcope {__version__}",
        time=time if time is not None else datetime.now(UTC).isoformat(timespec="seconds"),
        commands=tuple(sorted(under_way.commands, key=lambda command: command.file or "~")),
        as_root=is_root,
    )


def collect_copy(root: Path, *, timeout: float = 10.0, progress: Callable[[str, str], None] | None = None) -> Recording:
    """Record a copy of a host's ``/``: its files alone, since the commands and NVML of this host speak of another."""
    names = (root / "proc/sys/kernel/hostname", root / "etc/hostname")
    host = next((name.read_text(errors="replace").strip() for name in names if name.is_file()), "")
    return collect(runner=run_cat, sysroot=root, timeout=timeout, host=host, environ={}, progress=progress)


def _gather(under_way: _Run, collectors: tuple[Collector, ...]) -> None:
    first = [
        _Job(source, source.command or (NVML,))
        for collector in collectors
        for source in collector.sources
        if (source.command and not _has_placeholder(source)) or source.key == NVML
    ]
    pool = ThreadPoolExecutor(WORKERS)
    try:
        tree = _read_tree(under_way.sysroot)
        _run_all(under_way, pool, first)
        _add_tree(under_way, tree, {source.key for collector in collectors for source in collector.sources})
        _run_all(under_way, pool, _second_stage(under_way.captures, collectors))
    except KeyboardInterrupt:
        under_way.stop.set()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _has_placeholder(source: Source) -> bool:
    return any(_PLACEHOLDER.search(word) for word in source.command)


def _run_all(under_way: _Run, pool: ThreadPoolExecutor, jobs: Sequence[_Job]) -> None:
    waiting: dict[Future[Ran], _Job] = {}
    try:
        for job in jobs:
            under_way.progress(job.source.key, "running")
            tool = under_way.tools.setdefault(job.words[0], _Tool())
            waiting[pool.submit(_ask, under_way, tool, _words_run(job.words, under_way.sysroot))] = job
        while waiting:
            done, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                _finish(under_way, waiting.pop(future), future.result())
    except KeyboardInterrupt:
        stopped = (Command(job.source.key, job.words, Outcome.STOPPED) for job in waiting.values())
        under_way.commands.extend(stopped)
        raise


def _ask(under_way: _Run, tool: _Tool, words: tuple[str, ...]) -> Ran:
    """Run a command, unless its tool hangs whatever it is asked."""
    with tool.gate:
        if tool.hangs >= HANGS and not tool.answers:
            return Ran(Outcome.TIMED_OUT, error="not tried: the tool had answered nothing before")
        ran = under_way.runner(words, timeout_s=under_way.timeout_s, stop=under_way.stop)
        tool.hangs += ran.outcome is Outcome.TIMED_OUT
        tool.answers |= ran.outcome in (Outcome.DONE, Outcome.EMPTY)
        return ran


def _words_run(words: tuple[str, ...], sysroot: Path) -> tuple[str, ...]:
    """Return what is executed: NVML is asked by a Python of its own, ``cat /proc/cmdline`` reads below the root."""
    if words == (NVML,):
        return nvml.command()
    if words[0] != "cat" or sysroot == Path("/"):
        return words
    return tuple(str(sysroot / word.lstrip("/")) if word.startswith("/") else word for word in words)


def _finish(under_way: _Run, job: _Job, ran: Ran) -> None:
    if (job.words[0] == "cat" and "No such file" in ran.error) or ran.exit_code == nvml.ABSENT:
        ran = replace(ran, outcome=Outcome.ABSENT)
    text = decode(ran.output)
    tells = job.source.silence_tells and ran.outcome is Outcome.EMPTY
    keeps = text is not None and (text.strip() != "" or tells) and ran.outcome is not Outcome.ABSENT
    name = _free_name(job.words, under_way.names) if keeps else None
    if text is not None and name is not None:
        under_way.captures.append(Capture(job.source.key, name, text, argument=job.argument))
    command = Command(
        source=job.source.key,
        words=job.words,
        outcome=ran.outcome,
        exit_code=ran.exit_code,
        duration_s=ran.duration_s,
        file=name,
        argument=job.argument,
        error=ran.error if text is not None else "its output is no text",
        truncated=ran.truncated,
    )
    under_way.commands.append(command)
    under_way.progress(job.source.key, ran.outcome.value)


def _free_name(words: Sequence[str], taken: set[str]) -> str:
    name = free_name(file_name(words), taken)
    taken.add(name)
    return name


def _read_tree(sysroot: Path) -> Future[dict[str, str]]:
    """Read /sys beside the commands, in a thread that nobody waits for: a broken device can make its files hang."""
    future: Future[dict[str, str]] = Future()

    def read() -> None:
        try:
            future.set_result(sysfs.texts(DiskTree(sysroot)))
        except Exception as error:  # noqa: BLE001 - raised again where the result is taken
            future.set_exception(error)

    threading.Thread(target=read, daemon=True).start()
    return future


def _add_tree(under_way: _Run, tree: Future[dict[str, str]], known: set[str]) -> None:
    under_way.progress(_SYSFS, "running")
    try:
        texts = tree.result(under_way.timeout_s)
    except TimeoutError:
        under_way.commands.append(Command("sysfs-pci", (), Outcome.TIMED_OUT, duration_s=under_way.timeout_s))
        under_way.progress(_SYSFS, Outcome.TIMED_OUT.value)
        return
    for source, text in texts.items():
        name = _free_name((source,), under_way.names)
        under_way.captures.append(Capture(source, name, text))
        under_way.commands.append(Command(source, (), Outcome.DONE, file=name))
    for source in MASKED.keys() & known - texts.keys():
        under_way.commands.append(Command(source, (), Outcome.EMPTY))
    under_way.progress(_SYSFS, (Outcome.DONE if texts else Outcome.EMPTY).value)


def _add_environment(under_way: _Run, environ: Mapping[str, str], collectors: tuple[Collector, ...]) -> None:
    known = any(source.key == _ENV for collector in collectors for source in collector.sources)
    kept = {name: value for name, value in environ.items() if is_wanted_variable(name) and value.isprintable()}
    if known and kept:
        text = "".join(f"{name}={value}\n" for name, value in sorted(kept.items()))
        under_way.captures.append(Capture(_ENV, _free_name((_ENV,), under_way.names), text))
        under_way.commands.append(Command(_ENV, (), Outcome.DONE, file=_ENV))


def _second_stage(captures: Iterable[Capture], collectors: tuple[Collector, ...]) -> list[_Job]:
    """Return the commands with placeholders, filled from what the first stage printed."""
    captures = tuple(captures)
    records = {collector.name: _records(captures, collector) for collector in collectors}
    everything = [record for several in records.values() for record in several]
    jobs: list[_Job] = []
    for collector in collectors:
        for source in collector.sources:
            if source.command and source.targets is not None and _has_placeholder(source):
                values = source.targets(records[collector.name] or everything)
                jobs += [_filled(source, value) for value in dict.fromkeys(values[:MAX_TARGETS]) if _is_target(value)]
    return jobs


def _records(captures: Iterable[Capture], collector: Collector) -> list[Record]:
    parsers = {source.key: source.parse for source in collector.sources}
    read = (parsers[capture.source](capture) for capture in captures if capture.source in parsers)
    return [record for reading in read for record in reading.records]


def _filled(source: Source, value: str) -> _Job:
    words = tuple(_PLACEHOLDER.sub(lambda _match: value, word) for word in source.command)
    return _Job(source, words, value)


def _is_target(value: str) -> bool:
    """Tell whether a value may stand in a command: a name, never an option or a path that leads up."""
    return _TARGET.fullmatch(value) is not None and ".." not in value


def _order(collectors: tuple[Collector, ...]) -> Callable[[Capture], tuple[int, str]]:
    place = {source.key: i for i, source in enumerate(source for c in collectors for source in c.sources)}
    return lambda capture: (place.get(capture.source, len(place)), capture.file)
