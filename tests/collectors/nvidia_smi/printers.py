"""Print what nvidia-smi prints, from invented GPUs: the other side of the parsers' grammar."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from toposcope.base import Capture

MODELS = ("NVIDIA X900-SXM9-80GB", "NVIDIA Y10", "Tesla Z100", "NVIDIA GeForce XTX 9090 Ti", "Quadro Q 1 (rev B)")
REASONS = ((), ("Idle",), ("SW Power Cap",), ("HW Slowdown", "SW Thermal Slowdown"))
LINKS = ((), (None,), (25.0,) * 12, (25.781, None, 25.781), (26.562,) * 17 + (None,), (53.125,) * 18)


@dataclass(frozen=True)
class Gpu:
    """What a test says of one GPU, in the tool's own units."""

    index: int
    name: str = MODELS[0]
    address: str = "00000000:3B:00.0"
    uuid: str = "GPU-00000000-aaaa-bbbb-cccc-0123456789ab"
    mib: int = 81000
    state: int = 0
    utilisation: int | None = 3
    mig: str = "Disabled"
    generation: tuple[int, int] = (1, 5)
    width: tuple[int, int] = (16, 16)
    links: tuple[float | None, ...] = ()
    reasons: tuple[str, ...] = ()
    migs: tuple[int, ...] = ()


def gpus():
    """Draw a machine's GPUs, numbered from 0, each with its own address and UUID."""
    return st.lists(_KINDS, min_size=1, max_size=16).map(lambda kinds: tuple(map(_gpu, range(len(kinds)), kinds)))


_KINDS = st.integers(0, 10**12)


def _gpu(index, kind):
    """Make a GPU of one drawn number: each of its digits chooses something."""

    def choice(*options):
        nonlocal kind
        kind, rest = divmod(kind, len(options))
        return options[rest]

    return Gpu(
        index=index,
        name=choice(*MODELS),
        address=f"{choice(0, 1, 0xFFFF):08X}:{index * 16 + choice(*range(16)):02X}:{choice(0, 31):02X}.0",
        uuid=f"GPU-0000{index:04d}-aaaa-bbbb-cccc-0123456789ab",
        mib=choice(1, 24268, 81559, 999999),
        state=choice(0, 2, 8, 15),
        utilisation=choice(None, 0, 7, 100),
        mig=choice("Enabled", "Disabled", "N/A"),
        generation=(choice(1, 3, 6), choice(4, 5)),
        width=(choice(1, 8, 16), choice(8, 16)),
        links=choice(*LINKS),
        reasons=choice(*REASONS),
        migs=choice((), (), (), (4864,), (90000, 1, 20)),
    )


def capture(text, source="nvidia-smi", *, argument=None, file="recording", first_line=1):
    return Capture(source, file, text, first_line, argument)


@dataclass(frozen=True)
class Box:
    """The widths of a table's three cells, and what its era prints."""

    widths: tuple[int, int, int] = (41, 24, 22)
    driver: str = "Driver Version"
    cuda: str | None = "CUDA Version"
    third_row: bool = True
    domain_digits: int = 8
    name_width: int = 25

    def line(self, *cells):
        return "|" + "|".join(cell.ljust(width) for cell, width in zip(cells, self.widths, strict=True)) + "|"

    def rule(self, mark="-", ends="+"):
        return ends[0] + "+".join(mark * width for width in self.widths) + ends[-1]


NEW = Box()
NEWEST = Box(driver="KMD Version", cuda="CUDA UMD Version")
MIDDLE = Box(widths=(31, 22, 22), name_width=18)
OLD = Box(widths=(31, 22, 22), cuda=None, third_row=False, domain_digits=4, name_width=18)
BOXES = {"new": NEW, "newest": NEWEST, "middle": MIDDLE, "old": OLD}


def short_name(name, box):
    return name if len(name) <= box.name_width else name[: box.name_width - 3] + "..."


