"""One device while its lines are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toposcope.collectors.lspci.classes import has_settings, is_bridge
from toposcope.collectors.records import PciDevice, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Origin
    from toposcope.collectors.records import FactStatus, Record

# Bits of the ACS control register: how lspci calls them, and the names that all readers of it use.
ACS_BITS = {
    "SrcValid": "acs.source_validation",
    "TransBlk": "acs.translation_blocking",
    "ReqRedir": "acs.request_redirect",
    "CmpltRedir": "acs.completion_redirect",
    "UpstreamFwd": "acs.upstream_forwarding",
    "EgressCtrl": "acs.egress_control",
    "DirectTrans": "acs.direct_translated",
}
_ACS = ("acs.present", *ACS_BITS.values())
_EXPRESS = ("payload.max", "payload.capable", "read_request.max", "relaxed_ordering")


@dataclass(slots=True)
class Draft:
    """What was read of one device so far.

    ``values`` are fields of :class:`PciDevice`. ``capability`` is the title of the capability whose lines are being
    read, ``titles`` are those of all extended capabilities (beyond offset 0x100): where some were printed, one that
    was not is absent.
    """

    address: str
    origin: Origin
    values: dict[str, Any]
    settings: dict[str, Setting] = field(default_factory=dict)
    capability: str = ""
    titles: list[str] = field(default_factory=list)
    exhausted: int | None = None

    def keep(self, name: str, value: object, index: int) -> None:
        """Keep a field of the device. One that is printed again belongs to another device, whose header is missing.

        All later lines do then; ``exhausted`` is the first of them.
        """
        if self.values.get(name) is not None and self.exhausted is None:
            self.exhausted = index
        if self.exhausted is None:
            self.values[name] = value

    def set(self, name: str, value: str | float | None, origin: Origin, status: FactStatus = "value") -> None:
        """Keep a setting; what was printed first stays."""
        if name not in self.settings and self.exhausted is None:
            self.settings[name] = Setting(self.address, name, value, origin, status)

    def records(self) -> Iterator[Record]:
        """Yield the device and its settings, with those that are known to be absent or unreadable."""
        self.exhausted = None
        if self.values.get("revision") == "ff" and (self.values.get("port_type") or self.values.get("status")):
            self.values["alive"] = True  # a dead device has no capabilities
        if self.values.get("class_code") and has_settings(self.values["class_code"]):
            self._say_what_is_missing()
        yield PciDevice(self.address, self.origin, **self.values)
        yield from self.settings.values()

    def _say_what_is_missing(self) -> None:
        """Name what should be there: ACS at root and downstream ports, ATS at all others that are no bridge."""
        names: tuple[str, ...] = ("ats.enabled",)
        title = "Address Translation Service"
        if is_bridge(self.values.get("class_code")):
            names, title = _ACS, "Access Control Services"
            if self.values.get("port_type") == "Upstream Port":
                names = ()
        if self.values.get("denied"):
            for name in (*_EXPRESS, *names):
                self.set(name, None, self.origin, "unreadable")
        elif self.titles and not any(seen.startswith(title) for seen in self.titles):
            for name in names:
                self.set(name, None, self.origin, "absent")
