"""Puts the collector's questions to NVML and prints the answers as the JSON document that the collector reads.

Run as a process of its own, because a driver that hangs or crashes takes its caller along: the live run gives it the
time limit of any command. Prints nothing and ends with 127, as a shell does, where there is no NVML.
"""

from __future__ import annotations

import ctypes
import json
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposcope.collectors.nvml import DRIVER, GPU, LINK, MAX_LINKS, MIG, PAIR, UNSUPPORTED, Question
from toposcope.collectors.nvml.document import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    Answer = dict[str, object]

ABSENT = 127
_LIBRARY = "libnvidia-ml.so.1"
_FABRIC = "nvmlDeviceGetGpuFabricInfoV"
_FIELDS = "nvmlDeviceGetFieldValues"
# nvmlValueType_t: which member of the union holds a field's value.
_VALUE_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
_NO_NVML = frozenset({"NVML_ERROR_LIBRARY_NOT_FOUND"})
_NO_SUCH_LINK = frozenset({"NVML_ERROR_INVALID_ARGUMENT"})


def command() -> tuple[str, ...]:
    """Return the command that prints the document; it finds this package wherever it lies.

    Nothing but the driver's library is loaded where there is none: most hosts have none.
    """
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import ctypes, sys\ntry:\n    ctypes.CDLL({_LIBRARY!r})\nexcept OSError:\n    sys.exit({ABSENT})\n"
        f"sys.path[:0] = [{root!r}]\nfrom toposcope.recording.nvml import main\nsys.exit(main())"
    )
    return (sys.executable, "-c", code)


def main() -> int:
    """Print the document of this host."""
    try:
        import pynvml  # noqa: PLC0415 - loads the driver's library, which only this process may do
    except ImportError:
        return ABSENT
    document = ask(pynvml)
    if document.get("error") in _NO_NVML:
        return ABSENT
    sys.stdout.write(json.dumps(document, indent=1) + "\n")
    return 0


def ask(nvml: ModuleType) -> dict[str, Any]:
    """Put all questions and return the document; an error of NVML is an answer, never raised."""
    asker = _Asker(nvml)
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return {"format": FORMAT, "error": asker.name_of(error)}
    try:
        gpus = asker.handles()
    except nvml.NVMLError as error:
        return {"format": FORMAT, "driver": asker.answers(DRIVER, ()), "error": asker.name_of(error)}
    return {
        "format": FORMAT,
        "driver": asker.answers(DRIVER, ()),
        "gpus": [asker.gpu(index, handle) for index, handle in enumerate(gpus)],
        "pairs": list(asker.pairs(gpus)),
    }


class _Asker:
    """One session with NVML."""

    def __init__(self, nvml: ModuleType) -> None:
        self._nvml = nvml
        self._names = {value: name for name, value in vars(nvml).items() if name.startswith("NVML_ERROR_")}

    def name_of(self, error: Exception) -> str:
        value = getattr(error, "value", None)
        return self._names.get(value, f"NVML_ERROR_{value}") if value is not None else type(error).__name__

    def handles(self) -> list[Any]:
        """Return a handle for each GPU, the error where there is none."""
        found: list[Any] = []
        for index in range(self._nvml.nvmlDeviceGetCount()):
            try:
                found.append(self._nvml.nvmlDeviceGetHandleByIndex(index))
            except self._nvml.NVMLError as error:
                found.append(error)
        return found

    def answers(self, questions: Iterable[Question], subject: Sequence[Any]) -> dict[str, Answer]:
        return {question.key: self._answer(question, subject) for question in questions}

    def gpu(self, index: int, handle: Any) -> dict[str, Any]:  # noqa: ANN401 - a handle of NVML
        if isinstance(handle, Exception):
            return {"index": index, "name": {"error": self.name_of(handle)}}
        return {
            "index": index,
            **self.answers(GPU, (handle,)),
            "migs": self._migs(handle),
            "nvlinks": self._links(handle),
        }

    def pairs(self, gpus: Sequence[Any]) -> Iterable[dict[str, Any]]:
        """Yield each pair once, and the other way as well where it has other answers."""
        alive = [(index, gpu) for index, gpu in enumerate(gpus) if not isinstance(gpu, Exception)]
        for place, (first, one) in enumerate(alive):
            for second, other in alive[place + 1 :]:
                there = self.answers(PAIR, (one, other))
                back = self.answers(PAIR, (other, one))
                yield {"first": first, "second": second, **there}
                if back != there:
                    yield {"first": second, "second": first, **back}

    def _migs(self, handle: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        found: list[dict[str, Any]] = []
        try:
            for number in range(self._nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
                mig = self._nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)
                found.append({"mig": number, **self.answers(MIG, (mig,))})
        except (self._nvml.NVMLError, AttributeError):
            return found
        return found

    def _links(self, handle: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        found: list[dict[str, Any]] = []
        for number in range(MAX_LINKS):
            state = self._answer(LINK[0], (handle, number))
            if "status" in state or state.get("error") in _NO_SUCH_LINK:
                break
            found.append({"link": number, LINK[0].key: state, **self.answers(LINK[1:], (handle, number))})
        return found

    def _answer(self, question: Question, subject: Sequence[Any]) -> Answer:
        try:
            raw = self._put(question, subject)
        except self._nvml.NVMLError as error:
            name = self.name_of(error)
            return {"status": "unsupported"} if name in UNSUPPORTED else {"error": name}
        except AttributeError:  # a pynvml that does not know the call
            return {"status": "unsupported"}
        return {"value": _plain(raw)}

    def _put(self, question: Question, subject: Sequence[Any]) -> object:
        if question.call == _FABRIC:
            return self._fabric(subject[0], str(question.part))
        if question.call == _FIELDS:
            return self._field(subject, question.arguments[0])
        raw = getattr(self._nvml, question.call)(*subject, *question.arguments)
        if question.part is None:
            return raw
        return getattr(raw, question.part) if isinstance(question.part, str) else raw[question.part]

    def _fabric(self, handle: Any, part: str) -> object:  # noqa: ANN401
        """Ask with the newest structure that the driver takes."""
        refusal: Exception | None = None
        for form in ("c_nvmlGpuFabricInfo_v3_t", "c_nvmlGpuFabricInfo_v2_t"):
            answer = getattr(self._nvml, form)()
            try:
                self._nvml.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(answer))  # pynvml passes it on as it is
            except self._nvml.NVMLError as error:
                refusal = error
                continue
            value = getattr(answer, part)
            return str(uuid.UUID(bytes=bytes(value))) if part == "clusterUuid" else value
        raise refusal or AttributeError(part)

    def _field(self, subject: Sequence[Any], field: int) -> object:
        handle, link = subject
        value = self._nvml.nvmlDeviceGetFieldValues(handle, [(field, link)])[0]
        if value.nvmlReturn != 0:
            raise self._nvml.NVMLError(value.nvmlReturn)
        return getattr(value.value, _VALUE_MEMBERS[value.valueType])


def _plain(raw: object) -> object:
    if isinstance(raw, bytes):
        return raw.decode("utf-8", "replace")
    if isinstance(raw, (str, int, float)) or raw is None:
        return raw
    return [int(word) for word in raw]  # type: ignore[attr-defined]  # an array of ctypes: a set of bits
