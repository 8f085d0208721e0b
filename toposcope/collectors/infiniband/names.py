"""Which netdev and PCI function belong to an RDMA device: ``ibdev2netdev``, ``rdma link``, ``show_gids``.

Grammar, one line a port::

    ibdev2netdev  = rdma "port" n "==>" netdev "(" state ")"
    ... -v        = pci rdma "(" part ")" text "fw" version "port" n "(" state ")" "==>" netdev "(" state ")"
    rdma link     = ["link"] [i "/" n ":"] rdma "/" n [":"] (key value)*        # state, physical_state, netdev ...
    rdma dev      = i ":" rdma ":" (key value)*
    show_gids     = rdma n index gid [ipv4] ("v1" | "v2") [netdev]
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import NetworkPort, NicName, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import Record

_NAME = r"[A-Za-z][\w.-]{0,62}"
_PLAIN = re.compile(
    rf"\s*(?P<rdma>{_NAME}) port (?P<port>\d{{1,3}}) ==> (?P<netdev>[^\s()]{{1,64}})?\s*(?:\((?P<state>[^)]*)\))?\s*"
)
_VERBOSE = re.compile(
    rf"\s*(?P<pci>[0-9a-fA-F:]{{7,16}}\.[0-7])\s+(?P<rdma>{_NAME}) \((?P<part>[^)]*)\)\s.*?\bport (?P<port>\d{{1,3}}) "
    r"\((?P<rdma_state>[^)]*)\) ==> (?P<netdev>[^\s()]{1,64})?\s*(?:\((?P<state>[^)]*)\))?\s*"
)
_FIRMWARE = re.compile(r"\bfw (\d[\w.]{2,30}) port ")
_LINK = re.compile(rf"\s*(?:link )?(?:\d{{1,5}}/\d{{1,3}}: )?(?P<rdma>{_NAME})/(?P<port>\d{{1,3}}):? (?P<rest>\S.*)")
_DEV = re.compile(rf"\s*\d{{1,5}}: (?P<rdma>{_NAME}): (?P<rest>node_type .*)")
_GIDS = re.compile(
    rf"\s*(?P<rdma>{_NAME})\s+(?P<port>\d{{1,3}})\s+(?P<index>\d{{1,4}})\s+(?P<gid>[0-9a-fA-F:]{{15,39}})"
    r"(?:\s+(?P<ipv4>\d{1,3}(?:\.\d{1,3}){3}))?\s+(?P<version>v[12])(?:\s+(?P<netdev>\S{1,64}))?\s*"
)
_GIDS_FRAME = re.compile(r"\s*(?:DEV\s+PORT\s+INDEX\s.*|---[-\s]*|n_gids_found=\d+)\s*")
_NONE = re.compile(r"\s*(?:\(null\)|none|N/A|-)?\s*")


def parse_ibdev2netdev(capture: Capture) -> Reading:
    """Read ``ibdev2netdev``. The last state in brackets is the netdev's; ``-v`` prints the port's too."""
    return _each_line(capture, _ibdev2netdev, "no line of ibdev2netdev")


def parse_rdma_link(capture: Capture) -> Reading:
    """Read ``rdma link`` and ``rdma dev`` of iproute2; ports of virtual functions may have no netdev."""
    return _each_line(capture, _rdma_link, "no line of rdma link")


def parse_show_gids(capture: Capture) -> Reading:
    """Read ``show_gids``: names, the port's IPv4 address, and each GID as ``gid.INDEX`` of ``mlx5_0/1``."""
    return _each_line(capture, _show_gids, "no line of show_gids")


def _each_line(capture: Capture, read: Callable[[str, Origin], list[Record] | None], message: str) -> Reading:
    lines = output_lines(capture)
    records: dict[Record, None] = {}
    for index, text in enumerate(lines.texts):
        found = read(text, capture.origin(index)) if text.strip() else None
        if found is None:
            lines.stray(index)
            continue
        records.update(dict.fromkeys(found))
        lines.fits(index)
    return Reading(tuple(records), lines.all_problems(message))


def _ibdev2netdev(text: str, origin: Origin) -> list[Record] | None:
    match = _PLAIN.fullmatch(text) or _VERBOSE.fullmatch(text)
    if match is None:
        return None
    found = match.groupdict()
    port, netdev = int(match["port"]), found["netdev"]
    netdev = None if netdev is None or _NONE.fullmatch(netdev) else netdev
    pci = pci_address(found.get("pci") or "")
    records: list[Record] = []
    if netdev or pci:
        records.append(NicName(origin, rdma=match["rdma"], netdev=netdev, pci=pci, port=port))
    state = (found.get("rdma_state") or "").strip()
    if state:
        records.append(NetworkPort(match["rdma"], origin, port=port, state=state))
    if netdev and found["state"]:
        records.append(NetworkPort(netdev, origin, state=found["state"].strip()))
    return records + _part(text, found, origin)


def _part(text: str, found: dict[str, str | None], origin: Origin) -> list[Record]:
    """``MT4123 - MCX654105A-HCAT`` is the device's type and the card's part number."""
    model, _, part = (found.get("part") or "").partition(" - ")
    records: list[Record] = []
    rdma = found["rdma"] or ""
    if model.strip():
        records.append(Setting(rdma, "model", model.strip(), origin))
    if part.strip() not in ("", "NA"):
        records.append(Setting(rdma, "part", part.strip(), origin))
    if firmware := _FIRMWARE.search(text):
        records.append(Setting(rdma, "firmware.version", firmware[1], origin))
    return records


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=False))


def _rdma_link(text: str, origin: Origin) -> list[Record] | None:
    match = _LINK.fullmatch(text)
    if match is None:
        return [] if text.startswith("    ") else _rdma_dev(text, origin)  # -d prints capabilities below
    pairs = _pairs(match["rest"])
    if "state" not in pairs:
        return None
    rdma, port, netdev = match["rdma"], int(match["port"]), pairs.get("netdev")
    records: list[Record] = [
        NetworkPort(rdma, origin, port=port, state=pairs["state"], physical_state=pairs.get("physical_state"))
    ]
    if netdev:
        records.insert(0, NicName(origin, rdma=rdma, netdev=netdev, port=port))
    return records


def _rdma_dev(text: str, origin: Origin) -> list[Record] | None:
    match = _DEV.fullmatch(text)
    if match is None:
        return None
    pairs = _pairs(match["rest"])
    names = {"fw": "firmware.version", "node_guid": "guid.node"}
    return [Setting(match["rdma"], names[key], pairs[key], origin) for key in names if key in pairs]


def _show_gids(text: str, origin: Origin) -> list[Record] | None:
    if _GIDS_FRAME.fullmatch(text):
        return []
    match = _GIDS.fullmatch(text)
    if match is None:
        return None
    rdma, port = match["rdma"], int(match["port"])
    value = " ".join(word for word in (match["version"], match["gid"], match["ipv4"]) if word)
    records: list[Record] = [Setting(f"{rdma}/{port}", f"gid.{match['index']}", value, origin)]
    if match["netdev"]:
        records.append(NicName(origin, rdma=rdma, netdev=match["netdev"], port=port))
    if match["ipv4"]:
        records.append(NetworkPort(rdma, origin, port=port, address=match["ipv4"]))
    return records
