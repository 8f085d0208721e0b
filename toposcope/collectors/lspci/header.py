r"""The first line of each device in every list that ``lspci`` prints.

Grammar::

    header = path blank class [" [" code "]"] ": " name [" [" vendor ":" device "]"] [" (rev xx)"] [" (prog-if ..)"]
    path   = [domain ":"] bus ":" dev "." fn hop*            hops with -P and -PP only
    hop    = "/" [bus ":"] dev "." fn                        the bus with -PP only

The domain has four to eight digits and is left out where all are 0. With ``-n`` numbers stand for class and name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toposcope.base import pci_address
from toposcope.collectors.lspci.classes import class_code

_HEADER = re.compile(
    r"[ \t\f>]*`?((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])((?:/(?:[0-9a-f]{2}:)?[0-9a-f]{2}\.[0-7])*)[ \t]+"
    r"(?:Class )?([A-Z0-9][\w/(). -]{1,70}?|[0-9a-f]{4})(?: \[([0-9a-f]{4})\])?:(?:[ \t]+(.*))?$"
)
_CODE = re.compile(r"[0-9a-f]{4}")
_GLUED = re.compile(
    r"(?<=[)\]g-z])(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] "
    r"(?=[A-Z0-9][\w/(). -]{1,70}(?: \[[0-9a-f]{4}\])?: )"
)
_ID = re.compile(r"(?:^| )\[?([0-9a-f]{4}:[0-9a-f]{4})\]?$")


@dataclass(frozen=True, slots=True)
class Header:
    """One header: the address of the root function, the hops below it, and what the line says of the device."""

    address: str
    hops: tuple[str, ...]
    class_name: str | None
    class_code: str | None
    name: str | None
    pci_id: str | None
    revision: str | None


def read_header(line: str) -> Header | None:
    """Read one line, or return None where it is no header."""
    match = _HEADER.match(line)
    if match is None or "  " in match[3]:
        return None
    slot, hops, kind, code, rest = match.groups()
    address = pci_address(slot)
    if address is None:
        return None
    numeric = code is None and _CODE.fullmatch(kind) is not None
    name, pci_id, revision = described(rest or "")
    return Header(
        address=address,
        hops=tuple(hops[1:].split("/")) if hops else (),
        class_name=None if numeric or kind == "Class" else kind,
        class_code=kind if numeric else code or class_code(kind),
        name=name or None,
        pci_id=pci_id,
        revision=revision,
    )


def glued(line: str) -> list[str]:
    """Split a line in which the line feeds before further headers were lost."""
    places = [match.start() for match in _GLUED.finditer(line)]
    return [line[start:end] for start, end in zip([0, *places], [*places, len(line)], strict=True)]


def described(text: str) -> tuple[str, str | None, str | None]:
    """Split ``name [vvvv:dddd] (rev xx) (prog-if ..)`` into name, ids and revision; later remarks are dropped."""
    text = text.rstrip("` \t")
    name, _, revision = text.rpartition(" (rev ")
    if name and revision[2:3] == ")":
        text = name
    else:
        revision = ""
        text = text.partition(" (prog-if ")[0]
    return *named(text.strip()), revision[:2] or None


def named(text: str) -> tuple[str, str | None]:
    """Split ``Acme Widget [vvvv:dddd]``, ``Device vvvv:dddd`` or ``vvvv:dddd`` into name and ids."""
    match = _ID.search(text)
    return (text[: match.start()].strip(), match[1]) if match else (text, None)
