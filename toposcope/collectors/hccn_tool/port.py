"""The RoCE port inside an NPU: ``hccn_tool -i N -CMD -g`` for address, link, speed, neighbour, routes and optics.

Grammar of the answers (910A, 910B, A3; a 950 asks one port with ``-u`` and ``-p`` and answers alike)::

    -ip          "ipaddr:" address NL "netmask:" mask
    -link        "link status: " ("UP" | "DOWN")
    -speed       "Speed: " (number " Mb/s" | "Unknown!")
    -status      "Netdev status:Settings for eth" N ":" then ethtool's text ("Speed: 200000Mb/s", no blank)
    -gateway     "default gateway:" address ", Iface:eth" N
    -route       "Routing table:" NL "Destination Gateway ... Iface" NL row*
    -optical     "optical info:" NL (key ":" value NL)*
    -lldp        lldptool's text: title lines that end in " TLV", their values on the lines below
    others       key ":" value

What is the port's own (address, state, rate, neighbour) becomes a NetworkPort, all else facts ``hccn.*`` of the NPU.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.ascend import Line, pair, slug
from toposcope.collectors.hccn_tool.answer import ANY_QUESTION
from toposcope.collectors.records import NetworkPort

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.collectors.ascend import Pair
    from toposcope.collectors.hccn_tool.answer import Answer

_RATE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([MG])(?:b/s|bps|\b)", re.IGNORECASE)
_ROUTE_WORDS = 8
_TITLE = re.compile(r".{1,60} TLV")
# Keys of the plain answers, whose facts are not named like them.
_PLAIN = {
    "netmask": "hccn.netmask",
    "net health status": "hccn.net_health",
    "netdetect addr": "hccn.netdetect",
    "netdetect address": "hccn.netdetect",
    "fec mode": "hccn.fec",
    "mac addr": "hccn.mac",
    "duplex": "hccn.duplex",
    "mtu": "hccn.mtu",
}
_LLDP_END = "End of LLDPDU"
_TLS = re.compile(r"(tls [a-z ]{2,40})\[([^\]]{0,40})\]")


def rate(text: str) -> Bandwidth | None:
    """Return the line rate in ``200000 Mb/s``, ``200000Mb/s`` or ``400 G``; None for ``Unknown!``."""
    match = _RATE.search(text[:80])
    if match is None:
        return None
    return Bandwidth.gigabits(float(match[1]) / (1000 if match[2].upper() == "M" else 1))


def add_port(answer: Answer, line: Line, **known: object) -> None:
    """Keep what one line said of the port."""
    port = NetworkPort(answer.device, answer.origin(line), port=answer.port, **known)  # type: ignore[arg-type]  # names are this module's
    answer.records.append(port)


def read_plain(answer: Answer) -> None:
    """Read answers of one line or two: each key has its meaning, whichever question it was asked by.

    A key that no question is known to print is a fact of the question, or reported where the question is not known.
    """
    for item, line in pairs(answer):
        key = item.key.lower()
        if key == "ipaddr":
            add_port(answer, line, address=item.value)
        elif key == "link status":
            add_port(answer, line, state=item.value)
        elif key == "speed":
            _speed(answer, item, line)
        elif key == "default gateway":
            answer.fact("hccn.gateway", line, item.value.partition(",")[0].strip())
        elif key in _PLAIN:
            answer.fact(_PLAIN[key], line, item.value)
        elif answer.question == ANY_QUESTION:
            answer.unread(line)
        else:
            answer.fact(f"{answer.question}.{slug(key)}", line, item.value)


def _speed(answer: Answer, item: Pair, line: Line) -> None:
    found = rate(item.value)
    if found is not None:
        add_port(answer, line, rate=found)
    else:
        answer.fact("hccn.speed", line, "NA" if item.value.lower().startswith("unknown") else item.value)


def read_status(answer: Answer) -> None:
    """Read ethtool's text: the speed is the port's rate, other keys are facts, wrapped values are joined."""
    values: list[tuple[Pair, Line]] = []
    for line in answer.lines:
        item = pair(line)
        if line.text.startswith("Netdev status"):
            continue
        if item is not None and item.key:
            values.append((item, line))
        elif values:
            held, place = values[-1]
            values[-1] = (type(held)(held.index, held.key, f"{held.value}, {line.text}"), place)
        else:
            answer.unread(line)
    for item, line in values:
        if item.key == "Speed":
            _speed(answer, item, line)
        else:
            answer.fact(f"hccn.status.{slug(item.key)}", line, item.value)


def read_route(answer: Answer) -> None:
    """Read busybox's route table; the route of ``default`` is a fact of its own.

    Rows of ``lo`` and of ``endNv0`` (the virtual NIC towards the host) are no fabric: they stay in the list only.
    """
    rows: list[str] = []
    first: Line | None = None
    for line in answer.lines:
        words = line.text.split()
        if line.text.startswith(("Routing table", "Kernel IP", "Destination")):
            continue
        if len(words) != _ROUTE_WORDS:
            answer.unread(line, "not a row of the routing table")
            continue
        first = first or line
        destination, gateway, mask, *_, interface = words
        rows.append(f"{destination} mask {mask} via {gateway} dev {interface}")
        if destination in ("default", "0.0.0.0"):  # noqa: S104  # a destination that was printed, nothing is bound
            answer.fact("hccn.route.default", line, gateway)
    if first:
        answer.fact("hccn.routes", first, "; ".join(rows))


def read_optical(answer: Answer) -> None:
    """Read the module's keys as facts ``hccn.optical.*``.

    ``present : not present`` is its own value; the other values may be old ones then, and stand as printed.
    """
    for line in answer.lines:
        item = pair(line)
        if line.text.lower() == "optical info:":
            continue
        if item is None or not item.key:
            answer.unread(line)
        else:
            answer.fact(f"hccn.optical.{slug(item.key)}", line, item.value)


def read_lldp(answer: Answer) -> None:
    """Read the neighbour: its system name (else its chassis id) and its port, the rest as ``hccn.lldp.*``.

    A port id is ``Ifname: 400GE1/1/20:2`` (its half of a split 400GE port) or a MAC. The tool's buffer is small: a text
    may end early.
    """
    sections = _sections(answer)
    if sections and not any(_TITLE.fullmatch(line.text) for line in answer.lines):
        _filtered(answer)
        return
    name = _first(sections, "System Name TLV") or _first(sections, "Chassis ID TLV")
    port = _first(sections, "Port ID TLV")
    for title, lines in sections:
        values = "; ".join(line.text for line in lines)
        if lines:
            answer.fact(f"hccn.lldp.{slug(title.removesuffix(' TLV'))}", lines[0], values)
    if name or port:
        line = (port or name or ("", answer.lines[0]))[1]
        add_port(answer, line, neighbour=name and name[0], neighbour_port=port and port[0])


def _sections(answer: Answer) -> list[tuple[str, list[Line]]]:
    sections: list[tuple[str, list[Line]]] = []
    for line in answer.lines:
        if line.text.startswith(_LLDP_END):
            break
        if _TITLE.fullmatch(line.text):
            sections.append((line.text, []))
        elif line.text.startswith("Ifname:") and not sections:
            sections.append(("", []))  # what grep or sed left of it
        elif sections:
            sections[-1][1].append(line)
        else:
            answer.unread(line, "before the first TLV")
    return sections


def _filtered(answer: Answer) -> None:
    """Read what grep or sed leaves: ``Ifname: port``, ``IPv4: address``, and the system's name by itself."""
    for line in answer.lines:
        kind, _, value = (word.strip() for word in line.text.partition(":"))
        if kind == "Ifname":
            add_port(answer, line, neighbour_port=value)
        elif value:
            answer.fact(f"hccn.lldp.{slug(kind)}", line, value)
        else:
            add_port(answer, line, neighbour=line.text)


