r"""What ``ip link`` and ``ip addr`` print, with ``-d`` and ``-s`` too; and ``ip -br``.

Grammar; an interface begins in column 0, its details are indented, and a copy that lost the blanks is read by the
words alone::

    output  = (header detail*)*
    header  = i ":" name ["@" parent] ":" "<" flags ">" (key value)*        # mtu, qdisc, master, state, group, qlen
    detail  = "link/" kind address ... | "inet" address "/" bits ... | "bond mode" ... | "bond_slave state" ...
            | "altname" name | any other indented line
    brief   = name state address*
    oneline = header "\" detail  |  i ":" name detail         # -o

A ``master`` is a bond only where the flags say ``SLAVE``; a bridge or OVS has members too, and no flag.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import output_lines, whole
from toposcope.collectors.records import NetworkPort, NicName, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_HEADER = re.compile(
    r"\s{0,3}(?P<index>\d{1,9}): (?P<name>[^\s:@]{1,64})(?:@(?P<parent>[^\s:]{1,64}))?: "
    r"<(?P<flags>[A-Z0-9_,-]*)>(?P<rest>.*)"
)
_BRIEF = re.compile(
    r"(?P<name>[A-Za-z][^\s:]{0,63})\s+(?P<state>UP|DOWN|UNKNOWN|LOWERLAYERDOWN|DORMANT|TESTING|NOTPRESENT)(?P<rest>(?:\s.*)?)"
)
_ONE_LINE = re.compile(r"\d{1,9}: (?P<name>[^\s:@]{1,64})(?:@[^\s:]{1,64})?\s+(?P<detail>inet6? .*)")
_KINDS = {"ether": "Ethernet", "infiniband": "InfiniBand", "loopback": "Loopback"}
_ADDRESS = re.compile(r"inet (?P<address>\d{1,3}(?:\.\d{1,3}){3})(?:/\d{1,2})?\b")
_PLAIN_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}")
_PARENT = re.compile(r"parentbus pci parentdev ([0-9a-fA-F:.]{7,16})\b")
_DETAIL = re.compile(
    r"(?:link/|inet6? |valid_lft |altname |bond |bond_slave |bridge|vlan |vxlan |tun |macvlan |ipvlan |veth|RX:|TX:"
    r"|openvswitch|vf \d|promiscuity |numtxqueues |alias |port |\d+ +\d+ )"
)
_BOND_KEYS = {
    "mode": "bond.mode",
    "xmit_hash_policy": "bond.xmit_hash_policy",
    "lacp_rate": "bond.lacp_rate",
    "active_slave": "bond.active_slave",
}


@dataclass(slots=True)
class _Interface:
    index: int
    name: str
    flags: frozenset[str] = frozenset()
    words: dict[str, str] = field(default_factory=dict)
    kind: str | None = None
    address: str | None = None
    pci: str | None = None
    settings: list[tuple[str, str, int]] = field(default_factory=list)
    is_bond: bool = False
    is_slave: bool = False

    @property
    def bond(self) -> str | None:
        """The bond that this interface is a member of."""
        return self.words.get("master") if self.is_slave or "SLAVE" in self.flags else None


def parse(capture: Capture) -> Reading:
    """Read any of the forms. ``state`` is the kernel's (``UP``, ``DOWN``, ``UNKNOWN``); speeds are not printed."""
    lines = output_lines(capture)
    found: list[_Interface] = []
    inside = False
    for index, text in enumerate(lines.texts):
        head, *folded = text.split("\\")  # -o folds the details into the line of their interface
        interface = _begin(head, index, found)
        if interface is not None:
            found += [interface] if interface not in found[-1:] else []
            for detail in folded:
                _detail(f" {detail}", index, interface)
            inside = True
        elif not (inside and _detail(text, index, found[-1])):
            inside = inside and not text.strip()  # what follows a foreign line is not of the interface above it
            lines.stray(index)
            continue
        lines.fits(index)
    members: dict[str, list[str]] = defaultdict(list)
    for interface in found:
        if interface.bond is not None:
            members[interface.bond].append(interface.name)
    records = tuple(record for interface in found for record in _records(lines, interface, members))
    return Reading(records, lines.all_problems("no line of an interface"))


def _begin(text: str, index: int, found: list[_Interface]) -> _Interface | None:
    """Begin an interface; ``ip -o addr`` names it again for each of its addresses."""
    if match := _ONE_LINE.fullmatch(text):
        again = next((interface for interface in found[-1:] if interface.name == match["name"]), None)
        interface = again or _Interface(index, match["name"])
        _detail(f" {match['detail']}", index, interface)
        return interface
    match = _HEADER.fullmatch(text)
    if match is not None:
        words = match["rest"].split()
        pairs = dict(zip(words[::2], words[1::2], strict=False))
        flags = frozenset(match["flags"].split(","))
        return _Interface(index, match["name"], flags, pairs, is_bond="MASTER" in flags)
    match = _BRIEF.fullmatch(text)
    if match is None:
        return None
    address = next(iter(_PLAIN_ADDRESS.findall(match["rest"])), None)
    name = match["name"].partition("@")[0]
    flags = frozenset(match["rest"].rpartition("<")[2].rstrip("> ").split(","))
    plain = address.partition("/")[0] if address else None
    return _Interface(index, name, flags, {"state": match["state"]}, address=plain, is_bond="MASTER" in flags)


def _detail(text: str, index: int, interface: _Interface) -> bool:
    """Take an indented line; one that lost its indentation is known by its first word."""
    stripped = text.strip()
    if not stripped or not (text[0].isspace() or _DETAIL.match(stripped)):
        return False
    if stripped.startswith("link/"):
        interface.kind = stripped[5:].partition(" ")[0]
    elif interface.address is None and (match := _ADDRESS.match(stripped)):
        interface.address = match["address"]
    elif stripped.startswith("altname "):
        interface.settings.append(("altname", stripped[8:].strip(), index))
    if match := _PARENT.search(stripped):
        interface.pci = pci_address(match[1])
    words = stripped.split()
    if "bond" in words and "mode" in words:
        interface.is_bond = True
        interface.settings += _bond(words[words.index("bond") + 1 :], index)
    if "bond_slave" in words:
        interface.is_slave = True
    return True


def _bond(words: list[str], index: int) -> Iterator[tuple[str, str, int]]:
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    return ((name, pairs[key], index) for key, name in _BOND_KEYS.items() if key in pairs)


def _records(lines: Lines, interface: _Interface, bonds: dict[str, list[str]]) -> Iterator[Record]:
    origin = lines.capture.origin(interface.index)
    members = tuple(bonds.get(interface.name, ()))
    yield NetworkPort(
        device=interface.name,
        origin=origin,
        state=interface.words.get("state"),
        physical_state=_carrier(interface.flags),
        link_layer=_KINDS.get(interface.kind or "", interface.kind),
        address=interface.address,
        mtu=whole(interface.words.get("mtu", "")),
        members=members if members or interface.is_bond else None,
        bond=interface.bond,
    )
    if interface.pci is not None:
        yield NicName(origin, netdev=interface.name, pci=interface.pci)
    for name, value, index in interface.settings:
        yield Setting(interface.name, name, value, lines.capture.origin(index))


def _carrier(flags: frozenset[str]) -> str | None:
    if "NO-CARRIER" in flags:
        return "NO-CARRIER"
    return "LOWER_UP" if "LOWER_UP" in flags else None
