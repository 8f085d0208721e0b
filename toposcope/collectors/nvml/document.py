"""Turn the document of NVML's answers into records."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toposcope.base import Problem, ProblemKind
from toposcope.collectors.nvml.questions import DRIVER, GPU, LINK, MIG, PAIR
from toposcope.collectors.records import Accelerator, Cell, FabricLink, Matrix, MatrixRow, PeerStatus, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.nvml.questions import Question
    from toposcope.collectors.records import FactStatus, Record

FORMAT = "toposcope.nvml/1"
# A quote in a JSON string is escaped, so these stand for keys wherever they are found.
_KEYS = re.compile(r'"(?P<key>driver|index|mig|link|first)"\s*:')


@dataclass(frozen=True, slots=True)
class _Answer:
    value: object = None
    status: FactStatus = "absent"
    error: str | None = None


@dataclass(slots=True)
class _Document:
    """The document with the lines of its objects: the n-th ``"link":`` of the text is the n-th link that is read."""

    capture: Capture
    lines: dict[str, list[int]]
    seen: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def origin(self, key: str) -> Origin:
        place = self.seen.get(key, 0)
        self.seen[key] = place + 1
        lines = self.lines.get(key, [])
        return self.capture.origin(lines[place] if place < len(lines) else 0)

    def unread(self, origin: Origin, message: str, text: str = "") -> None:
        self.problems.append(Problem(ProblemKind.UNREAD, origin, message, text[:200]))


def parse(capture: Capture) -> Reading:
    """Read the document. What is not of the format is a problem of its own, the rest is read."""
    document = _Document(capture, _key_lines(capture.text))
    try:
        root = json.loads(capture.text)
    except (ValueError, RecursionError) as error:
        document.unread(capture.origin(max(getattr(error, "lineno", 1) - 1, 0)), f"no JSON: {str(error)[:100]}")
        root = {}
    content = root if isinstance(root, dict) else {}
    if content.get("format") != FORMAT and not document.problems:
        document.unread(capture.origin(0), f"the document is not of format {FORMAT}", str(content.get("format")))
        content = {}
    return Reading(tuple(_records(content, document)), tuple(document.problems))


def _key_lines(text: str) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = {}
    line, at = 0, 0
    for match in _KEYS.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.setdefault(match["key"], []).append(line)
    return lines


def _records(content: dict[str, Any], document: _Document) -> Iterator[Record]:
    if isinstance(error := content.get("error"), str):
        document.unread(document.capture.origin(0), f"NVML did not start: {error}", error)
    driver = content.get("driver")
    if isinstance(driver, dict):
        yield from _settings(driver, DRIVER, "host", document.origin("driver"), document)
    cards: dict[str, Accelerator] = {}
    for gpu in _objects(content, "gpus", document):
        for record in _gpu(gpu, document):
            if isinstance(record, Accelerator) and record.label and "/" not in record.label:
                cards[record.label] = record
            yield record
    yield from _pairs(_objects(content, "pairs", document), cards, document)


def _objects(parent: dict[str, Any], key: str, document: _Document) -> list[dict[str, Any]]:
    found = parent.get(key, [])
    if not isinstance(found, list):
        document.unread(document.capture.origin(0), f"{key} is not a list", str(found))
        return []
    return [item for item in found if isinstance(item, dict)]


def _gpu(gpu: dict[str, Any], document: _Document) -> Iterator[Record]:
    origin, index = document.origin("index"), _number(gpu, "index")
    if index is None:
        document.unread(origin, "a GPU without an index")
        return
    label = f"GPU{index}"
    lost = next((answer.error for question in GPU if (answer := _answer(gpu, question)).error in _LOST), None)
    yield replace(Accelerator(origin, label=label, health=lost), **_fields(gpu, GPU, origin, document))
    yield from _settings(gpu, GPU, label, origin, document)
    for mig in _objects(gpu, "migs", document):
        yield from _mig(mig, label, document)
    for link in _objects(gpu, "nvlinks", document):
        yield from _link(link, label, document)


_LOST = frozenset({"NVML_ERROR_GPU_IS_LOST", "NVML_ERROR_RESET_REQUIRED"})


def _mig(mig: dict[str, Any], parent: str, document: _Document) -> Iterator[Record]:
    origin, number = document.origin("mig"), _number(mig, "mig")
    if number is None:
        document.unread(origin, "a MIG device without a number")
        return
    label = f"{parent}/{number}"
    yield replace(Accelerator(origin, label=label), **_fields(mig, MIG, origin, document))
    yield from _settings(mig, MIG, label, origin, document)


def _link(link: dict[str, Any], gpu: str, document: _Document) -> Iterator[Record]:
    origin, number = document.origin("link"), _number(link, "link")
    if number is None:
        document.unread(origin, "an NVLink without a number")
        return
    yield replace(FabricLink(gpu, number, origin), **_fields(link, LINK, origin, document))
    for setting in _settings(link, [question for question in LINK if question.setting], gpu, origin, document):
        yield replace(setting, name=setting.name.replace("*", str(number)))


def _pairs(pairs: list[dict[str, Any]], cards: dict[str, Accelerator], document: _Document) -> Iterator[Record]:
    """Yield the P2P words, and the ancestors as the matrix that ``topo -mp`` would print of the GPUs."""
    cells: list[Cell] = []
    for pair in pairs:
        origin = document.origin("first")
        ends = [_number(pair, key) for key in ("first", "second")]
        if None in ends:
            document.unread(origin, "a pair without two GPUs")
            continue
        row, column = (f"GPU{end}" for end in ends)
        for question in PAIR:
            answer = _answer(pair, question)
            word = _meaning(answer, question, origin, document)
            if isinstance(word, str) and question.setting:
                yield PeerStatus(row, column, question.setting, word, origin)
            elif isinstance(word, str):
                cells.append(Cell(row, column, word, origin))
    if cells:
        yield _matrix(cells, cards)


def _matrix(cells: list[Cell], cards: dict[str, Accelerator]) -> Matrix:
    known = {(cell.row, cell.column) for cell in cells}
    mirrored = [Cell(c.column, c.row, c.word, c.origin) for c in cells if (c.column, c.row) not in known]
    labels = tuple(dict.fromkeys([*cards, *(cell.row for cell in cells), *(cell.column for cell in cells)]))
    rows = tuple(
        MatrixRow(label, card.cpus, str(card.numa) if card.numa is not None else None, None, card.origin)
        for label, card in cards.items()
    )
    return Matrix(labels, (*cells, *mirrored), rows, (), cells[0].origin, pcie_only=True)


def _number(item: dict[str, Any], key: str) -> int | None:
    value = item.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _answer(item: dict[str, Any], question: Question) -> _Answer:
    answer = item.get(question.key)
    if not isinstance(answer, dict):
        return _Answer()
    if answer.get("status") == "unsupported":
        return _Answer(status="unsupported")
    if "error" in answer:
        return _Answer(status="unreadable", error=str(answer["error"]))
    return _Answer(answer["value"], "value") if "value" in answer else _Answer(status="unreadable")


def _meaning(answer: _Answer, question: Question, origin: Origin, document: _Document) -> object:
    """Return what an answer means; a value without a meaning is a problem, save those that say "unknown"."""
    if answer.status != "value":
        return None
    meaning = question.means(answer.value)
    if meaning is None and not _says_unknown(answer.value):
        document.unread(origin, f"the answer to {question.call} was not understood", f"{question.key}: {answer.value}")
    return meaning


def _says_unknown(raw: object) -> bool:
    """Return whether NVML itself says that it does not know: no text, no rate, an empty set, UNKNOWN of its lists."""
    if isinstance(raw, list):
        return not any(raw)
    return raw in ("", 0, 32, 255)


def _fields(
    item: dict[str, Any], questions: tuple[Question, ...], origin: Origin, document: _Document
) -> dict[str, Any]:
    """Return the fields of a record that have a meaning."""
    found = {q.field: _meaning(_answer(item, q), q, origin, document) for q in questions if q.field}
    return {name: value for name, value in found.items() if value not in (None, "N/A")}


def _settings(
    item: dict[str, Any],
    questions: tuple[Question, ...] | list[Question],
    subject: str,
    origin: Origin,
    document: _Document,
) -> Iterator[Setting]:
    """Yield the settings, and for a field without a value why it has none."""
    for question in questions:
        name, answer = question.setting or question.field, _answer(item, question)
        if name is None or (answer.status == "absent") or (question.field and answer.status == "value"):
            continue
        value = _meaning(answer, question, origin, document)
        status = answer.status
        if status == "value" and (value is None or value == "N/A"):
            value, status = None, "unsupported" if value else "unreadable"
        if value is None or isinstance(value, (str, int, float, bool)):
            yield Setting(subject, name, value, origin, status=status)