def table(machine, box=NEW, *, driver="550.1.2", cuda="12.4", processes=True):
    """Print plain ``nvidia-smi``."""
    versions = f"{box.driver}: {driver}" + (f"     {box.cuda}: {cuda}" if box.cuda else "")
    total = sum(box.widths) + 2
    lines = [
        "Thu Jan  1 00:00:00 2026       ",
        "+" + "-" * total + "+",
        "|" + f" NVIDIA-SMI {driver}    {versions}".ljust(total) + "|",
        box.rule(ends="|+"),
        box.line(" GPU  Name        Persistence-M", " Bus-Id        Disp.A", " Volatile Uncorr. ECC"),
        box.line(" Fan  Temp  Perf  Pwr:Usage/Cap", "         Memory-Usage", " GPU-Util  Compute M."),
        *([box.line("", "", "               MIG M.")] if box.third_row else []),
        box.rule("=", "||"),
    ]
    for gpu in machine:
        lines += [*table_rows(gpu, box), box.rule()]
    if any(gpu.migs for gpu in machine):
        lines += ["", *mig_table(machine)]
    if processes:
        lines += [
            "",
            "+" + "-" * total + "+",
            "|" + " Processes:".ljust(total) + "|",
            "|" + "    0   N/A  N/A      4242      C   ./train     900MiB".ljust(total) + "|",
            "+" + "-" * total + "+",
        ]
    return "\n".join(lines) + "\n"


def table_rows(gpu, box):
    load = "N/A" if gpu.utilisation is None else f"{gpu.utilisation}%"
    address = gpu.address[8 - box.domain_digits :] if box.domain_digits < 8 else gpu.address
    name = short_name(gpu.name, box).ljust(box.name_width)
    rows = [
        box.line(f" {gpu.index:3d}  {name} On", f" {address} Off", "                    0"),
        box.line(
            f" N/A   30C    P{gpu.state}    60W / 700W", f"      4MiB / {gpu.mib}MiB", f"     {load}      Default"
        ),
    ]
    return [*rows, box.line("", "", gpu.mig.rjust(21))] if box.third_row else rows


def mig_table(machine):
    lines = [
        "+" + "-" * 89 + "+",
        "| MIG devices:".ljust(90) + "|",
        "+------------------+----------------------------------+-----------+-----------------------+",
        "| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|        Shared         |",
        "|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |",
        "|                  |                                  |        ECC|                       |",
        "|==================+==================================+===========+=======================|",
    ]
    for gpu in machine:
        for number, mib in enumerate(gpu.migs):
            lines += [
                f"| {gpu.index:2d}  {number + 1:3d}   0  {number:2d}  |       12MiB / {mib}MiB | 14   0 |  1   0 |",
                "|                  |                 0MiB / 32767MiB  |           |                       |",
                "+------------------+----------------------------------+-----------+-----------------------+",
            ]
    return lines


def listing(machine):
    """Print ``nvidia-smi -L``."""
    lines = []
    for gpu in machine:
        lines.append(f"GPU {gpu.index}: {gpu.name} (UUID: {gpu.uuid})")
        lines += [
            f"  MIG 1g.10gb     Device {number:2d}: (UUID: MIG-{gpu.index}{number}00-aaaa)"
            for number in range(len(gpu.migs))
        ]
    return "\n".join(lines) + "\n"


def status(machine, indent="\t "):
    """Print ``nvidia-smi nvlink -s``; a GPU whose links are all down prints NVML's sentence."""
    lines = []
    for gpu in machine:
        lines.append(f"GPU {gpu.index}: {gpu.name} (UUID: {gpu.uuid})")
        if gpu.links and not any(gpu.links):
            lines.append("NVML: Unable to retrieve NVLink information as all links are inActive")
            continue
        lines += [
            f"{indent}Link {link}: " + ("<inactive>" if rate is None else f"{rate:g} GB/s")
            for link, rate in enumerate(gpu.links)
        ]
    return "\n".join(lines) + "\n"


