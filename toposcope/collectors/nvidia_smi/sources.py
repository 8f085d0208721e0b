r"""The sources of nvidia-smi but the matrices: how each is asked for, named and recognised.

Options stand in any order, short or long, with ``-i`` for some GPUs anywhere. File names have blanks for ``_``, may
carry an ending, or are the source's key.
"""

from __future__ import annotations

import re

from toposcope.collectors.source import Parsers, Source

_HERE = "toposcope.collectors.nvidia_smi"
listing = Parsers(f"{_HERE}.listing")
nvlink = Parsers(f"{_HERE}.nvlink")
query = Parsers(f"{_HERE}.query")
report_text = Parsers(f"{_HERE}.report_text")
report_xml = Parsers(f"{_HERE}.report_xml")
table = Parsers(f"{_HERE}.table")

_FIELDS = (
    "index,name,uuid,pci.bus_id,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,"
    "memory.total,pstate,utilization.gpu,mig.mode.current,driver_version,serial"
)
_TOOL = r"nvidia[-\s]smi(?:\.exe)?"
_END = r"(?=[\s=.|>;&]|$)"
_SOME = r"(?:(?=.*?\s(?:-i|--id)(?:[ =]|(?=\d))(?P<argument>[\w:,-]+)))?"
_OTHERS = r"(?:\s(?:-i|--id)(?:[ =]|(?=\d))\S+|\s(?:-f|--filename)[ =]\S+|\s(?:-l|-lms|--loop|--loop-ms)(?:[ =]?\d+)?)*"
_GPU = r"^[ \t>]{0,40}GPU \d{1,4}: [^\n]{1,200}\n[\s>]{0,80}"
_LINK = rf"{_GPU}Link \d{{1,3}}"
_UNIT = r"(?: \[[^\]\n]{1,9}\])?"
_FIELD = rf"[a-z][\w.]{{1,60}}{_UNIT}"
_OF_CARD = (
    r"(?:index|uuid|gpu_uuid|name|gpu_name|pci\.bus_id|gpu_bus_id|driver_version|pstate|compute_cap"
    r"|(?:memory|utilization|temperature|power|pcie|clocks|clocks_event_reasons|mig|fabric|ecc)\.[\w.]{1,50})"
)


def _option(key: str, options: str) -> re.Pattern[str]:
    """Return a pattern for ``nvidia-smi`` with an option, and for the words of the source's key as a file name."""
    return re.compile(rf"{_TOOL}[-\s]{key}{_END}|{_TOOL}\b{_SOME}(?=.*?\s(?:{options}){_END})")


def _nvlink(key: str, options: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_TOOL}[-\s]nvlink[-\s]{key}{_END}|{_TOOL}\b{_SOME}(?=.*?\snvlink\b)(?=.*?\s(?:{options}){_END})"
    )


