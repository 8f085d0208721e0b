"""Progress on stderr, only on a terminal: what a live run waits for, and what else takes more than a second."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHOWN = 4
"""Sources that are named; the others are counted."""


@contextmanager
def progress() -> Iterator[Callable[[str, str], None]]:
    """Give a function that a live run calls with a source's key and its state."""
    from rich.console import Console

    err = Console(stderr=True, markup=False)
    if not err.is_terminal:
        yield lambda _key, _state: None
        return
    running = Running(time.monotonic)
    with err.status(running):
        yield running.note


@contextmanager
def waiting(what: str, *, after: float = 1.0) -> Iterator[None]:
    """Say what is being done, if it takes longer than ``after`` seconds."""
    from rich.console import Console

    err = Console(stderr=True, markup=False)
    if not err.is_terminal:
        yield
        return
    status = err.status(what)
    timer = Timer(after, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


class Running:
    """What is running, as a text that is made anew whenever it is drawn."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun: dict[str, list[float]] = {}

    def note(self, key: str, state: str) -> None:
        """Take up one source; a source with several commands runs until the last of them has ended."""
        if state == "running":
            self._begun.setdefault(key, []).append(self._clock())
        elif begun := self._begun.get(key):
            begun.pop()
            if not begun:
                del self._begun[key]

    def __rich__(self) -> str:
        now = self._clock()
        oldest = sorted(self._begun.items(), key=lambda item: item[1][0])
        named = [f"{key} {now - begun[0]:.0f} s" for key, begun in oldest[:SHOWN]]
        more = f" and {len(oldest) - SHOWN} more" if len(oldest) > SHOWN else ""
        return f"collecting: {', '.join(named)}{more}" if named else "collecting: done"
