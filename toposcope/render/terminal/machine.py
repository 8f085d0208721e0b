"""The machine in a few lines, and who belongs to whom."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.analysis.counts import count_of
from toposcope.analysis.nics import network_link, ports_of
from toposcope.base.clean import printable
from toposcope.model import FactStatus, Grade, Kind
from toposcope.render.terminal.tables import DIM, filled
from toposcope.render.wording import call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from toposcope.analysis import Analysis
    from toposcope.model import Component, Topology

_FEW = 4
"""Up to so many NICs are named where all are equally near."""


def machine_lines(topology: Topology) -> Iterator[Text]:
    """Yield what the machine is, what it matches, and what of it is only assumed."""
    head = Text(printable(topology.host or topology.profile or "a host without a name"), style="bold")
    yield head.append(f": {_counts(topology)}", style="not bold")
    cpu = next((each.model for each in topology.components(Kind.SOCKET) if each.model), None)
    if cpu:
        yield Text(f"CPU: {printable(cpu)}")
    yield from _match(topology)


def _counts(topology: Topology) -> str:
    models = Counter(_model(each, topology) for each in _whole(topology))
    parts = [f"{count} x {printable(model)}" for model, count in models.items()]
    for kind, one, many in (
        (Kind.SOCKET, "socket", "sockets"),
        (Kind.PCIE_SWITCH, "PCIe switch", "PCIe switches"),
        (Kind.NVSWITCH, "NVSwitch", "NVSwitches"),
    ):
        count = count_of(topology, kind)
        if count:
            guess = " (assumed)" if _is_assumed(topology, kind) else ""
            parts.append(f"{count} {one if count == 1 else many}{guess}")
        elif count is None and any(topology.components(kind)):
            parts.append(f"{many} of unknown number")
    nics = sum(1 for _ in topology.components(Kind.NIC))
    if nics or any(topology.components(Kind.PCIE_BRIDGE)):
        parts.append(f"{nics} NIC{'' if nics == 1 else 's'}")
    return ", ".join(parts if models else ["no accelerator found", *parts])


def _is_assumed(topology: Topology, kind: Kind) -> bool:
    """Tell a number that only a profile gives, on a host of which anything at all was seen."""
    grades = {each.grade for each in topology.components(kind)}
    return grades == {Grade.ASSUMED} and not topology.all_assumed()


def _model(component: Component, topology: Topology) -> str:
    if component.model is None:
        return "accelerator of unknown model"
    taken = component.grade is Grade.ASSUMED and not topology.all_assumed()
    return f"{component.model} (assumed)" if taken else component.model


def _whole(topology: Topology) -> Iterator[Component]:
    return (each for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id)


def _match(topology: Topology) -> Iterator[Text]:
    assumed = sum(1 for link in topology.links() if link.grade is Grade.ASSUMED and not link.internal)
    forced = dict(topology.near).get(topology.profile or "")
    if topology.profile and topology.all_assumed() and not forced:
        yield Text(f"reference machine {topology.profile}: every figure is assumed", style=DIM)
        return
    if forced:
        yield Text(f"taken as profile {topology.profile}, as asked, though it differs: {'; '.join(forced)}", style=DIM)
    elif topology.candidates:
        names = ", ".join(topology.candidates)
        verb = "fits" if len(topology.candidates) == 1 else "fit equally (--profile settles it)"
        yield Text(f"profile {names} {verb}", style=DIM)
    elif topology.near:
        differs = topology.near[0][1]
        names = ", ".join(name for name, other in topology.near[:3] if other == differs)
        yield Text(f"nearly profile {names}, but {'; '.join(differs)}: nothing is taken from it", style=DIM)
    if assumed:
        links = "1 link is" if assumed == 1 else f"{assumed} links are"
        yield Text(f"{links} only assumed, from a profile or the model's own limits", style=DIM)


def belongings(analysis: Analysis, *, ascii_only: bool) -> Table:
    """Make the table of who belongs to whom."""
    topology = analysis.topology
    titles = ("", "model", "PCI address", "UUID", "numbers", "NUMA", "CPUs", "nearest NICs")
    rows = []
    for each in topology.components(Kind.ACCELERATOR):
        facts = [topology.fact(each.id, name) for name in ("uuid", "cpus", "numa.affinity")]
        uuid, cpus, affinity = (None if fact is None else fact.value for fact in facts)
        near = analysis.neighbours[each.id].near
        numa = affinity if each.numa is None else each.numa
        nics = _near(near, topology) if near else _inside(topology, each.id)
        rows.append((each.id, each.model, each.pci, uuid, _numbers(topology, each), numa, cpus, nics))
    return filled(titles, rows, ascii_only=ascii_only)


_NUMBERS = (
    ("runtime.device", "{}"),
    ("npu.id", "card {}"),
    ("npu.chip", "chip {}"),
    ("npu.logic_id", "logic {}"),
    ("npu.phy_id", "physical {}"),
    ("minor_number", "minor {}"),
)
"""What else an accelerator is counted by, where the tools tell: in a process, on its card, as a device file."""


def _numbers(topology: Topology, accelerator: Component) -> str | None:
    """Return the numbers of an accelerator that its id does not tell already."""
    number = accelerator.id.lstrip("GPUNhyID-")
    words = []
    for name, form in _NUMBERS:
        fact = topology.fact(accelerator.id, name)
        if fact is not None and fact.status is FactStatus.ABSENT:
            words.append("hidden from processes")
        elif fact is not None and fact.value is not None and (name == "runtime.device" or str(fact.value) != number):
            words.append(form.format(fact.value))
    return ", ".join(words) or None


def nics(topology: Topology, *, ascii_only: bool) -> Table:
    """Make the table of the network: NICs with their ports, rates and states."""
    titles = ("", "name", "PCI address", "NUMA", "port", "Gb/s", "state")
    rows = []
    for nic in topology.components(Kind.NIC):
        for port in ports_of(topology, nic.id):
            link = network_link(topology, port.id)
            rate = None if link is None or link.line is None else f"{link.line.gbps:g}"
            state = None if link is None else link.state.value
            number = port.id.rpartition("/p")[2]
            rows.append((nic.id, nic.name, nic.pci, nic.numa, number, rate, state))
    return filled(titles, rows, ascii_only=ascii_only)


def _near(near: tuple[str, ...], topology: Topology) -> str:
    every = sum(1 for _ in topology.components(Kind.NIC))
    if len(near) == every and every > _FEW:
        return f"all {every} alike"
    return ", ".join(call(nic, topology) for nic in near)


def _inside(topology: Topology, name: str) -> str | None:
    ports = ports_of(topology, name)
    link = network_link(topology, ports[0].id) if ports else None
    if link is None:
        return None
    return f"own port, {link.line.gbps:.0f} Gb/s" if link.line is not None else "own port"
