"""Reads what NCCL and RCCL log, and their file of settings. Modules: ``log`` (lines, ``nccl.conf``), ``graph``."""

from __future__ import annotations

import re

from toposcope.collectors.source import Collector, Parsers, Source

log = Parsers(f"{__name__}.log")

COLLECTOR = Collector(
    "nccl-log",
    (
        Source(
            "nccl-log",
            log.parse,
            named=re.compile(r"(?:\S+ )?[nr]ccl(?:[ _-]?(?:debug|info|log|out|init))+\b|(?:log|output)[ _-]nccl\b"),
            begins=re.compile(
                r"^(?:[\[(][^\n\])]{1,60}[\])](?:<\w{1,10}>)?:? ?|\d{1,5}: )?"
                r"(?:[A-Za-z0-9][\w.-]{0,120}:\d{1,9}:\d{1,9} \[\d{1,4}\] )?"
                r"(?:[NR]CCL (?:INFO |WARN |version \d)|=== System : max(?:Bw|Width) \d)",
                re.MULTILINE,
            ),
            continuous=True,
            gives="the library's version, variables, the graph that it plans with, and the transport of each pair",
        ),
        Source(
            "nccl-conf",
            log.parse_conf,
            named=re.compile(r"(?:cat )?[ /]*(?:etc[ /])?\.?nccl\.conf\b"),
            command=("cat", "/etc/nccl.conf"),
            gives="variables of the library for all jobs of the host",
        ),
    ),
)
