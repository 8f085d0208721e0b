"""What is taken from a full report, ``nvidia-smi -q`` or ``-q -x``, and how: one table for both.

Both are a tree of named values a GPU. Each reader flattens it to paths of lower-case names joined by ``/``; the two
columns of :data:`CARD` and :data:`SETTINGS` are these paths. A report never prints the index of a GPU; GPUs stand in
index order, so where all attached ones are printed the n-th is ``GPU<n>``, else only their address names them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toposcope.base import pci_address
from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.clocks import reason_name
from toposcope.collectors.nvidia_smi.lines import unread
from toposcope.collectors.records import Accelerator, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Record

    Convert = Callable[[str], str | int | float | bool | None]


class Answer(NamedTuple):
    """One value as printed, and the index of its line."""

    text: str
    line: int


@dataclass(slots=True)
class Block:
    """One GPU of a report (or one MIG device of it): its values by path, and the index of the line where it begins."""

    line: int
    pci: str | None = None
    values: dict[str, Answer] = field(default_factory=dict)
    migs: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """A flattened report: what stands above the GPUs, and the GPUs."""

    head: dict[str, Answer] = field(default_factory=dict)
    gpus: list[Block] = field(default_factory=list)


def pci_id(text: str) -> str | None:
    """Return ``10de:2bb5`` for ``0x2BB510DE``: the device stands before the vendor."""
    word = text.strip().lower().removeprefix("0x")
    return f"{word[4:]}:{word[:4]}" if len(word) == 8 and word.isalnum() else None  # noqa: PLR2004


# name of the value, path in -q, path in -q -x, what makes the value of the text
CARD: tuple[tuple[str, str, str, Convert], ...] = (
    ("model", "product name", "product_name", tokens.words),
    ("uuid", "gpu uuid", "uuid", tokens.uuid),
    ("serial", "serial number", "serial", tokens.words),
    ("pci", "pci/bus id", "pci/pci_bus_id", pci_address),
    ("memory_bytes", "fb memory usage/total", "fb_memory_usage/total", tokens.sized),
    (
        "pcie_generation",
        "pci/gpu link info/pcie generation/current",
        "pci/pci_gpu_link_info/pcie_gen/current_link_gen",
        tokens.count,
    ),
    (
        "pcie_max_generation",
        "pci/gpu link info/pcie generation/max",
        "pci/pci_gpu_link_info/pcie_gen/max_link_gen",
        tokens.count,
    ),
    (
        "pcie_width",
        "pci/gpu link info/link width/current",
        "pci/pci_gpu_link_info/link_widths/current_link_width",
        tokens.lanes,
    ),
    (
        "pcie_max_width",
        "pci/gpu link info/link width/max",
        "pci/pci_gpu_link_info/link_widths/max_link_width",
        tokens.lanes,
    ),
    ("performance_state", "performance state", "performance_state", tokens.performance_state),
    ("utilisation", "utilization/gpu", "utilization/gpu_util", tokens.per_cent),
    ("mig_enabled", "mig mode/current", "mig_mode/current_mig", tokens.switched_on),
)
SETTINGS: tuple[tuple[str, str, str, Convert], ...] = (
    ("fabric.state", "fabric/state", "fabric/state", tokens.words),
    ("fabric.status", "fabric/status", "fabric/status", tokens.words),
    ("fabric.clique", "fabric/cliqueid", "fabric/cliqueid", tokens.number),
    ("fabric.cluster", "fabric/clusteruuid", "fabric/clusteruuid", tokens.words),
    ("fabric.health.summary", "fabric/health/summary", "fabric/health/summary", tokens.words),
    ("fabric.health.bandwidth", "fabric/health/bandwidth", "fabric/health/bandwidth", tokens.words),
    ("bar1.total_bytes", "bar1 memory usage/total", "bar1_memory_usage/total", tokens.sized),
    ("counter.pcie.replays", "pci/replays since reset", "pci/replay_counter", tokens.count),
    ("counter.pcie.replay_rollovers", "pci/replay number rollovers", "pci/replay_rollover_counter", tokens.count),
    ("addressing_mode", "addressing mode", "addressing_mode", tokens.words),
    ("c2c.mode", "gpu c2c mode", "c2c_mode", tokens.words),
    ("c2c.mode", "c2c mode", "gpu_c2c_mode", tokens.words),
    (
        "virtualization.mode",
        "gpu virtualization mode/virtualization mode",
        "gpu_virtualization_mode/virtualization_mode",
        tokens.words,
    ),
    ("platform.peer_type", "platform info/peer type", "platforminfo/peer_type", tokens.words),
    ("platform.module_id", "platform info/module id", "platforminfo/module_id", tokens.number),
    ("platform.host_id", "platform info/host id", "platforminfo/host_id", tokens.number),
    ("platform.slot", "platform info/slot number", "platforminfo/slot_number", tokens.number),
    ("platform.tray", "platform info/tray index", "platforminfo/tray_index", tokens.number),
    ("minor_number", "minor number", "minor_number", tokens.number),
    (
        "pcie.device_max_generation",
        "pci/gpu link info/pcie generation/device max",
        "pci/pci_gpu_link_info/pcie_gen/max_device_link_gen",
        tokens.count,
    ),
    (
        "pcie.host_max_generation",
        "pci/gpu link info/pcie generation/host max",
        "pci/pci_gpu_link_info/pcie_gen/max_host_link_gen",
        tokens.count,
    ),
    ("pci.id", "pci/device id", "pci/pci_device_id", pci_id),
    ("pci.subsystem_id", "pci/sub system id", "pci/pci_sub_system_id", pci_id),
    ("gpu.recovery_action", "gpu recovery action", "gpu_recovery_action", tokens.words),
    ("gsp.firmware", "gsp firmware version", "gsp_firmware_version", tokens.words),
    ("ecc.mode", "ecc mode/current", "ecc_mode/current_ecc", tokens.words),
    ("power.limit", "gpu power readings/current power limit", "gpu_power_readings/current_power_limit", tokens.words),
)
_HEAD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("driver.nvidia", ("driver version", "kmd version", "driver_version", "kmd_version")),
    ("driver.cuda", ("cuda version", "cuda umd version", "cuda_version", "cuda_umd_version")),
)
_ATTACHED = ("attached gpus", "attached_gpus")
_REASONS = ("clocks event reasons/", "clocks throttle reasons/", "clocks_event_reasons/", "clocks_throttle_reasons/")
_MIG_VALUES = (
    ("mig.gpu_instance", ("gpu instance id", "gpu_instance_id")),
    ("mig.compute_instance", ("compute instance id", "compute_instance_id")),
)
_MIG_MEMORY = ("fb memory usage/total", "fb_memory_usage/total")
# Printed by some drivers only; ``-L`` always has it.
_MIG_UUID = ("uuid", "mig uuid", "gpu uuid", "mig device uuid")


def records_of(report: Report, capture: Capture, *, xml: bool) -> tuple[list[Record], list[Problem]]:
    """Make the records of a flattened report; GPUs attached but not printed are a problem."""
    records = list(_host(report.head, capture))
    labels, problems = _labels(report, capture)
    for label, gpu in zip(labels, report.gpus, strict=True):
        card, unknown = _card(gpu, label, capture, xml=xml)
        problems += unknown
        records.append(card)
        if subject := label or card.pci or card.uuid:
            records += _settings(gpu, subject, capture, xml=xml)
            records += (record for mig in gpu.migs for record in _mig(mig, subject, capture))
        else:
            problems.append(unread(capture.origin(gpu.line), "a GPU without index, address or UUID"))
    return records, problems


def first(values: Mapping[str, Answer], paths: Sequence[str]) -> Answer | None:
    """Return the first of several paths that has a value."""
    return next((values[path] for path in paths if path in values), None)


def _host(head: Mapping[str, Answer], capture: Capture) -> Iterator[Record]:
    for name, paths in _HEAD:
        if answer := first(head, paths):
            yield _setting("host", name, answer, tokens.words, capture)


def _labels(report: Report, capture: Capture) -> tuple[list[str | None], list[Problem]]:
    asked, printed = capture.argument, len(report.gpus)
    attached = first(report.head, _ATTACHED)
    total = tokens.count(attached.text) if attached else None
    if asked is not None and asked.isdecimal() and printed == 1:
        return [f"GPU{asked}"], []
    if total == printed and (asked is None or printed == 1):
        return [f"GPU{index}" for index in range(printed)], []
    if asked is not None or printed < 2:  # noqa: PLR2004 - one GPU alone was asked for
        return [None] * printed, []
    number = "an unknown number of" if total is None else str(total)
    message = f"{number} GPUs are attached, {printed} are printed: which ones is not known"
    problem = unread(capture.origin(attached.line if attached else 0), message, attached.text if attached else "")
    return [None] * printed, [problem]


def _card(gpu: Block, label: str | None, capture: Capture, *, xml: bool) -> tuple[Accelerator, list[Problem]]:
    answers: dict[str, Any] = {}
    problems = []
    for name, text_path, xml_path, convert in CARD:
        answer = gpu.values.get(xml_path if xml else text_path)
        if answer is not None and tokens.no_answer(answer.text) is None:
            answers[name] = convert(answer.text)
            if answers[name] is None:
                problems.append(
                    unread(capture.origin(answer.line), f"the value of {name} was not understood", answer.text)
                )
    answers["pci"] = answers.get("pci") or gpu.pci
    return replace(Accelerator(capture.origin(gpu.line), label=label), **answers), problems


def _settings(gpu: Block, subject: str, capture: Capture, *, xml: bool) -> Iterator[Record]:
    for name, text_path, xml_path, convert in SETTINGS:
        answer = gpu.values.get(xml_path if xml else text_path)
        if answer is not None:
            yield _setting(subject, name, answer, convert, capture)
    for name, text_path, xml_path, convert in CARD:
        answer = gpu.values.get(xml_path if xml else text_path)
        if answer is not None and tokens.no_answer(answer.text) is not None:
            yield _setting(subject, name, answer, convert, capture)
    yield from _reasons(gpu, subject, capture)


def _setting(subject: str, name: str, answer: Answer, convert: Convert, capture: Capture) -> Setting:
    origin, status = capture.origin(answer.line), tokens.no_answer(answer.text)
    value = convert(answer.text) if status is None else None
    return Setting(subject, name, value, origin, status=status or ("unreadable" if value is None else "value"))


def _reasons(gpu: Block, subject: str, capture: Capture) -> Iterator[Record]:
    """Yield ``clocks.active_reasons``: the names of those that are active, joined by commas, or ``none``."""
    reasons = [(path, answer) for path, answer in gpu.values.items() if path.startswith(_REASONS)]
    answered = [(path, answer) for path, answer in reasons if answer.text.strip().lower() in ("active", "not active")]
    if not reasons:
        return
    origin = capture.origin(reasons[0][1].line)
    if not answered:
        yield Setting(subject, "clocks.active_reasons", None, origin, status="unsupported")
        return
    active = [
        reason_name(path.rsplit("/", 1)[1]) for path, answer in answered if answer.text.strip().lower() == "active"
    ]
    yield Setting(subject, "clocks.active_reasons", ",".join(active) or "none", origin)


def _mig(mig: Block, parent: str, capture: Capture) -> Iterator[Record]:
    """Yield a MIG device as ``GPU0/1`` with its instances and memory."""
    index = mig.values.get("index")
    if index is None or not index.text.strip().isdecimal():
        return
    label = f"{parent}/{index.text.strip()}"
    memory, uuid = first(mig.values, _MIG_MEMORY), first(mig.values, _MIG_UUID)
    yield Accelerator(
        capture.origin(mig.line),
        label=label,
        uuid=tokens.uuid(uuid.text) if uuid else None,
        memory_bytes=tokens.sized(memory.text) if memory else None,
    )
    for name, paths in _MIG_VALUES:
        if answer := first(mig.values, paths):
            yield _setting(label, name, answer, tokens.count, capture)
