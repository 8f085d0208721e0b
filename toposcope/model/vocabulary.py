"""The closed vocabularies of the graph: what a component is, what a link is made of, how sure a statement is."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Kind(StrEnum):
    """What a component is."""

    SOCKET = "socket"
    NUMA = "numa"
    ROOT_COMPLEX = "root-complex"
    PCIE_BRIDGE = "pcie-bridge"
    PCIE_SWITCH = "pcie-switch"
    ACCELERATOR = "accelerator"
    NVSWITCH = "nvswitch"
    NIC = "nic"
    NIC_PORT = "nic-port"
    STORAGE = "storage"
    MEMORY = "memory"
    FABRIC_SWITCH = "fabric-switch"
    NETWORK = "network"
    OTHER = "other"


class Medium(StrEnum):
    """What a link is made of. UPI, QPI, Hydra and xGMI between sockets are ``socket``."""

    PCIE = "pcie"
    ROOT_COMPLEX = "root-complex"
    NVLINK = "nvlink"
    C2C = "c2c"
    HCCS = "hccs"
    SIO = "sio"
    UB = "ub"
    XGMI = "xgmi"
    SOCKET = "socket"
    NUMA = "numa"
    MEMORY = "memory"
    ETHERNET = "ethernet"
    INFINIBAND = "infiniband"


SCALE_UP = frozenset({Medium.NVLINK, Medium.C2C, Medium.HCCS, Medium.SIO, Medium.UB, Medium.XGMI})
"""The media that join accelerators to each other."""

NETWORKS = frozenset({Medium.ETHERNET, Medium.INFINIBAND})


class State(StrEnum):
    """The state of a link. ``idle``: slower than it can because nothing runs, which is no fault."""

    UP = "up"
    DOWN = "down"
    DEGRADED = "degraded"
    IDLE = "idle"
    UNKNOWN = "unknown"


class Grade(IntEnum):
    """How sure a figure is, weakest first, so that the grade of a chain is its minimum."""

    UNKNOWN = 0
    ASSUMED = 1
    DERIVED = 2
    OBSERVED = 3
    MEASURED = 4

    @property
    def word(self) -> str:
        """The grade as it is printed."""
        return self.name.lower()


class Reach(IntEnum):
    """How far up the PCIe structure two devices meet, nearest first.

    The neutral form of the tools' words: PIX, PXB, PHB, NODE, SYS. Which word of which tool means what is a
    table in assembly.
    """

    SAME_SWITCH = 1
    SWITCHES = 2
    ROOT_COMPLEX = 3
    NUMA = 4
    SOCKET = 5

    @property
    def word(self) -> str:
        """The word that the design uses for it: ``PXB``."""
        return ("PIX", "PXB", "PHB", "NODE", "SYS")[self - 1]

    @property
    def crosses_host(self) -> bool:
        """Tell whether data on this way passes the CPU's side of a root port."""
        return self >= Reach.ROOT_COMPLEX


class FactStatus(StrEnum):
    """Whether a fact has a value, and why not: three different things."""

    VALUE = "value"
    ABSENT = "absent"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
