"""topology-file, ranks-apart and library-old: what surrounds a job and makes the library see another machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.analysis.rules.harm import default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    could_not_tell,
    is_guest,
    listed,
    origins,
    recorded_accelerators,
    value_of,
)
from toposcope.analysis.rules.traffic import setting
from toposcope.model import Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.nics import Neighbours
    from toposcope.model import Topology

FILE, APART, OLD = "topology-file", "ranks-apart", "library-old"
_STAGED = (Transport.HOST_STAGED, Transport.NIC_LOOPBACK, Transport.NPU_ROCE)
_FILES = ("NCCL_TOPO_FILE", "NCCL_GRAPH_FILE")
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,3}")


def check_file(topology: Topology) -> Iterator[Finding]:
    """Find an injected topology that holds accelerators which are not there; ask for a comparison on bare metal."""
    facts = [fact for name in _FILES if (fact := setting(topology, name)) is not None]
    if not facts:
        return
    addresses = {each.pci for each in recorded_accelerators(topology) if each.pci}
    graph = topology.fact("host", "nccl.graph.gpus")
    drawn = str(graph.value).split() if graph is not None else []
    missing = [address for address in drawn if address not in addresses]
    names = [each.id for each in recorded_accelerators(topology)]
    told = listed(f"{fact.name.rpartition('.')[2]}={fact.value}" for fact in facts)
    if addresses and drawn and missing:
        yield Finding(
            FILE,
            Severity.WARNING,
            f"{told} describes another machine: {listed(missing)} in the library's graph are no accelerators here",
            remedy=f"unset {' '.join(_FILES)}  # and look into /etc/nccl.conf and ~/.nccl.conf",
            components=tuple(names) or ("host",),
            harms=tuple(Harm(name, "remote") for name in names),
            evidence=origins([*facts, graph]),
            grade=Grade.OBSERVED,
        )
    elif names and not is_guest(topology) and not (addresses and drawn):
        message = f"whether {told} fits this machine is not known; on bare metal the library needs no such file"
        remedy = (
            f"NCCL_TOPO_DUMP_FILE=/tmp/seen.xml JOB; diff /tmp/seen.xml {facts[0].value}  # and: sudo lspci -D -nn -vvv"
        )
        yield could_not_tell(FILE, message, remedy, names, origins(facts))


def check_apart(topology: Topology) -> Iterator[Finding]:
    """Find accelerators of one host between which the library uses the network."""
    names = {each.id for each in recorded_accelerators(topology)}
    transports = (fact for fact in topology.facts() if fact.name == "nccl.transport" and "|" in fact.component)
    found = [fact for fact in transports if str(fact.value).startswith("NET/")]
    if not found:
        return
    pairs = [(fact.component.partition("|")[0], fact.component.partition("|")[2]) for fact in found]
    told = listed(f"{a} and {b} by {fact.value}" for (a, b), fact in zip(pairs, found, strict=True))
    known = [name for pair in pairs for name in pair if name in names]
    near = neighbours(topology)
    closer = [pair for pair in pairs if set(pair) <= names and _is_direct(topology, pair, near)]
    yield Finding(
        APART,
        Severity.WARNING if closer else Severity.INFO,
        f"the library takes accelerators of one host for those of two: {told}",
        remedy=(
            "# one container for all processes of a host, or the host's IPC namespace, /dev/shm and /sys for each\n"
            "docker run --ipc=host --shm-size=16g --gpus all IMAGE\n"
            "unset NCCL_HOSTID NCCL_P2P_DISABLE NCCL_SHM_DISABLE"
        ),
        components=tuple(dict.fromkeys(known)) or ("host",),
        harms=tuple(Harm(a, b) for a, b in pairs),
        evidence=origins(found),
        grade=Grade.OBSERVED,
    )


def _is_direct(topology: Topology, pair: tuple[str, str], near: dict[str, Neighbours]) -> bool:
    """Tell a pair that a fabric or peer-to-peer joins; others the library may send through NICs on purpose."""
    default = default_of(peer_answers(topology, pair[0], pair[1], near))
    return default is not None and default.transport not in _STAGED


def check_old(topology: Topology) -> Iterator[Finding]:
    """Find a release of the library older than the first that knows this machine."""
    library = topology.figures.library
    version = topology.fact("host", "nccl.version")
    if library is None or version is None or not _number(str(version.value)):
        return
    said = value_of(topology, "host", "nccl.library")
    if said not in (None, library.name):
        return
    for release in library.releases:
        names = [each.id for each in topology.components(Kind.ACCELERATOR) if _is_of(each.model, release.models)]
        if names and _number(str(version.value)) < _number(release.least):
            yield Finding(
                OLD,
                Severity.WARNING,
                f"{library.name} {version.value} does not know this machine well: {release.reason}; "
                f"{release.least} and later do",
                remedy=f"python -c 'import torch; print(torch.cuda.nccl.version())'  # at least {release.least}",
                components=tuple(names),
                evidence=(version.origin,),
                grade=Grade.DERIVED,
            )


def _is_of(model: str | None, wanted: tuple[str, ...]) -> bool:
    words = re.split(r"[\s-]+", (model or "").upper())
    return any(each.upper() in words for each in wanted)


def _number(text: str) -> tuple[int, ...]:
    match = _VERSION.match(text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


RULE_FILE = Rule(
    FILE,
    "The library was given the topology of another machine",
    check_file,
    reasoning=(
        "NCCL_TOPO_FILE and NCCL_GRAPH_FILE take the place of what the library finds. A file from another server, or "
        "from before cards were moved, gives rings that cross where they need not. Guests need one; bare metal does "
        "not."
    ),
    remedy="unset NCCL_TOPO_FILE NCCL_GRAPH_FILE, also in /etc/nccl.conf and ~/.nccl.conf.",
    sources=("NVIDIA/nccl#1008", "NVIDIA/nccl#933"),
)
RULE_APART = Rule(
    APART,
    "Accelerators of one host speak through the network",
    check_apart,
    reasoning=(
        "The library joins processes of one host by the host's identity, /dev/shm and /sys. Containers that share "
        "none of them look like two hosts: NVLink and shared memory are then not used between them."
    ),
    remedy="One container for all processes of a host, or --ipc=host, one /dev/shm, and /sys properly mounted.",
    sources=("NVIDIA/nccl#1511", "NCCL documentation, troubleshooting: containers"),
)
RULE_OLD = Rule(
    OLD,
    "The library is older than the machine",
    check_old,
    reasoning=(
        "A release that does not know a model takes another one's links for it: rings and trees are then laid out for "
        "a machine that is not there."
    ),
    remedy="A newer release of the library; `NCCL_DEBUG=VERSION` prints the one in use.",
    sources=("NVIDIA/nccl#933", "NVIDIA/nccl#974", "catalogue: profiles/catalogue/releases.toml"),
)
