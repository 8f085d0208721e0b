"""The efficiency classes that the catalogue has, in its order, and which is nearest to one without a measurement."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATIONS = (1, 2, 3, 4, 5, 6)
MEASURED_APART = (3, 4, 5)
"""PCIe generations of which manners of copying were measured apart."""

PLATFORMS = {"pcie4-peer-socket": ("rome", "milan"), "pcie5-peer-socket": ("genoa", "turin")}
NVLS_ON_BLACKWELL = 0.74 / 0.85
"""What NCCL's tuner takes sums in the switches of Blackwell for, against Hopper's (src/graph/tuning.cc)."""


def sections() -> dict[str, tuple[str, ...]]:
    """The classes under the headings of the file."""
    peer = "Peer copies"
    return {
        "Copies between accelerators over their own links": (
            *(f"nvlink{each}" for each in range(1, 6)),
            *("nvlink", "nvlink3:kernel", "nvlink4:kernel", "nvlink5:kernel"),
            *("hccs", "hccs:write", "xgmi", "c2c", "sio", "ub"),
        ),
        "Copies between host memory and an accelerator over PCIe": _of("host", "both", "from-host", "to-host"),
        "The same from the memory of another socket": _of("host-socket"),
        "The same from another NUMA node of its own socket": _of("host-numa"),
        f"{peer} below one switch; crowd: all send to all at once": _of("peer", "both", "crowd"),
        f"{peer} through one host bridge": _of("peer-root-complex", "both"),
        f"{peer} between host bridges or NUMA nodes of one socket": _of("peer-numa", "both"),
        f"{peer} between sockets": (*_of("peer-socket"), *_platforms()),
        "Copies through host memory, where peer access is refused": (
            *("acs-redirect", "staged", "staged:both", "staged-same-switch", "staged-same-switch:both"),
        ),
        "RDMA: the port at full rate, accelerator and NIC below one switch": ("rdma100", "rdma200", "rdma400", "rdma"),
        "RDMA: crossings between accelerator and NIC": (
            *("rdma-numa", "rdma-root-complex", "rdma-socket", "pcie5-rdma-socket", "rdma-bounced"),
        ),
        "RDMA: host memory and port": ("rdma-host",),
        "The RoCE port inside an NPU, from NPU memory and from host memory": ("roce-npu", "roce-npu-host"),
        "Memory of a socket": ("memory",),
        "Collectives: bus bandwidth over the line of one accelerator": (
            *(f"collective-nvlink{each}" for each in range(1, 6)),
            "collective-nvlink",
            *(f"collective-pcie{each}" for each in GENERATIONS),
            *("collective-pcie", "collective-pcie-staged", "collective-xgmi", "collective-hccs"),
            "collective-network",
        ),
        "Sums in the switches: algorithm bandwidth of an all-reduce over the line of one accelerator": (
            *("collective-nvlink4-nvls", "collective-nvlink5-nvls"),
            *("collective-nvlink4-nvls-hosts", "collective-nvlink5-nvls-hosts"),
        ),
    }


@cache
def planned() -> tuple[str, ...]:
    """All classes in the order of the file."""
    return tuple(name for names in sections().values() for name in names)


def _of(kind: str, *manners: str) -> tuple[str, ...]:
    apart = (f"pcie{each}-{kind}:{manner}" for each in MEASURED_APART for manner in manners)
    return (*(f"pcie{each}-{kind}" for each in GENERATIONS), *apart)


def _platforms() -> Iterator[str]:
    for name, families in PLATFORMS.items():
        for family in families:
            yield f"{name}.{family}"
            yield f"{name}.{family}:both"


GUESSES = {
    r"collective-.*-nvls-hosts": 0.5,
    r"collective-.*-nvls": 0.6,
    r"collective-(?:network|nvlink.*)": 0.85,
    r"rdma-(?:numa|socket|root.*|bounced)": 0.4,
    r"rdma.*|roce.*": 0.95,
    r"staged.*|acs.*|.*:crowd|pcie\d-host-socket": 0.4,
    r".*-(?:socket|staged)\b.*|collective.*": 0.6,
}


def guess(name: str) -> float:
    """A round figure for a class, good enough to tell which of several parts a measurement speaks of."""
    return next((factor for pattern, factor in GUESSES.items() if re.fullmatch(pattern, name)), 0.8)


_PCIE = re.compile(r"(collective-)?pcie(\d)(-[a-z-]+)?(?:\.(\w+))?(?::(\S+))?$")
_OTHERS = {
    **{
        f"nvlink{each}:kernel": ("nvlink4:kernel", f"collective-nvlink{each}", "collective-nvlink")
        for each in (3, 4, 5)
    },
    "hccs:write": ("hccs", "xgmi"),
    "hccs": ("xgmi", "nvlink"),
    "xgmi": ("hccs", "nvlink"),
    "sio": ("hccs", "xgmi"),
    "ub": ("hccs", "xgmi"),
    "c2c": ("nvlink4", "nvlink"),
    "rdma-root-complex": ("rdma-numa", "rdma-socket"),
    "rdma-numa": ("rdma-socket",),
    "rdma-socket": ("rdma-numa",),
    "rdma-bounced": ("rdma-socket",),
    "pcie5-rdma-socket": ("rdma-socket",),
    "rdma-host": ("rdma",),
    "rdma": ("rdma-host",),
    "roce-npu": ("rdma",),
    "roce-npu-host": ("roce-npu", "rdma-host"),
    "staged-same-switch": ("staged",),
    "acs-redirect": ("pcie5-peer:both",),
    "collective-xgmi": ("collective-hccs", "collective-nvlink4", "collective-nvlink3"),
    "collective-hccs": ("collective-xgmi", "collective-nvlink4", "collective-nvlink3"),
    "collective-pcie-staged": ("collective-pcie",),
}


def nearest(name: str) -> Iterator[tuple[str, float]]:
    """Yield the classes whose factors one may take, the nearest first, each with what it is scaled by."""
    yield from ((other, 1.0) for other in _OTHERS.get(name, ()))
    if "-nvls" in name:
        yield from _summing(name)
        return
    found = re.match(r"(rdma|collective-nvlink|nvlink)(\d+)$", name)
    if found:
        yield from ((f"{found[1]}{each}", 1.0) for each in _by_distance(int(found[2]), (1, 2, 3, 4, 5)))
        yield found[1], 1.0
    if (pcie := _PCIE.match(name)) is not None:
        yield from ((other, 1.0) for other in _pcie(*pcie.groups()))


def _summing(name: str) -> Iterator[tuple[str, float]]:
    old, new = name.replace("nvlink5", "nvlink4"), name.replace("nvlink4", "nvlink5")
    yield (old, NVLS_ON_BLACKWELL) if name == new else (new, 1 / NVLS_ON_BLACKWELL)
    # Data that also goes to another host is summed in two stages.
    yield from ((each, 0.9) for each in (name.removesuffix("-hosts"),) if each != name)


def _pcie(
    collective: str | None, digit: str, kind: str | None, family: str | None, manner: str | None
) -> Iterator[str]:
    generation, kind, end = int(digit), kind or "", f":{manner}" if manner else ""
    if collective:
        yield f"collective-pcie{kind}"
        return
    if family:
        siblings = [each for pair in PLATFORMS.values() if family in pair for each in pair if each != family]
        yield from (f"pcie{generation}{kind}.{each}{end}" for each in siblings if (family, each) == ("milan", "rome"))
        yield f"pcie{generation}{kind}{end}"
        return
    kinds = {
        "-host-numa": ("-host",),
        "-peer-numa": ("-peer-root-complex", "-peer"),
        "-peer-root-complex": ("-peer-numa", "-peer"),
        "-peer-socket": (),
    }
    slow = generation < 3 and kind.startswith("-peer-")
    if slow:  # so slow a link holds back before any host does
        kinds, kind = {}, "-peer"
    others = tuple(_by_distance(generation, GENERATIONS))
    if kind == "-peer-numa" and generation == 3:
        yield f"pcie3-peer-root-complex{end}"
    if kind == "-peer-socket" and generation == 3:  # no better than through one host bridge of that age
        yield f"pcie3-peer-root-complex{end}"
    if kind == "-host-numa":
        yield f"pcie{generation}-host{end}"
    if kind == "-host-socket" and generation > 3:  # what crosses the sockets does so alike, whoever it is for
        modern = [each for each in (generation, *others) if each > 3]
        yield from (f"pcie{each}{like}{end}" for like in (kind, "-peer-socket") for each in modern)
    yield from (f"pcie{each}{kind}{end}" for each in (generation, *others))
    for other in kinds.get(kind, ()):
        yield from (f"pcie{each}{other}{end}" for each in (generation, *others))


def _by_distance(generation: int, all_of: tuple[int, ...]) -> list[int]:
    return sorted((each for each in all_of if each != generation), key=lambda each: (abs(each - generation), -each))
