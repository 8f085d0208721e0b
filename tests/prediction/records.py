"""Published measurements, one JSON object a line: what a machine is in words, and what was measured on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Record:
    """One measurement. ``theory`` is per direction, or of both where ``both``; all figures are GB/s."""

    id: str
    machine: str
    link_class: str
    path: str
    metric: str
    direction: str
    value: float
    theory: float | None
    basis: str
    size: int | None
    tool: str
    flows: str
    source: str
    destination: str
    peer_access: str
    bottleneck: str
    told_by: str
    anomaly: bool
    use: str
    title: str
    rails: int | None
    topology: dict[str, str] = field(hash=False)

    @property
    def both(self) -> bool:
        """Both directions were loaded at once, and the value counts both."""
        return self.direction.lower().startswith("bi")

    @property
    def scored(self) -> bool:
        """The value is meant to be predicted."""
        return self.use.startswith("bandwidth")

    @property
    def usable(self) -> bool:
        """The value says what good copies achieve: scored, or a bus bandwidth that only counts more than the wire."""
        return not self.anomaly and (self.scored or "above wire" in self.use)

    def says(self, *words: str) -> bool:
        """Tell whether one of the words stands in path, class, direction, tool, ends or flows."""
        said = (self.path, self.link_class, self.direction, self.tool, self.source, self.destination, self.flows)
        text = " ".join(said).lower()
        return any(word.lower() in text for word in words)


def read(paths: list[Path]) -> list[Record]:
    """Read the records of several files, fields that are missing left empty."""
    lines = [line for path in paths for line in path.read_text().splitlines() if line.strip()]
    return [_record(json.loads(line)) for line in lines]


def _record(raw: dict) -> Record:
    topology = raw.get("topology")
    topology = topology if isinstance(topology, dict) else {"gpu": str(topology or "")}
    return Record(
        id=str(raw.get("id", "?")),
        machine=str(raw.get("machine") or raw.get("series") or raw.get("id")),
        link_class=_text(raw, "link_class"),
        path=_text(raw, "path"),
        metric=_text(raw, "metric"),
        direction=_text(raw, "direction"),
        value=float(raw.get("value_GBps") or 0),
        theory=raw.get("theory_GBps"),
        basis=_text(raw, "theory_basis"),
        size=raw.get("size_bytes"),
        tool=_text(raw, "tool"),
        flows=_text(raw, "flows"),
        source=_text(raw, "src"),
        destination=_text(raw, "dst"),
        peer_access=_text(raw, "p2p"),
        bottleneck=_text(raw, "bottleneck"),
        told_by=_text(raw, "bottleneck_from"),
        anomaly=bool(raw.get("anomaly")),
        use=_text(raw, "score_use") or "bandwidth",
        title=_text(raw, "source"),
        rails=raw.get("rails"),
        topology={key: json.dumps(value) if isinstance(value, list) else str(value) for key, value in topology.items()},
    )


def _text(raw: dict, key: str) -> str:
    return str(raw.get(key) or "")
