"""What names a person, a host or one piece of hardware in the outputs of tools, and what only looks as if it did."""

from __future__ import annotations

import ipaddress
import re

UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
# Six pairs are a MAC address, eight a GUID or a PCI device's serial number, twenty an InfiniBand hardware address.
PAIRS = re.compile(r"(?<![\w:.-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4,18}(?![\w:-]|\.\d)")
GUID = re.compile(
    r"(?<![0-9A-Fa-f:])(?:(?P<mark>0x|[SHR]-)(?P<plain>[0-9A-Fa-f]{16})"
    r"|(?P<groups>[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3})"
    r"|(?P<key>guid[\w ]{0,12}[=:\t ]{1,12}(?:0x)?)(?P<value>[0-9A-Fa-f]{9,16}))(?![0-9A-Fa-f:.])",
    re.IGNORECASE,
)
SHORT_GUID = re.compile(r"(?<=\()(?P<value>[0-9a-f]{11,16})(?=\))")
IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)")
VERSION = re.compile(
    r"(?:version|firmware|vbios|\bfw\b|\bver\b|rev(?:ision)?|-smi|driver|cann|hdk|release|toolkit)[^\n]{0,40}$",
    re.IGNORECASE,
)
IPV6 = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])")
EIGHT_PAIRS = re.compile(r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){7}")
SERIAL = re.compile(
    r"(?<![A-Za-z])(?:serial(?:[ _-]?(?:number|no\.?|num))?|asset[ _-]?tag|service[ _-]?tag|s/?n|\[SN\][^:\n]{0,30})"
    r"\"?[ \t]*(?:[:=|]+|>)[ \t]*(?:\{[ \t\n]*\"value\"[ \t]*:[ \t]*)?\"?(?P<value>[A-Za-z0-9][\w./-]{3,63})",
    re.IGNORECASE,
)
CONFIG = re.compile(r"(\tconfig\t)((?:[0-9a-f]{2}){256,4096})$", re.MULTILINE)
NO_SERIAL = re.compile(
    r"\[?(?:n/?a|none|unknown|not|default|to|null|0+|x+|unsupported|system|uninitialized)\b", re.IGNORECASE
)
HOST_AT = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^[ \t>(\[\w.)-]{0,40}?[\w.-]{1,64}@(?P<name>[\w.-]{2,64})(?=[ :\]][^\n]{0,160}[#$%>])",
        r"^Linux (?P<name>[\w.-]{2,64}) \d",
        (
            r"(?i:\b(?:host ?name|node ?name|sysname|system name)\b)[\"']?[ \t]*[:=][ \t]*[\"']?"
            r"(?P<name>[A-Za-z][\w.-]{1,63})"
        ),
        r"(?i:system name tlv)\s{1,20}(?P<name>[A-Za-z][\w.-]{1,63})",
        r"^HOSTNAME=(?P<name>[\w.-]{2,64})$",
        r"(?i:\bnode description|node_desc|device name)[ \t:=.]+(?P<name>[\w.-]{2,64}) (?:mlx|hfi|HCA|bnxt)",
        r"[#:][ \t]*\"(?P<name>[\w.-]{2,64}) (?:mlx\d|HCA-\d|hfi\d)",
    )
)
USER_AT = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"/home/(?P<name>[A-Za-z_][\w.-]{0,31})",
        r"^(?:USER|LOGNAME|SUDO_USER|USERNAME)=(?P<name>[\w.-]{2,32})$",
        r"^[ \t>(\[]{0,8}(?:\([\w. /-]{1,60}\) ?)?\[?(?P<name>[A-Za-z_][\w.-]{1,31})@[\w.-]{2,64}(?=[ :\]])",
    )
)
# Names that say nothing, and names that are a device's or a node's as well: replacing those would break the topology.
KEPT_NAMES = re.compile(
    r"(?:root|localhost|localdomain|admin|user|ubuntu|none|unknown|linux|host|server|system|default|n/a|pci|version|name"
    r"|x86_64|aarch64|\d+|(?:gpu|npu|nic)\d?|(?:mlx\d?_?|node|cpu|numa|eth|ib)\d*)",
    re.IGNORECASE,
)
KEPT_NETWORKS = tuple(map(ipaddress.ip_network, ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3")))
