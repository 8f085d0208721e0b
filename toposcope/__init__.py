"""toposcope: how a GPU or NPU server is wired, how fast each segment is, and which segment is slow.

The public functions. Bandwidths are bytes per second in one direction (:class:`Bandwidth`; ``.gbs`` gives GB/s). Heavy
modules are imported when a function runs, so that importing toposcope costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toposcope.base.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toposcope.analysis import Analysis, Finding, Route, Segment
    from toposcope.analysis.contention import Contention
    from toposcope.analysis.measured import Check
    from toposcope.base import Bandwidth, InputError, ToposcopeError, UsageError
    from toposcope.model import Component, Link, Topology


__all__ = [
    "Analysis",
    "Bandwidth",
    "Check",
    "Component",
    "Contention",
    "Finding",
    "InputError",
    "Link",
    "Route",
    "Segment",
    "Topology",
    "ToposcopeError",
    "UsageError",
    "__version__",
    "analyze",
    "check",
    "contend",
    "inspect",
    "load",
    "load_all",
    "profiles",
    "render",
    "routes",
    "sentence",
    "what_if",
]

_TYPES = {
    "Analysis": "toposcope.analysis",
    "Bandwidth": "toposcope.base",
    "Check": "toposcope.analysis.measured",
    "Contention": "toposcope.analysis.contention",
    "Component": "toposcope.model",
    "Finding": "toposcope.analysis",
    "InputError": "toposcope.base",
    "Link": "toposcope.model",
    "Route": "toposcope.analysis",
    "Segment": "toposcope.analysis",
    "Topology": "toposcope.model",
    "ToposcopeError": "toposcope.base",
    "UsageError": "toposcope.base",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _TYPES:
        return getattr(import_module(_TYPES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(path: str | Path, *, profile: str | None = None, host: str | None = None) -> Topology:
    """Load one host: a folder, an archive, a file, or ``profile:NAME[,option=value]``.

    ``profile`` names the reference machine that settles what the recording leaves open; ``host`` the one that is
    meant where the input holds several. Raises InputError where nothing in it can be used, UsageError for an unknown
    profile or host. What was not read or was repaired stands in ``topology.problems``; every link carries the place
    it was read from.
    """
    from toposcope import app  # noqa: PLC0415

    return app.drawable(app.one(app.load([str(path)], app.knowledge(), profile=profile), host))


def load_all(*paths: str | Path, profile: str | None = None) -> tuple[Topology, ...]:
    """Load all hosts that the paths hold. Errors as for :func:`load`."""
    from toposcope import app  # noqa: PLC0415

    loaded = app.load([str(path) for path in paths], app.knowledge(), profile=profile)
    return tuple(app.drawable(each) for each in loaded)


def inspect(*, timeout: float = 10.0) -> Topology:
    """Record this host with its own tools and ``/sys``, and read the recording. ``timeout``: seconds, each command."""
    from toposcope import app  # noqa: PLC0415

    return app.drawable(app.inspect(app.knowledge(), timeout=timeout))


def analyze(topology: Topology) -> Analysis:
    """Answer every question: each pair, each way to a remote host, what is wrong.

    ``pairs`` holds each pair of accelerators, and of accelerator and NIC, once, in printed order; ``remote`` each
    accelerator. Figures come from the topology and the catalogue's measured classes, each with its source.
    """
    from toposcope.analysis import analyze as analyzed  # noqa: PLC0415

    return analyzed(topology)


def routes(topology: Topology, src: str, dst: str, *, far: Topology | None = None) -> tuple[Route, ...]:
    """Return every way for data from ``src`` (an accelerator) to ``dst``, the default first.

    ``dst``: an accelerator, a NIC, ``host``, ``host:N``, ``remote`` or ``remote:GPU3``; ids, PCI addresses and device
    names are understood. Each route has its segments, its limit (line and usable, one direction), and why it is or is
    not the default. Raises UsageError for a name that nothing has.
    """
    from toposcope.analysis import routes as all_routes  # noqa: PLC0415

    return all_routes(topology, src, dst, far=far)


def check(topology: Topology, *measured: str | Path) -> Check:
    """Hold what benchmarks measured against what their routes should give.

    The measurements are those of the recording and of the files named. ``judged`` holds each with its prediction,
    ``health`` the verdict, ``suspects`` the parts that slow ones share and no healthy one passes. Raises UsageError
    where there is no measurement, InputError where a file holds none of this machine.
    """
    from pathlib import Path as Place  # noqa: PLC0415

    from toposcope import app  # noqa: PLC0415

    return app.check(app.Loaded(topology), [Place(each) for each in measured])


def contend(
    topology: Topology, pattern: str | None = None, *, among: Sequence[str] = (), flows: Sequence[str] = ()
) -> Contention:
    """Share the links between flows that run at once, by max-min fairness.

    ``pattern``: ``pairs``, ``rail``, ``ring``, ``tree``, ``nvls``, ``all-to-all``, ``h2d``, ``d2h``, ``storage`` or
    ``incast`` among the accelerators named (all by default); ``flows`` are more, as ``GPU0:NIC1``. ``shares`` holds
    each flow's rate (line and usable, one direction) and what holds it, ``links`` the loads, ``bus`` a collective's bus
    bandwidth. Raises UsageError for what has no meaning on this machine.
    """
    from toposcope.analysis.contention import contend as shared  # noqa: PLC0415

    return shared(topology, pattern, among=among, flows=flows)


def what_if(
    topology: Topology, *, settings: Sequence[str] = (), moves: Sequence[str] = (), acs_off: bool = False
) -> Topology:
    """Return the machine as it would be: ``NIC0.rate=400G``, ``GPU3.width=16``, moves like ``mlx5_1:GPU4``, ACS off.

    The topology given stays as it is. Raises UsageError for what has no meaning on it.
    """
    from toposcope.analysis.whatif import what_if as changed  # noqa: PLC0415

    return changed(topology, settings=settings, moves=moves, acs_off=acs_off)[0]


def sentence(topology: Topology, route: Route) -> str:
    """Say in one sentence what a route carries and what holds it back (GB/s, one direction)."""
    from toposcope.render.wording import sentence as worded  # noqa: PLC0415

    return worded(route, topology)


def render(topology: Topology, path: str | Path, *, ends: tuple[str, str] | None = None, theme: str = "light") -> None:
    """Draw the machine to ``.svg``, ``.png`` or ``.pdf``; ``ends`` marks the default route between two components."""
    from pathlib import Path as Place  # noqa: PLC0415

    from toposcope import app  # noqa: PLC0415

    app.render(app.Loaded(topology), Place(path), ends=ends, theme=theme)


def profiles() -> dict[str, str]:
    """Return the reference machines: name and title."""
    from toposcope import app  # noqa: PLC0415

    return {name: machine.title for name, machine in app.knowledge().machines.items()}
