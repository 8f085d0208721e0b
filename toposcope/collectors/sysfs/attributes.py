"""What the writer of the sysfs sources puts into them: one table, read by the recording layer and by nobody else.

Each line of a source is one of

- ``path<TAB>attribute<TAB>value``: one line of a file; a file of several lines (``meminfo``, ``uevent``) gives as
  many lines with the same path and attribute; trailing blanks are cut, an empty file gives an empty value;
- ``path<TAB>-><TAB>target``: a symbolic link at ``path``, target as ``readlink`` gives it (relative or absolute);
- ``path<TAB>!<TAB>reason``: a file or folder at ``path`` that is there and cannot be read (``denied``), or a folder
  that is there and holds nothing (``empty``). What is not there at all gives no line.

Paths are absolute and begin with ``/sys`` (``/proc`` for one file), whatever folder the tree was copied to.
A device's own folder is reached through its link in ``/sys/bus/pci/devices``: its attributes are written under that
short path, and the link's line carries the real path, which is the chain of bridges.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SysfsPart:
    """Folders of one kind and what is wanted of each.

    ``folders`` is a glob from the root of the tree. ``files`` are read as text, ``links`` as links (``.`` is the
    folder itself, where it is a link); both are relative to the folder and may hold a ``*``. ``binary`` files are
    written as hex digits without blanks, as many bytes as can be read (64 of ``config`` without root).
    """

    source: str
    folders: str
    files: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()


PORT_COUNTERS = (
    "link_downed", "link_error_recovery", "symbol_error", "port_rcv_errors", "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors", "port_xmit_discards", "port_xmit_wait", "port_xmit_constraint_errors",
    "port_rcv_constraint_errors", "local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped",
)  # fmt: skip
HARDWARE_COUNTERS = (
    "out_of_sequence", "out_of_buffer", "packet_seq_err", "rnr_nak_retry_err", "local_ack_timeout_err",
    "implied_nak_seq_err", "duplicate_request", "rx_icrc_encapsulated", "roce_adp_retrans", "roce_slow_restart",
    "np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored", "req_cqe_error",
    "resp_cqe_error",
)  # fmt: skip
NET_COUNTERS = ("rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "rx_crc_errors", "tx_carrier_errors")

SYSFS_ATTRIBUTES: tuple[SysfsPart, ...] = (
    SysfsPart(
        "sysfs-pci",
        "sys/bus/pci/devices/*",
        files=(
            "vendor", "device", "subsystem_vendor", "subsystem_device", "class", "revision", "numa_node",
            "local_cpulist", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width",
            "secondary_bus_number", "subordinate_bus_number", "sriov_numvfs", "sriov_totalvfs", "power_state", "label",
            "resource",
        ),
        links=(".", "driver", "iommu_group", "physfn"),
        binary=("config",),
    ),
    SysfsPart("sysfs-pci", "sys/bus/pci/slots/*", files=("address",)),
    SysfsPart("sysfs-pci", "sys/kernel/iommu_groups/*", files=("type",)),
    SysfsPart(
        "sysfs-net",
        "sys/class/net/*",
        files=(
            "speed", "duplex", "operstate", "carrier", "carrier_changes", "mtu", "type", "phys_port_name", "dev_port",
            "bonding/slaves", "bonding/mode", "bonding/xmit_hash_policy", "bonding/lacp_rate",
            "bonding/active_slave", "bonding_slave/state", "bonding_slave/mii_status",
            *(f"statistics/{name}" for name in NET_COUNTERS),
        ),
        links=(".", "device", "master"),
    ),
    SysfsPart(
        "sysfs-net",
        "sys/class/infiniband/*",
        files=("fw_ver", "hca_type", "board_id", "node_guid", "node_type"),
        links=(".", "device"),
    ),
    SysfsPart(
        "sysfs-net",
        "sys/class/infiniband/*/ports/*",
        files=(
            "rate", "state", "phys_state", "link_layer", "lid", "gid_attrs/ndevs/0",
            *(f"counters/{name}" for name in PORT_COUNTERS), *(f"hw_counters/{name}" for name in HARDWARE_COUNTERS),
        ),
    ),
    SysfsPart("sysfs-numa", "sys/devices/system/node", files=("online", "has_cpu", "has_memory")),
    SysfsPart("sysfs-numa", "sys/devices/system/node/node*", files=("cpulist", "distance", "meminfo")),
    SysfsPart("sysfs-numa", "sys/devices/system/cpu", files=("online", "present")),
    SysfsPart("sysfs-numa", "sys/devices/system/cpu/cpu*/topology", files=("physical_package_id",)),
    SysfsPart("sysfs-host", "sys/class/iommu", links=("*",)),
    SysfsPart(
        "sysfs-host",
        "sys/class/dmi/id",
        files=("product_name", "product_version", "sys_vendor", "board_name", "board_vendor", "bios_version"),
    ),
    SysfsPart("sysfs-host", "sys/module/*", files=("initstate", "version")),
    SysfsPart("sysfs-host", "proc/sys/kernel", files=("numa_balancing", "hostname", "osrelease")),
    SysfsPart("sysfs-host", "sys/kernel/mm/transparent_hugepage", files=("enabled",)),
)  # fmt: skip
