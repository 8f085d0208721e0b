"""The use cases: load or record, analyze, find paths, compare. Plain results; nothing is printed here."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope import recording as recordings
from toposcope.analysis import analyze as analyze_topology
from toposcope.analysis import routes as routes_of
from toposcope.analysis.rules import select
from toposcope.assembly import Lookup, assemble, topology_of_machine
from toposcope.assembly.measurements import ELSEWHERE, add_measurements
from toposcope.base import InputError, ProblemKind, UsageError
from toposcope.collectors.records import Accelerator, Reading
from toposcope.model import Medium
from toposcope.profiles.store import find_machine, load_catalogue, load_machines, shipped, undecided, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toposcope.analysis import Analysis, Route
    from toposcope.analysis.affinity import Affinity
    from toposcope.analysis.contention import Contention
    from toposcope.analysis.difference import Comparison
    from toposcope.analysis.measured import Check
    from toposcope.analysis.whatif import Change
    from toposcope.base import Origin
    from toposcope.model import Topology
    from toposcope.profiles.machine import Machine
    from toposcope.recording import Recording
    from toposcope.recording.survey import SourceState
    from toposcope.render.palette import ThemeName

PROFILE = "profile:"
BENCHMARKS = "the output of nccl-tests, nvbandwidth, p2pBandwidthLatencyTest, perftest, hccl_test or the like"


@dataclass(frozen=True)
class Knowledge:
    """The profiles and the catalogue, from the shipped data and the folders that extend it."""

    machines: dict[str, Machine]
    lookup: Lookup


@dataclass(frozen=True)
class Loaded:
    """A topology, and the recording it was read from (None for a reference machine)."""

    topology: Topology
    recording: Recording | None = None
    assemble_with: Callable[[Reading], Topology] | None = field(default=None, repr=False, compare=False)
    """Builds the topology anew with what else was read of this host; None where there is no recording."""

    def text_of(self, origin: Origin) -> str | None:
        """Return the line of the recording that an origin speaks of."""
        return None if self.recording is None else recordings.text_of(self.recording, origin)


def knowledge(*folders: Path) -> Knowledge:
    """Load the profiles and the catalogue. ``folders`` extend and override; the user's own folder always does."""
    places = [shipped(), *(folder for folder in (user_folder(), *folders) if folder.is_dir())]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder of profiles: give one that holds machines/*.toml")
    return Knowledge(load_machines(*places), Lookup(load_catalogue(*places)))


def load(
    paths: Sequence[str], known: Knowledge, *, profile: str | None = None, stdin: bytes | None = None
) -> tuple[Loaded, ...]:
    """Load what the paths hold, one result a host.

    A path is a recording (folder, archive, file, ``-`` for ``stdin``) or ``profile:NAME[,option=value]``. ``profile``
    names the reference machine that settles what the recording leaves open. Raises InputError where nothing can be
    used, UsageError for an unknown profile.
    """
    wanted = [path for path in paths if path.startswith(PROFILE)]
    loaded = [Loaded(profile_topology(path.removeprefix(PROFILE), known)) for path in wanted]
    files = [Path(path) for path in paths if not path.startswith(PROFILE)]
    if files:
        found = _telling(recordings.read(files, stdin=stdin))
        loaded += [assembled(each, known, profile=profile, reading=reading) for each, reading in found]
    if not loaded:
        raise UsageError("no input was named: give a recording, a file, - for standard input, or profile:NAME")
    return tuple(loaded)


def _telling(found: Sequence[Recording]) -> list[tuple[Recording, Reading]]:
    """Return the recordings that say something, read. InputError where none does, with all that was tried."""
    readings = [(recording, recordings.parse(recording)) for recording in found]
    telling = [(recording, reading) for recording, reading in readings if reading.records]
    if not telling:
        problems = tuple(problem for _, reading in readings for problem in reading.problems)
        files = ", ".join(sorted({capture.file for recording in found for capture in recording.captures}))
        raise InputError(f"{files}: no line could be read; give the whole output of the command", problems)
    return telling


def profile_topology(name: str, known: Knowledge) -> Topology:
    """Build the topology of a reference machine."""
    return topology_of_machine(find_machine(name, known.machines), known.lookup, name=name)


def assembled(
    recording: Recording, known: Knowledge, *, profile: str | None = None, reading: Reading | None = None
) -> Loaded:
    """Build the topology of a recording. ``reading`` is what was already read of it."""
    chosen = find_machine(profile.removeprefix(PROFILE), known.machines) if profile else None
    machines = [undecided(machine) for machine in known.machines.values()]
    read = recordings.parse(recording) if reading is None else reading

    def assemble_with(more: Reading) -> Topology:
        both = Reading(read.records + more.records, read.problems)
        return assemble(both, known.lookup, machines, host=recording.host, chosen=chosen)

    return Loaded(assemble_with(Reading()), recording, assemble_with)


def one(loaded: Sequence[Loaded], host: str | None) -> Loaded:
    """Return the one host that is meant. UsageError where several are there and none is named."""
    named = [each for each in loaded if host is None or each.topology.host == host]
    names = ", ".join(each.topology.host or "(unnamed)" for each in loaded)
    if not named:
        raise UsageError(f"no host is called {host!r}; the input holds {names}")
    if len(named) > 1:
        raise UsageError(f"the input holds {len(named)} hosts ({names}): name one with --host")
    return named[0]


def drawable(loaded: Loaded) -> Topology:
    """Return the topology, ready to be shown as a picture in a notebook."""
    loaded.topology.painter = _svg
    return loaded.topology


def analyze(loaded: Loaded, *, only: Sequence[str] = (), skip: Sequence[str] = ()) -> Analysis:
    """Answer every question about a host. ``only`` and ``skip`` name rules; UsageError for one that there is not."""
    return analyze_topology(loaded.topology, select(only, skip))


def affinity(loaded: Loaded) -> Affinity:
    """Derive what each rank should be bound to."""
    from toposcope.analysis.affinity import affinity as affinity_of

    return affinity_of(loaded.topology)


def routes(loaded: Loaded, src: str, dst: str, *, far: Loaded | None = None) -> tuple[Route, ...]:
    """Return every route between two components, the default first; ``far`` is the host across the network."""
    return routes_of(loaded.topology, src, dst, far=None if far is None else far.topology)


def check(loaded: Loaded, measured: Sequence[Path] = (), *, stdin: bytes | None = None) -> Check:
    """Hold what benchmarks measured against what their routes should give.

    The measurements are those of the recording, and of other recordings or files of benchmarks' outputs, whose lists of
    devices name what the recording leaves open (``-`` is ``stdin``). UsageError where there are none.
    """
    from toposcope.analysis.measured import check as check_measurements

    readings = [each for path in measured for each in _measured(path, stdin)]
    named = (each for reading in readings for each in reading.records if isinstance(each, Accelerator))
    listed = tuple(each for each in named if each.by_runtime)
    again = loaded.assemble_with if listed else None
    topology = copy(loaded.topology) if again is None else again(Reading(listed))
    clashes = [each for each in topology.problems if each.kind is ProblemKind.CLASH]  # what the verdict rests on
    topology.measurements, topology.problems = list(topology.measurements), []
    for reading in readings:
        add_measurements(topology, reading)
    elsewhere = len(topology.problems)
    topology.problems += (problem for reading in readings for problem in reading.problems)
    if not topology.measurements:
        told = "; ".join(dict.fromkeys(problem.message for problem in topology.problems[:3]))
        if measured:
            raise InputError(f"{measured[0]} holds no measurement of this machine ({told or f'it takes {BENCHMARKS}'})")
        foreign = next((each for each in loaded.topology.problems if each.message.endswith(ELSEWHERE)), None)
        if foreign is not None:
            raise InputError(f"no measurement in the recording is of this machine ({foreign.message})")
        raise UsageError(f"no measurement in the recording: put {BENCHMARKS} beside it, or name it by --measured")
    return replace(check_measurements(topology), problems=(*topology.problems, *clashes), elsewhere=elsewhere)


def _measured(path: Path, stdin: bytes | None) -> list[Reading]:
    try:
        return [recordings.parse(recording) for recording in recordings.read([path], stdin=stdin)]
    except InputError as error:
        if not error.problems:
            raise  # it could not be opened, and says so
        raise InputError(f"{path} is no output of a benchmark: it takes {BENCHMARKS}", error.problems) from error


def contend(
    loaded: Loaded, pattern: str | None = None, *, among: Sequence[str] = (), flows: Sequence[str] = ()
) -> Contention:
    """Share the links between flows that run at once: those of a named pattern, and flows like ``GPU0:NIC1``."""
    from toposcope.analysis.contention import contend as share_links

    return share_links(loaded.topology, pattern, among=among, flows=flows)


@dataclass(frozen=True)
class Consequence:
    """What a change to a machine brings: the machine before and after, and what was changed."""

    before: Analysis
    after: Analysis
    changes: tuple[Change, ...]


def what_if(
    loaded: Loaded, *, settings: Sequence[str] = (), moves: Sequence[str] = (), acs_off: bool = False
) -> Consequence:
    """Change a machine's links, NICs' places or ACS, and answer every question before and after."""
    from toposcope.analysis.whatif import what_if as changed_machine

    changed, changes = changed_machine(loaded.topology, settings=settings, moves=moves, acs_off=acs_off)
    return Consequence(analyze(loaded), analyze_topology(changed), changes)


def inspect(
    known: Knowledge,
    *,
    sysroot: Path | None = None,
    timeout: float = 10.0,
    progress: Callable[[str, str], None] | None = None,
) -> Loaded:
    """Record this host and read the recording."""
    return assembled(record(sysroot=sysroot, timeout=timeout, progress=progress), known)


def record(
    *, sysroot: Path | None = None, timeout: float = 10.0, progress: Callable[[str, str], None] | None = None
) -> Recording:
    """Record this host: run what its tools offer, read what ``/sys`` shows; of a copy (``sysroot``) its files alone."""
    if sysroot is not None and not sysroot.is_dir():
        raise InputError(f"{sysroot} is no folder: --sysroot takes a copy of a host's / with its sys/ in it")
    from toposcope.recording.live import collect, collect_copy

    if sysroot is not None:
        return collect_copy(sysroot, timeout=timeout, progress=progress)
    return collect(timeout=timeout, progress=progress)


def doctor(
    *, sysroot: Path | None = None, timeout: float = 10.0, progress: Callable[[str, str], None] | None = None
) -> tuple[SourceState, ...]:
    """Record this host and tell how each source stands, what a missing one costs, and how to get it."""
    from toposcope.recording.survey import survey

    made = record(sysroot=sysroot, timeout=timeout, progress=progress)
    return survey(made, recordings.parse(made).records)


def collect_script() -> str:
    """Return the shell script that makes the same recording where nothing can be installed."""
    from toposcope.recording.script import script

    return script()


def reread(path: Path) -> Recording:
    """Read the recording of one host, to be written again without what names people and hardware."""
    found = recordings.read([path])
    if len(found) > 1:
        raise UsageError(f"{path} holds {len(found)} hosts: give one of them")
    return found[0]


def save(recording: Recording, path: Path, *, redact: bool = True) -> None:
    """Write a recording to an archive or a folder, by default without names, addresses and serial numbers."""
    from toposcope.recording.write import write

    write(recording, path, redact=redact)


def compare(a: Loaded, b: Loaded) -> Comparison:
    """Compare two machines by the same questions; of one machine at two times, say what changed."""
    from toposcope.analysis.difference import compare as compared

    return compared(analyze(a), analyze(b))


def export(loaded: Loaded, form: str) -> str:
    """Write the graph as ``json``, ``graphml`` or ``dot``. UsageError for another form."""
    from toposcope.render.export import EXPORTERS

    if form not in EXPORTERS:
        raise UsageError(f"--to takes {', '.join(EXPORTERS)}, not {form!r}")
    return EXPORTERS[form](loaded.topology)


def render(
    loaded: Loaded,
    output: Path,
    *,
    view: str = "diagram",
    ends: tuple[str, str] | None = None,
    theme: str = "light",
    layers: Sequence[str] = (),
) -> None:
    """Draw the machine (``diagram``), all pairs (``matrix``) or one route (``path``) to .svg, .png or .pdf.

    A page (.html) holds all of them in both themes. ``ends`` name a route that the diagram or page marks; the view
    ``path`` needs them. ``layers`` are the media whose lines the diagram draws, by default all. UsageError for what
    has no meaning.
    """
    from toposcope.render.palette import THEMES

    painter = _VIEWS.get(view)
    if painter is None:
        raise UsageError(f"--view takes {', '.join(_VIEWS)}, not {view!r}")
    if theme not in THEMES:
        raise UsageError(f"--theme takes {', '.join(THEMES)}, not {theme!r}")
    if output.suffix == ".html":
        if view != "diagram":
            raise UsageError(f"{output}: a page shows every view; leave --view out, or draw a .svg, .png or .pdf")
    elif output.suffix not in (".svg", ".png", ".pdf"):
        raise UsageError(f"{output}: a picture's name ends in .svg, .png or .pdf, a page's in .html")
    media = _media(layers)
    if media is not None and (view != "diagram" or output.suffix == ".html"):
        raise UsageError("--layer is for the diagram alone; a page has a switch for each medium")
    paint = _write_page if output.suffix == ".html" else painter
    try:
        paint(loaded, output, _Wanted(ends, THEMES[theme].name, media))
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror or error}") from error


def drawing(loaded: Loaded, *, width: int, ascii_only: bool = False, ends: tuple[str, str] | None = None) -> list[str]:
    """Draw the machine in lines of text for a terminal of this width; ``ends`` name a route that is marked."""
    from toposcope.render.box_drawing import draw
    from toposcope.render.diagram import layout
    from toposcope.render.pictures import marking_of

    marking = marking_of(_default(loaded, ends), loaded.topology) if ends else None
    return draw(layout(loaded.topology), width=width, ascii_only=ascii_only, marking=marking)


def _svg(topology: Topology) -> str:
    from toposcope.render.diagram import layout
    from toposcope.render.matplotlib_painter import svg_of

    return svg_of(layout(topology))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a picture is to show: a marked route, in which theme, and which media (None: all)."""

    ends: tuple[str, str] | None
    theme: ThemeName
    media: frozenset[Medium] | None


def _media(layers: Sequence[str]) -> frozenset[Medium] | None:
    unknown = [each for each in layers if each not in set(Medium)]
    if unknown:
        raise UsageError(f"--layer takes {', '.join(Medium)}, not {unknown[0]!r}")
    return frozenset(Medium(each) for each in layers) or None


def _draw_machine(loaded: Loaded, output: Path, wanted: _Wanted) -> None:
    from toposcope.render.diagram import layout
    from toposcope.render.matplotlib_painter import paint
    from toposcope.render.pictures import marking_of

    marking = marking_of(_default(loaded, wanted.ends), loaded.topology) if wanted.ends else None
    paint(layout(loaded.topology, wanted.media), output, theme=wanted.theme, marking=marking)


def _draw_pairs(loaded: Loaded, output: Path, wanted: _Wanted) -> None:
    from toposcope.render.matplotlib_painter import paint_matrix
    from toposcope.render.pictures import pair_chart

    paint_matrix(pair_chart(analyze(loaded)), output, theme=wanted.theme)


def _draw_route(loaded: Loaded, output: Path, wanted: _Wanted) -> None:
    from toposcope.render.matplotlib_painter import paint_route
    from toposcope.render.pictures import route_chart

    if wanted.ends is None:
        raise UsageError("--view path needs --path SRC DST")
    paint_route(route_chart(_default(loaded, wanted.ends), loaded.topology), output, theme=wanted.theme)


def _write_page(loaded: Loaded, output: Path, wanted: _Wanted) -> None:
    from toposcope.render.html import page

    ends = wanted.ends
    marked = _default(loaded, ends) if ends else None
    chosen = None if marked is None or ends is None else (marked.source, _goal(ends[1], marked))
    text = page(analyze(loaded), loaded.text_of, ends=chosen)
    output.write_text(text, encoding="utf-8", newline="\n")


def _goal(named: str, route: Route) -> str:
    """Return how the page names the end of a route: memory as it was asked for, all else by id."""
    return named.strip() if named.strip().startswith("host") else route.target


def _default(loaded: Loaded, ends: tuple[str, str]) -> Route:
    found = routes(loaded, *ends)
    if not found:
        raise UsageError(f"nothing here shows a route from {ends[0]} to {ends[1]}")
    return found[0]


_VIEWS = {
    "diagram": _draw_machine,
    "matrix": _draw_pairs,
    "path": _draw_route,
}
