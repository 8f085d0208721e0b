"""What a record says of its machine, read from the prose of its own fields: parts, links, generations, placement.

The line figures come from the catalogue; the theory that a record quotes is not used, but for the number and kind of
links where nothing else in the record names them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from toposcope.assembly.figures import Lookup, simple_name
from toposcope.model import Medium
from toposcope.profiles.platforms import platform_of
from toposcope.profiles.store import load_catalogue

if TYPE_CHECKING:
    from tests.prediction.records import Record
    from toposcope.profiles.catalogue import Device

_COUNT = re.compile(r"(\d+)\s*(?:x|X)\s+(?=[A-Z])")
_MEDIA = (
    *(
        (word, Medium.XGMI)
        for word in ("xgmi-gpu", "xgmi full", "xgmi mesh", "xgmi link", "xgmi_", "xgmi 4", "infinity")
    ),
    ("hccs", Medium.HCCS),
    ("nv", Medium.NVLINK),
)
_PCIE = re.compile(r"(?:PCIe|Gen|pcie)[ -]?(?:Gen)?(\d)[ -]?x(\d+)", re.IGNORECASE)
_GENERATION = re.compile(r"(?:PCIe|Gen)[ -]?(?:Gen)?(\d)\b", re.IGNORECASE)
_LINKS = re.compile(r"\bNV(\d+)\b|(\d+) x \d+(?:\.\d+)? GB/s|(\d+)(?: xGMI)? links|\b(\d) NVLinks\b")
_LINK_GBS = re.compile(r"\d+ x (\d+(?:\.\d+)?) GB/s|(\d+(?:\.\d+)?) (?:GB/s )?uni per (?:[\w]+ )?link")
_RATES = {"HDR": 200, "NDR": 400, "EDR": 100, "FDR": 56, "XDR": 800, "CONNECTX-7": 400, "CX7": 400, "CONNECTX-8": 800}
_RATE = re.compile(r"\b(10|25|40|50|56|100|200|400|800) ?G(?:b(?:/s|ps|E)?|bit/s)?\b")
_NICS = re.compile(
    r"\b(\d+) ?x (?:mlx5 )?(?=\d+ ?G|HDR|NDR|EDR|ConnectX|CX)|\b(\d+) rails?\b|\b(\d+)x\d+G\b|\b(\d+) CX7"
)


@dataclass(frozen=True)
class Fabric:
    """The scale-up links of one accelerator: a pair of a mesh has ``links``, of a switch all are for everyone."""

    medium: Medium
    generation: int | None
    links: int
    gbs: float
    switched: bool


@dataclass(frozen=True)
class Wiring:
    """A machine as far as its record describes it. ``rails`` are the NICs of a host that take part, None unknown."""

    accelerators: int
    fabric: Fabric | None
    pcie: tuple[int, int] | None
    platform: str | None
    sockets: int
    numa: int
    rate: float | None
    rails: int | None


@cache
def lookup() -> Lookup:
    """The catalogue."""
    return Lookup(load_catalogue())


def wiring(record: Record) -> Wiring:
    """Read the machine of a record."""
    told = record.topology
    gpu = told.get("gpu", "")
    counted = _COUNT.search(re.sub(r"^\d+ (?:to \d+ )?(?:nodes|VMs)(?: of| x| with)?", "", gpu))
    devices = _devices(gpu)
    sockets = 2 if re.match(r"2 ?x|2 sockets", told.get("cpu", "")) or record.says("xsocket", "socket") else 1
    return Wiring(
        int(counted[1]) if counted else 8 if "nodes of 8" in gpu else 2,
        _fabric(record, devices),
        _pcie(record, devices),
        _platform(told.get("cpu", "")),
        sockets,
        max(int(told.get("numa") or 0), 8 if "NPS4" in " ".join(told.values()) else 0),
        _rate(record),
        _rails(record),
    )


def _devices(text: str) -> list[Device]:
    """Return the devices whose name holds a word of this text that names a model: ``H100``, ``4090``, ``MI300X``."""
    words = simple_name(re.sub(r"\(.*?\)", " ", text)).split()
    models = [word for word in words if re.search(r"[a-z]*\d{2,}", word) and not re.fullmatch(r"\d{1,2}x?|\d+gb", word)]
    catalogue = lookup().catalogue.devices
    found = [
        d for d in catalogue if any(re.match(rf"{m}(?![a-z0-9])|{m}[a-z]?\d?$", w) for m in models for w in _words(d))
    ]
    named = [
        d
        for d in found
        if any(w in ("pcie", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "nvl") and w in _words(d) for w in words)
    ]
    whole = [
        d
        for d in found
        if all(word in _words(d) for word in words if word in ("6000", "pro", "ada", "ti", "blackwell"))
    ]
    return named or whole or found


def _words(device: Device) -> list[str]:
    return simple_name(" ".join((device.name, *device.aliases))).split()


def _agreed(values: list) -> object:
    """Return what all agree on, None where they do not."""
    return values[0] if values and all(value == values[0] for value in values) else None


def _fabric(record: Record, devices: list[Device]) -> Fabric | None:
    text = " ".join((record.topology.get("gpu_links", ""), record.path))
    medium = next((medium for word, medium in _MEDIA if word in text.lower() or word in record.link_class), None)
    own = [d.fabric for d in devices if d.fabric is not None and d.fabric.medium == medium]
    if medium is None:
        return None
    printed = _LINK_GBS.search(f"{text} {record.basis}")
    gbs = _agreed([f.link_gbs for f in own]) or (float(next(filter(None, printed.groups()))) if printed else None)
    generation = _agreed([f.generation for f in own])
    named = re.search(r"NVLink ?(\d)|nvlink(\d)", f"{text} {record.link_class}")
    if generation is None and named:
        generation = int(named[1] or named[2])
    if gbs is None and generation is not None:
        gbs = _agreed(
            [e.link_gbs for e in lookup().catalogue.links if e.medium == medium.value and e.generation == generation]
        )
        gbs = gbs or (25.0 if medium is Medium.NVLINK and generation in (2, 3, 4) else None)
    switched = bool(re.search(r"switch|MNNVL|NVL72", text, re.IGNORECASE)) and not re.search(r"without NVSwitch", text)
    mesh = bool(re.search(r"mesh", text))
    # A record's own count of links first; of a mesh it is what one accelerator has, a pair has one.
    counts = [int(next(filter(None, found))) for found in _LINKS.findall(f"{text} {record.basis}") if any(found)]
    total = _agreed([f.links for f in own])
    links = 1 if mesh else counts[0] if counts else total
    if medium is Medium.HCCS and switched:
        links = 7  # of the 14 links of a module each of its two dies has half
    if gbs is None or links is None:
        return None
    return Fabric(medium, generation, int(links), float(gbs), switched)


def _pcie(record: Record, devices: list[Device]) -> tuple[int, int] | None:
    own = _agreed([(d.pcie.generation, d.pcie.width) for d in devices if d.pcie is not None])
    if re.match(r"\d+x ", record.source):  # several devices send to one: its link is the last on the path
        passed = _PCIE.findall(record.path)
        return (int(passed[-1][0]), int(passed[-1][1])) if passed else own
    told = _PCIE.search(record.topology.get("pcie", ""))
    if told and slower(record):  # the path speaks of the one slot that is not like the others
        return int(told[1]), int(told[2])
    for text in (record.path, record.topology.get("pcie", ""), record.link_class, record.basis):
        found = _PCIE.search(text)
        if found:
            return int(found[1]), int(found[2])
    return own


def slower(record: Record) -> tuple[int, int] | None:
    """Return the link on the path where it is less than those of the machine: one slot, not all."""
    told, passed = _PCIE.search(record.topology.get("pcie", "")), _PCIE.search(record.path)
    if not told or not passed or re.match(r"\d+x ", record.source):
        return None
    here, there = (int(told[1]), int(told[2])), (int(passed[1]), int(passed[2]))
    return there if there[0] <= here[0] and there[1] <= here[1] and there != here else None


def narrowed(record: Record) -> tuple[int, int] | None:
    """Return the link on the way that is said to run below the rest: ``uplink at Gen2``, ``Gen3 x8``."""
    for text in (record.path, record.basis, record.bottleneck):
        whole, speed = _PCIE.search(text), _GENERATION.search(text)
        if whole:
            return int(whole[1]), int(whole[2])
        if speed:
            return int(speed[1]), 16
    return None


def _platform(cpu: str) -> str | None:
    found = platform_of(lookup().catalogue, name=cpu) if cpu else None
    if found is None:
        words = {
            each.name.split()[-1].lower(): each
            for each in lookup().catalogue.platforms
            if each.vendor == "AuthenticAMD"
        }
        found = next((each for word, each in words.items() if word in cpu.lower()), None)
    return found.crossing if found else None


def _rate(record: Record) -> float | None:
    for text in (record.path, record.topology.get("nics", ""), record.basis, record.link_class.replace("_", " ")):
        found = _RATE.search(text)
        if found:
            return float(found[1])
        for word, rate in _RATES.items():
            if re.search(rf"\b{word}\b", text.upper()):
                return float(rate)
    found = re.search(r"(?:gdr|rdma|nic|roce)(\d+)", record.link_class + record.path.lower())
    return float(found[1]) if found else None


def _rails(record: Record) -> int | None:
    if record.rails:
        return record.rails
    for text in (record.path, record.topology.get("nics", "")):
        found = _NICS.search(text)
        if found:
            return int(next(filter(None, found.groups())))
    return None