def query(machine, *, header=True, units=True):
    """Print a query of the fields that a live run asks for."""
    mib = " MiB" if units else ""
    per_cent = " %" if units else ""
    lines = [
        QUERY_FIELDS.replace(",", ", ")
        .replace("total", "total [MiB]")
        .replace("utilization.gpu", "utilization.gpu [%]")
    ]
    for gpu in machine:
        load = "[N/A]" if gpu.utilisation is None else f"{gpu.utilisation}{per_cent}"
        mig = "[N/A]" if gpu.mig == "N/A" else gpu.mig
        lines.append(
            f"{gpu.index}, {gpu.name}, {gpu.uuid}, {gpu.address}, {gpu.generation[0]}, {gpu.mib}{mib}, "
            f"P{gpu.state}, {load}, {mig}, 550.1.2"
        )
    return "\n".join(lines[0 if header else 1 :]) + "\n"


QUERY_FIELDS = (
    "index,name,uuid,pci.bus_id,pcie.link.gen.current,memory.total,pstate,utilization.gpu,mig.mode.current"
    ",driver_version"
)


@dataclass
class _Tree:
    lines: list[str] = field(default_factory=list)

    def put(self, depth, name, value=None):
        text = "    " * depth + name
        self.lines.append(text if value is None else f"{text.ljust(55)}: {value}")


def report(machine, *, attached=None, event="Event"):
    """Print ``nvidia-smi -q``, shortened to sections that repeat each other's names."""
    tree = _Tree(["", "==============NVSMI LOG==============", ""])
    tree.put(0, "Timestamp", "Thu Jan  1 00:00:00 2026")
    tree.put(0, "Driver Version", "550.1.2")
    tree.put(0, "CUDA Version", "12.4")
    tree.lines.append("")
    tree.put(0, "Attached GPUs", len(machine) if attached is None else attached)
    for gpu in machine:
        _report_gpu(tree, gpu, event)
        tree.lines.append("")
    return "\n".join(tree.lines) + "\n"


def _report_gpu(tree, gpu, event):
    tree.put(0, f"GPU {gpu.address}")
    tree.put(1, "Product Name", gpu.name)
    tree.put(1, "MIG Mode")
    tree.put(2, "Current", gpu.mig)
    tree.put(2, "Pending", gpu.mig)
    for number, mib in enumerate(gpu.migs):
        tree.put(1, "MIG Device")
        tree.put(2, "Index", number)
        tree.put(2, "GPU Instance ID", number + 1)
        tree.put(2, "FB Memory Usage")
        tree.put(3, "Total", f"{mib} MiB")
    tree.put(1, "Serial Number", f"10000{gpu.index}")
    tree.put(1, "GPU UUID", gpu.uuid)
    tree.put(1, "PCI")
    tree.put(2, "Bus Id", gpu.address)
    tree.put(2, "GPU Link Info")
    tree.put(3, "PCIe Generation")
    tree.put(4, "Max", gpu.generation[1])
    tree.put(4, "Current", gpu.generation[0])
    tree.put(3, "Link Width")
    tree.put(4, "Max", f"{gpu.width[1]}x")
    tree.put(4, "Current", f"{gpu.width[0]}x")
    tree.put(2, "Replays Since Reset", gpu.index)
    tree.put(1, "Performance State", f"P{gpu.state}")
    tree.put(1, f"Clocks {event} Reasons")
    for reason in ("Idle", "SW Power Cap", "HW Slowdown", "SW Thermal Slowdown"):
        tree.put(2, reason, "Active" if reason in gpu.reasons else "Not Active")
    tree.put(1, "FB Memory Usage")
    tree.put(2, "Total", f"{gpu.mib} MiB")
    tree.put(2, "Used", "1 MiB")
    tree.put(1, "BAR1 Memory Usage")
    tree.put(2, "Total", f"{gpu.mib + 1} MiB")
    tree.put(1, "Utilization")
    tree.put(2, "Gpu", "N/A" if gpu.utilisation is None else f"{gpu.utilisation} %")
    tree.put(2, "Memory", "0 %")
    tree.put(1, "Fabric")
    tree.put(2, "State", "Completed")
    tree.put(2, "Status", "Success")
    tree.put(1, "Processes", "None")


