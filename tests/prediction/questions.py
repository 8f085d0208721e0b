"""A record as a question to the program: a small topology built from the record's words, and what is asked of it.

A record that says too little for that (no rate of its NICs, no link of its accelerators) is not modelled; why is said.
"""

from __future__ import annotations

import functools
import operator
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.machines import Builder
from tests.prediction.wiring import Wiring, lookup, narrowed, slower, wiring
from toposcope.analysis.collective import expected_collective
from toposcope.analysis.contention.capacity import capacities, figure_of
from toposcope.analysis.contention.filling import fair_shares
from toposcope.analysis.contention.result import Flow
from toposcope.analysis.expected import BOTH, Expected, expected_copy, expected_transfer, in_manner, times
from toposcope.base import Bandwidth
from toposcope.model import Figures, Kind, Medium, Topology, Usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.prediction.records import Record

NODES = re.compile(r"(\d+) (?:VMs|nodes)")
GPUS = re.compile(r"(?<!\w)(\d+) (?:GPU|NPU|ranks)")


@dataclass(frozen=True)
class Question:
    """What one record asks. ``ask`` answers with the figures it is given; ``words`` are the manner of copying."""

    record: Record
    words: tuple[str, ...]
    ask: Callable[[Figures], Expected | None]
    crowd: bool = False
    shared: bool = False


def question(record: Record) -> Question | str:
    """Make the question of a record, or say why there is none."""
    machine = wiring(record)
    words = manner(record)
    if _is_collective(record):
        made = _collective(record, machine, words)
    elif record.flows or record.link_class == "contention":
        made = _flows(record, machine, words)
    elif record.metric == "rdma":
        made = _transfer(record, machine, words)
    elif _is_host_copy(record):
        made = _host_copy(record, machine, words)
    else:
        made = _copy(record, machine, words)
    if isinstance(made, str):
        return made
    pairs = _pairs(record, machine) if record.flows else []
    return Question(record, words, made, crowd=_crowd(pairs), shared=len(pairs) > 1)


def manner(record: Record) -> tuple[str, ...]:
    """Read how the data was moved from direction and tool."""
    text = f"{record.direction} {record.tool}".lower()
    words = [BOTH] if record.both else []
    words += [
        word
        for word, mark in (("kernel", "sm kernel"), ("kernel", "_sm"), ("read", "read"), ("write", "write"))
        if mark in text
    ]
    words += [word for word, mark in (("from-host", "h2d"), ("to-host", "d2h")) if mark in text]
    return tuple(dict.fromkeys(words))


def _is_collective(record: Record) -> bool:
    return record.metric.startswith(("busbw", "algbw")) or "nccl" in record.link_class or "hccl" in record.link_class


def _is_host_copy(record: Record) -> bool:
    staged = "staged" in record.link_class
    return not staged and (re.search(r"_host(_|$)", record.link_class) or record.direction.startswith(("H2D", "D2H")))


def _answer(
    topology: Topology, words: tuple[str, ...], ask: Callable[[Topology], Expected | None]
) -> Callable[[Figures], Expected | None]:
    def answer(figures: Figures) -> Expected | None:
        topology.figures = replace(figures, platform=topology.figures.platform, library=topology.figures.library)
        return ask(in_manner(topology, words))

    return answer


def _start(machine: Wiring) -> Builder:
    figures = lookup().figures({"NVIDIA"}, None)
    builder = Builder(Topology(figures=replace(figures, platform=machine.platform)))
    for socket in range(2):
        builder.socket(f"socket{socket}", f"numa{socket}")
    if machine.numa > sockets_of(machine):
        builder.numa("numa0b", "socket0")
    builder.link("socket0", "socket1", Medium.SOCKET, None, count=None)
    return builder


def sockets_of(machine: Wiring) -> int:
    return machine.sockets


def _place(builder: Builder, name: str, under: str) -> str:
    return builder.root_complex(f"rc-{name}", under)


