"""Prints what npu-smi prints, from made-up machines."""

from __future__ import annotations

from dataclasses import dataclass

from toposcope.base import Capture


@dataclass(frozen=True)
class Chip:
    npu: int
    chip: int
    physical: int
    model: str
    health: str
    bus: str
    memory_mb: int
    busy: int


@dataclass(frozen=True)
class Style:
    """How one product's box looks: ``second`` is the second identity column, ``hbm`` tells whether there is HBM."""

    first: int = 27
    last: int = 52
    second: str = ""
    hbm: bool = True


def capture(text: str, argument: str | None = None, source: str = "npu-smi-info", first_line: int = 1) -> Capture:
    return Capture(source, "made-up.txt", text, first_line, argument)


def line(style: Style, *cells: str) -> str:
    widths = (style.first, 15, style.last)
    return "|" + "|".join(f" {cell:<{width - 1}}" for cell, width in zip(cells, widths, strict=True)) + "|"


def rule(style: Style, mark: str = "-") -> str:
    return "+" + "+".join(mark * width for width in (style.first, 15, style.last)) + "+"


def box(chips: list[Chip], style: Style, version: str = "31.2.rc9", *, processes: bool = False) -> str:
    total = style.first + style.last + 15 + 2
    memory = "Memory-Usage(MB)  HBM-Usage(MB)" if style.hbm else "Memory-Usage(MB)"
    lines = [
        "+" + "-" * total + "+",
        f"| npu-smi {version}   Version: {version}".ljust(total + 1) + "|",
        rule(style),
        line(style, "NPU   Name", "Health", "Power(W)  Temp(C)   Hugepages-Usage(page)"),
        line(style, f"Chip  {style.second}", "Bus-Id", f"AICore(%)  {memory}"),
        rule(style, "="),
    ]
    for chip in chips:
        lines += [*rows(chip, style), rule(style, "=")]
    if processes:
        lines += [
            rule(style),
            line(style, "NPU     Chip", "Process id", "Process name     | Process memory(MB)"),
            rule(style, "="),
            "| 0       0 | 4711 | trainer | 900 |",
            rule(style, "="),
        ]
    return "\n".join(lines) + "\n"


def rows(chip: Chip, style: Style) -> tuple[str, str]:
    second = "" if not style.second else f"{chip.physical}"
    memory = f"0    / 0     {chip.memory_mb // 7:<5}/ {chip.memory_mb}" if style.hbm else f"77   / {chip.memory_mb}"
    return (
        line(style, f"{chip.npu:<5} {chip.model}", chip.health, "88.8   41    0    / 0"),
        line(style, f"{chip.chip:<5} {second}", chip.bus, f"{chip.busy:<9} {memory}"),
    )


def pairs(*items: tuple[str, object], indent: str = "\t", width: int = 30) -> str:
    return "".join(f"{indent}{key:<{width}} : {value}\n" if key else "\n" for key, value in items)
