"""Prints PCI functions as the recording layer and terminals write them, and config space byte by byte."""

from __future__ import annotations

from dataclasses import dataclass

PORT_TYPE_CODES = {"Endpoint": 0, "Root Port": 4, "Upstream Port": 5, "Downstream Port": 6}
SPEED_CODES = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


@dataclass(frozen=True)
class Function:
    """What one PCI function is to show. ``steps`` is the chain of bridges from the root bus down to itself."""

    steps: tuple[str, ...]
    root: str = "pci0000:00"
    pci_id: str = "1abc:2d3e"
    class_code: str = "0302"
    numa: int = 0
    cpus: str = "0-3"
    gts: float = 32.0
    width: int = 16
    now_gts: float = 16.0
    now_width: int = 8
    driver: str | None = None
    group: int | None = None
    buses: tuple[int, int] | None = None

    @property
    def address(self):
        return self.steps[-1]

    @property
    def real(self):
        return f"/sys/devices/{self.root}/" + "/".join(self.steps)

    def attributes(self):
        vendor, device = self.pci_id.split(":")
        yield "vendor", f"0x{vendor}"
        yield "device", f"0x{device}"
        yield "class", f"0x{self.class_code}00"
        yield "numa_node", str(self.numa)
        yield "local_cpulist", self.cpus
        yield "max_link_speed", f"{self.gts} GT/s PCIe"
        yield "max_link_width", str(self.width)
        yield "current_link_speed", f"{self.now_gts} GT/s PCIe"
        yield "current_link_width", str(self.now_width)
        if self.buses:
            yield "secondary_bus_number", str(self.buses[0])
            yield "subordinate_bus_number", str(self.buses[1])


def recorded(functions):
    """The recording layer's own form."""
    lines = []
    for function in functions:
        path = f"/sys/bus/pci/devices/{function.address}"
        lines.append(f"{path}\t->\t../../../{function.real.removeprefix('/sys/')}")
        if function.driver:
            lines.append(f"{path}/driver\t->\t../../../../bus/pci/drivers/{function.driver}")
        if function.group is not None:
            lines.append(f"{path}/iommu_group\t->\t../../../kernel/iommu_groups/{function.group}")
        lines += [f"{path}\t{name}\t{value}" for name, value in function.attributes()]
    return "\n".join(lines) + "\n"


def grepped(functions):
    """``grep . FILES`` below /sys/devices; links are not shown."""
    lines = [f"{function.real}/{name}:{value}" for function in functions for name, value in function.attributes()]
    return "\n".join(lines) + "\n"


def headed(functions):
    """``tail -n +1 FILES``."""
    blocks = [
        f"==> {function.real}/{name} <==\n{value}\n" for function in functions for name, value in function.attributes()
    ]
    return "\n".join(blocks)


def prompted(functions):
    """A terminal: one ``cat`` after the other."""
    lines = []
    for function in functions:
        for name, value in function.attributes():
            lines += [f"[root@node-a ~]# cat {function.real}/{name}", value]
    return "\n".join(lines) + "\n"


def put(data, offset, value, size):
    data[offset : offset + size] = value.to_bytes(size, "little")


def config(
    *,
    port_type="Endpoint",
    bridge=None,
    gts=32.0,
    width=16,
    now_gts=16.0,
    now_width=8,
    payload=256,
    capable=512,
    read_request=4096,
    relaxed=True,
    acs=None,
    ats=None,
    uncorrectable=0,
    correctable=0,
    size=4096,
):
    """Write a config space: header, an MSI capability, PCI Express, then AER, ACS and ATS where asked."""
    data = bytearray(4096)
    put(data, 0, 0x1ABC, 2)
    put(data, 2, 0x2D3E, 2)
    put(data, 6, 0x10, 2)
    data[0x0E] = 1 if bridge else 0
    if bridge:
        data[0x18], data[0x19], data[0x1A] = bridge
    else:
        put(data, 0x2C, 0x1ABC, 2)
        put(data, 0x2E, 0x0007, 2)
    data[0x34] = 0x50
    data[0x50], data[0x51] = 0x05, 0x70
    data[0x70], data[0x71] = 0x10, 0x00
    put(data, 0x72, 2 | PORT_TYPE_CODES[port_type] << 4, 2)
    put(data, 0x74, (capable // 128).bit_length() - 1, 4)
    control = ((payload // 128).bit_length() - 1) << 5 | ((read_request // 128).bit_length() - 1) << 12 | relaxed << 4
    put(data, 0x78, control, 2)
    put(data, 0x7C, SPEED_CODES[gts] | width << 4, 4)
    put(data, 0x82, SPEED_CODES[now_gts] | now_width << 4, 2)
    put(data, 0xA0, SPEED_CODES[gts], 2)
    put(data, 0x100, 0x01 | 2 << 16 | 0x150 << 20, 4)
    put(data, 0x104, uncorrectable, 4)
    put(data, 0x110, correctable, 4)
    at, following = 0x150, 0x160 if ats is not None else 0
    if acs is not None:
        put(data, at, 0x0D | 1 << 16 | following << 20, 4)
        put(data, at + 6, acs, 2)
    else:
        put(data, at, 0x03 | 1 << 16 | following << 20, 4)
    if ats is not None:
        put(data, 0x160, 0x0F | 1 << 16, 4)
        put(data, 0x166, ats << 15, 2)
    return bytes(data[:size])