def _pair(record: Record, machine: Wiring, *, names: tuple[str, ...] = ("GPU0", "GPU1")) -> Builder:
    """Build two devices as far apart as the record says."""
    builder = _start(machine)
    generation, width = machine.pcie or (4, 16)
    apart = _distance(record)
    slow = narrowed(record) if "degraded" in record.link_class else None
    if apart == "switch":
        builder.switch("switch", _place(builder, "switch", "numa0"), generation)
        ups = ["switch", "switch"]
    elif apart == "root-complex":
        root = _place(builder, "shared", "numa0")
        ups = [root, root]
    else:
        inside = "numa0b" if "numa0b" in builder.topology else "numa0"
        far = {"numa": inside, "socket": "numa1"}[apart]
        ups = [_place(builder, "0", "numa0"), _place(builder, "1", far)]
    if slow is not None and apart != "switch":
        builder.add("switch0", Kind.PCIE_SWITCH)
        builder.pcie("switch0", ups[0], *slow)
        ups[0] = "switch0"
        generation, width = max((generation, width), lookup_pcie(machine))
    for name, up in zip(names, ups, strict=True):
        if name.startswith("GPU"):
            own = slower(record) if name == names[-1] else None
            builder.accelerator(name, up, *(own or (generation, width)))
        else:
            builder.nic(name, up, *_slot_of(record, machine))
    return builder


def lookup_pcie(machine: Wiring) -> tuple[int, int]:
    """The link of an accelerator whose uplink is the slow one."""
    return machine.pcie if machine.pcie and machine.pcie[0] > 2 else (5, 16)


def _slot_of(record: Record, machine: Wiring) -> tuple[int, int]:
    """Return the slot of a NIC: as narrow as the record says, else wide enough for its rate."""
    slow = narrowed(record) if "degraded" in record.link_class else None
    if slow:
        return slow
    told = machine.pcie or (0, 16)
    enough = 5 if (machine.rate or 0) > 200 else 4 if (machine.rate or 0) > 100 else 3
    return (max(told[0], enough), 16)


def _distance(record: Record) -> str:
    """Read how far apart two devices are: from the class, then the path, then the printed matrix."""
    name, text = record.link_class, f"{record.path} {record.source} {record.destination}"
    if re.search(r"xsocket|_sys", name) or re.search(r"\bSYS\b|xGMI-EPYC|QPI|other NUMA|socket link|cross chip", text):
        return "socket"
    if re.search(r"switch|_pix|_pxb|gdr", name) and not re.search(r"node|_phb", name) and "NODE, same chip" not in text:
        return "switch"
    if "NODE, same chip" in text or re.search(r"same[ -]switch|PIX|same PCIe root|switch-PCIe\d", text):
        return "switch"
    if "switch" in text and not re.search(r"CPU|root complex|host", text):
        return "switch"
    nodes = re.search(r"node|_numa", name) or re.search(r"NODE|other root|switch-CPU-switch", text)
    if nodes or re.search(r"NPS\d", record.topology.get("topo_matrix", "") + record.topology.get("cpu", "")):
        return "numa"
    return "numa" if re.match(r"\d+>\d+$", record.flows) else "root-complex"