def xml(machine, *, attached=None, doctype='SYSTEM "nvsmi_device_v12.dtd"'):
    """Print ``nvidia-smi -q -x`` with the same content as :func:`report`."""
    lines = [
        '<?xml version="1.0" ?>',
        f"<!DOCTYPE nvidia_smi_log {doctype}>",
        "<nvidia_smi_log>",
        "\t<driver_version>550.1.2</driver_version>",
        "\t<cuda_version>12.4</cuda_version>",
        f"\t<attached_gpus>{len(machine) if attached is None else attached}</attached_gpus>",
    ]
    for gpu in machine:
        lines += _xml_gpu(gpu)
    return "\n".join([*lines, "</nvidia_smi_log>", ""])


def _xml_gpu(gpu):
    load = "N/A" if gpu.utilisation is None else f"{gpu.utilisation} %"
    names = {
        "Idle": "gpu_idle",
        "SW Power Cap": "sw_power_cap",
        "HW Slowdown": "hw_slowdown",
        "SW Thermal Slowdown": "sw_thermal_slowdown",
    }
    yield f'\t<gpu id="{gpu.address}">'
    yield f"\t\t<product_name>{gpu.name}</product_name>"
    yield f"\t\t<mig_mode>\n\t\t\t<current_mig>{gpu.mig}</current_mig>\n\t\t</mig_mode>"
    yield "\t\t<mig_devices>" if gpu.migs else "\t\t<mig_devices>None"
    for number, mib in enumerate(gpu.migs):
        yield f"<mig_device>\n<index>{number}</index>\n<gpu_instance_id>{number + 1}</gpu_instance_id>"
        yield f"<fb_memory_usage>\n<total>{mib} MiB</total>\n</fb_memory_usage>\n</mig_device>"
    yield "\t\t</mig_devices>"
    yield f"\t\t<serial>10000{gpu.index}</serial>\n\t\t<uuid>{gpu.uuid}</uuid>\n\t\t<pci>"
    yield f"\t\t\t<pci_bus_id>{gpu.address}</pci_bus_id>\n\t\t\t<pci_gpu_link_info>\n\t\t\t\t<pcie_gen>"
    yield f"\t\t\t\t\t<max_link_gen>{gpu.generation[1]}</max_link_gen>"
    yield f"\t\t\t\t\t<current_link_gen>{gpu.generation[0]}</current_link_gen>"
    yield "\t\t\t\t</pcie_gen>\n\t\t\t\t<link_widths>"
    yield f"\t\t\t\t\t<max_link_width>{gpu.width[1]}x</max_link_width>"
    yield f"\t\t\t\t\t<current_link_width>{gpu.width[0]}x</current_link_width>\n\t\t\t\t</link_widths>"
    yield f"\t\t\t</pci_gpu_link_info>\n\t\t\t<replay_counter>{gpu.index}</replay_counter>\n\t\t</pci>"
    yield f"\t\t<performance_state>P{gpu.state}</performance_state>\n\t\t<clocks_event_reasons>"
    for reason, tag in names.items():
        word = "Active" if reason in gpu.reasons else "Not Active"
        yield f"\t\t\t<clocks_event_reason_{tag}>{word}</clocks_event_reason_{tag}>"
    yield "\t\t</clocks_event_reasons>"
    yield f"\t\t<fb_memory_usage>\n\t\t\t<total>{gpu.mib} MiB</total>\n\t\t</fb_memory_usage>"
    yield f"\t\t<bar1_memory_usage>\n\t\t\t<total>{gpu.mib + 1} MiB</total>\n\t\t</bar1_memory_usage>"
    yield f"\t\t<utilization>\n\t\t\t<gpu_util>{load}</gpu_util>\n\t\t</utilization>"
    yield "\t\t<fabric>\n\t\t\t<state>Completed</state>\n\t\t\t<status>Success</status>\n\t\t</fabric>"
    yield "\t\t<processes>\n\t\t\t<process_info><pid>1</pid></process_info>\n\t\t</processes>"
    yield "\t</gpu>"
