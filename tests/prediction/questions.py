"""A record as a question to the program: a small topology built from the record's words, and what is asked of it.

A record that says too little for that (no rate of its NICs, no link of its accelerators) is not modelled; why is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.prediction.asking import answer
from tests.prediction.flows import flows, is_crowd, pairs_of
from tests.prediction.small_machines import joined, over_cpu, pair_of, place, rails, slot_of, start
from tests.prediction.wiring import Wiring, wiring
from toposcope.analysis.collective import expected_collective
from toposcope.analysis.expected import BOTH, Expected, expected_copy, expected_transfer, times
from toposcope.model import Figures, Kind, Medium, Topology

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
        made = flows(record, machine, words)
    elif record.metric == "rdma":
        made = _transfer(record, machine, words)
    elif _is_host_copy(record):
        made = _host_copy(record, machine, words)
    else:
        made = _copy(record, machine, words)
    if isinstance(made, str):
        return made
    pairs = pairs_of(record, machine) if record.flows else []
    return Question(record, words, made, crowd=is_crowd(pairs), shared=len(pairs) > 1)


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


def _copy(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    staged = "staged" in record.link_class or record.peer_access in ("disabled", "off", "False")
    through_cpu = re.search(r"NV\d*-CPU", record.path)
    if machine.fabric is not None and not staged and not through_cpu and "pcie" not in record.link_class:
        if machine.fabric.medium is Medium.NVLINK and record.link_class.startswith(("xbus", "pcie")):
            return "the way over the CPUs has no figure"
        return answer(joined(machine, 2), words, lambda t: expected_copy(t, "GPU0", "GPU1", words))
    if through_cpu and machine.fabric is not None:
        if not staged:
            return "peer copies over a CPU with its own links have no class"
        topology = over_cpu(machine)
        return answer(topology, words, lambda t: expected_copy(t, "GPU0", "GPU1", words, peer_access=False))
    if machine.pcie is None:
        return "nothing tells the PCIe link"
    topology = pair_of(record, machine).topology
    return answer(topology, words, lambda t: expected_copy(t, "GPU0", "GPU1", words, peer_access=not staged))


def _host_copy(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    builder = start(machine)
    if "c2c" in f"{record.link_class}{record.path}".lower():
        builder.add("GPU0", Kind.ACCELERATOR)
        builder.link("GPU0", "numa0", Medium.C2C, 450, upward=True, generation=1)
    elif machine.pcie is None or "hccs" in record.link_class:
        return "nothing tells the link to the host"
    else:
        builder.accelerator("GPU0", place(builder, "0", "numa0"), *machine.pcie)
    for number in (0, 1):
        component = builder.topology.component(f"numa{number}")
        builder.topology.add(replace(component, numa=number))
    far = "xsocket" in record.link_class or re.search(r"QPI|UPI|far socket|other socket|remote NUMA", record.path)
    return answer(builder.topology, words, lambda t: expected_copy(t, "GPU0", "host:1" if far else "host", words))


def _transfer(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    if machine.rate is None:
        return "nothing tells the rate of the NIC"
    if "npu" in record.link_class or "NPU" in record.path:
        builder = start(machine)
        builder.accelerator("NPU0", place(builder, "0", "numa0"), 4, 16)
        builder.port("NPU0", machine.rate)
        return answer(builder.topology, words, lambda t: _npu(t, record, words))
    if "host" in record.link_class or record.source.startswith("host") or not record.says("GPU", "gdr", "cuda", "rocm"):
        builder = start(machine)
        builder.nic("NIC0", place(builder, "0", "numa0"), *slot_of(record, machine))
        builder.port("NIC0", machine.rate)
        return answer(builder.topology, words, lambda t: expected_transfer(t, "NIC0", None, words))
    machine = replace(machine, pcie=machine.pcie or slot_of(record, machine))
    builder = pair_of(record, machine, names=("GPU0", "NIC0"))
    builder.port("NIC0", machine.rate)
    several = re.search(r"(\d+) ?x ?(?:NIC|\d+G|400|200)", record.path)
    if several and int(several[1]) > 1:
        for index in range(1, int(several[1])):
            above = builder.topology.parent("NIC0")
            builder.nic(f"NIC{index}", above, *slot_of(record, machine))
            builder.port(f"NIC{index}", machine.rate)
        return answer(builder.topology, words, lambda t: expected_collective(t, ["GPU0"], "sendrecv", hosts=2))
    return answer(builder.topology, words, lambda t: expected_transfer(t, "NIC0", "GPU0", words))


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
        topology = rails(record, machine, max(count // hosts, 1))
        gpus = [f"GPU{index}" for index in range(max(count // hosts, 1))]
        return answer(topology, words, lambda t: expected_collective(t, gpus, name, hosts=hosts, summing=summing))
    gpus = [f"GPU{index}" for index in range(count)]
    if machine.fabric is not None:
        return answer(joined(machine, count), words, lambda t: expected_collective(t, gpus, name, summing=summing))
    if machine.pcie is None:
        return "nothing tells the PCIe link"
    peer = False if record.says("SHM") else True if record.says("P2P") or "pcie" in record.link_class else None
    return answer(joined(machine, count), words, lambda t: expected_collective(t, gpus, name, peer_access=peer))


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
