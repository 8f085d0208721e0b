"""Reads ``mlxlink``: the state, speed, lanes and health of one port of an NVIDIA NIC.

Grammar; keys are padded to a column (32 in MFT 4.22, 35 in 4.30), titles are underlined::

    output = (title dashes field*)*
    field  = key " : " value

``Speed`` is ``100G``, ``200GbE`` or a lane's name (``IB-NDR``) that ``Width`` (``4x``) multiplies. ``N/A`` is not
supported by this firmware or module. The text does not name the device: the command's argument does
(``-d mlx5_1``, ``-d 0000:3b:00.0``, ``-d /dev/mst/mt4129_pciconf0``), ``-p`` the port.
Settings of the device or port: ``fec``, ``auto_negotiation``, ``loopback``, ``recommendation``, ``status_opcode``,
``counter.*``, ``ber.*``, ``module.*``, ``firmware.version``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.rates import named_rate
from toposcope.collectors.records import NetworkPort, NicName, Reading, Setting
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.base import Bandwidth, Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_TITLE_LINE = re.compile(r"\s*-{3,}\s*")
_WIDTH = re.compile(r"(\d{1,2})x", re.IGNORECASE)
_ASKED_DEVICE = re.compile(r"(?:^|.*?\s)(?:-d|--device)[ =]?(?P<device>\S+(?:(?: bond)? \d{1,3}(?=\s|$))?)")
_ASKED_PORT = re.compile(r"\s(?:-p|--port)[ =]?(\d{1,3})(?:\s|$)")
_FILE_NAME = re.compile(r"mlx\d(?: bond)? \d{1,3}")
_SPEEDS = re.compile(r"\(([^)]*)\)")
_NAMES = {
    "fec": "fec",
    "auto negotiation": "auto_negotiation",
    "loopback mode": "loopback",
    "recommendation": "recommendation",
    "status opcode": "status_opcode",
    "firmware version": "firmware.version",
    "time since last clear [min]": "counter.minutes",
    "effective physical errors": "counter.effective_physical_errors",
    "symbol errors": "counter.symbol_errors",
    "link down counter": "counter.link_down",
    "link error recovery counter": "counter.link_error_recovery",
    "effective physical ber": "ber.effective",
    "raw physical ber": "ber.raw",
    "symbol ber": "ber.symbol",
    "identifier": "module.identifier",
    "cable type": "module.technology",
    "cable length [m]": "module.length",
    "vendor name": "module.vendor",
    "vendor part number": "module.part",
    "temperature [c]": "module.temperature",
}
_MOST_LANES = 4


def parse(capture: Capture) -> Reading:
    """Read one port. Where no argument names the device, its record is called ``mlxlink`` and a problem says so."""
    lines = output_lines(capture)
    fields: dict[str, tuple[str, int]] = {}
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is not None:
            fields.setdefault(pair[0].lower(), (pair[1], index))
        elif not (_TITLE_LINE.fullmatch(text) or _is_title(lines, index)):
            lines.stray(index)
            continue
        lines.fits(index)
    records = tuple(_records(lines, fields)) if "state" in fields or "speed" in fields else ()
    problems = lines.all_problems("no line of mlxlink")
    if not records:
        problems += (Problem(ProblemKind.UNREAD, capture.origin(0), "no state of a port"),)
    return Reading(records, problems)


def _is_title(lines: Lines, index: int) -> bool:
    return index + 1 < len(lines.texts) and _TITLE_LINE.fullmatch(lines.texts[index + 1]) is not None


def asked_port(argument: str | None) -> tuple[str | None, int | None]:
    """Return device and port of the command; a file's name has blanks for the underscores of ``mlx5_1``."""
    if not argument:
        return None, None
    port = _ASKED_PORT.search(f" {argument} ")
    match = _ASKED_DEVICE.match(argument)
    device = (match["device"] if match else argument.split(" -")[0]).strip()
    if _FILE_NAME.fullmatch(device):
        device = device.replace(" ", "_")
    device = device.split(" ")[0]
    return pci_address(device) or device or None, int(port[1]) if port else None


def _value(fields: dict[str, tuple[str, int]], key: str) -> str | None:
    value = fields.get(key, ("",))[0]
    return value if value not in ("", "N/A") else None


def _records(lines: Lines, fields: dict[str, tuple[str, int]]) -> Iterator[Record]:
    device, port = asked_port(lines.capture.argument)
    first = min(fields[key][1] for key in ("state", "speed") if key in fields)
    if device is None:
        lines.unread(first, "which device this is of is not said")
        device = "mlxlink"
    width = _WIDTH.match(_value(fields, "width") or "")
    lanes = int(width[1]) if width else None
    speed = _value(fields, "speed")
    rate = named_rate(speed, lanes) if speed else None
    yield NetworkPort(
        device=device,
        origin=lines.capture.origin(first),
        port=port,
        rate=rate,
        max_rate=_most(fields),
        width=lanes,
        state=_value(fields, "state"),
        physical_state=_value(fields, "physical state"),
        link_layer="InfiniBand" if speed and "IB" in speed else "Ethernet" if rate is not None else None,
    )
    subject = device if port is None else f"{device}/{port}"
    for key, name in _NAMES.items():
        if key in fields:
            yield _setting(lines, subject, name, fields[key])


def _setting(lines: Lines, subject: str, name: str, found: tuple[str, int]) -> Setting:
    text, index = found
    origin = lines.capture.origin(index)
    if text in ("", "N/A"):
        return Setting(subject, name, None, origin, "unsupported")
    number = whole(text) if name.startswith("counter.") or name == "status_opcode" else None
    return Setting(subject, name, text if number is None else number, origin)


def _most(fields: dict[str, tuple[str, int]]) -> Bandwidth | None:
    """Return the fastest enabled speed; lanes' names (``NDR``) are those of a port of four."""
    for key in ("enabled link speed (ext.)", "enabled link speed"):
        match = _SPEEDS.search(fields.get(key, ("",))[0])
        rates = [named_rate(word.strip(), _MOST_LANES) for word in match[1].split(",")] if match else []
        known = [rate for rate in rates if rate is not None]
        if known:
            return max(known)
    return None


def devices(records: Sequence[Record]) -> tuple[str, ...]:
    """Name the devices that the tool knows: those of NVIDIA, under the kernel's own names."""
    names = [record.rdma for record in records if isinstance(record, NicName)]
    names += [record.device for record in records if isinstance(record, NetworkPort)]
    return tuple(dict.fromkeys(name for name in names if name and name.startswith("mlx5_")))


COLLECTOR = Collector(
    "mlxlink",
    (
        Source(
            "mlxlink",
            parse,
            named=re.compile(r"mlxlink(?: (?P<argument>.*))?"),
            begins=re.compile(r"^Operational Info\s*\n-{3,}", re.MULTILINE),
            command=("mlxlink", "-d", "{rdma}", "-m", "-c"),
            targets=devices,
            root=True,
            gives="speed, lanes and health of a port, as its firmware sees them",
        ),
    ),
)
