"""What the library was told: ways switched off, peer-to-peer forced or given up."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import fabric, note, two_sockets
from tests.analysis.rules.rails import rails, set_variables
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import library_settings
from toposcope.model import Efficiency, Reach, Topology

LEVEL = "NCCL_P2P_LEVEL"


def over_cpu(vendor: str | None, *, peer: float = 0.5, staged: float = 0.6, **variables: str) -> Topology:
    """Build four accelerators on two sockets, where the ways through the CPU have these factors."""
    topology = set_variables(two_sockets(), **variables)
    classes = {f"pcie4-peer-{word}": peer for word in ("root-complex", "numa", "socket")} | {"staged": staged}
    classes |= {"pcie4-host": 0.8}
    made = {name: Efficiency(name, factor, factor, factor, 1, "test") for name, factor in classes.items()}
    topology.figures = replace(topology.figures, efficiencies={**topology.figures.efficiencies, **made})
    if vendor is not None:
        note(topology, "host", "cpu.vendor", vendor)
    return topology


def breaks_transport_off() -> Topology:
    return set_variables(fabric(4), NCCL_P2P_DISABLE="1")


def keeps_transport_off() -> Topology:
    return set_variables(fabric(4), NCCL_P2P_DISABLE="0", NCCL_IB_DISABLE="1")


def cannot_tell_transport_off() -> Topology:
    return fabric(4)


def breaks_p2p_level_forced() -> Topology:
    return over_cpu("GenuineIntel", NCCL_P2P_LEVEL="SYS")


def keeps_p2p_level_forced() -> Topology:
    return over_cpu("GenuineIntel", NCCL_P2P_LEVEL="PXB")


def cannot_tell_p2p_level_forced() -> Topology:
    return over_cpu(None, NCCL_P2P_LEVEL="SYS")


def breaks_p2p_short_reach() -> Topology:
    return over_cpu("AuthenticAMD", peer=0.8, staged=0.5)


def keeps_p2p_short_reach() -> Topology:
    return over_cpu("AuthenticAMD", peer=0.8, staged=0.5, NCCL_P2P_LEVEL="PHB")


def cannot_tell_p2p_short_reach() -> Topology:
    return over_cpu(None, peer=0.8, staged=0.5)


def test_every_pair_of_the_fabric_is_harmed_where_peers_are_switched_off() -> None:
    (finding,) = library_settings.check_off(breaks_transport_off())

    assert finding.remedy == "unset NCCL_P2P_DISABLE"
    assert len(finding.harms) == 6
    assert all(harm.before is not None and harm.after is not None for harm in finding.harms)


def test_sockets_beside_rdma_devices_are_found_in_a_log() -> None:
    topology = rails()
    note(topology, "host", "nccl.network", "Socket")
    (finding,) = library_settings.check_off(topology)

    assert "TCP" in finding.message
    assert "/dev/infiniband" in finding.remedy


def test_sockets_without_rdma_devices_are_all_there_is() -> None:
    topology = fabric(2)
    note(topology, "host", "nccl.network", "Socket")
    assert list(library_settings.check_off(topology)) == []


def test_forcing_is_good_on_amd() -> None:
    assert list(library_settings.check_forced(over_cpu("AuthenticAMD", NCCL_P2P_LEVEL="SYS"))) == []


def test_the_pairs_that_are_forced_are_named() -> None:
    (finding,) = library_settings.check_forced(breaks_p2p_level_forced())

    assert finding.severity is Severity.WARNING
    assert len(finding.harms) == 6
    harm = finding.harms[0]
    assert harm.before is not None
    assert harm.after is not None
    assert harm.after < harm.before


def test_a_level_reaches_only_so_far() -> None:
    (finding,) = library_settings.check_forced(over_cpu("GenuineIntel", NCCL_P2P_LEVEL="PHB"))

    assert {(harm.source, harm.target) for harm in finding.harms} == {("GPU0", "GPU1"), ("GPU2", "GPU3")}


def test_pairs_on_one_socket_are_told_of_and_warned_of_where_a_log_shows_them() -> None:
    (told,) = library_settings.check_short(breaks_p2p_short_reach())
    logged = breaks_p2p_short_reach()
    note(logged, "GPU0|GPU1", "nccl.transport", "SHM/direct/direct")
    (warned,) = library_settings.check_short(logged)

    assert told.severity is Severity.INFO
    assert warned.severity is Severity.WARNING
    assert {(harm.source, harm.target) for harm in told.harms} == {("GPU0", "GPU1"), ("GPU2", "GPU3")}


def test_an_unknown_vendor_is_asked_for() -> None:
    (finding,) = library_settings.check_forced(cannot_tell_p2p_level_forced())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert Reach.SOCKET.word not in finding.remedy
