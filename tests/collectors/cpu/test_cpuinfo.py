"""/proc/cpuinfo: sockets and model of x86, and what ARM leaves out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.cpu.cpuinfo import parse


@given(st.integers(1, 8), st.integers(1, 4))
def test_sockets_are_counted(per_socket, sockets):
    text = "\n\n".join(
        f"processor\t: {cpu}\nvendor_id\t: AcmeVendor\ncpu family\t: 25\nmodel\t\t: 17\n"
        f"model name\t: Acme Chip: 9000\nphysical id\t: {cpu // per_socket}\nflags\t\t: fpu vme"
        for cpu in range(per_socket * sockets)
    )
    reading = parse(Capture("proc-cpuinfo", "f", text))
    assert reading.problems == ()
    (cpu,) = reading.records
    assert (cpu.sockets, cpu.cpus, cpu.model, cpu.vendor) == (
        sockets,
        per_socket * sockets,
        "Acme Chip: 9000",
        "AcmeVendor",
    )
    assert (cpu.family, cpu.model_number) == (25, 17)


def test_arm_names_no_socket():
    text = "processor\t: 0\nBogoMIPS\t: 200.00\nCPU implementer\t: 0x48\n\nprocessor\t: 1\n"
    (cpu,) = parse(Capture("proc-cpuinfo", "f", text)).records
    assert (cpu.sockets, cpu.cpus, cpu.model) == (None, 2, None)
