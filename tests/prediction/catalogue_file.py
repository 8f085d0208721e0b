"""The computed classes as the catalogue's file."""

from __future__ import annotations

from tests.prediction.fit import Fitted, titles
from tests.prediction.plan import NVLS_ON_BLACKWELL, sections
from toposcope.profiles.store import load_catalogue

HEAD = """\
# Efficiency classes: usable over line of one segment, as published measurements show it. No units: a factor.
#
# Computed by tests/fit_classes.py; edit tests/prediction/plan.py (which classes, what is nearest to what) and
# tests/prediction/evidence.toml (what was published beside the record files), not this file.
# A record is one published measurement: value over the line figure of the same direction (both ways against twice the
# line). Left out: records marked as anomalies, and what several flows leave each other. typical = median of the records
# in one direction (of all, where there are only others), low and high = least and greatest of all, rounded to three
# digits. One record: low and high are 5 % below and above it, 1.0 at most.
# A class without a record takes typical, low and high of the class that `source` names, and is marked inferred.
#
# What a factor multiplies. nvlink*, hccs, xgmi, c2c, sio, ub: line of the bundle between the pair. pcie*-host,
# pcie*-peer: line of the PCIe link. Crossings (-root-complex, -numa, -socket of peer, host and rdma): what 16 lanes of
# the slowest PCIe generation on the route carry. staged*: line of the least PCIe link passed. rdma, rdma100...,
# roce-npu: line of the port. memory: line of the socket's memory. collective-*: bus bandwidth over the line of one
# accelerator's links (of the ports: -network); -nvls: algorithm bandwidth instead.
# A name may end in a platform (catalogue/platforms.toml, crossing): pcie5-peer-socket.turin; and in a manner of copying
# that was measured apart: both (both directions at once, the factor still of one), kernel (by kernels, not by copy
# engines), from-host, to-host, write (HCCS writes less than it reads), crowd (all of a group send to all at once).
"""

NOTES = {
    "nvlink": "where the generation is not known",
    "collective-nvlink": "where the generation is not known",
    "hccs": "reads and copies by the driver",
    "pcie3-host-socket": "a machine of 2012 with QPI",
    "pcie3-peer-root-complex": "NVMe drives to a GPU; the CPU is a Broadwell",
    "pcie5-peer-socket.genoa": "two xGMI links",
    "pcie5-peer-socket.turin": "behind switches; the tools of the source disagree",
    "acs-redirect": "peer-to-peer below one switch that ACS sends up and down its uplink, both ways at once",
    "staged-same-switch": "both halves share the uplink of one switch",
    "rdma-numa": "one machine with a ConnectX-6 virtual function and one whose NIC hangs on the CPU",
    "rdma-root-complex": "nobody published this one; the classes on both sides of it lie far apart",
    "rdma-bounced": "collectives, not copies",
    "collective-nvlink4-nvls-hosts": "two hosts: summed in the switches of each, then exchanged",
}
SCALED = f"NCCL's tuner takes Blackwell for {NVLS_ON_BLACKWELL:.2f} of Hopper"


def written(classes: dict[str, Fitted]) -> str:
    """The whole file."""
    parts = [HEAD]
    for heading, names in sections().items():
        parts.append(f"# {heading}\n")
        parts += [_entry(classes[name]) for name in names if name in classes]
    return "\n".join(parts)


def _entry(each: Fitted) -> str:
    lines = ["[[classes]]", f'name = "{each.name}"']
    lines += [f"{key} = {_digits(getattr(each, key))}" for key in ("low", "typical", "high")]
    note = NOTES.get(each.name)
    if each.like is not None:
        scaled = "-nvls" in each.name
        lines += ["inferred = true", f'source = "{"from" if scaled else "as"} {each.like}"', 'status = "inferred"']
        note = note or (SCALED if scaled else None)
    else:
        called = titles()
        sources = dict.fromkeys(called.get(machine, machine) for machine in each.machines)
        lines += [f"records = {len(each.samples)}", f"machines = {len(each.machines)}"]
        lines += [f'source = "{"; ".join(sources)}"', 'status = "measured"']
    if note:
        lines.append(f'note = "{note}"')
    return "\n".join(lines) + "\n"


def _digits(figure: float) -> str:
    text = f"{figure:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def differences(classes: dict[str, Fitted]) -> list[str]:
    """In what the shipped classes differ from these."""
    shipped = {each.name: each for each in load_catalogue().classes}
    found = [f"{name}: not shipped" for name in classes if name not in shipped]
    found += [f"{name}: shipped, not computed" for name in shipped if name not in classes]
    for name, each in classes.items():
        other = shipped.get(name)
        if other is None:
            continue
        mine = tuple(float(_digits(figure)) for figure in (each.low, each.typical, each.high))
        theirs = (other.low, other.typical, other.high)
        if mine != theirs or (len(each.samples), len(each.machines)) != (other.records, other.machines):
            found.append(f"{name}: {mine} of {len(each.samples)} computed, {theirs} of {other.records} shipped")
    return found
