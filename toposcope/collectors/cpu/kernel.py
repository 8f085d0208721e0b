"""The kernel and its environment: command line, modules, release, the host's name, variables of the libraries.

Grammar::

    cmdline   = parameter (" " parameter)*      # name or name=value; quotes may hold blanks; a name may come twice
    lsmod     = "Module" "Size" "Used by"  (name size count [names])*
    modules   = (name size count users state address)*           # /proc/modules
    uname     = "Linux" host release "#"version ... machine ... "GNU/Linux"     # -a; or the release alone, -r
    env       = (["export" | "declare -x"] NAME "=" value)*      # a value may go on over lines

Of the environment only the variables of communication libraries and of device visibility are kept: the rest is the
user's own business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import key_and_value, output_lines
from toposcope.collectors.records import Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import Record

HOST = "host"
_PARAMETER = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
# Parameters that change how devices reach each other or memory; the four whose absence means something come first.
_ASKED = ("iommu", "intel_iommu", "amd_iommu", "pci")
_WANTED = re.compile(
    r"(?:iommu|intel_iommu|amd_iommu|pci|arm-smmu|smmu|pcie|numa|default_hugepagesz|hugepages|isolcpus|nohz_full|vfio|nvidia"
    r"|nouveau|mlx5|mlx4|ib_|rdma|amdgpu|mitigations|swiotlb|dma|cma|intel_idle|processor|modprobe\.blacklist"
    r"|module_blacklist|transparent_hugepage|skew_tick|idle|cgroup)"
)
# Modules that make or unmake peer memory and RDMA. The first are asked for by name where the list is whole.
PEER_MODULES = ("nvidia_peermem", "nv_peer_mem", "gdrdrv")
_MODULES = re.compile(
    r"nvidia\w*|nv_\w+|gdrdrv|nouveau|amdgpu|amdkfd|mlx[45]_\w+|ib_\w+|rdma_\w+|irdma|ice|bnxt_\w+|efa|hns\w*|hinic\w*"
    r"|drv_\w+|davinci\w*|ascend\w*|bonding|iommu\w*|vfio\w*|habanalabs|xe|i915|metax\w*|openvswitch|erdma|qed\w*|cxgb4"
)
_LSMOD = re.compile(r"([A-Za-z0-9_-]{1,64})\s+(\d{1,12})\s+(-?\d{1,9})(?:\s+\S.*)?\s*")
_LSMOD_HEADER = re.compile(r"Module\s+Size\s+Used by.*")
_UNAME = re.compile(r"Linux (?P<host>\S+) (?P<release>\S+) (?P<version>#?.*)")
_RELEASE = re.compile(r"\d{1,3}\.\d{1,3}[\w.+~-]*")
_MACHINES = frozenset({"x86_64", "aarch64", "ppc64le", "ppc64", "riscv64", "loongarch64", "s390x"})
_HOST_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})")
_HOSTNAMECTL = {
    "static hostname": "hostname",
    "kernel": "kernel.release",
    "virtualization": "virtualization",
    "hardware vendor": "product.vendor",
    "hardware model": "product.name",
}
_VARIABLE = re.compile(r"\s*(?:export |declare -x |setenv )?(?P<name>[A-Za-z_]\w{0,127})=(?P<value>.*)")
VARIABLES = (
    r"(?:NCCL|RCCL|HCCL|UCX|UCC|NVSHMEM|GLOO|ASCEND|HSA|FI|MPICH|OMPI_MCA|MSCCL|TORCH_NCCL|IBV)_\w+|\w*VISIBLE_DEVICES"
    r"|CUDA_DEVICE_ORDER|CUDA_DEVICE_MAX_CONNECTIONS|P2P_\w+|MASTER_PORT|LOCAL_WORLD_SIZE"
)
"""The names of variables that concern communication libraries or device visibility, as a pattern."""
_VARIABLES = re.compile(VARIABLES)


def parse_cmdline(capture: Capture) -> Reading:
    """Read ``/proc/cmdline``: the whole as ``cmdline``, each wanted parameter as ``cmdline.NAME``, "" without value."""
    lines = output_lines(capture)
    index = next((i for i, text in enumerate(lines.texts) if "=" in text or text.strip()), None)
    if index is None:
        return Reading((), lines.all_problems())
    text = lines.texts[index].strip()
    lines.fits(index)
    for later in range(index + 1, len(lines.texts)):
        lines.stray(later)
    origin = capture.origin(index)
    settings = [Setting(HOST, "cmdline", text, origin)]
    found: dict[str, list[str]] = {}
    for word in _PARAMETER.findall(text):
        name, _, value = word.partition("=")
        if _WANTED.match(name):
            found.setdefault(name, []).append(value.strip('"'))
    settings += [Setting(HOST, f"cmdline.{name}", ",".join(values), origin) for name, values in found.items()]
    absent = (name for name in _ASKED if name not in found)
    settings += [Setting(HOST, f"cmdline.{name}", None, origin, "absent") for name in absent]
    return Reading(tuple(settings), lines.all_problems("a second line of the command line"))


def parse_modules(capture: Capture) -> Reading:
    """Read ``lsmod`` or ``/proc/modules``: ``module.NAME`` = "loaded", and all names as ``modules``."""
    lines = output_lines(capture)
    names: list[tuple[str, int]] = []
    header: int | None = None
    for index, text in enumerate(lines.texts):
        match = _LSMOD.fullmatch(text)
        if match is not None:
            names.append((match[1], index))
            lines.fits(index)
        elif _LSMOD_HEADER.fullmatch(text):
            header = index
            lines.fits(index)
        else:
            lines.stray(index)
    records = tuple(_module_settings(capture, names, header))
    return Reading(records, lines.all_problems("no line of lsmod"))


def is_wanted_module(name: str) -> bool:
    """Tell whether a module concerns accelerators, NICs, RDMA or the IOMMU."""
    return _MODULES.fullmatch(name) is not None


def _module_settings(capture: Capture, names: list[tuple[str, int]], header: int | None) -> Iterator[Setting]:
    """Only a list with its header is whole: ``lsmod | grep`` prints none, and absence then proves nothing."""
    for name, index in names:
        if is_wanted_module(name):
            yield Setting(HOST, f"module.{name}", "loaded", capture.origin(index))
    if header is None:
        return
    loaded = {name for name, _ in names}
    for name in PEER_MODULES:
        if name not in loaded:
            yield Setting(HOST, f"module.{name}", None, capture.origin(header), "absent")
    yield Setting(HOST, "modules", " ".join(sorted(loaded)), capture.origin(header))


def parse_uname(capture: Capture) -> Reading:
    """Read ``uname -a`` or ``-r``: ``kernel.release``, ``hostname``, ``architecture``."""
    lines = output_lines(capture)
    records: list[Record] = []
    for index, text in enumerate(lines.texts):
        found = () if records else tuple(_uname(text.strip(), capture.origin(index)))
        records.extend(found)
        if found:
            lines.fits(index)
        else:
            lines.stray(index)
    return Reading(tuple(records), lines.all_problems("no line of uname"))


def _uname(text: str, origin: Origin) -> Iterator[Setting]:
    match = _UNAME.fullmatch(text)
    if match is None:
        if _RELEASE.fullmatch(text):
            yield Setting(HOST, "kernel.release", text, origin)
        return
    yield Setting(HOST, "hostname", match["host"], origin)
    yield Setting(HOST, "kernel.release", match["release"], origin)
    machine = next((word for word in text.split() if word in _MACHINES), None)
    if machine is not None:
        yield Setting(HOST, "architecture", machine, origin)


def parse_hostname(capture: Capture) -> Reading:
    """Read the one line of ``hostname`` or ``/etc/hostname``."""
    lines = output_lines(capture)
    records: list[Record] = []
    for index, text in enumerate(lines.texts):
        if not records and _HOST_NAME.fullmatch(text.strip()):
            records.append(Setting(HOST, "hostname", text.strip(), capture.origin(index)))
            lines.fits(index)
        elif not text.startswith("#"):
            lines.stray(index)
    return Reading(tuple(records), lines.all_problems("no name of a host"))


def parse_hostnamectl(capture: Capture) -> Reading:
    """Read ``hostnamectl``: name, kernel, machine, and ``virtualization`` where the host is a guest."""
    lines = output_lines(capture)
    records: list[Record] = []
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None:
            lines.stray(index)
            continue
        lines.fits(index)
        name = _HOSTNAMECTL.get(pair[0].lower())
        if name is not None and pair[1] and pair[1] != "n/a":
            records.append(Setting(HOST, name, pair[1].removeprefix("Linux "), capture.origin(index)))
    return Reading(tuple(records), lines.all_problems("no line of hostnamectl"))


def is_wanted_variable(name: str) -> bool:
    """Tell whether a variable of the environment concerns communication libraries or device visibility."""
    return _VARIABLES.fullmatch(name) is not None


def parse_env(capture: Capture) -> Reading:
    """Read ``env``: ``env.NAME`` for each variable of a communication library; quotes dropped."""
    lines = output_lines(capture)
    settings: dict[str, Setting] = {}
    for index, text in enumerate(lines.texts):
        match = _VARIABLE.fullmatch(text)
        if match is not None and is_wanted_variable(match["name"]):
            value = match["value"].strip().rstrip(";").strip("\"'")
            settings[match["name"]] = Setting(HOST, f"env.{match['name']}", value, capture.origin(index))
    return Reading(tuple(settings.values()), tuple(lines.problems))
