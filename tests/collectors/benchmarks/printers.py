# ruff: noqa: E501 - outputs stand as the tools print them
"""Prints what benchmarks print, from figures: for round trips."""

from __future__ import annotations


def grid(
    corner: str, labels: list[str], rows: list[list[float | None]], *, nothing: str = "N/A", width: int = 10
) -> str:
    head = corner + "".join(f"{label:>{width}}" for label in labels)
    lines = [head]
    for label, row in zip(labels, rows, strict=True):
        cells = "".join(f"{nothing if cell is None else format(cell, '.2f'):>{width}}" for cell in row)
        lines.append(f"{label:>{max(len(corner), 3)}} {cells}")
    return "\n".join(lines) + "\n"


def nvbandwidth(name: str, rows: list[list[float | None]], *, title: str) -> str:
    labels = [str(index) for index in range(len(rows[0]))]
    body = "           " + "".join(f"{label:>10}" for label in labels) + "\n"
    for index, row in enumerate(rows):
        body += f" {index:<9}" + "".join(f"{'N/A' if cell is None else format(cell, '.2f'):>10}" for cell in row) + "\n"
    return f"Running {name}.\n{title}\n{body}\nSUM {name} {sum(c or 0 for r in rows for c in r):.2f}\n\n"


def p2p(title: str, rows: list[list[float | None]]) -> str:
    labels = [str(index) for index in range(len(rows))]
    return f"{title}\n" + grid("   D\\D", labels, rows)


def nccl_tests(rows: list[tuple[int, float, float]], *, ranks: int, hosts: int = 1, redop: str = "sum") -> str:
    lines = [
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20",
        "#",
        "# Using devices",
    ]
    per = ranks // hosts
    lines.extend(
        f"#  Rank {rank:2d} Group  0 Pid {900 + rank} on   tower{rank // per} device {rank % per:2d} [0000:{0x20 + rank % per:02x}:00] Some GPU"
        for rank in range(ranks)
    )
    lines += [
        "#",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong",
    ]
    lines += [
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"
    ]
    for size, algorithm, bus in rows:
        group = f"{10.5:8.2f} {algorithm:7.2f} {bus:7.2f}      0"
        lines.append(f"{size:12d} {size // 4:13d}     float {redop:>7}      -1 {group} {group}")
    lines += ["# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 123.4", "#"]
    return "\n".join(lines) + "\n"
