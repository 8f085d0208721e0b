"""Colours: one a medium, from the set of Okabe and Ito, which survives colour blindness; for light and dark ground.

Families of media share a colour; their figures and the legend tell them apart. The strong red-orange of the set is
kept for the bottleneck alone. Source: M. Okabe, K. Ito, "Color Universal Design", 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposcope.model import Grade, Medium
from toposcope.render.diagram.sketch import Role

ThemeName = Literal["light", "dark"]

_BLUE, _GREEN, _ORANGE = "#0072b2", "#009e73", "#e69f00"
_PURPLE, _SKY, _RED = "#cc79a7", "#56b4e9", "#d55e00"
_DARK_BLUE, _DARK_GREEN, _DARK_RED = "#4aa3df", "#2fc79b", "#ff6a1f"

LINE_WIDTHS = (1.0, 1.6, 2.4, 3.3, 4.4, 5.8)
"""Points, by width class."""

FILLS = {
    Role.SOCKET: "host",
    Role.NUMA: "host",
    Role.ROOT_COMPLEX: "host",
    Role.SWITCH: "switch",
    Role.BRIDGE: "switch",
    Role.ACCELERATOR: "accelerator",
    Role.NIC: "nic",
    Role.PORT: "port",
    Role.STORAGE: "storage",
    Role.MEMORY: "memory",
    Role.FABRIC: "fabric",
    Role.MESH: "fabric",
    Role.PEERS: "peers",
    Role.OUTER_FABRIC: "fabric",
    Role.NETWORK: "network",
    Role.UNSEEN: "unseen",
}
"""Which colour of the palette a box has."""

_FAMILIES = {
    Medium.PCIE: "pcie",
    Medium.NVLINK: "fabric",
    Medium.HCCS: "fabric",
    Medium.XGMI: "fabric",
    Medium.UB: "fabric",
    Medium.C2C: "package",
    Medium.SIO: "package",
    Medium.SOCKET: "socket",
    Medium.ETHERNET: "network",
    Medium.INFINIBAND: "network",
    Medium.MEMORY: "memory",
    Medium.NUMA: "chip",
    Medium.ROOT_COMPLEX: "chip",
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one ground. ``fills`` by role of a box: ground and outline.

    ``fade`` is how far what is not on a marked path steps back, ``dim_text`` the ink of its texts; ``halo`` lies behind
    what is on the path, ``pair`` behind an accelerator and its NIC.
    """

    name: ThemeName
    ground: str
    text: str
    faint_text: str
    frame: str
    unknown: str
    bottleneck: str
    halo: str
    pair: str
    dim_text: str
    media: dict[str, str]
    fills: dict[str, tuple[str, str]]
    heat: tuple[str, ...]
    fade: float

    def medium(self, medium: Medium) -> str:
        """Return the colour of a medium."""
        return self.media[_FAMILIES[medium]]

    def lighter(self, colour: str, share: float) -> str:
        """Return a colour led towards the ground by a share of the way."""
        return mix(colour, self.ground, share)


GRADE_FADE = {Grade.UNKNOWN: 0.0, Grade.ASSUMED: 0.42, Grade.DERIVED: 0.15, Grade.OBSERVED: 0.0, Grade.MEASURED: 0.0}
"""How far towards the ground a line of each grade is led: assumed figures are lighter than observed ones."""

LIGHT = Theme(
    "light",
    ground="#ffffff",
    text="#1c2430",
    faint_text="#586374",
    frame="#c3cad4",
    unknown="#8a929d",
    bottleneck=_RED,
    halo="#ffe48a",
    pair="#eef0f4",
    dim_text="#6c7683",
    media={
        "pcie": _BLUE,
        "fabric": _GREEN,
        "package": _ORANGE,
        "socket": _PURPLE,
        "network": _SKY,
        "memory": "#7d6b4f",
        "chip": "#a3abb7",
    },
    fills={
        "host": ("#eef1f5", "#9aa5b4"),
        "switch": ("#dcebf6", "#5b9bc8"),
        "accelerator": ("#d9f1e8", "#1d9a75"),
        "nic": ("#e3f2fc", "#5aa7d8"),
        "port": ("#ffffff", "#5aa7d8"),
        "storage": ("#f3efe7", "#a3937a"),
        "memory": ("#f3efe7", "#a3937a"),
        "fabric": ("#bfe6d8", "#1d9a75"),
        "network": ("#cfe8f8", "#4f9fd2"),
        "peers": ("#f6e4ed", "#c07ba0"),
        "unseen": ("#f4f4f5", "#8a929d"),
    },
    heat=("#f4f8fb", "#c6dbea", "#86b6d6", "#3f88b9", "#125c93", "#08325a"),
    fade=0.68,
)

DARK = Theme(
    "dark",
    ground="#14181f",
    text="#e8ecf2",
    faint_text="#a0abba",
    frame="#46505f",
    unknown="#8d97a5",
    bottleneck=_DARK_RED,
    halo="#48566b",
    pair="#222934",
    dim_text="#818b99",
    media={
        "pcie": _DARK_BLUE,
        "fabric": _DARK_GREEN,
        "package": "#f0b429",
        "socket": "#dd94bd",
        "network": "#7cc8f4",
        "memory": "#b9a480",
        "chip": "#66707e",
    },
    fills={
        "host": ("#232a34", "#66717f"),
        "switch": ("#1b3346", "#4aa3df"),
        "accelerator": ("#163a30", "#2fc79b"),
        "nic": ("#1c3444", "#5fb3e4"),
        "port": ("#14181f", "#5fb3e4"),
        "storage": ("#2d2820", "#9c8a6b"),
        "memory": ("#2d2820", "#9c8a6b"),
        "fabric": ("#1d5243", "#2fc79b"),
        "network": ("#22465c", "#6cbcec"),
        "peers": ("#45303c", "#dd94bd"),
        "unseen": ("#20242b", "#8d97a5"),
    },
    heat=("#1b2430", "#1f3c55", "#25597f", "#3f86b5", "#86b9dc", "#dcecf8"),
    fade=0.62,
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def mix(colour: str, other: str, share: float) -> str:
    """Return a colour led towards another by a share of the way; both as ``#rrggbb``."""
    pairs = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(here + (there - here) * share):02x}" for here, there in pairs)


def dark_ink(colour: str) -> bool:
    """Tell whether a ground is so dark that text on it must be light (relative luminance, roughly)."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 135  # noqa: PLR2004 (the middle of the scale, by trial)
