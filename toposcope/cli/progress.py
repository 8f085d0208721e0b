"""Progress of a live run on stderr: what is running and for how long; only on a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress() -> Iterator[Callable[[str, str], None]]:
    """Give a function that a live run calls with a source's key and its state."""
    from rich.console import Console

    err = Console(stderr=True)
    if not err.is_terminal:
        yield lambda _key, _state: None
        return
    running: dict[str, None] = {}
    with err.status("collecting") as status:

        def show(key: str, state: str) -> None:
            running.pop(key, None)
            if state == "running":
                running[key] = None
            status.update(f"collecting: {', '.join(running) or 'done'}")

        yield show
