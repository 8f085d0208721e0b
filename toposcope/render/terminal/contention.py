"""Shared links on a terminal: who gets what, which links are asked for more than they carry, and the slowest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.model import NETWORKS
from toposcope.render.contention import link_place, link_words
from toposcope.render.terminal.tables import DIM, plain, table
from toposcope.render.wording import call, gbs, medium_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from toposcope.analysis.contention import Contention, Share, SharedLink
    from toposcope.model import Topology, Usable

_TITLES = {
    "pairs": "each of the first half sends to the one opposite in the second half",
    "rail": "each sends to the same one of an identical host",
    "ring": "all-reduce round rings",
    "tree": "all-reduce up a chain and down again",
    "nvls": "all-reduce summed in the switches (NVLink SHARP)",
    "all-to-all": "each sends to each other",
    "h2d": "copies from the memory beside each",
    "d2h": "copies to the memory beside each",
    "storage": "each writes out by the nearest storage NIC",
    "incast": "all others send to the first",
    "flows": "the flows named",
}
_NUMBERED = re.compile(r"(.*?)(\d+)")
_SHOWN = 3
_SHOWN_LINKS = 12
_FULL = 0.999


def contention_lines(contention: Contention, topology: Topology, *, ascii_only: bool) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    what = _TITLES.get(contention.pattern, "")
    head = Text(contention.pattern, style="bold").append(f": {what}", style="not bold")
    yield head.append(
        f"; {_counted(len(contention.shares), 'flow')} at once among {span(contention.among)}", "not bold"
    )
    yield _shares(contention, topology, ascii_only=ascii_only)
    silent = [name for name in contention.among if not any(name in _ends(share) for share in contention.shares)]
    if silent:
        alone = contention.pattern == "pairs" and len(silent) == 1 and len(contention.among) % 2
        why = "is left over: the number is odd" if alone else "left out: no way is known"
        yield Text(f"{span(silent)} {why}", style="yellow")
    yield from _rings(contention)
    busy = [link for link in contention.links if len(link.flows) > 1 and _is_full(link)]
    if busy:
        yield Text("\nLinks asked for more than they carry, GB/s", style="bold")
        yield _links(busy, topology, ascii_only=ascii_only)
    yield from _slowest(contention, topology)
    yield from _bus(contention, topology)


def span(names: Sequence[str]) -> str:
    """Shorten names that count up: ``GPU0..GPU7``; others are listed, the first few of them."""
    numbered = [match for match in map(_NUMBERED.fullmatch, names) if match is not None]
    prefixes, numbers = {match[1] for match in numbered}, [int(match[2]) for match in numbered]
    counted = len(names) >= _SHOWN and len(numbered) == len(names) and len(prefixes) == 1
    if counted and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{names[0]}..{names[-1]}"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN + 1 else ""
    return ", ".join(names[: _SHOWN if more else len(names)]) + more


def _shares(contention: Contention, topology: Topology, *, ascii_only: bool) -> RenderableType:
    made = table("flows", "way", "line GB/s", "usable GB/s", "alone", "held back by", ascii_only=ascii_only)
    for group in _alike(contention):
        first = group[0]
        most = "at most " if first.at_most and first.line is not None else ""
        made.add_row(
            plain(_flow_names(group, topology)),
            plain(first.flow.transport.value),
            plain(f"{most}{gbs(first.line)}"),
            plain(_range(first.usable)),
            plain(gbs(first.alone)),
            plain(_held(group, contention, topology)),
        )
    return made


def _ends(share: Share) -> tuple[str, str]:
    return share.flow.source, share.flow.target


def _alike(contention: Contention) -> list[list[Share]]:
    """Group shares that differ in nothing but names, the slowest first."""
    groups: dict[object, list[Share]] = {}
    for share in contention.shares:
        held = None if share.held_by is None else contention.links[share.held_by]
        medium = None if held is None else medium_of(held.segment)
        used = None if held is None else (len(held.flows), held.own)
        typical = None if share.usable is None else str(share.usable.typical)
        key = (share.flow.transport, str(share.line), typical, str(share.alone), medium, used)
        groups.setdefault(key, []).append(share)
    return sorted(groups.values(), key=lambda group: group[0].line.bytes_per_s if group[0].line else 1 << 62)


def _flow_names(group: Sequence[Share], topology: Topology) -> str:
    sources = list(dict.fromkeys(share.flow.source for share in group))
    targets = list(dict.fromkeys(share.flow.target for share in group))
    if len(targets) == 1 or len(sources) == 1:
        return (
            f"{span([call(each, topology) for each in sources])} to {span([call(each, topology) for each in targets])}"
        )
    if len(group) > _SHOWN + 1 and len(group) > len(sources):
        return f"{len(group)} flows among {span(sorted({*sources, *targets}, key=_natural))}"
    each = [f"{call(share.flow.source, topology)} to {call(share.flow.target, topology)}" for share in group]
    more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN + 1 else ""
    return ", ".join(each[: _SHOWN if more else len(each)]) + more


def _held(group: Sequence[Share], contention: Contention, topology: Topology) -> str:
    at = list(dict.fromkeys(share.held_by for share in group))
    links = [contention.links[index] for index in at if index is not None]
    if not links:
        return "nothing known"
    text = link_words(links[0], topology)
    if len(links) > 1:
        text = f"{text} and {len(links) - 1} alike"
    flows = len(links[0].flows)
    text = f"{text}, shared by {flows}" if flows > 1 else text
    used = None if group[0].held_in_use is None else contention.links[group[0].held_in_use]
    apart = used is not None and used is not links[0] and used.segment.is_crossing
    return f"{text}; in practice {link_words(used, topology)}" if apart and used is not None else text


def _rings(contention: Contention) -> Iterator[Text]:
    if not contention.rings:
        return
    kind = "chain" if contention.pattern == "tree" else "ring"
    for order in contention.rings[:_SHOWN_LINKS]:
        yield Text(f"{kind}: {' '.join(order)}", style=DIM)


def _is_full(link: SharedLink) -> bool:
    return bool(link.oversubscription is not None and link.oversubscription > 1 / _FULL)


def _links(links: Sequence[SharedLink], topology: Topology, *, ascii_only: bool) -> RenderableType:
    made = table("link", "where", "flows", "asked", "carries", "over", ascii_only=ascii_only)
    groups: dict[object, list[SharedLink]] = {}
    for link in links:
        key = (medium_of(link.segment), len(link.flows), str(link.demand), str(link.line))
        groups.setdefault(key, []).append(link)
    ranked = sorted(groups.values(), key=lambda group: -(group[0].oversubscription or 0))
    for group in ranked[:_SHOWN_LINKS]:
        first = group[0]
        places = [link_place(each, topology) for each in group]
        more = f" and {len(places) - 2} more" if len(places) > _SHOWN else ""
        made.add_row(
            plain(medium_of(first.segment)),
            plain(", ".join(places[: 2 if more else len(places)]) + more),
            plain(len(first.flows)),
            plain(gbs(first.demand)),
            plain(gbs(first.line)),
            plain(f"{first.oversubscription:.1f} x" if first.oversubscription else "?"),
        )
    return made


def _slowest(contention: Contention, topology: Topology) -> Iterator[Text]:
    link = contention.slowest
    if link is None:
        yield Text(
            "no figure is known for any link on the way: lspci -vvv and the ports' rates would tell, or --profile"
        )
        return
    shares = [contention.shares[index] for index in link.flows]
    least = min(shares, key=lambda share: share.line.bytes_per_s if share.line else 1 << 62)
    text = Text(f"Slowest: {link_words(link, topology)}", style="bold")
    if len(link.flows) == 1:
        rate = f": {gbs(least.line)} GB/s for the one flow on it, with or without the others"
        yield text.append(f"{rate}." if least.line == least.alone else f": {gbs(least.line)} GB/s.", style="not bold")
        return
    held = f": {len(link.flows)} flows share {gbs(link.line)} GB/s, {gbs(least.line)} each"
    alone = f"; alone each would have {gbs(least.alone)}" if least.alone != least.line else ""
    yield text.append(f"{held}{alone}.", style="not bold")


def _bus(contention: Contention, topology: Topology) -> Iterator[Text]:
    bus = contention.bus
    if bus is None:
        return
    text = Text("Bus bandwidth", style="bold").append(" (busbw of nccl-tests): ", style="not bold")
    text.append(f"{gbs(bus.line)} GB/s at line rate", style="not bold")
    if bus.usable is not None:
        text.append(f", {_range(bus.usable)} in practice", style="not bold")
    yield text.append(".", style="not bold")
    if contention.pattern in ("ring", "tree") and _sums(contention, topology):
        yield Text("The switches may sum as well (NVLink SHARP): --pattern nvls.", style=DIM)


def _sums(contention: Contention, topology: Topology) -> bool:
    first = contention.shares[0].flow.segments
    name = f"collective-{first[0].medium}{first[0].generation}-nvls"
    return len(first) > 1 and first[0].medium not in NETWORKS and name in topology.figures.efficiencies


def _range(usable: Usable | None) -> str:
    return "?" if usable is None else f"{usable.typical} ({usable.low} to {usable.high})"


def _natural(name: str) -> tuple[str, int]:
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, -1)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