def _copy(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    staged = "staged" in record.link_class or record.peer_access in ("disabled", "off", "False")
    through_cpu = re.search(r"NV\d*-CPU", record.path)
    if machine.fabric is not None and not staged and not through_cpu and "pcie" not in record.link_class:
        if machine.fabric.medium is Medium.NVLINK and record.link_class.startswith(("xbus", "pcie")):
            return "the way over the CPUs has no figure"
        return _answer(_joined(machine, 2), words, lambda t: expected_copy(t, "GPU0", "GPU1", words))
    if through_cpu and machine.fabric is not None:
        if not staged:
            return "peer copies over a CPU with its own links have no class"
        topology = _over_cpu(machine)
        return _answer(topology, words, lambda t: expected_copy(t, "GPU0", "GPU1", words, peer_access=False))
    if machine.pcie is None:
        return "nothing tells the PCIe link"
    topology = _pair(record, machine).topology
    return _answer(topology, words, lambda t: expected_copy(t, "GPU0", "GPU1", words, peer_access=not staged))


def _joined(machine: Wiring, count: int) -> Topology:
    builder = _start(machine)
    names = [f"GPU{index}" for index in range(count)]
    for index, name in enumerate(names):
        builder.accelerator(name, _place(builder, name, f"numa{index * 2 // count}"), *(machine.pcie or (4, 16)))
    fabric = machine.fabric
    if fabric is None:
        return builder.topology
    more = {"count": fabric.links, "generation": fabric.generation}
    if fabric.switched:
        builder.add("switch", Kind.NVSWITCH)
        for name in names:
            builder.link(name, "switch", fabric.medium, fabric.links * fabric.gbs, **more)
    else:
        for index, a in enumerate(names):
            for b in names[index + 1 :]:
                builder.link(a, b, fabric.medium, fabric.links * fabric.gbs, **more)
    return builder.topology


def _over_cpu(machine: Wiring) -> Topology:
    builder = _start(machine)
    fabric = machine.fabric
    assert fabric is not None
    for index in range(2):
        builder.add(f"GPU{index}", Kind.ACCELERATOR)
        builder.link(
            f"GPU{index}",
            f"numa{index}",
            fabric.medium,
            fabric.links * fabric.gbs,
            upward=True,
            generation=fabric.generation,
        )
    return builder.topology


def _host_copy(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    builder = _start(machine)
    if "c2c" in f"{record.link_class}{record.path}".lower():
        builder.add("GPU0", Kind.ACCELERATOR)
        builder.link("GPU0", "numa0", Medium.C2C, 450, upward=True, generation=1)
    elif machine.pcie is None or "hccs" in record.link_class:
        return "nothing tells the link to the host"
    else:
        builder.accelerator("GPU0", _place(builder, "0", "numa0"), *machine.pcie)
    for number in (0, 1):
        component = builder.topology.component(f"numa{number}")
        builder.topology.add(replace(component, numa=number))
    far = "xsocket" in record.link_class or re.search(r"QPI|UPI|far socket|other socket|remote NUMA", record.path)
    return _answer(builder.topology, words, lambda t: expected_copy(t, "GPU0", "host:1" if far else "host", words))


def _transfer(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    if machine.rate is None:
        return "nothing tells the rate of the NIC"
    if "npu" in record.link_class or "NPU" in record.path:
        builder = _start(machine)
        builder.accelerator("NPU0", _place(builder, "0", "numa0"), 4, 16)
        builder.port("NPU0", machine.rate)
        return _answer(builder.topology, words, lambda t: _npu(t, record, words))
    if "host" in record.link_class or record.source.startswith("host") or not record.says("GPU", "gdr", "cuda", "rocm"):
        builder = _start(machine)
        builder.nic("NIC0", _place(builder, "0", "numa0"), *_slot_of(record, machine))
        builder.port("NIC0", machine.rate)
        return _answer(builder.topology, words, lambda t: expected_transfer(t, "NIC0", None, words))
    machine = replace(machine, pcie=machine.pcie or _slot_of(record, machine))
    builder = _pair(record, machine, names=("GPU0", "NIC0"))
    builder.port("NIC0", machine.rate)
    several = re.search(r"(\d+) ?x ?(?:NIC|\d+G|400|200)", record.path)
    if several and int(several[1]) > 1:
        for index in range(1, int(several[1])):
            above = builder.topology.parent("NIC0")
            builder.nic(f"NIC{index}", above, *_slot_of(record, machine))
            builder.port(f"NIC{index}", machine.rate)
        return _answer(builder.topology, words, lambda t: expected_collective(t, ["GPU0"], "sendrecv", hosts=2))
    return _answer(builder.topology, words, lambda t: expected_transfer(t, "NIC0", "GPU0", words))


def _npu(topology: Topology, record: Record, words: tuple[str, ...]) -> Expected | None:
    expected = expected_transfer(topology, "", "NPU0", words)
    if expected is None or not record.says("host"):
        return expected
    wire = expected.segments[0]
    wire = replace(wire, usable=topology.figures.usable(wire.line, "roce-npu-host"), classes=("roce-npu-host",))
    return replace(expected, usable=times(wire.usable, 2 if BOTH in words else 1), segments=(wire,), limits=(wire,))


def _collective(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    name = next(
        (
            n
            for n in ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv", "broadcast")
            if n in record.direction.lower()
        ),
        "other",
    )
    summing = (
        False
        if record.says("NVLS_ENABLE=0", "NVLS off", "Ring", "_ring")
        else True
        if record.says("nvls", "SHARP")
        else None
    )
    count, hosts = _ranks(record, machine)
    if hosts > 1:
        if machine.rate is None or machine.rails is None:
            return "nothing tells the rate or the number of the NICs"
        topology = _rails(record, machine, max(count // hosts, 1))
        gpus = [f"GPU{index}" for index in range(max(count // hosts, 1))]
        return _answer(topology, words, lambda t: expected_collective(t, gpus, name, hosts=hosts, summing=summing))
    gpus = [f"GPU{index}" for index in range(count)]
    if machine.fabric is not None:
        return _answer(_joined(machine, count), words, lambda t: expected_collective(t, gpus, name, summing=summing))
    if machine.pcie is None:
        return "nothing tells the PCIe link"
    peer = False if record.says("SHM") else True if record.says("P2P") or "pcie" in record.link_class else None
    return _answer(_joined(machine, count), words, lambda t: expected_collective(t, gpus, name, peer_access=peer))


def _ranks(record: Record, machine: Wiring) -> tuple[int, int]:
    """Return accelerators in all and hosts."""
    text = f"{record.source} {record.destination}"
    gpus, nodes = GPUS.search(text), NODES.search(text)
    inside = not re.search(r"multinode|_\d+node|ib\b|rail", f"{record.link_class} {record.path}") and not nodes
    ends = len(set(re.findall(r"[GN]PU\d+", text))) or 2
    if inside:
        return (int(gpus[1]) if gpus else machine.accelerators if "GPU >" in f"{record.source} >" else ends), 1
    if nodes:
        return machine.accelerators * int(nodes[1]), int(nodes[1])
    if "(peer)" in text:
        return 2, 2
    count = int(gpus[1]) if gpus else 2 * machine.accelerators
    told = NODES.search(record.topology.get("gpu", ""))
    return count, max(count // machine.accelerators, int(told[1]) if told and count % int(told[1]) == 0 else 1)


def _rails(record: Record, machine: Wiring, count: int) -> Topology:
    """Build the accelerators of one host with its NICs: each NIC below a switch with accelerators where all have one.

    A host with fewer NICs than half its accelerators has them on the CPU.
    """
    builder = _start(machine)
    rails = machine.rails or 1
    slot = _slot_of(record, machine)
    near = rails * 2 >= count and not re.search(r"CPU|SYS|NODE", record.path)
    for index in range(count):
        under = _place(builder, f"g{index}", f"numa{index * 2 // count}")
        builder.switch(f"switch{index}", under, slot[0])
        builder.accelerator(f"GPU{index}", f"switch{index}", slot[0], 16)
    for index in range(rails):
        under = f"switch{index * count // rails}" if near else _place(builder, f"n{index}", f"numa{index * 2 // rails}")
        builder.nic(f"NIC{index}", under, *slot)
        builder.port(f"NIC{index}", machine.rate)
    fabric = machine.fabric
    if fabric is not None:
        builder.add("nvswitch", Kind.NVSWITCH)
        for index in range(count):
            builder.link(
                f"GPU{index}",
                "nvswitch",
                fabric.medium,
                fabric.links * fabric.gbs,
                count=fabric.links,
                generation=fabric.generation,
            )
    return builder.topology


ALL = re.compile(r"(\d+)\.\.(\d+)>(\d+)\.\.(\d+)|all pairs of (\d+)-(\d+)|all pairs of (\d+)")


def _flows(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    if machine.pcie is None or (machine.fabric is not None and machine.fabric.medium is Medium.XGMI):
        return "flows over this fabric are not modelled"
    pairs = _pairs(record, machine)
    if not pairs:
        return f"flows {record.flows!r} are not understood"
    topology, chips = _switches(record, machine)
    missing = {name for pair in pairs for name in pair if f"GPU{name}" not in topology}
    if missing:
        return f"no place is told for GPU{min(missing)}"
    crowd = (
        len(pairs) > 2
        and all(sum(a == x for a, _ in pairs) > 2 for x in {a for a, _ in pairs})
        and {a for a, _ in pairs} == {b for _, b in pairs}
    )
    more = (*words, "crowd") if crowd else words
    return _answer(topology, more, lambda t: _together(t, chips, pairs, more))


def _crowd(pairs: list[tuple[int, int]]) -> bool:
    """All of a set of more than two send to all others at once."""
    members = {a for a, _ in pairs}
    return len(members) > 2 and members == {b for _, b in pairs} and len(pairs) == len(members) * (len(members) - 1)


def _together(
    topology: Topology, chips: Topology, pairs: list[tuple[int, int]], words: tuple[str, ...]
) -> Expected | None:
    """Let flows share what they pass. Two accelerators of one chip meet inside it, whatever its virtual parts are."""
    chips.figures = topology.figures
    flows = []
    for a, b in pairs:
        same = chips.parent(f"GPU{a}") == chips.parent(f"GPU{b}")
        found = expected_copy(chips if same else topology, f"GPU{a}", f"GPU{b}", words)
        if found is None or found.usable is None:
            return None
        flows.append(Flow(f"GPU{a}", f"GPU{b}", found.transport, found.segments))
    shared, passed = capacities(topology, flows)
    rates, held = fair_shares(passed, [figure_of(each, "typical") for each in shared])
    lines = fair_shares(passed, [figure_of(each, "line") for each in shared])[0]
    # All copies of a crowd move the same amount, so the slowest sets the pace.
    total, line = (len(each) * min(each) if "crowd" in words else sum(each) for each in (rates, lines))
    at = held[rates.index(min(rates))]
    limits = (shared[at].segment,) if at is not None else ()
    figure = Bandwidth(round(total))
    usable = Usable(figure, figure, figure)
    classes = limits[0].classes if limits else ()
    return Expected(
        Bandwidth(round(line)), usable, limits, limits, limits[0].grade, flows[0].transport, classes=classes
    )


def _pairs(record: Record, machine: Wiring) -> list[tuple[int, int]]:
    text = record.flows
    ranges = ALL.search(text)
    if ranges:
        a, b, c, d, e, f, n = (int(each) if each else None for each in ranges.groups())
        if a is not None:
            return [(x, y) for x in range(a, b + 1) for y in range(c, d + 1)]
        members = range(e, f + 1) if e is not None else range(n)
        return [(x, y) for x in members for y in members if x != y]
    if text.startswith("all") or re.match(r"\d+ flows$", text):
        return [(x, y) for x in range(machine.accelerators) for y in range(machine.accelerators) if x != y]
    named = re.search(r"(\d+) flows VS(\d)>VS(\d)", text)
    if named:
        count, a, b = map(int, named.groups())
        per = 2
        return [((a - 1) * per + i, (b - 1) * per + i) for i in range(count)]
    return [(int(a), int(b)) for a, b in re.findall(r"(\d+)>(\d+)", text)]


def _switches(record: Record, machine: Wiring) -> tuple[Topology, Topology]:
    """Build the switches as the CPU sees them, and as chips."""
    layout = record.topology.get("switch_layout", "")
    groups = [[int(x) for x in found.split(",")] for found in re.findall(r"VS\d=GPU([\d,]+)", layout)]
    chips: list[list[int]] = []
    chip = re.search(r"(\d+) \w+ chips x (\d+) virtual switches x (\d+)", layout)
    plain = re.search(r"(\d+) (?:independent )?[\w ]*?(?:switches)?,? ?(\d+) GPUs each", layout)
    if chip:
        n, v, per = map(int, chip.groups())
        groups = [list(range(i * per, (i + 1) * per)) for i in range(n * v)]
        joined = re.findall(r"VS(\d) and VS(\d)", layout)
        chips = [groups[int(a) - 1] + groups[int(b) - 1] for a, b in joined]
    elif groups and "internal fabric" in layout:
        half = len(groups) // 2
        chips = [functools.reduce(operator.iadd, groups[:half], []), functools.reduce(operator.iadd, groups[half:], [])]
    elif plain:
        n, per = int(plain[1]), int(plain[2])
        groups = [list(range(i * per, (i + 1) * per)) for i in range(n)]
    return _tree(machine, groups), _tree(machine, chips or groups)


def _tree(machine: Wiring, groups: list[list[int]]) -> Topology:
    builder = _start(machine)
    generation, width = machine.pcie or (4, 16)
    sockets = machine.sockets
    behind = {member for group in groups for member in group}
    for index, group in enumerate(groups):
        numa = f"numa{index * sockets // len(groups)}" if sockets > 1 else "numa0"
        builder.switch(f"switch{index}", _place(builder, f"s{index}", numa), generation)
        for member in group:
            builder.accelerator(f"GPU{member}", f"switch{index}", generation, width)
    loose = [index for index in range(machine.accelerators) if index not in behind]
    for place, index in enumerate(loose):
        numa = f"numa{place * sockets // len(loose)}" if sockets > 1 else "numa0"
        builder.accelerator(f"GPU{index}", _place(builder, f"g{index}", numa), generation, width)
    return builder.topology
