"""What the commands of a live run leave to be said: refused, too slow, failed, silent, or run without root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.recording.limits import MAX_OUTPUT, MIB, unread
from toposcope.recording.recording import Command, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.base import Problem
    from toposcope.collectors import Source

MAY_BE_EMPTY = frozenset({"cat", "find", "journalctl", "lsmod", "rdma"})
"""Tools whose silence is an answer."""

MASKED = {
    "sysfs-pci": "no PCIe tree, speeds and widths: /sys is masked, or this is a guest without a PCI bus",
    "sysfs-net": "no NICs: /sys is masked, or this is a network namespace of its own",
    "sysfs-numa": "no NUMA nodes and distances: /sys is masked, or the kernel has none",
}
"""What is lost where a part of /sys is empty."""
ASK_THE_HOST = {
    "sysfs-pci": "mount /sys read-only, or give `lspci -D -nn -vvv` of the host",
    "sysfs-net": "use the host's network namespace, or give `ls -l /sys/class/net` and `ibstat` of the host",
    "sysfs-numa": "mount /sys read-only, or give `lscpu` and `numactl -H` of the host",
}
"""How to get it nevertheless."""


def problems_of(commands: Iterable[Command], sources: Iterable[Source], *, as_root: bool | None) -> Iterator[Problem]:
    """Yield what is missing although its tool is there; a tool that is absent is the rule, not a problem."""
    wants_root = {source.key for source in sources if source.root}
    for command in commands:
        line = " ".join(command.words) or command.source
        lacks_root = command.source in wants_root and as_root is False
        message = _message(command)
        if message is not None:
            hint = "; as root it shows more" if lacks_root else ""
            yield unread(command.file or line, f"{line} {message}{hint}", command.error, source=command.source)
        elif lacks_root and command.outcome is Outcome.DONE:
            yield unread(command.file or line, f"{line} was not run as root: it may show less", source=command.source)


def _message(command: Command) -> str | None:
    if command.truncated:
        return f"printed more than {MAX_OUTPUT // MIB} MiB: only its beginning is kept"
    if command.outcome is Outcome.DONE:
        return f"ended with exit code {command.exit_code}" if command.exit_code else None
    if command.outcome is Outcome.EMPTY and command.source in MASKED:
        return f"is empty: {MASKED[command.source]}; {ASK_THE_HOST[command.source]}"
    if command.outcome is Outcome.EMPTY and command.words and command.words[0] in MAY_BE_EMPTY:
        return None
    if command.outcome is Outcome.TIMED_OUT and not command.duration_s:
        return "was not tried, since the tool hung whatever it was asked"
    messages = {
        Outcome.REFUSED: "was refused",
        Outcome.TIMED_OUT: f"did not end within the time limit ({command.duration_s:.0f} s)",
        Outcome.EMPTY: "printed nothing",
        Outcome.STOPPED: "was stopped by the user",
    }
    return messages.get(command.outcome)
