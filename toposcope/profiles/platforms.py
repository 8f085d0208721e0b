"""Which CPU family a host has: from the numbers that lscpu prints, else from the model's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.profiles.catalogue import Catalogue, Platform


def platform_of(
    catalogue: Catalogue,
    *,
    vendor: str | None = None,
    name: str | None = None,
    family: int | None = None,
    model: int | None = None,
) -> Platform | None:
    """Return the family of a CPU, None where nothing tells it or several fit.

    ``vendor``, ``family`` and ``model`` are lscpu's, ``name`` its "Model name". The numbers go first, for they are the
    same under every hypervisor that passes them on, while names are invented ("AMD EPYC Processor").
    """
    ours = [each for each in catalogue.platforms if vendor is None or each.vendor.strip() == vendor.strip()]
    if family is not None and model is not None:
        by_number = [each for each in ours if each.family == family and model in each.models]
        if len(by_number) == 1:
            return by_number[0]
    named = [each for each in ours if name and any(re.search(word, name, re.IGNORECASE) for word in each.matches)]
    return named[0] if len(named) == 1 else None
