"""Reads ``/sys``: PCI functions with their chain of bridges, NICs, ports, NUMA nodes, sockets, and the machine's name.

The text comes from the recording layer (a live or copied tree, see ``attributes``) or from a terminal (``grep .``,
``cat``, ``ls -l``, ``readlink``; grammar in ``lines``). One parser reads all of it: what a line speaks of is told by
its path. The sources differ in name only, so that a recording may hold each by itself.

Settings, beside the records: of a PCI address ``numa_node`` (-1), ``acs.*``, ``ats.enabled``, ``payload.max``,
``payload.capable``, ``read_request.max``, ``relaxed_ordering``, ``lnkctl2.target_gts``, ``aer.*``, ``bar.*``,
``iov.*`` (as lspci names them), ``power_state``, ``iommu.type``; of an RDMA
device ``firmware.version``, ``model``, ``board.id``, ``guid.node``; of a port (``mlx5_0/1``) ``lid``, ``counter.*``;
of a bond ``bond.mode``, ``bond.xmit_hash_policy``; of a NIC read through its ``device`` link ``numa_node``,
``local_cpulist`` and the link's speed and width; of the host ``product.*``, ``iommu.units``, ``iommu.types``,
``module.*``, ``numa.balancing``.
"""

from __future__ import annotations

import re

from toposcope.collectors.source import Collector, Parsers, Source
from toposcope.collectors.sysfs.attributes import SYSFS_ATTRIBUTES, SysfsPart

tree = Parsers(f"{__name__}.tree")

__all__ = ["COLLECTOR", "SYSFS_ATTRIBUTES", "SysfsPart"]


def _named(words: str) -> re.Pattern[str]:
    """Match a terminal's command on such a path, or a file called after the command or the source."""
    tools = r"(?:grep|cat|head|tail|ls|readlink|realpath|find|for)\b.*?"
    return re.compile(rf"(?:{tools})?(?P<argument>\S*[ /]?(?:{words}).*)")


_PCI = r"sys[ /]bus[ /]pci|sys[ /]devices[ /]pci|sys[ /]kernel[ /]iommu.groups"
_NET = r"sys[ /]class[ /](?:net|infiniband)\b"
_NUMA = r"sys[ /]devices[ /]system[ /](?:node|cpu)"
_HOST = (
    r"sys[ /]class[ /](?:iommu|dmi(?![ /]id[ /]\w))|sys[ /](?:devices[ /]virtual[ /]dmi|module)|proc[ /]sys[ /]kernel"
)

COLLECTOR = Collector(
    "sysfs",
    (
        Source(
            "sysfs-pci",
            tree.parse,
            named=_named(rf"sysfs.pci|{_PCI}|numa.node\b"),
            begins=re.compile(
                r"^(?:==> |cat |grep: )?/sys/(?:bus/pci/|devices/pci|kernel/iommu_groups/)", re.MULTILINE
            ),
            gives="PCI functions, bridges, links and NUMA nodes, as the kernel shows them",
        ),
        Source(
            "sysfs-net",
            tree.parse,
            named=_named(rf"sysfs.net|{_NET}"),
            begins=re.compile(r"^(?:==> |cat |grep: )?/sys/(?:class/(?:net|infiniband)|devices/pci)", re.MULTILINE),
            gives="network and RDMA devices, their ports, bonds and counters",
        ),
        Source(
            "sysfs-numa",
            tree.parse,
            named=_named(rf"sysfs.numa|{_NUMA}"),
            begins=re.compile(r"^(?:==> |cat |grep: )?/sys/devices/system/(?:node|cpu)/", re.MULTILINE),
            gives="NUMA nodes, their CPUs, memory and distances, and the sockets",
        ),
        Source(
            "sysfs-host",
            tree.parse,
            named=_named(rf"sysfs.host|{_HOST}"),
            begins=re.compile(
                r"^(?:==> |cat |grep: )?/(?:sys/(?:class/iommu|class/dmi|module)|proc/sys/kernel)/", re.MULTILINE
            ),
            gives="the machine's name, IOMMU units and kernel modules",
        ),
    ),
)
