"""hidden-accelerators and guest-view: what a container, a variable or a virtual machine keeps from being seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Severity
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import is_guest, listed, origins, recorded_accelerators
from toposcope.model import FactStatus, Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Fact, Topology

HIDDEN, GUEST = "hidden-accelerators", "guest-view"
_GIVEN = ("env.NVIDIA_VISIBLE_DEVICES", "env.ASCEND_VISIBLE_DEVICES")
"""What a container was given, as its runtime notes it."""
_NARROWING = (
    "env.CUDA_VISIBLE_DEVICES", "env.ROCR_VISIBLE_DEVICES", "env.HIP_VISIBLE_DEVICES", "env.ASCEND_RT_VISIBLE_DEVICES",
)  # fmt: skip
_TREE = (Kind.PCIE_SWITCH, Kind.PCIE_BRIDGE)


def check_hidden(topology: Topology) -> Iterator[Finding]:
    """Hold the accelerators that tools and processes see against those on the PCI bus."""
    seen: list[Component] = []
    unseen: list[Component] = []
    for each in recorded_accelerators(topology):
        (unseen if each.id == each.pci else seen).append(each)
    given = [fact for name in _GIVEN if (fact := topology.fact("host", name)) is not None]
    # A tool that was asked about one card alone, or that tells no addresses, proves nothing of the others.
    if unseen and all(each.pci for each in seen) and len(seen) > (0 if given else 1):
        yield _not_given(seen, unseen, given)
    narrowed = [each for each in seen if _is_hidden(topology, each)]
    if narrowed:
        said = [fact for name in _NARROWING if (fact := topology.fact("host", name)) is not None]
        what = " and ".join(map(_as_set, said))
        yield Finding(
            HIDDEN,
            Severity.INFO,
            f"processes of this environment do not see {listed(each.id for each in narrowed)} ({what})",
            remedy="\n".join(f"unset {fact.name.removeprefix('env.')}" for fact in said),
            components=tuple(each.id for each in narrowed),
            evidence=origins(said),
            grade=Grade.OBSERVED,
        )


def check_guest(topology: Topology) -> Iterator[Finding]:
    """Say what a virtual machine does not show of where its accelerators hang."""
    accelerators = recorded_accelerators(topology)
    if not accelerators or not is_guest(topology):
        return
    lost = []
    if not any(each.numa is not None for each in accelerators):
        lost.append("the NUMA nodes of accelerators and NICs")
    if not any(_hangs_below_a_bridge(topology, each) for each in accelerators):
        lost.append("the PCIe tree: which of them share a switch, and what each link carries")
    if not lost:
        return
    yield Finding(
        GUEST,
        Severity.INFO,
        f"this virtual machine does not show {' and '.join(lost)}",
        remedy="# on the host of the virtual machine, and beside this recording:\n"
        "sudo lspci -D -nn -vvv\nlscpu\nnumactl -H\nsudo dmesg | grep -i 'vfio-pci'   # which device became which",
        components=tuple(each.id for each in accelerators),
        evidence=origins([topology.fact("host", "hypervisor")]),
        grade=Grade.OBSERVED,
    )


def _as_set(fact: Fact) -> str:
    return f"{fact.name.removeprefix('env.')}={fact.value}"


def _not_given(seen: list[Component], unseen: list[Component], given: list[Fact]) -> Finding:
    said = "".join(f" ({_as_set(fact)})" for fact in given)
    names = [each.id for each in unseen]
    return Finding(
        HIDDEN,
        Severity.INFO,
        f"{len(names)} of {len(names) + len(seen)} accelerators on the PCI bus are not shown by the vendor's tool: "
        f"{listed(names)}{said}; a container that was not given them, another driver, or lost devices",
        remedy="\n".join(
            [
                "# in a container: start it with all devices (docker run --gpus all, or ASCEND_VISIBLE_DEVICES=0-7)",
                f"lspci -nnk -s {names[0]}   # on the host: which driver holds it",
            ]
        ),
        components=tuple(names),
        evidence=tuple(dict.fromkeys([each.origin for each in unseen] + [fact.origin for fact in given])),
        grade=Grade.OBSERVED,
    )


def _is_hidden(topology: Topology, accelerator: Component) -> bool:
    fact = topology.fact(accelerator.id, "runtime.device")
    return fact is not None and fact.status is FactStatus.ABSENT


def _hangs_below_a_bridge(topology: Topology, accelerator: Component) -> bool:
    return any(topology.component(name).kind in _TREE for name in topology.chain(accelerator.id)[1:])


HIDDEN_RULE = Rule(
    HIDDEN,
    "Accelerators that tools or processes do not see",
    check_hidden,
    reasoning=(
        "A container sees the whole PCI bus in /sys and only the accelerators that it was given in the vendor's tool; "
        "a variable narrows that once more for a process. A path that is measured or a rank that is placed by the "
        "numbers of one view is then wrong in the other."
    ),
    remedy="Give the container all devices, or read the numbers of a process in the table of accelerators.",
    sources=(
        "CUDA C++ programming guide, environment variables",
        "NVIDIA container toolkit, NVIDIA_VISIBLE_DEVICES",
        "Ascend CANN, ASCEND_RT_VISIBLE_DEVICES",
    ),
)

GUEST_RULE = Rule(
    GUEST,
    "A virtual machine does not show where its accelerators hang",
    check_guest,
    reasoning=(
        "Passed-through devices often stand on one made-up bus without NUMA node. Libraries then take all of them for "
        "equally near and choose NICs and rings blindly; the figures of links on the way are not known here either."
    ),
    remedy="Record the host as well, or give the library a topology file that the provider ships.",
    sources=("NVIDIA/nccl#1039", "QEMU documentation, PCI Express guidelines"),
)
