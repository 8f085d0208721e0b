"""iommu-translation and ats-off: address translation in the way of peer copies, on bare metal and in a guest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.rules.harm import direct_peers
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    address_of,
    could_not_tell,
    is_guest,
    is_virtual,
    listed,
    origins,
    recorded_accelerators,
    value_of,
)
from toposcope.model import FactStatus, Grade, Reach
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis.route import Route
    from toposcope.model import Fact, Topology

TRANSLATION, ATS = "iommu-translation", "ats-off"
_TRANSLATING = ("DMA", "DMA-FQ")
_PARAMETERS = ("cmdline.iommu", "cmdline.intel_iommu", "cmdline.amd_iommu")
_PASSES = ("pt", "off")
_LOOK = "cat /proc/cmdline\nls /sys/class/iommu\ncat /sys/kernel/iommu_groups/*/type | sort | uniq -c"
_X86 = ("x86_64", "amd64")
_MOSTLY_ON_ARM = ("HCCL",)


def check_translation(topology: Topology) -> Iterator[Finding]:
    """Look whether the IOMMU of a bare-metal host translates where accelerators reach each other over PCIe."""
    names = [each.id for each in recorded_accelerators(topology)]
    if is_guest(topology) or not names or not _may_be_x86(topology):
        return
    translating, proof = _translates(topology, names)
    if translating is False:
        return
    near = neighbours(topology)
    peers = list(direct_peers(topology, names, near))
    nics = [
        (name, own.own)
        for name, own in near.items()
        if own.own is not None and own.reach is not None and own.reach <= Reach.SWITCHES
    ]
    if translating and (peers or nics):
        yield _found(topology, names, peers, nics, proof)
    elif translating is None and any(
        (apart := reach(topology, route.source, route.target)) is not None and apart <= Reach.SWITCHES
        for route in peers
    ):
        message = f"whether an IOMMU translates what {listed(names)} send to each other over PCIe is not known"
        yield could_not_tell(TRANSLATION, message, _LOOK, names, origins(proof))


def check_ats(topology: Topology) -> Iterator[Finding]:
    """Look in a virtual machine whether the NICs near accelerators may translate addresses themselves."""
    names = [each.id for each in recorded_accelerators(topology)]
    if not is_guest(topology) or not names:
        return
    nics = list(dict.fromkeys(nic for own in neighbours(topology).values() for nic in own.near))
    off = [nic for nic in nics if value_of(topology, nic, "ats.enabled") is False and not is_virtual(topology, nic)]
    if off:
        yield Finding(
            ATS,
            Severity.WARNING,
            f"address translation services (ATS) are off on {listed(off)}: in a virtual machine, data between NIC and "
            "accelerator then goes up to the CPU to be translated",
            remedy="\n".join(
                [
                    "# on the host of the virtual machine, then a cold restart:",
                    *(f"sudo mlxconfig -d {address_of(topology, nic)} set ATS_ENABLED=true" for nic in off),
                    "# and DirectTrans+ at the switch ports above, beside SrcValid+ ReqRedir+ CmpltRedir+ UpstreamFwd+",
                ]
            ),
            components=tuple(off),
            harms=tuple(
                Harm(name, own.own) for name, own in neighbours(topology).items() if own.own in off and name in names
            ),
            evidence=origins(topology.fact(nic, "ats.enabled") for nic in off),
            grade=Grade.OBSERVED,
        )


def _may_be_x86(topology: Topology) -> bool:
    """Tell whether the host may be a PC server: SMMUs of Arm and Power hosts translate by design."""
    said = [value_of(topology, "host", name) for name in ("cpu.architecture", "architecture")]
    known = [str(word).lower() for word in said if word is not None]
    library = topology.figures.library
    return any(word in _X86 for word in known) if known else library is None or library.name not in _MOSTLY_ON_ARM


def _translates(topology: Topology, names: Sequence[str]) -> tuple[bool | None, list[Fact]]:
    """Tell whether the IOMMU translates, with what says so: the groups' types, then the kernel's parameters and log."""
    types = [fact for name in names if (fact := topology.fact(name, "iommu.type")) is not None]
    if types:
        translating = [fact for fact in types if fact.value in _TRANSLATING]
        return bool(translating), translating or types
    units, domain = topology.fact("host", "iommu.units"), topology.fact("host", "iommu.default_domain")
    said = [fact for name in _PARAMETERS if (fact := topology.fact("host", name)) is not None]
    passing = [fact for fact in said if any(word in _PASSES for word in str(fact.value).split(","))]
    passing += [domain] if domain is not None and domain.value == "Passthrough" else []
    passing += [units] if units is not None and units.status is FactStatus.ABSENT else []
    if passing:
        return False, passing
    forced = [fact for fact in said if fact.value in ("on", "force") and fact.name != "cmdline.amd_iommu"]
    if forced:
        return True, forced
    if units is not None and units.value and domain is not None:
        return True, [units, domain]
    return None, [units] if units is not None else said[:1]


def _found(
    topology: Topology,
    names: Sequence[str],
    peers: Sequence[Route],
    nics: Sequence[tuple[str, str | None]],
    proof: Sequence[Fact],
) -> Finding:
    harms = [Harm(route.source, route.target, route.limit.line) for route in peers]
    harms += [Harm(name, nic) for name, nic in nics if nic is not None and reach(topology, name, nic) is not None]
    vendor = value_of(topology, "host", "cpu.vendor")
    switch_off = "amd_iommu=off" if vendor == "AuthenticAMD" else "intel_iommu=off"
    return Finding(
        TRANSLATION,
        Severity.WARNING,
        "the IOMMU translates addresses: copies between devices over PCIe go by way of it, and may be slow, hang or "
        "arrive wrong though the driver calls peer-to-peer possible",
        remedy=(
            "# kernel command line, then a restart (pt keeps the IOMMU for virtual machines):\n"
            f"sudo grubby --update-kernel=ALL --args='iommu=pt'   # or {switch_off}\n"
            "# Debian and Ubuntu: GRUB_CMDLINE_LINUX in /etc/default/grub, then sudo update-grub"
        ),
        components=tuple(names),
        harms=tuple(harms),
        evidence=origins(proof),
        grade=Grade.DERIVED,
    )


TRANSLATION_RULE = Rule(
    TRANSLATION,
    "The IOMMU translates peer-to-peer traffic",
    check_translation,
    reasoning=(
        "With an IOMMU that translates (group type DMA or DMA-FQ, or intel_iommu=on without iommu=pt), a device's "
        "addresses have to be looked up at the root complex: peer copies leave the switch, get slow, hang, or are "
        "dropped while `topo -p2p` still prints OK. In pass-through mode nothing is looked up. Matters only where "
        "accelerators reach peers or their NIC over PCIe."
    ),
    remedy="Boot with iommu=pt, or with intel_iommu=off or amd_iommu=off where no virtual machine needs it.",
    sources=("NVIDIA/nccl#257", "NVIDIA/nccl-tests#115", "ROCm/rccl#1129", "CAPS-UMU/FIDESlib#28"),
)

ATS_RULE = Rule(
    ATS,
    "ATS is off in a virtual machine",
    check_ats,
    reasoning=(
        "Virtual machines need ACS and the IOMMU, so peer traffic would go up to the CPU. A NIC with ATS asks for the "
        "translation once and then sends translated requests, which ports with DirectTrans pass straight on."
    ),
    remedy="On the host: mlxconfig -d ADDRESS set ATS_ENABLED=true, cold restart; DirectTrans+ at the switch ports.",
    sources=(
        "NVIDIA/nccl#949",
        "NVIDIA/nccl-tests#156",
        "NVIDIA AI Enterprise, optimizing VM configuration for AI inference, appendix",
    ),
)
