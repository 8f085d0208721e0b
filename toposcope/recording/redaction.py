"""Replaces what names a person, a host or one piece of hardware by stand-ins of the same shape.

Equal things stay equal over the whole recording, whatever the spelling (a GUID with colons, with ``0x``, in a GID), so
the topology reads alike before and after. Host and user names, IPv4 and IPv6 addresses, MAC addresses, GUIDs, UUIDs
and serial numbers are replaced. PCI addresses, lists of CPUs, versions and sizes are left as they are. Stand-ins are
counted, never computed from what they replace: nothing can be guessed back from them.

Addresses keep their network: two in one /24 stay in one, which tells rails apart.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposcope.recording.identifiers import (
    CONFIG,
    EIGHT_PAIRS,
    GUID,
    HOST_AT,
    IPV4,
    IPV6,
    KEPT_NAMES,
    KEPT_NETWORKS,
    NO_SERIAL,
    PAIRS,
    SERIAL,
    SHORT_GUID,
    USER_AT,
    UUID,
    VERSION,
)

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.recording.recording import Command, Recording


def redacted(recording: Recording) -> Recording:
    """Return the recording with stand-ins, in its texts, file names, commands and problems alike."""
    mapping = mapping_of(recording)
    return replace(
        recording,
        host=mapping.redact(recording.host) if recording.host else recording.host,
        captures=tuple(_capture(capture, mapping) for capture in recording.captures),
        problems=tuple(
            replace(
                problem,
                message=mapping.redact(problem.message),
                text=mapping.redact(problem.text),
                origin=replace(problem.origin, file=mapping.redact(problem.origin.file)),
                other=replace(problem.other, file=mapping.redact(problem.other.file)) if problem.other else None,
            )
            for problem in recording.problems
        ),
        commands=tuple(_command(command, mapping) for command in recording.commands),
    )


def mapping_of(recording: Recording) -> Mapping:
    """Find the names in a recording that stand in no fixed form: hosts, users, serial numbers."""
    mapping = Mapping()
    if recording.host and not any(recording.host.startswith(capture.file) for capture in recording.captures):
        mapping.learn_host(recording.host)
    for capture in recording.captures:
        mapping.learn(capture.text)
        if capture.source == "hostname":
            mapping.learn_host(capture.text.strip())
    mapping.close()
    return mapping


def _capture(capture: Capture, mapping: Mapping) -> Capture:
    argument = mapping.redact(capture.argument) if capture.argument else capture.argument
    return replace(capture, text=mapping.redact(capture.text), file=mapping.redact(capture.file), argument=argument)


def _command(command: Command, mapping: Mapping) -> Command:
    return replace(
        command,
        words=tuple(mapping.redact(word) for word in command.words),
        file=mapping.redact(command.file) if command.file else command.file,
        argument=mapping.redact(command.argument) if command.argument else command.argument,
        error=mapping.redact(command.error),
    )


@dataclass(slots=True)
class Mapping:
    """What stands for what. Filled by :meth:`learn`, then applied to any text of the same recording."""

    _known: dict[tuple[str, str], str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _any_name: re.Pattern[str] | None = None

    def learn(self, text: str) -> None:
        """Note the hosts, users and serial numbers that a text names where it is plain that it does."""
        for pattern in HOST_AT:
            for match in pattern.finditer(text):
                self.learn_host(match["name"])
        for pattern in USER_AT:
            for match in pattern.finditer(text):
                self._learn(match["name"], "user")
        for value in (*(match["value"] for match in SERIAL.finditer(text)), *_serial_column(text)):
            if not NO_SERIAL.match(value) and any(character.isdigit() for character in value):
                self._learn(value, "serial")

    def learn_host(self, name: str) -> None:
        """Note a host's name, with its domain and without."""
        if "\n" in name or " " in name:
            return
        short = name.partition(".")[0]
        self._learn(short, "host")
        if short != name and short in self._names:
            self._names.setdefault(name, f"{self._names[short]}.example.org")

    def close(self) -> None:
        """Make the pattern that finds all names that were learnt."""
        longest_first = sorted(self._names, key=len, reverse=True)
        if longest_first:
            words = "|".join(map(re.escape, longest_first))
            self._any_name = re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])")

    def redact(self, text: str) -> str:
        """Return the text with stand-ins."""
        text = UUID.sub(self._uuid, text)
        text = IPV6.sub(self._ipv6, text) if ":" in text else text
        text = PAIRS.sub(self._pairs, text)
        text = GUID.sub(self._guid, text)
        text = SHORT_GUID.sub(self._short_guid, text)
        text = IPV4.sub(self._ipv4, text)
        text = CONFIG.sub(lambda match: match[1] + _without_serial(match[2]), text)
        if self._any_name is not None:
            text = self._any_name.sub(lambda match: self._names[match[0]], text)
        return text

    def _learn(self, name: str, kind: str) -> None:
        if name in self._names or (kind != "serial" and KEPT_NAMES.fullmatch(name)):
            return
        number = self._number(kind, name)
        self._names[name] = _like(name, number) if kind == "serial" else f"{kind}-{number}"

    def _number(self, kind: str, key: str) -> int:
        """Return the running number of a thing of this kind, from 1."""
        known = self._known.get((kind, key))
        if known is None:
            count = int(self._known.get((kind, ""), "0")) + 1
            self._known[kind, ""] = self._known[kind, key] = known = str(count)
        return int(known)

    def _uuid(self, match: re.Match[str]) -> str:
        digits = match[0].replace("-", "").lower()
        if not digits.strip("0"):
            return match[0]
        return _shaped(match[0], f"{self._number('uuid', digits):032x}")

    def _pairs(self, match: re.Match[str]) -> str:
        digits = re.sub("[:-]", "", match[0])
        kept = digits[:-16] if len(digits) > 16 else ""  # noqa: PLR2004 - an InfiniBand address ends in a GUID
        return _shaped(match[0], kept + self._hardware(digits[len(kept) :]))

    def _guid(self, match: re.Match[str]) -> str:
        value = match["plain"] or match["groups"] or match["value"]
        lead = match["mark"] or match["key"] or ""
        return lead + _shaped(value, self._hardware(value.replace(":", "")))

    def _short_guid(self, match: re.Match[str]) -> str:
        """Replace a GUID in parentheses, without its leading zeros, if the same is known from elsewhere."""
        key = match[0].lower().lstrip("0")
        return self._hardware(key.rjust(16, "0")).lstrip("0") if ("hardware", key) in self._known else match[0]

    def _hardware(self, digits: str) -> str:
        """Return as many digits for a hardware address; none of zeros or ones alone is an address."""
        key = digits.lower().lstrip("0")
        if not key or set(key) == {"f"}:
            return digits
        number = self._number("hardware", key)
        width = len(digits)
        return f"{(0x02 << 8 * (width // 2 - 1)) + number:0{width}x}"[-width:]

    def _ipv4(self, match: re.Match[str]) -> str:
        line = match.string[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
        return match[0] if VERSION.search(line) else self._ipv4_text(match[0])

    def _ipv4_text(self, text: str) -> str:
        try:
            address = ipaddress.IPv4Address(text)
        except ValueError:
            return text
        if any(address in network for network in KEPT_NETWORKS):
            return text
        network, _, last = text.rpartition(".")
        number = self._number("network", network)
        return f"10.{number >> 8 & 255}.{number & 255}.{last}"

    def _ipv6(self, match: re.Match[str]) -> str:
        if EIGHT_PAIRS.fullmatch(match[0]) or all(len(group) < 2 for group in match[0].split(":")):  # noqa: PLR2004
            return match[0]  # a hardware address, or C++
        try:
            address = ipaddress.IPv6Address(match[0])
        except ValueError:
            return match[0]
        if address.ipv4_mapped is not None:
            inside = ipaddress.IPv4Address(self._ipv4_text(str(address.ipv4_mapped)))
            return _spelt(int(address) >> 32 << 32 | int(inside), match[0])
        if int(address) <= 1 or int(address) >> 96 == 0xFFFFFFFF:  # noqa: PLR2004 - a mask
            return match[0]
        high, low = int(address) >> 64, int(address) & (1 << 64) - 1
        if not address.is_link_local and high:
            high = 0x20010DB8 << 32 | self._number("prefix", f"{high:x}")
        host = int(self._hardware(f"{low:016x}"), 16)
        return _spelt(high << 64 | host, match[0])


def _serial_column(text: str) -> list[str]:
    """Return the values of a table of commas (``nvidia-smi --query-gpu``) below its column ``serial``."""
    header, _, rest = text.lstrip().partition("\n")
    columns = [column.strip() for column in header.split(",")]
    if "serial" not in columns:
        return []
    place = columns.index("serial")
    rows = (row.split(",") for row in rest.splitlines())
    return [row[place].strip() for row in rows if len(row) == len(columns) and len(row[place].strip()) > 3]  # noqa: PLR2004


def _without_serial(hex_digits: str) -> str:
    """Blank the serial number in a PCI configuration space: extended capability 0003, eight bytes."""
    data = bytearray.fromhex(hex_digits)
    place = 0x100
    for _ in range(64):
        if place + 12 > len(data):
            break
        header = int.from_bytes(data[place : place + 4], "little")
        if header & 0xFFFF == 3:  # noqa: PLR2004 - PCI Express, Device Serial Number
            data[place + 4 : place + 12] = bytes(8)
        place = header >> 20
        if place < 0x100:  # noqa: PLR2004 - the end of the list
            break
    return data.hex()


def _spelt(address: int, like: str) -> str:
    """Write an address in full where it was written in full, else short."""
    new = ipaddress.IPv6Address(address)
    return new.exploded if "::" not in like and len(like) == len(new.exploded) else new.compressed


def _shaped(like: str, digits: str) -> str:
    """Put digits into the places of hex digits in ``like``, in its case."""
    places = sum(character not in ":-" for character in like)
    rest = iter(digits.rjust(places, "0")[-places:])
    text = "".join(character if character in ":-" else next(rest) for character in like)
    return text.upper() if like.upper() == like and like.lower() != like else text


def _like(name: str, number: int) -> str:
    """Return a serial number of the same shape: letters become ``X``, digits a running number."""
    digits = sum(character.isdigit() for character in name)
    counted = iter(f"{number:0{digits}d}"[-digits:] if digits else "")
    return "".join(next(counted) if c.isdigit() else "X" if c.isalpha() else c for c in name)