def _begins(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


SOURCES = (
    Source(
        "nvidia-smi-q-x",
        report_xml.parse,
        re.compile(
            rf"{_TOOL}[-\s]q[-\s]x{_END}"
            rf"|{_TOOL}\b{_SOME}(?=.*?\s(?:-\w*q\w*|--query){_END})(?=.*?\s(?:-\w*x\w*|--xml-format){_END})"
        ),
        _begins(
            r"^[ \t]{0,40}(?:<\?xml[^\n]{0,80}\n\s{0,80})?"
            r"(?:<!DOCTYPE nvidia_smi_log\b(?:[^\n]{0,200}\n\s{0,80}<nvidia_smi_log\b)?|<nvidia_smi_log\b)"
        ),
        ("nvidia-smi", "-q", "-x"),
        gives="all that the driver knows of each GPU",
    ),
    Source(
        "nvidia-smi-q",
        report_text.parse,
        _option("q", "-q|--query"),
        _begins(r"^[ \t>]{0,40}=+NVSMI LOG=+"),
        gives="all that the driver knows of each GPU",
    ),
    Source(
        "nvidia-smi-query-gpu",
        query.parse,
        re.compile(
            rf"{_TOOL}[-\s]query[-\s]gpu{_END}"
            rf"|{_TOOL}\b.*?\s--query-gpu[= ](?P<argument>[\w., ]+?)(?=\s+-|[.\s](?:csv|txt|log|out)\b|\s*(?:[|>;&]|$))"
        ),
        _begins(
            rf"^[ \t>]{{0,40}}(?={_FIELD},)(?=[^\n]{{0,2000}}?\b{_OF_CARD}\b)"
            r"(?![^\n]{0,2000}?\b(?:pid|process_name)\b)"
            rf"{_FIELD}(?:, ?{_FIELD})+[ \t\r]*$"
        ),
        ("nvidia-smi", f"--query-gpu={_FIELDS}", "--format=csv"),
        gives="the GPUs and their PCIe links now and at most",
    ),
    Source(
        "nvidia-smi-nvlink-s",
        nvlink.parse_status,
        _nvlink("s", "-s|--status"),
        _begins(rf"{_LINK}:\s{{1,9}}(?:[\d.]{{1,9}} GB/s|<inactive>)|{_GPU}NVML: Unable to retrieve NVLink"),
        ("nvidia-smi", "nvlink", "-s"),
        gives="the NVLinks of each GPU, their rate, and which are down",
    ),
    Source(
        "nvidia-smi-nvlink-r",
        nvlink.parse_remote,
        _nvlink("r", "-R|--remotelinkinfo|-p|--pcibusid"),
        _begins(rf"{_LINK}:\s{{1,9}}(?:Remote Device|[0-9A-Fa-f]{{8}}:[0-9A-Fa-f]{{2}}:)"),
        ("nvidia-smi", "nvlink", "-R"),
        gives="where each NVLink ends",
    ),
    Source(
        "nvidia-smi-nvlink-c",
        nvlink.parse_capabilities,
        _nvlink("c", "-c|--capabilities"),
        _begins(rf"{_LINK}, "),
        gives="what each NVLink can carry",
    ),
    Source(
        "nvidia-smi-nvlink-e",
        nvlink.parse_errors,
        _nvlink("e", "-e|--errorcounters"),
        _begins(
            r"^[ \t>]{0,40}(?:=+ GPU \d{1,4} NVLink Errors[^\n]{0,40}\n[\s>]{0,80})?GPU \d{1,4}: [^\n]{1,200}\n"
            r"[\s>]{0,80}Link \d{1,3}: [A-Z][^\n:]{0,60}: \d"
        ),
        gives="error counters of each NVLink",
    ),
    Source(
        "nvidia-smi-nvlink-info",
        nvlink.parse_firmware,
        _nvlink("info", "-info|--info"),
        _begins(rf"{_GPU}NVLE: "),
        gives="firmware of the NVLinks",
    ),
    Source(
        "nvidia-smi-l",
        listing.parse,
        _option("l", "-L|--list-gpus"),
        _begins(
            r"^[ \t>]{0,40}GPU \d{1,4}: [^\n]{1,120}?\((?:UUID|S/N): [^\n)]{1,90}\)[ \t\r]{0,200}$"
            r"(?!\n[\s>]{0,80}(?:Link \d|NVML:|NVLE))"
        ),
        ("nvidia-smi", "-L"),
        gives="the GPUs and MIG devices with their UUIDs",
    ),
    Source(
        "nvidia-smi",
        table.parse,
        re.compile(rf"{_TOOL}{_SOME}{_OTHERS}(?:\.\w{{2,4}})?\s*(?:[|>;&].*)?$"),
        _begins(r"^[ \t>]{0,40}[|\u2502]?[ \t]*NVIDIA-SMI \d[\d.]{2,20}\s"),
        gives="the GPUs, driver, memory and load",
    ),
)
