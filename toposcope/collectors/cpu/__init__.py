"""Reads what describes the host: ``lscpu``, ``numactl``, DMI, the kernel's command line, modules, ``env``.

Settings are of the subject ``host``: ``cmdline`` and ``cmdline.NAME``, ``module.NAME`` (``loaded``) and ``modules``,
``product.name``, ``product.vendor``, ``board.*``, ``bios.version``, ``kernel.release``, ``hostname``,
``architecture``, ``env.NAME``, ``numactl.*``.

A live run does not execute ``env``, which prints the secrets of its caller too: the recording layer writes the
variables that :func:`kernel.is_wanted_variable` lets through.
"""

from __future__ import annotations

import re

from toposcope.collectors.source import Collector, Parsers, Source

cpuinfo = Parsers(f"{__name__}.cpuinfo")
dmi = Parsers(f"{__name__}.dmi")
kernel = Parsers(f"{__name__}.kernel")
lscpu = Parsers(f"{__name__}.lscpu")
numactl = Parsers(f"{__name__}.numactl")

_M = re.MULTILINE

COLLECTOR = Collector(
    "cpu",
    (
        Source(
            "lscpu-p",
            lscpu.parse,
            named=re.compile(r"lscpu -(?:p|e|-parse|-extended)"),
            begins=re.compile(r"^CPU +NODE +SOCKET ", _M),
            command=("lscpu", "-p=CPU,CORE,SOCKET,NODE"),
            gives="which socket a NUMA node lies in",
        ),
        Source(
            "lscpu",
            lscpu.parse,
            named=re.compile(r"lscpu\b"),
            begins=re.compile(
                r"^[ \t]{0,16}(?:Architecture\s?:\s+\S|\u67b6\u6784\s*[:\uff1a]\s*\S|Architektur:\s+\S"
                r"|Arquitectura:\s+\S|# The following is the parsable format|\{?\s*\"lscpu\"\s*:)",
                _M,
            ),
            command=("lscpu",),
            gives="CPU model, sockets, NUMA nodes, hypervisor",
        ),
        Source(
            "numactl-h",
            numactl.parse_hardware,
            named=re.compile(r"numactl (?:-H\b|--hardware)|numactl[.](?:txt|log|out)?"),
            begins=re.compile(r"^available: \d+ nodes? \(", _M),
            command=("numactl", "-H"),
            gives="NUMA nodes with memory and distances",
        ),
        Source(
            "numactl-s",
            numactl.parse_show,
            named=re.compile(r"numactl (?:-s\b|--show)"),
            begins=re.compile(r"^policy: \w+\s*\npreferred node: ", _M),
            command=("numactl", "-s"),
            gives="the memory policy in force",
        ),
        Source(
            "proc-cpuinfo",
            cpuinfo.parse,
            named=re.compile(r"(?:cat )?[ /]*(?:proc[ /])?cpuinfo\b"),
            begins=re.compile(r"^processor\s*:\s*0\s*$", _M),
            gives="CPU model and sockets",
        ),
        Source(
            "proc-cmdline",
            kernel.parse_cmdline,
            named=re.compile(r"(?:cat )?[ /]*(?:proc[ /])?cmdline\b"),
            begins=re.compile(r"^BOOT_IMAGE=\S", _M),
            command=("cat", "/proc/cmdline"),
            gives="IOMMU and PCI parameters of the kernel",
        ),
        Source(
            "dmidecode",
            dmi.parse_dmidecode,
            named=re.compile(r"dmidecode(?P<argument> -(?:s|-string)[ =]\S+)?"),
            begins=re.compile(r"^(?:# dmidecode \d|Handle 0x[0-9A-Fa-f]{4}, DMI type \d)", _M),
            command=("dmidecode", "-t", "system,baseboard,slot"),
            root=True,
            gives="the machine's name and what sits in which slot",
        ),
        Source(
            "dmi-product-name",
            dmi.parse_dmi_file,
            named=re.compile(
                r"(?:cat )?[ /]*(?:sys[ /].*dmi[ /]id[ /])?"
                r"(?P<argument>(?:product|board|bios)[_ ](?:name|version|vendor))\b"
            ),
            gives="the machine's name, readable by all",
        ),
        Source(
            "dmi-sys-vendor",
            dmi.parse_dmi_file,
            named=re.compile(r"(?:cat )?[ /]*(?:sys[ /].*dmi[ /]id[ /])?(?P<argument>sys[_ ]vendor)\b"),
            gives="the machine's vendor, readable by all",
        ),
        Source(
            "lsmod",
            kernel.parse_modules,
            named=re.compile(r"lsmod\b"),
            begins=re.compile(r"^Module\s+Size\s+Used by", _M),
            command=("lsmod",),
            gives="loaded kernel modules (peer memory, RDMA)",
        ),
        Source(
            "proc-modules",
            kernel.parse_modules,
            named=re.compile(r"(?:cat )?[ /]*proc[ /]modules\b"),
            begins=re.compile(r"^\w+ \d+ -?\d+ \S+ (?:Live|Loading|Unloading) 0x[0-9a-f]+", _M),
            gives="loaded kernel modules",
        ),
        Source(
            "uname",
            kernel.parse_uname,
            named=re.compile(r"uname\b"),
            begins=re.compile(r"^Linux \S+ \d+\.\d+\S* #\d+", _M),
            command=("uname", "-a"),
            gives="kernel release and architecture",
        ),
        Source(
            "hostnamectl",
            kernel.parse_hostnamectl,
            named=re.compile(r"hostnamectl\b"),
            begins=re.compile(r"^[ \t]{0,16}Static hostname: \S", _M),
            gives="the host's name, machine, and whether it is a guest",
        ),
        Source(
            "hostname",
            kernel.parse_hostname,
            named=re.compile(r"(?:cat )?[ /]*(?:etc[ /])?hostname\b(?! -[iI])"),
            command=("hostname",),
            gives="the host's name",
        ),
        Source(
            "env",
            kernel.parse_env,
            named=re.compile(r"(?:env|printenv|export -p|environ|environment)\b"),
            begins=re.compile(r"^(?:export |declare -x )?(?:NCCL|RCCL|HCCL|UCX)_[A-Z0-9_]+=", _M),
            gives="variables of NCCL, RCCL, HCCL, UCX and device visibility",
        ),
    ),
)
