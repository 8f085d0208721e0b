"""One configuration value of a component, a link, a pair or the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model.vocabulary import FactStatus

if TYPE_CHECKING:
    from toposcope.base import Origin

FactValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Fact:
    """``name`` of ``component``. The component is an id, ``host``, or a pair ``GPU0|GPU1``.

    Without a value, ``status`` says why: absent, unreadable and unsupported are different answers.
    """

    component: str
    name: str
    value: FactValue
    origin: Origin
    status: FactStatus = FactStatus.VALUE
