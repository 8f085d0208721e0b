"""Max-min fairness by progressive filling: all flows grow alike until a link is full, those on it stop, and so on.

Exact, not iterated: the level at which a link fills only rises as flows elsewhere stop, so the links are taken from a
heap by that level and put back where it has risen since (D. Bertsekas, R. Gallager, Data Networks, section 6.5.2).
"""

from __future__ import annotations

import heapq
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def fair_shares(flows: Sequence[Sequence[int]], capacities: Sequence[float]) -> tuple[list[float], list[int | None]]:
    """Return the rate of each flow, and the link that holds it (None and an infinite rate where none does).

    ``flows`` lists the links that each passes, by index in ``capacities``; a link passed twice counts twice.
    """
    users: list[list[int]] = [[] for _ in capacities]
    for flow, links in enumerate(flows):
        for link in links:
            users[link].append(flow)
    left, active = list(capacities), [len(each) for each in users]
    rates, held = [inf] * len(flows), [None] * len(flows)  # type: list[float], list[int | None]
    heap = [(left[link] / count, link) for link, count in enumerate(active) if count]
    heapq.heapify(heap)
    while heap:
        level, link = heapq.heappop(heap)
        if not active[link]:
            continue
        risen = max(left[link], 0.0) / active[link]
        if risen > level:
            heapq.heappush(heap, (risen, link))
            continue
        for flow in users[link]:
            if held[flow] is None and risen < inf:
                rates[flow], held[flow] = risen, link
                for other in flows[flow]:
                    left[other] -= risen
                    active[other] -= 1
    return rates, held
