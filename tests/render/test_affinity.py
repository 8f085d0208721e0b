"""Bindings as lines to paste."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from tests.analysis.rules.rails import rails
from tests.analysis.test_affinity import with_cpus
from toposcope.analysis.affinity import affinity
from toposcope.render.affinity import FORMATS, lines_of


def test_the_environment_holds_the_list_of_nics_and_one_a_rank() -> None:
    lines = lines_of(affinity(with_cpus()), "env")

    assert "export NCCL_IB_HCA==mlx5_0,mlx5_1,mlx5_2,mlx5_3" in lines
    assert "export CUDA_VISIBLE_DEVICES=0,1,2,3" in lines
    assert "  2) export UCX_NET_DEVICES=mlx5_2:1 ;;" in lines


def test_numactl_binds_each_rank_to_its_share() -> None:
    lines = lines_of(affinity(with_cpus()), "numactl")

    assert "CUDA_VISIBLE_DEVICES=1 LOCAL_RANK=1 numactl --physcpubind=4-7,20-23 JOB" in lines


def test_a_rank_of_which_nothing_is_known_is_not_bound() -> None:
    assert any("JOB  # where to bind" in line for line in lines_of(affinity(rails(accelerators=1)), "numactl"))


def test_slurm_gets_masks_and_the_same_cores_for_its_configuration() -> None:
    lines = lines_of(affinity(with_cpus()), "slurm")

    (step,) = [line for line in lines if line.startswith("srun")]
    assert "--cpu-bind=mask_cpu:0xf000f,0xf000f0,0xf000f00,0xf000f000" in step
    assert "# Name=gpu File=/dev/nvidia3 Cores=8-15,24-31" in lines


@pytest.mark.parametrize("form", FORMATS)
def test_names_of_strangers_do_not_become_commands(form: str) -> None:
    found = affinity(with_cpus())
    evil = "mlx5_0;reboot\n"
    bad = replace(
        found, host="$(reboot)\nreboot", devices=(evil,), bindings=(replace(found.bindings[0], devices=(evil,)),)
    )
    for line in lines_of(bad, form):
        assert "\n" not in line
        code = line.partition("#")[0]
        assert "reboot" not in shlex.split(code.replace("(", " ").replace(")", " ").replace(";;", " "))
        assert "$(reboot)" not in code
