"""Which sources a host offers: what became of each in a live run, what a missing one costs, and how to get it.

Absent, refused, timed out and empty are different answers with different remedies. A source is not needed where the
host has no device that it speaks of, and a missing one costs nothing where another shows the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from toposcope.collectors import COLLECTORS
from toposcope.collectors.records import NicName, PciDevice
from toposcope.recording.outcomes import ASK_THE_HOST, MASKED, MAY_BE_EMPTY
from toposcope.recording.recording import Command, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.collectors import Collector, Source
    from toposcope.collectors.records import Record
    from toposcope.recording.recording import Recording


class Standing(StrEnum):
    """How a source stands on this host."""

    AVAILABLE = "available"
    PARTIAL = "partial"
    ABSENT = "absent"
    REFUSED = "refused"
    TIMED_OUT = "timed out"
    EMPTY = "empty"
    FAILED = "failed"
    STOPPED = "stopped"
    UNNEEDED = "not needed"


@dataclass(frozen=True, slots=True)
class SourceState:
    """One source: what it gives, how it stands, what the analysis lacks for it (None: nothing), and what to do."""

    key: str
    tool: str
    command: str | None
    standing: Standing
    gives: str
    cost: str | None = None
    remedy: str | None = None
    error: str | None = None


_OF_OUTCOME = {
    Outcome.EMPTY: Standing.EMPTY,
    Outcome.ABSENT: Standing.ABSENT,
    Outcome.REFUSED: Standing.REFUSED,
    Outcome.TIMED_OUT: Standing.TIMED_OUT,
    Outcome.STOPPED: Standing.STOPPED,
}
_WORST = (Outcome.STOPPED, Outcome.TIMED_OUT, Outcome.REFUSED, Outcome.EMPTY, Outcome.ABSENT)
# Sources that no command gives: /sys and the environment are read, NVML is a library.
_READ = {
    "sysfs-pci": "/sys/bus/pci",
    "sysfs-net": "/sys/class/net, /sys/class/infiniband",
    "sysfs-numa": "/sys/devices/system/node",
    "sysfs-host": "/sys/class/iommu, /sys/class/dmi, /sys/module",
    "nvml": "libnvidia-ml.so.1",
}
# The devices that a tool speaks of, by the ids of PCI functions. Huawei's NICs and bridges have the NPUs' vendor too.
_SPEAKS_OF = {
    "nvidia-smi": re.compile(r"10de:"),
    "nvml": re.compile(r"10de:"),
    "services": re.compile(r"10de:"),
    "npu_smi": re.compile(r"19e5:d"),
    "hccn_tool": re.compile(r"19e5:d"),
    "mlxlink": re.compile(r"15b3:"),
}
_OF_MELLANOX = frozenset({"mst-status", "ibdev2netdev", "show-gids"})
_OF_RDMA = frozenset({"ibstatus", "ibstat", "ibv-devinfo", "rdma-link"})
# Which sources show the same as a missing one, all that assembly needs of it.
_COVERED = {
    "lspci-vvv": ("sysfs-pci",),
    "udevadm": ("sysfs-pci",),
    "lscpu-p": ("sysfs-numa",),
    "numactl-h": ("sysfs-numa",),
    "lsmod": ("sysfs-host",),
    "dmidecode": ("sysfs-host",),
    "uname": ("sysfs-host",),
    "hostname": ("sysfs-host", "uname"),
    "ibstatus": ("sysfs-net",),
    "ibstat": ("sysfs-net", "ibstatus"),
    "ibv-devinfo": ("sysfs-net", "ibstat"),
    "ibdev2netdev": ("sysfs-net",),
    "rdma-link": ("sysfs-net",),
    "show-gids": ("sysfs-net",),
    "mst-status": ("sysfs-net",),
    "ip-addr": ("sysfs-net", "ip-link"),
    "ip-link": ("sysfs-net",),
    "proc-bonding": ("sysfs-net",),
    "ethtool-i": ("sysfs-net",),
    "ethtool": ("sysfs-net",),
    "nvidia-smi-q-x": ("nvml",),
    "nvidia-smi-query-gpu": ("nvml", "nvidia-smi-q-x"),
    "nvidia-smi-l": ("nvml", "nvidia-smi-q-x"),
    "nvidia-smi-nvlink-s": ("nvml",),
    "nvidia-smi-nvlink-r": ("nvml",),
    "nvidia-smi-topo-mp": ("sysfs-pci", "lspci-vvv"),
    "nvidia-smi-topo-p2p-rw": ("nvml",),
    "nvidia-smi-topo-p2p-r": ("nvml",),
    "nvidia-smi-topo-p2p-w": ("nvml",),
    "nvidia-smi-topo-p2p-n": ("nvml",),
    "nvidia-smi-topo-p2p-a": ("nvml",),
    "nvml": ("nvidia-smi-q-x",),
    "npu-smi-info-m": ("dev-davinci",),
    "npu-smi-info-l": ("npu-smi-info",),
    "dev-davinci": ("npu-smi-info",),
}
_ROOT_GIVES = {
    "lspci-vvv": "no ACS, ATS and device control bits",
    "sysfs-pci": "64 bytes of each configuration space: no ACS, ATS and device control bits",
}
_ROOT_REMEDY = {
    "lspci-vvv": "run as root, or give `sudo lspci -D -nn -vvv`",
    "sysfs-pci": "run as root, or give `sudo lspci -D -nn -vvv`",
}
_PACKAGES = {
    "nvidia-smi": "comes with the NVIDIA driver; in a container NVIDIA_DRIVER_CAPABILITIES must hold utility",
    "nvml": "comes with the NVIDIA driver; in a container NVIDIA_DRIVER_CAPABILITIES must hold utility",
    "npu-smi": "comes with the Ascend driver; mount it into the container",
    "hccn_tool": "comes with the Ascend driver, below /usr/local/Ascend/driver/tools",
    "lspci": "install pciutils",
    "udevadm": "install udev",
    "ibstat": "install infiniband-diags",
    "ibstatus": "install infiniband-diags",
    "ibv_devinfo": "install ibverbs-utils",
    "ibdev2netdev": "comes with the NIC's driver package (OFED)",
    "show_gids": "comes with the NIC's driver package (OFED)",
    "rdma": "install iproute2",
    "ip": "install iproute2",
    "mst": "install MFT (mstflint)",
    "mlxlink": "install MFT (mstflint)",
    "ethtool": "install ethtool",
    "lscpu": "install util-linux",
    "numactl": "install numactl",
    "dmidecode": "install dmidecode",
    "lsmod": "install kmod",
}


def survey(
    recording: Recording, records: Sequence[Record], collectors: tuple[Collector, ...] = COLLECTORS
) -> tuple[SourceState, ...]:
    """Tell of each source that a live run asks how it stands. ``records`` are what was read of the recording."""
    by_source: dict[str, list[Command]] = {}
    for command in recording.commands:
        by_source.setdefault(command.source, []).append(command)
    given = {key for key, commands in by_source.items() if any(each.file for each in commands)}
    unneeded = set(_unneeded(records, given, collectors))
    return tuple(
        _state(collector, source, by_source.get(source.key, []), given, unneeded, as_root=recording.as_root is True)
        for collector in collectors
        for source in collector.sources
        if source.command or source.key in _READ
    )


def _unneeded(records: Sequence[Record], given: set[str], collectors: tuple[Collector, ...]) -> Iterator[str]:
    """Name the sources that speak of devices which this host does not have, as far as its PCI bus is seen."""
    ids = {record.pci_id or "" for record in records if isinstance(record, PciDevice)}
    if not ids:
        return
    for collector in collectors:
        pattern = _SPEAKS_OF.get(collector.name)
        if pattern and not any(map(pattern.match, ids)):
            yield from (source.key for source in collector.sources)
    if not any(map(_SPEAKS_OF["mlxlink"].match, ids)):
        yield from _OF_MELLANOX
    if "sysfs-net" in given and not any(isinstance(record, NicName) and record.rdma for record in records):
        yield from _OF_RDMA


def _state(
    collector: Collector,
    source: Source,
    commands: list[Command],
    given: set[str],
    unneeded: set[str],
    *,
    as_root: bool,
) -> SourceState:
    standing = _standing(source, commands, as_root=as_root)
    if source.key not in given and (source.key in unneeded or (source.targets is not None and not commands)):
        standing = Standing.UNNEEDED
    line = " ".join(source.command) or _READ.get(source.key)
    error = next((each.error for each in commands if each.error), None)
    cost, remedy = _cost(source, standing, given), _remedy(source, standing)
    if standing in (Standing.AVAILABLE, Standing.UNNEEDED) or cost is None:
        remedy = None
    return SourceState(source.key, collector.name, line, standing, source.gives, cost, remedy, error)


def _standing(source: Source, commands: list[Command], *, as_root: bool) -> Standing:
    """Return how a source stands: as the worst of its commands where none gave anything, else partly."""
    if not commands:
        return Standing.EMPTY if source.key in _READ else Standing.ABSENT
    done = [each for each in commands if each.outcome is Outcome.DONE]
    if not done:
        worst = next(outcome for outcome in _WORST if any(each.outcome is outcome for each in commands))
        if worst is Outcome.EMPTY and source.command[:1] and source.command[0] in MAY_BE_EMPTY:
            return Standing.AVAILABLE  # silence is an answer: there is none
        return _OF_OUTCOME[worst]
    if all(each.exit_code for each in done):
        return Standing.FAILED
    lacks_root = not as_root and (source.root or source.key in _ROOT_GIVES)
    whole = len(done) == len(commands) and not any(each.exit_code or each.truncated for each in done)
    return Standing.PARTIAL if lacks_root or not whole else Standing.AVAILABLE


def _cost(source: Source, standing: Standing, given: set[str]) -> str | None:
    if standing in (Standing.AVAILABLE, Standing.UNNEEDED):
        return None
    if standing is Standing.PARTIAL:
        return _ROOT_GIVES.get(source.key, "a part is missing")
    if source.key not in given and any(other in given for other in _COVERED.get(source.key, ())):
        return None
    return MASKED.get(source.key, "all of it")


def _remedy(source: Source, standing: Standing) -> str | None:
    tool = source.command[0] if source.command else source.key
    if source.key in ASK_THE_HOST and standing in (Standing.EMPTY, Standing.ABSENT):
        return ASK_THE_HOST[source.key]
    return {
        Standing.ABSENT: _PACKAGES.get(tool),
        Standing.REFUSED: _ROOT_REMEDY.get(source.key, "run as root"),
        Standing.PARTIAL: _ROOT_REMEDY.get(source.key, "run as root" if source.root else None),
        Standing.TIMED_OUT: f"give a longer --timeout; where `{tool}` hangs by itself, look into dmesg",
        Standing.EMPTY: f"`{tool}` found nothing: is the driver loaded?",
        Standing.FAILED: f"see what `{tool}` itself says",
    }.get(standing)