def _first(sections: list[tuple[str, list[Line]]], title: str) -> tuple[str, Line] | None:
    """Return the first value below a title, without its kind (``Ifname:``, ``MAC:``), unless it was left out."""
    line = next((lines[0] for name, lines in sections if name == title and lines), None)
    if line is None:
        return None
    kind, colon, value = line.text.partition(": ")
    text = value.strip() if colon and " " not in kind else line.text
    return (text, line) if text.strip(".…") else None


def read_arp(answer: Answer) -> None:
    """Keep the neighbour table as it is printed, its rows joined, as one fact."""
    answer.fact("hccn.arp", answer.lines[0], "; ".join(" ".join(line.text.split()) for line in answer.lines))


def read_tls(answer: Answer) -> None:
    """``tls switch[0](0:disable, 1:enable)`` and the like: each bracket is a fact ``hccn.tls.*``."""
    for line in answer.lines:
        found = _TLS.findall(line.text[:2000])
        if not found:
            answer.unread(line)
        for key, value in found:
            answer.fact(f"hccn.tls.{slug(key.removeprefix('tls '))}", line, value)


def pairs(answer: Answer) -> Iterator[tuple[Pair, Line]]:
    """Yield the ``key:value`` lines of an answer, each key once; the rest is reported."""
    seen: set[str] = set()
    for line in answer.lines:
        item = pair(line)
        if item is None or not item.key:
            answer.unread(line)
        elif item.key in seen:
            answer.unread(line, "this answer has said that already")
        else:
            seen.add(item.key)
            yield item, line
