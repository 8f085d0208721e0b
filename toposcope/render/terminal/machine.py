"""The machine in a few lines, and who belongs to whom."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.analysis.nics import network_link, ports_of
from toposcope.base.clean import printable
from toposcope.model import Grade, Kind
from toposcope.render.documents import count_of
from toposcope.render.terminal.tables import DIM, plain, table
from toposcope.render.wording import call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from toposcope.analysis import Analysis
    from toposcope.model import Component, Topology


def machine_lines(topology: Topology) -> Iterator[Text]:
    """Yield what the machine is, what it matches, and what of it is only assumed."""
    head = Text(printable(topology.host or topology.profile or "this machine"), style="bold")
    yield head.append(f": {_counts(topology)}", style="not bold")
    cpu = next((each.model for each in topology.components(Kind.SOCKET) if each.model), None)
    if cpu:
        yield Text(f"CPU: {printable(cpu)}")
    yield from _match(topology)


def _counts(topology: Topology) -> str:
    models = Counter(each.model or "accelerator of unknown model" for each in _whole(topology))
    parts = [f"{count} x {printable(model)}" for model, count in models.items()]
    for kind, one, many in (
        (Kind.SOCKET, "socket", "sockets"),
        (Kind.PCIE_SWITCH, "PCIe switch", "PCIe switches"),
        (Kind.NVSWITCH, "NVSwitch", "NVSwitches"),
    ):
        count = count_of(topology, kind)
        if count:
            parts.append(f"{count} {one if count == 1 else many}")
        elif count is None and any(topology.components(kind)):
            parts.append(f"{many} of unknown number")
    nics = sum(1 for _ in topology.components(Kind.NIC))
    parts.append(f"{nics} NIC{'' if nics == 1 else 's'}")
    return ", ".join(parts) if models else "no accelerator found, " + ", ".join(parts)


def _whole(topology: Topology) -> Iterator[Component]:
    return (each for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id)


def _match(topology: Topology) -> Iterator[Text]:
    assumed = sum(1 for link in topology.links() if link.grade is Grade.ASSUMED and not link.internal)
    if topology.profile and assumed == sum(1 for link in topology.links() if not link.internal):
        yield Text(f"reference machine {topology.profile}: every figure is assumed", style=DIM)
        return
    if topology.candidates:
        names = ", ".join(topology.candidates)
        verb = "fits" if len(topology.candidates) == 1 else "fit equally (--profile settles it)"
        yield Text(f"profile {names} {verb}", style=DIM)
    elif topology.near:
        name, differs = topology.near[0]
        yield Text(f"nearly profile {name}: {'; '.join(differs)}", style=DIM)
    if assumed:
        yield Text(f"{assumed} links are only assumed, from a profile or the model's own limits", style=DIM)


def belongings(analysis: Analysis, *, ascii_only: bool) -> Table:
    """Make the table of who belongs to whom."""
    topology = analysis.topology
    made = table("", "model", "PCI address", "UUID", "NUMA", "CPUs", "nearest NICs", ascii_only=ascii_only)
    for each in topology.components(Kind.ACCELERATOR):
        facts = [topology.fact(each.id, name) for name in ("uuid", "cpus")]
        uuid, cpus = (None if fact is None else fact.value for fact in facts)
        near = analysis.neighbours[each.id].near
        nics = ", ".join(call(nic, topology) for nic in near) if near else _inside(topology, each.id)
        made.add_row(*(plain(cell) for cell in (each.id, each.model, each.pci, uuid, each.numa, cpus, nics)))
    return _without_empty(made)


def nics(topology: Topology, *, ascii_only: bool) -> Table:
    """Make the table of the network: NICs with their ports, rates and states."""
    made = table("", "name", "PCI address", "NUMA", "port", "Gb/s", "state", ascii_only=ascii_only)
    for nic in topology.components(Kind.NIC):
        for port in ports_of(topology, nic.id):
            link = network_link(topology, port.id)
            rate = None if link is None or link.line is None else f"{link.line.gbps:g}"
            state = None if link is None else link.state.value
            number = port.id.rpartition("/p")[2]
            made.add_row(*(plain(cell) for cell in (nic.id, nic.name, nic.pci, nic.numa, number, rate, state)))
    return _without_empty(made)


def _inside(topology: Topology, name: str) -> str | None:
    ports = ports_of(topology, name)
    link = network_link(topology, ports[0].id) if ports else None
    if link is None:
        return None
    return f"own port, {link.line.gbps:.0f} Gb/s" if link.line is not None else "own port"


def _without_empty(made: Table) -> Table:
    """Drop the columns in which nothing stands."""
    made.columns = [column for column in made.columns if any(str(cell) not in ("-", "") for cell in column.cells)]
    return made
