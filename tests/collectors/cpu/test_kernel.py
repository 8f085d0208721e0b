"""The kernel's command line, modules, release, name and environment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.cpu import kernel


def settings(parse, text, **fields):
    reading = parse(Capture("x", fields.pop("file", "f"), text, **fields))
    assert reading.problems == ()
    return {s.name: (s.value, s.status) for s in reading.records}


def test_the_command_line_as_a_whole_and_what_matters_of_it():
    line = 'BOOT_IMAGE=/vmlinuz root=UUID=1 iommu=pt intel_iommu=on iommu=nopt pci=realloc,noacs dyndbg="file a +p" ro'
    found = settings(kernel.parse_cmdline, line + "\n")
    assert found["cmdline"] == (line, "value")
    assert found["cmdline.iommu"] == ("pt,nopt", "value")
    assert found["cmdline.intel_iommu"] == ("on", "value")
    assert found["cmdline.pci"] == ("realloc,noacs", "value")
    assert found["cmdline.amd_iommu"] == (None, "absent")
    assert "cmdline.root" not in found


@given(
    st.dictionaries(st.sampled_from(("iommu", "pci", "pcie_aspm", "numa_balancing")), st.text("abc,=0-", min_size=1))
)
def test_every_wanted_parameter_is_read(parameters):
    line = " ".join(["ro", *(f"{name}={value}" for name, value in parameters.items())])
    found = settings(kernel.parse_cmdline, line)
    assert {name: found[f"cmdline.{name}"][0] for name in parameters} == parameters


LSMOD = """\
Module                  Size  Used by
nvidia_uvm           1540096  0
nvidia              56000000  10 nvidia_uvm
ext4                  900000  1
"""


def test_modules_are_loaded_or_absent_where_the_list_is_whole():
    found = settings(kernel.parse_modules, LSMOD)
    assert found["module.nvidia"] == ("loaded", "value")
    assert found["modules"] == ("ext4 nvidia nvidia_uvm", "value")
    assert found["module.nvidia_peermem"] == (None, "absent")
    assert "module.ext4" not in found


def test_a_filtered_list_proves_no_absence():
    assert settings(kernel.parse_modules, LSMOD.partition("\n")[2]) == {
        "module.nvidia": ("loaded", "value"),
        "module.nvidia_uvm": ("loaded", "value"),
    }


def test_proc_modules():
    text = "nvidia_peermem 16384 0 - Live 0x0000000000000000 (POE)\nib_core 500000 8 rdma_cm,mlx5_ib, Live 0x00\n"
    assert settings(kernel.parse_modules, text) == {
        "module.nvidia_peermem": ("loaded", "value"),
        "module.ib_core": ("loaded", "value"),
    }


def test_uname():
    text = (
        "Linux node-a 5.10.0-60.oe2203.aarch64 #1 SMP Tue Mar 1 00:00:00 UTC 2022 aarch64 aarch64 aarch64 GNU/Linux\n"
    )
    assert settings(kernel.parse_uname, text) == {
        "hostname": ("node-a", "value"),
        "kernel.release": ("5.10.0-60.oe2203.aarch64", "value"),
        "architecture": ("aarch64", "value"),
    }
    assert settings(kernel.parse_uname, "6.8.0-40-generic\n") == {"kernel.release": ("6.8.0-40-generic", "value")}


@pytest.mark.parametrize("name", ["node-a", "gpu01.example.org", "localhost"])
def test_the_name_of_the_host(name):
    assert settings(kernel.parse_hostname, f"{name}\n") == {"hostname": (name, "value")}


def test_an_error_is_no_name():
    reading = kernel.parse_hostname(Capture("hostname", "f", "hostname: command not found\n"))
    assert (reading.records, len(reading.problems)) == ((), 1)


def test_only_the_variables_of_libraries_are_kept():
    text = """\
HOME=/root
AWS_SECRET_ACCESS_KEY=do-not-keep
NCCL_IB_HCA==mlx5_0,mlx5_1
export HCCL_IF_IP="192.0.2.1"
declare -x UCX_TLS="rc,cuda"
ASCEND_RT_VISIBLE_DEVICES=0,1
CUDA_VISIBLE_DEVICES=
BASH_FUNC_x%%=() {  echo a
}
"""
    assert settings(kernel.parse_env, text) == {
        "env.NCCL_IB_HCA": ("=mlx5_0,mlx5_1", "value"),
        "env.HCCL_IF_IP": ("192.0.2.1", "value"),
        "env.UCX_TLS": ("rc,cuda", "value"),
        "env.ASCEND_RT_VISIBLE_DEVICES": ("0,1", "value"),
        "env.CUDA_VISIBLE_DEVICES": ("", "value"),
    }


def test_hostnamectl_tells_a_guest():
    text = """\
   Static hostname: node-a
         Icon name: computer-vm
    Virtualization: kvm
  Operating System: Acme OS
            Kernel: Linux 6.1.0-9
   Hardware Vendor: Acme
    Hardware Model: Box 9000
"""
    assert settings(kernel.parse_hostnamectl, text) == {
        "hostname": ("node-a", "value"),
        "virtualization": ("kvm", "value"),
        "kernel.release": ("6.1.0-9", "value"),
        "product.vendor": ("Acme", "value"),
        "product.name": ("Box 9000", "value"),
    }
