"""The fake NVML library, compiled, and the hosts that it can play: text that ``fake_nvml.c`` reads."""

from __future__ import annotations

import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler here")

Answers = dict[str, "int | str"]
LOST = "!15"
SAME_BOARD, SWITCHES, HOST_BRIDGE, NODE, SYSTEM = 10, 20, 30, 40, 50


def library(folder: Path, *, old: bool = False) -> Path:
    """Compile the library into a folder of its own, for LD_LIBRARY_PATH; ``old`` leaves out the newer calls."""
    made = folder / ("old" if old else "new") / "libnvidia-ml.so.1"
    made.parent.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).with_name("fake_nvml.c")
    flags = ["-DOLD_DRIVER"] if old else []
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", *flags, "-o", made, source], check=True)
    return made.parent


def written(answers: Mapping[str, int | str]) -> str:
    """Write a host as the library reads it."""
    return "".join(f"{key} {value}\n" for key, value in answers.items())


def gpus(count: int, name: str, *, generation: int = 4) -> Answers:
    """Make a host of equal GPUs on two NUMA nodes, without links between them."""
    answers: Answers = {
        "driver.version": "550.54.15",
        "driver.nvml": "12.550.54.15",
        "driver.cuda": 12040,
        "gpus": count,
        "gpu.*.name": name,
        "gpu.*.memory_bytes": 85899345920,
        "gpu.*.pcie_generation": generation,
        "gpu.*.pcie_width": 16,
        "gpu.*.pcie_max_generation": generation,
        "gpu.*.pcie_max_width": 16,
        "gpu.*.performance_state": 0,
        "gpu.*.utilisation": 3,
        "gpu.*.mig_mode": 0,
        "gpu.*.pcie_replays": 0,
        "gpu.*.addressing_mode": 0,
    }
    for index in range(count):
        numa = index * 2 // count
        answers[f"gpu.{index}.uuid"] = f"GPU-00000000-0000-4000-8000-{index:012x}"
        answers[f"gpu.{index}.pci"] = address(index)
        answers[f"gpu.{index}.numa"] = 1 << numa
        answers[f"gpu.{index}.cpus"] = 0xFF << 8 * numa
        answers[f"gpu.{index}.minor"] = index
    for a, b in combinations(range(count), 2):
        near = a * 2 // count == b * 2 // count
        for one, other in ((a, b), (b, a)):
            answers[f"pair.{one}.{other}.ancestor"] = NODE if near else SYSTEM
            answers |= {f"pair.{one}.{other}.{what}": 0 for what in ("read", "write", "atomics")}
            answers[f"pair.{one}.{other}.nvlink"] = 5
    return answers


def address(index: int) -> str:
    """Return the PCI address of a GPU as NVML spells it."""
    return f"00000000:{0x10 + index:02X}:00.0"


def a100() -> Answers:
    """Eight A100 with twelve links each to six NVSwitches."""
    answers = gpus(8, "NVIDIA A100-SXM4-80GB")
    answers["gpu.*.fabric_state"] = 0
    for link in range(12):
        answers |= {
            f"gpu.*.link.{link}.state": 1,
            f"gpu.*.link.{link}.version": 5,
            f"gpu.*.link.{link}.remote_type": 2,
            f"gpu.*.link.{link}.remote_pci": f"00000000:{0xC0 + link % 6:02X}:00.0",
            f"gpu.*.link.{link}.speed_mbps": 25000,
            f"gpu.*.link.{link}.replays": 0,
        }
    for a, b in combinations(range(8), 2):
        answers |= {f"pair.{a}.{b}.nvlink": 0, f"pair.{b}.{a}.nvlink": 0}
    return answers


def l40s() -> Answers:
    """Four L40S: no links, and the driver says so."""
    return gpus(4, "NVIDIA L40S")


def mig() -> Answers:
    """Two A100 of which the first is cut into two slices."""
    answers = gpus(2, "NVIDIA A100-PCIE-40GB") | {"gpu.*.migs": 7, "gpu.0.mig_mode": 1}
    answers.pop("gpu.*.mig_mode")
    for number in range(2):
        answers |= {
            f"gpu.0.mig.{number}.uuid": f"MIG-00000000-0000-4000-8000-0000000000a{number}",
            f"gpu.0.mig.{number}.name": "NVIDIA A100-PCIE-40GB MIG 3g.20gb",
            f"gpu.0.mig.{number}.memory_bytes": 21474836480,
            f"gpu.0.mig.{number}.gpu_instance": number + 1,
            f"gpu.0.mig.{number}.compute_instance": 0,
        }
    return answers
