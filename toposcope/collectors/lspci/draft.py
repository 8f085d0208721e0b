"""One device while its lines are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toposcope.collectors.records import PciDevice, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Origin
    from toposcope.collectors.records import FactStatus, Record


@dataclass(slots=True)
class Draft:
    """What was read of one device so far.

    ``values`` are fields of :class:`PciDevice`. ``capability`` is the title of the capability whose lines are being
    read, ``extended`` says that extended capabilities (beyond offset 0x100) were printed.
    """

    address: str
    origin: Origin
    values: dict[str, Any]
    settings: dict[str, Setting] = field(default_factory=dict)
    bridge: bool = False
    capability: str = ""
    extended: bool = False

    def keep(self, name: str, value: object) -> None:
        """Keep a field of the device; what was printed first stays."""
        if self.values.get(name) is None:
            self.values[name] = value

    def set(self, name: str, value: str | float | None, origin: Origin, status: FactStatus = "value") -> None:
        """Keep a setting; what was printed first stays."""
        if name not in self.settings:
            self.settings[name] = Setting(self.address, name, value, origin, status)

    def records(self) -> Iterator[Record]:
        """Yield the device and its settings."""
        if self.bridge and "acs.present" not in self.settings:
            if self.values.get("denied"):
                self.set("acs.present", None, self.origin, "unreadable")
            elif self.extended:
                self.set("acs.present", value=False, origin=self.origin)
        if self.values.get("revision") == "ff" and (self.values.get("port_type") or self.values.get("status")):
            self.values["alive"] = True  # a dead device has no capabilities
        yield PciDevice(self.address, self.origin, **self.values)
        yield from self.settings.values()
