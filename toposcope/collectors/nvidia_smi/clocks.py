"""The reasons why a GPU's clocks are not the highest: one name a reason, whichever output says it.

``-q`` prints ``SW Power Cap : Active``, ``-q -x`` ``<clocks_event_reason_sw_power_cap>Active``, ``--query-gpu`` and
NVML a mask (``nvmlClocksEventReasons``). Before driver 530 they are "throttle" reasons.
"""

from __future__ import annotations

import re

_BITS = {
    0x001: "gpu_idle",
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clocks_setting",
}
_PRINTED = {"idle": "gpu_idle", "display_clock_setting": "display_clocks_setting"}
_PREFIX = re.compile(r"clocks_(?:event|throttle)_reasons?_")
_NOT_KEY = re.compile(r"[^a-z0-9]+")


def reasons_of_mask(text: str) -> str | None:
    """Return the reasons of a mask (``0x00000004``), joined by commas: ``none`` for 0, None if it is no mask."""
    try:
        mask = int(text.strip()[:20], 0)
    except ValueError:
        return None
    known = [name for bit, name in _BITS.items() if mask & bit]
    other = mask & ~sum(_BITS)
    return ",".join([*known, hex(other)] if other > 0 else known) or "none"


def reason_name(printed: str) -> str:
    """Return the name of a reason that was printed as words or as a tag."""
    name = _PREFIX.sub("", _NOT_KEY.sub("_", printed.lower()).strip("_"))
    return _PRINTED.get(name, name)
