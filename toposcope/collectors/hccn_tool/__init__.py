r"""Reads ``hccn_tool``, which alone sees the RoCE (or UB) ports that sit inside Ascend NPUs, and ``/etc/hccn.conf``.

``hccn_tool -i <physical id> -<question> -g``, one source a question; a 950 says ``hccn_tool -g -<question> -i 0 -u 0
-p 4``. ``device`` and subjects are ``NPU<physical id>``, on all products: assembly knows where a matrix says
``Phy-ID3``. Modules: ``answer`` (whose it is, refusals), ``port``, ``counters``, ``ub``, ``conf``.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from toposcope.collectors.hccn_tool import conf, counters, port, ub
from toposcope.collectors.hccn_tool.answer import ARGUMENT, Answer, Manner, reader
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from collections.abc import Callable

# A loop of the shell may stand before the tool; what it runs through is then the argument.
_LOOP = r"(?:for\s\w{1,20}\sin\s[^;]{1,80};\s*do\s+(?:\S*[/ ])?)?"
_WHO = rf"(?=(?:.*?\s(?:-i|in)\s+(?P<argument>{ARGUMENT}))?)"


_PAIRS = Manner()
_OR_NONE = Manner(absent_if_empty=True)


def _facts(prefix: str) -> Callable[[Answer], None]:
    return partial(port.read_facts, prefix=prefix)


def _named(flag: str) -> re.Pattern[str]:
    words = flag.replace("_", "[_ ]")
    return re.compile(rf"{_WHO}{_LOOP}hccn[_ ]tool(?=.*\s-{words}(?:[\s.;]|$)(?!stat))(?!.*\s-s(?:\s|$))")


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
        begins=re.compile(begins, re.MULTILINE) if begins else None,
        command=("hccn_tool", "-i", "{npu}", f"-{flag}", "-g") if live else (),
        targets=conf.npus if live else None,
        root=live,
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
        begins=r"^\[devid \d+\]\s*current time",
        manner=Manner(title="link up count"),
    ),
    _ask("link", port.read_link, "state of the RoCE link", begins=r"^link status:"),
    _ask("ip", port.read_ip, "address of the RoCE port", begins=r"^ipaddr:", manner=_OR_NONE),
    _ask("speed", ub.read_speeds, "rate of the RoCE port", begins=r"^Speed: (?:\d+ Mb/s|Unknown!)"),
    _ask(
        "status",
        port.read_status,
        "rate and modes of the RoCE port",
        begins=r"^Netdev status:",
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
        _facts("hccn.net_health"),
        "health of the RoCE network",
        begins=r"^net health status:",
    ),
    _ask("gateway", port.read_gateway, "default gateway", begins=r"^default gateway:", manner=_OR_NONE),
    _ask(
        "netdetect",
        _facts("hccn.netdetect"),
        "address that is watched",
        begins=r"^netdetect addr",
        manner=_OR_NONE,
    ),
    _ask(
        "route",
        port.read_route,
        "routes of the RoCE port",
        begins=r"^Routing table:",
        manner=Manner(title="Routing table"),
    ),
    _ask(
        "optical",
        port.read_optical,
        "optical module",
        fact="hccn.optical.present",
        begins=r"^optical info:",
        manner=Manner(title="optical info"),
    ),
    _ask(
        "stat",
        counters.read_counters,
        "packet counters",
        begins=r"^packet statistics:",
        manner=Manner(title="packet statistics"),
    ),
    _ask(
        "hw_stats",
        counters.read_counters,
        "RDMA counters",
        begins=r"^\[devid \d+\]\s*pd_alloc:",
    ),
    _ask("fec", _facts("hccn.fec"), "error correction", begins=r"^fec mode:"),
    _ask("tls", port.read_tls, "TLS switch", begins=r"^dev_id:\s?\d+, tls switch"),
    _ask("mac", _facts("hccn.mac"), "MAC address", begins=r"^mac addr:"),
    _ask("duplex", _facts("hccn.duplex"), "duplex", begins=r"^Duplex:", live=False),
    _ask("mtu", _facts("hccn.mtu"), "MTU", begins=r"^mtu:", live=False),
    _ask("arp", port.read_arp, "neighbour table", live=False, manner=Manner(absent_if_empty=True, alone=True)),
    _ask(
        "vnic",
        _facts("hccn.vnic"),
        "virtual NIC towards the host",
        begins=r"^vnic link status:",
        live=False,
    ),
    _ask("bandwidth", counters.read_bandwidth, "traffic", begins=r"^Bandwidth TX:", live=False),
    _ask(
        "ping",
        counters.read_ping,
        "reachability",
        begins=r"^device \d+ PING ",
        live=False,
        manner=Manner(title="device "),
    ),
    _ask(
        "dev_info",
        ub.read_dev_info,
        "ports and addresses (950)",
        begins=r"^\| UDie ?ID \|",
        live=False,
        manner=Manner(alone=True),
    ),
    _ask(
        "ub_connect",
        ub.read_ub_connect,
        "UB links (950)",
        begins=r"^link status : ",
        live=False,
        manner=Manner(title="link status"),
    ),
)

COLLECTOR = Collector("hccn_tool", (_CONF, _NODES, *_QUESTIONS))
