"""Prints relation matrices as the tools do, of machines that never were, and tells what a reading of them lacks."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.collectors.records import Matrix

if TYPE_CHECKING:
    from toposcope.collectors.records import Reading

TITLES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
LEGEND = ("X    = Self", "SYS  = over the sockets", "NODE = inside one node", "PIX  = one bridge", "NV#  = NVLinks")


@dataclass(frozen=True, repr=False)
class Machine:
    """A made-up host: its labels, one word a pair, and up to three affinity values a GPU."""

    gpus: tuple[str, ...]
    nics: tuple[str, ...]
    words: dict[frozenset[str], str]
    tails: dict[str, tuple[str, ...]]
    titles: int
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Machine({self.gpus}, {self.nics}, {self.titles} titles)"

    @property
    def labels(self) -> tuple[str, ...]:
        return self.gpus + self.nics

    def word(self, row: str, column: str) -> str:
        return "X" if row == column else self.words[frozenset((row, column))]


def host(gpus: int, nics: int, titles: int, *, seed: int = 0, plain: bool = False, stem: str = "NIC") -> Machine:
    """Return a machine of two NUMA nodes. ``plain``: all GPU pairs alike, as behind an NVSwitch."""
    draw = random.Random(seed)  # noqa: S311 - made-up machines
    gpu = tuple(f"GPU{i}" for i in range(gpus))
    nic = tuple(f"{stem}{i}" for i in range(nics))
    labels = gpu + nic
    node = {
        label: (0 if i < (gpus + 1) // 2 else 1) if label in gpu else draw.randrange(2)
        for i, label in enumerate(labels)
    }
    words = {}
    for i, one in enumerate(labels):
        for other in labels[i + 1 :]:
            if other in gpu and (plain or draw.random() < 0.3):
                word = "NV18" if plain else draw.choice(("NV1", "NV2", "NV4", "NV18"))
            elif node[one] != node[other]:
                word = "SYS"
            else:
                word = draw.choice(("PIX", "PXB", "PHB", "NODE", "NODE"))
            words[frozenset((one, other))] = word
    cpus = ("0-31,64-95", "32-63,96-127")
    tails = {label: (cpus[node[label]], str(node[label]), "N/A")[:titles] for label in gpu}
    names = tuple(f"mlx5_{i + 2}" for i in range(nics)) if stem == "NIC" else ()
    return Machine(gpu, nic, words, tails, titles, names)


def nvidia(machine: Machine, *, ansi: bool = False, tabs: bool = True, legend: bool = True, strip: bool = False) -> str:
    """Print as ``nvidia-smi topo -m`` does; ``tabs`` off as a terminal copies it."""
    head = "\t".join((*machine.labels, *TITLES[: machine.titles]))
    lines = [f"\t{head}"]
    for row in machine.labels:
        cells = [f" {word} " if word == "X" else word for word in (machine.word(row, c) for c in machine.labels)]
        tail = machine.tails.get(row, ("",) * machine.titles)
        end = "".join("\t" + ("\t" if i == 2 else "") + value for i, value in enumerate(tail))
        lines.append("\t".join((row, *cells)) + end)
    if legend:
        lines += ["", "Legend:", "", *(f"  {line}" for line in LEGEND)]
        if machine.names:
            pairs = zip(machine.nics, machine.names, strict=True)
            lines += ["", "NIC Legend:", "", *(f"  {nic}: {name}" for nic, name in pairs)]
        lines.append("")
    if not tabs:
        lines = [line.expandtabs(8) for line in lines]
    if strip:
        lines = [line.rstrip() for line in lines]
    if ansi:
        lines[0] = lines[0].replace(machine.labels[0], f"\x1b[4m{machine.labels[0]}", 1) + "\x1b[0m"
    return "\n".join(lines) + "\n"


def as_named(machine: Machine, text: str) -> Machine:
    """Return the machine by the names that the text's header and rows agree on: one damaged alike in both is a name."""
    lines = text.splitlines()
    count = len(machine.labels)
    header = tuple(lines[0].split()[:count]) if lines else ()
    rows = tuple(line.split()[0] for line in lines[1 : count + 1] if line.split())
    if header != rows or len(set(header)) != count:
        return machine
    new = dict(zip(machine.labels, header, strict=True))
    words = {frozenset(new[label] for label in pair): word for pair, word in machine.words.items()}
    tails = {new[label]: tail for label, tail in machine.tails.items()}
    gpus = header[: len(machine.gpus)]
    return replace(machine, gpus=gpus, nics=header[len(gpus) :], words=words, tails=tails)


def ascend(machine: Machine) -> str:
    """Print as ``npu-smi info -t topo`` does."""
    head = "\t   " + "".join(f"{label:11}" for label in machine.labels) + (TITLES[0] if machine.titles else "")
    lines = [head]
    for row in machine.labels:
        cells = "".join(f"{machine.word(row, column):11}" for column in machine.labels)
        lines.append(f"{row:11}{cells}{machine.tails.get(row, ('',))[0] if machine.titles else ''}")
    return "\n".join([*lines, "", "Legend:", "", "  X    = Self", "  NA   = not known", ""])


def cells_of(reading: Reading) -> dict[tuple[str, str], str]:
    matrices = [record for record in reading.records if isinstance(record, Matrix)]
    return {(cell.row, cell.column): cell.word for matrix in matrices for cell in matrix.cells}


def wrong(machine: Machine, reading: Reading) -> list[tuple[str, str]]:
    """Return the cells that were read with another word than printed, or for no device of the machine."""
    got = cells_of(reading)
    true = {(a, b): machine.word(a, b) for a in machine.labels for b in machine.labels}
    return [pair for pair, word in got.items() if true.get(pair) != word]


def unreported(machine: Machine, reading: Reading) -> list[tuple[str, str]]:
    """Return the cells that are neither read nor named by a problem."""
    got = cells_of(reading)
    named = {word for p in reading.problems for word in re.findall(r"[\w-]+", f"{p.message} {p.text}")}
    missing = ((a, b) for a in machine.labels for b in machine.labels if a != b and (a, b) not in got)
    return [(a, b) for a, b in missing if not {a, b} & named]
