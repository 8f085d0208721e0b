r"""Reads ``hccn_tool``, which alone sees the RoCE (or UB) ports that sit inside Ascend NPUs, and ``/etc/hccn.conf``.

``hccn_tool -i <physical id> -<question> -g``, one source a question; a 950 says ``hccn_tool -g -<question> -i 0 -u 0
-p 4``. ``device`` and subjects are ``NPU<physical id>``, on all products: assembly knows where a matrix says
``Phy-ID3``. Modules: ``answer`` (whose it is, refusals), ``port``, ``counters``, ``ub``, ``conf``; answers without
their commands: ``mixed``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.hccn_tool import mixed
from toposcope.collectors.hccn_tool.answer import ANY_QUESTION, ARGUMENT, MARK_LINE, Answer, Manner, reader
from toposcope.collectors.source import Collector, Parsers, Source

if TYPE_CHECKING:
    from collections.abc import Callable

conf = Parsers(f"{__name__}.conf")
counters = Parsers(f"{__name__}.counters")
port = Parsers(f"{__name__}.port")
ub = Parsers(f"{__name__}.ub")

# A loop of the shell may stand before the tool; what it runs through is then the argument.
_LOOP = r"(?:(?:for\s\w{1,20}\sin\s[^;]{1,80};\s*)?do\s+(?:echo\s[^;]{0,80};\s*)?(?:\S*[/ ])?)?"
_WHO = rf"(?=(?:.*?\s(?:-i|in)\s+(?P<argument>{ARGUMENT}))?)"


_PAIRS = Manner()
_OR_NONE = Manner(absent_if_empty=True)


def _named(flag: str) -> re.Pattern[str]:
    words = flag.replace("_", "[_ ]")
    return re.compile(rf"{_WHO}{_LOOP}hccn[_ ]tool(?=.*\s-{words}(?:[\s.;]|$)(?!stat))(?!.*\s-s(?:\s|$))")


def _begins(first_line: str | None) -> re.Pattern[str] | None:
    """Return the pattern of an answer's first line, a mark of its NPU before it taken along."""
    return re.compile(f"^[ \\t]*(?:{MARK_LINE})?[ \\t]*(?:{first_line})", re.MULTILINE) if first_line else None


def _ask(
    flag: str,
    read: Callable[[Answer], None],
    gives: str,
    *,
    fact: str | None = None,
    begins: str | None = None,
    live: bool = True,
    manner: Manner = _PAIRS,
) -> Source:
    """Declare one question. Longer flags stand before those that they begin with in the collector's tuple."""
    return Source(
        key=f"hccn-{flag.replace('_', '-')}",
        parse=reader(fact or f"hccn.{flag}", read, manner),
        named=_named(flag),
        begins=_begins(begins),
        command=("hccn_tool", "-i", "{npu}", f"-{flag}", "-g") if live else (),
        targets=conf.npus if live else None,
        root=live,
        silence_tells=manner.absent_if_empty,
        gives=gives,
    )


_CONF = Source(
    key="hccn-conf",
    parse=conf.parse_conf,
    named=re.compile(r"(?:cat\s+)?/?(?:etc[/ ])?hccn\.conf"),
    begins=re.compile(r"^address_\d+=\S", re.MULTILINE),
    command=("cat", "/etc/hccn.conf"),
    gives="addresses that the NPUs' RoCE ports are set to",
)
_NODES = Source(
    key="dev-davinci",
    parse=conf.parse_nodes,
    named=re.compile(r"(?:find|ls)\s(?=.*davinci)"),
    begins=re.compile(r"^(?:\S.*\s)?/dev/davinci\d+[ \t]*$", re.MULTILINE),
    command=("find", "/dev", "-maxdepth", "1", "-name", "davinci[0-9]*"),
    gives="physical ids of the NPUs",
)

_QUESTIONS = (
    _ask(
        "link_stat",
        ub.read_link_stats,
        "how often the link came and went",
        manner=Manner(title="link up count"),
    ),
    _ask("link", port.read_plain, "state of the RoCE link"),
    _ask("ip", port.read_plain, "address of the RoCE port", manner=_OR_NONE),
    _ask("speed", ub.read_speeds, "rate of the RoCE port"),
    _ask(
        "status",
        port.read_status,
        "rate and modes of the RoCE port",
        manner=Manner(title="Netdev status"),
    ),
    _ask(
        "lldp",
        port.read_lldp,
        "switch and port at the other end",
        manner=Manner(absent_if_empty=True, title="Chassis ID TLV"),
    ),
    _ask(
        "net_health",
        port.read_plain,
        "health of the RoCE network",
    ),
    _ask("gateway", port.read_plain, "default gateway", manner=_OR_NONE),
    _ask(
        "netdetect",
        port.read_plain,
        "address that is watched",
        manner=_OR_NONE,
    ),
    _ask(
        "route",
        port.read_route,
        "routes of the RoCE port",
        manner=Manner(title="Routing table"),
    ),
    _ask(
        "optical",
        port.read_optical,
        "optical module",
        fact="hccn.optical.present",
        manner=Manner(title="optical info"),
    ),
    _ask(
        "stat",
        counters.read_counters,
        "packet counters",
        manner=Manner(title="packet statistics"),
    ),
    _ask(
        "hw_stats",
        counters.read_counters,
        "RDMA counters",
    ),
    _ask("fec", port.read_plain, "error correction"),
    _ask("tls", port.read_tls, "TLS switch"),
    _ask("mac", port.read_plain, "MAC address"),
    _ask("duplex", port.read_plain, "duplex", live=False),
    _ask("mtu", port.read_plain, "MTU", live=False),
    _ask("arp", port.read_arp, "neighbour table", live=False, manner=Manner(absent_if_empty=True, alone=True)),
    _ask(
        "vnic",
        port.read_plain,
        "virtual NIC towards the host",
        begins=r"vnic link status:",
        live=False,
    ),
    _ask("bandwidth", counters.read_bandwidth, "traffic", live=False),
    _ask(
        "ping",
        counters.read_ping,
        "reachability",
        live=False,
        manner=Manner(title="device "),
    ),
    _ask(
        "dev_info",
        ub.read_dev_info,
        "ports and addresses (950)",
        begins=r"\| UDie ?ID \|",
        live=False,
        manner=Manner(alone=True),
    ),
    _ask(
        "ub_connect",
        ub.read_ub_connect,
        "UB links (950)",
        begins=r"link status : ",
        live=False,
        manner=Manner(title="link status"),
    ),
)

_MIXED = Source(
    key="hccn-answers",
    parse=reader(ANY_QUESTION, mixed.read, mixed.MANNER),
    named=re.compile(r"hccn[_ ]answers"),
    begins=mixed.BEGINS,
    gives="what answers say whose command is not recorded",
)

COLLECTOR = Collector("hccn_tool", (_CONF, _NODES, *_QUESTIONS, _MIXED))
