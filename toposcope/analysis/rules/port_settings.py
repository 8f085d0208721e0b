"""port-mtu, gid-index, rdma-timeout and bond-one-member: how ports are set, and how the library uses them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import ports_of
from toposcope.analysis.rules.network_ports import used_nics
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, number_of, origins, value_of
from toposcope.analysis.rules.traffic import (
    is_ethernet,
    is_logged,
    line_of,
    rdma_nics,
    setting,
    shown_name,
    text_of,
    ways_out,
)
from toposcope.model import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth
    from toposcope.model import Component, Fact, Topology

MTU, GID, BOND, TIMEOUT = "port-mtu", "gid-index", "bond-one-member", "rdma-timeout"
_RETRIES_EXCEEDED = "status 12,"
_GID = re.compile(r"gid\.(\d{1,4})")
_IS_TYPED = re.compile(r"\bv[12]\b|RoCE ?v[12]", re.IGNORECASE)
_IS_V2 = re.compile(r"\bv2\b|RoCE ?v2", re.IGNORECASE)
_QPS = "NCCL_IB_QPS_PER_CONNECTION"
_BOND_NAME = re.compile(r"bond", re.IGNORECASE)


def check_mtu(topology: Topology) -> Iterator[Finding]:
    """Find ports whose MTU is smaller than that of most ports of the same link layer, as one tool prints it.

    Where accelerators were recorded only the NICs beside them count: others may be set for other work.
    """
    groups: dict[tuple[str, bool | None], list[Fact]] = defaultdict(list)
    used = used_nics(topology)
    for nic, port in ways_out(topology, [nic for nic in rdma_nics(topology) if not used or nic.id in used]):
        fact = topology.fact(port.id, "mtu") or topology.fact(nic.id, "mtu")
        if fact is not None:
            groups[fact.origin.source, is_ethernet(topology, port.id)].append(fact)
    for facts in groups.values():
        sizes = [size for fact in facts if (size := number_of(topology, fact.component, "mtu")) is not None]
        common, count = Counter(sizes).most_common(1)[0] if sizes else (0, 0)
        small = [fact for fact in facts if (number_of(topology, fact.component, "mtu") or common) < common]
        if small and count * 2 > len(sizes):
            yield _mtu(topology, small, int(common))


def _mtu(topology: Topology, small: list[Fact], common: int) -> Finding:
    names = {fact.component: _name(topology, fact.component) for fact in small}
    used = used_nics(topology)
    owners = [_owner(topology, name) for name in names]
    told = listed(f"{names[fact.component]} has {fact.value}" for fact in small)
    return Finding(
        MTU,
        Severity.WARNING if used else Severity.INFO,
        f"the MTU differs: {told}, the others {common}",
        remedy="\n".join(
            [f"ibv_devinfo -d {name} | grep -i mtu" for name in dict.fromkeys(names.values())]
            + [f"sudo ip link set NETDEV mtu {'9000' if common >= 4096 else common}  # and the same on the switch port"]  # noqa: PLR2004 - an RDMA MTU of 4096 needs jumbo frames
        ),
        components=tuple(names),
        harms=tuple(Harm(name, "remote") for owner in owners for name in used.get(owner, ())),
        evidence=origins(small),
        grade=Grade.OBSERVED,
    )


def check_gid(topology: Topology) -> Iterator[Finding]:
    """Find an index of the GID table that holds no RoCE v2 address, and one that a newer library should not be told."""
    asked, failed = setting(topology, "NCCL_IB_GID_INDEX"), topology.fact("host", "nccl.completion_error")
    if asked is None:
        return
    index = text_of(asked)
    nics = [nic for nic in rdma_nics(topology) if any(_roce_ports(topology, nic))]
    tables = {nic.id: dict(_gids(topology, nic)) for nic in nics}
    typed = {
        name: table for name, table in tables.items() if any(_IS_TYPED.search(str(f.value)) for f in table.values())
    }
    wrong = {name: table.get(index) for name, table in typed.items() if not _is_v2(table.get(index))}
    if wrong:
        told = listed(
            f"{shown_name(topology, name)} has {fact.value if fact else 'nothing'} there"
            for name, fact in wrong.items()
        )
        yield Finding(
            GID,
            Severity.WARNING,
            f"NCCL_IB_GID_INDEX={index} names no RoCE v2 address: {told}",
            remedy=f"show_gids  # then: unset NCCL_IB_GID_INDEX (NCCL 2.21 and later choose it), or =\
{_good(typed) or 'the index of a v2 address'}",
            components=tuple(wrong),
            harms=tuple(Harm(each, "remote") for name in wrong for each in used_nics(topology).get(name, ())),
            evidence=origins([asked, *wrong.values(), failed]),
            grade=Grade.OBSERVED,
        )
    elif nics and not typed:
        names = [nic.id for nic in nics]
        message = f"whether NCCL_IB_GID_INDEX={index} is a RoCE v2 address of {listed(names)} is not known"
        yield could_not_tell(GID, message, "show_gids", names, origins([asked, failed]))


def _roce_ports(topology: Topology, nic: Component) -> Iterator[str]:
    return (port.id for port in ports_of(topology, nic.id) if is_ethernet(topology, port.id))


def _gids(topology: Topology, nic: Component) -> Iterator[tuple[str, Fact]]:
    for name in (nic.id, *(port.id for port in ports_of(topology, nic.id))):
        for fact in topology.facts(name):
            if match := _GID.fullmatch(fact.name):
                yield match[1], fact


def _is_v2(fact: Fact | None) -> bool:
    return fact is not None and _IS_V2.search(str(fact.value)) is not None


def _good(tables: dict[str, dict[str, Fact]]) -> str | None:
    """Return the highest index that is a v2 address in every table: the one with an IPv4 address comes last."""
    common = set.intersection(*(set(table) for table in tables.values())) if tables else set()
    good = [index for index in common if all(_is_v2(table[index]) for table in tables.values())]
    return max(good, key=int, default=None)


def check_bond(topology: Topology) -> Iterator[Finding]:
    """Find bonds over which the library opens one connection: a hash sends it through one member."""
    bonds = [(nic, port) for nic, port in ways_out(topology, rdma_nics(topology)) if _is_bond(topology, nic, port.id)]
    used = used_nics(topology)
    mine = [(nic, port) for nic, port in bonds if nic.id in used]
    if not mine:
        return
    pairs = setting(topology, _QPS)
    if pairs is not None and text_of(pairs) not in ("", "0", "1"):
        return
    names = listed(shown_name(topology, nic.id) for nic, _ in mine)
    logged = topology.fact("host", "nccl.log")
    if pairs is None and not is_logged(topology):
        message = f"how many connections the library opens over the bonds {names} is not known: one uses one member"
        yield could_not_tell(BOND, message, f"env | grep {_QPS}  # 1 where it is not set", [nic.id for nic, _ in mine])
        return
    yield Finding(
        BOND,
        Severity.INFO,
        f"one connection over the bonds {names} uses one of their members ({_QPS} is {text_of(pairs) or 'not set'})",
        remedy=f"export {_QPS}=4 NCCL_IB_SPLIT_DATA_ON_QPS=0",
        components=tuple(nic.id for nic, _ in mine),
        harms=tuple(
            Harm(name, "remote", line_of(topology, port.id), _of_one(topology, port.id))
            for nic, port in mine
            for name in used[nic.id]
        ),
        evidence=origins([pairs or logged]),
        grade=Grade.DERIVED,
    )


def check_timeout(topology: Topology) -> Iterator[Finding]:
    """Find a job that failed since its packets were never answered: the two ends do not reach each other by RDMA."""
    fact = topology.fact("host", "nccl.completion_error")
    if fact is None or not str(fact.value).startswith(_RETRIES_EXCEEDED):
        return
    nics = rdma_nics(topology)
    index = setting(topology, "NCCL_IB_GID_INDEX")
    yield Finding(
        TIMEOUT,
        Severity.WARNING,
        f"a transfer of the job was never answered ({fact.value}): RDMA does not reach the other end",
        remedy=(
            "show_gids; ibv_devinfo | grep -iE 'state|mtu'  # on both hosts: RoCE v2, same MTU, ports up\n"
            "ping -M do -s 4000 -I NETDEV PEER  # jumbo frames on every hop\n"
            "ib_write_bw -d DEVICE -x INDEX --report_gbits PEER  # each pair of NICs by itself"
        ),
        components=tuple(nic.id for nic in nics) or ("host",),
        harms=tuple(Harm(name, "remote") for nic in nics for name in used_nics(topology).get(nic.id, ())),
        evidence=origins([fact, index]),
        grade=Grade.OBSERVED,
    )


def _is_bond(topology: Topology, nic: Component, port: str) -> bool:
    members = value_of(topology, port, "members")
    if members is not None:
        return "," in str(members)
    return _BOND_NAME.search(nic.name or "") is not None


def _of_one(topology: Topology, port: str) -> Bandwidth | None:
    line, members = line_of(topology, port), str(value_of(topology, port, "members") or "").count(",") + 1
    return None if line is None or members < 2 else line * (1 / members)  # noqa: PLR2004 - a bond of one


def _owner(topology: Topology, name: str) -> str:
    return next((link.other(name) for link in topology.links_of(name) if link.internal), name)


def _name(topology: Topology, name: str) -> str:
    return shown_name(topology, _owner(topology, name))


RULE_MTU = Rule(
    MTU,
    "Ports of one server have different MTUs",
    check_mtu,
    reasoning=(
        "An RDMA connection takes the smaller MTU of its ends: packets of 1024 bytes instead of 4096 cost rate and "
        "processor time, and ends that disagree on what passes fail."
    ),
    remedy="The same MTU on all NICs and switch ports: 9000 on the netdev gives RDMA 4096.",
    sources=("deepseek-ai/DeepEP#38", "NVIDIA/nccl#1131"),
)
RULE_GID = Rule(
    GID,
    "The GID index names no RoCE v2 address",
    check_gid,
    reasoning=(
        "The index chooses the address and the version of RoCE. A v1 address is not routed, an empty entry fails "
        "with error 12 and vendor error 129. Indices differ between NICs and change when addresses do."
    ),
    remedy="show_gids; unset NCCL_IB_GID_INDEX from NCCL 2.21 on, which chooses it itself.",
    sources=("NVIDIA/nccl#426", "NVIDIA/nccl#1131", "NCCL documentation: NCCL_IB_GID_INDEX"),
)
RULE_BOND = Rule(
    BOND,
    "One connection uses one member of a bond",
    check_bond,
    reasoning=(
        "A bond sends each connection through one member, chosen by a hash. With one queue pair between two ports, "
        "as the library opens by default, the other members idle and half of the rate is lost."
    ),
    remedy=f"export {_QPS}=4, so that several connections spread over the members.",
    sources=("NVIDIA/nccl#2136", "NVIDIA/nccl#2150", "NCCL documentation, performance and tuning"),
)
RULE_TIMEOUT = Rule(
    TIMEOUT,
    "RDMA transfers are not answered",
    check_timeout,
    reasoning=(
        "Error 12 says that retries were exceeded. Where the other host lives, the network between the ports does not "
        "carry what is sent: another RoCE version or GID, an MTU that a hop does not pass, a route that is missing."
    ),
    remedy="show_gids and MTUs on both hosts; ib_write_bw between each pair of NICs with the same GID index.",
    sources=("NVIDIA/nccl#426", "NVIDIA/nccl#1131"),
)
