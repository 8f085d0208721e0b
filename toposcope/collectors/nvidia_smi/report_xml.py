"""Read ``nvidia-smi -q -x``: the report as XML.

Grammar::

    <nvidia_smi_log> head values { <gpu id="00000000:3B:00.0"> values and sections </gpu> } </nvidia_smi_log>

MIG devices are ``<mig_devices>{<mig_device>}``. A bare DOCTYPE is part of every such report and is never followed;
entities and external references are refused. What stands before the first tag or after the last is the paster's. A
report that is cut or damaged is read up to there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from toposcope.base import pci_address
from toposcope.collectors.nvidia_smi.lines import reading, refusal, unread
from toposcope.collectors.nvidia_smi.report import Answer, Block, Report, records_of

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Reading, Record

ROOT = "nvidia_smi_log"
_GPU, _MIG, _LEFT = "gpu", "mig_device", "processes"


class _Target:
    """Takes the parser's events and flattens them. ``line`` is the index of the line being fed."""

    def __init__(self) -> None:
        self.report = Report()
        self.line = 0
        self.complete = False
        self.torn: list[int] = []
        self._path: list[str] = []
        self._base: list[int] = []
        self._block: Block | None = None
        self._text: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open a section or value; a GPU or a MIG device begins a block."""
        self._path.append(tag.lower())
        self._text.clear()
        if tag == _GPU and len(self._path) == 2:  # noqa: PLR2004 - directly below the root
            self._block = Block(self.line, pci_address(attributes.get("id", "")))
            self.report.gpus.append(self._block)
            self._base.append(len(self._path))
        elif tag == _MIG and self._block is not None:
            self._block = Block(self.line)
            self.report.gpus[-1].migs.append(self._block)
            self._base.append(len(self._path))

    def data(self, text: str) -> None:
        """Collect a value's text."""
        self._text.append(text)

    def end(self, tag: str) -> None:
        """Close a section or value; text without tags inside is a value."""
        del tag
        text = "".join(self._text).strip()
        self._text.clear()
        if self._base and self._base[-1] == len(self._path):
            self._base.pop()
            self._block = self.report.gpus[-1] if self._base else None
        elif "\n" in text:
            self.torn.append(self.line)  # the tool breaks no value over lines
        elif text:
            self._value(Answer(text, self.line))
        self._path.pop()
        self.complete = not self._path

    def _value(self, answer: Answer) -> None:
        path = self._path[self._base[-1] if self._base else 1 :]
        if path and path[0] != _LEFT:
            values = self._block.values if self._block is not None else self.report.head
            values.setdefault("/".join(path), answer)

    def close(self) -> None:
        """Have nothing to hand out: the report is read from the target."""


def parse(capture: Capture) -> Reading:
    """Read a report of all GPUs or of one. XML that is refused or broken is a problem, never an error."""
    target = _Target()
    records: list[Record] = []
    problems: list[Problem] = []
    lines = capture.text.split("\n")
    begin = next((index for index, line in enumerate(lines) if line.lstrip("\ufeff \t>").startswith("<")), None)
    for index, line in enumerate(lines[:begin]):
        if found := refusal(line, capture.origin(index)):
            records += found[0]
            problems += found[1]
    if begin is not None:
        problems += _feed(lines, begin, target, capture)
        problems += (unread(capture.origin(at), "a value broken over lines", lines[at]) for at in target.torn)
    read, said = records_of(target.report, capture, xml=True)
    return reading(capture, [*records, *read], [*problems, *said], "report of nvidia-smi -q -x")


def _feed(lines: list[str], begin: int, target: _Target, capture: Capture) -> list[Problem]:
    """Feed line by line, so that each value knows its line; stop behind the root's end."""
    parser = DefusedXMLParser(target=target, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    try:
        for index in range(begin, len(lines)):
            target.line = index
            line = lines[index].lstrip("\ufeff \t") if index == begin else lines[index]
            parser.feed(f"{line}\n")
            if target.complete:
                return []
    except DefusedXmlException:
        return [unread(capture.origin(target.line), "XML with entities is refused", lines[target.line])]
    except (ParseError, ValueError) as error:
        return [unread(capture.origin(target.line), f"the XML is broken here: {error}", lines[target.line])]
    return [unread(capture.origin(len(lines) - 1), "the XML report was cut", lines[-1])]
