"""Runs one command so that nothing it does can hurt: no shell, no input, a time limit, a limit of output.

The command gets a session of its own, which is killed as a whole at the limit. A child that keeps the pipe open after
the command has ended is not waited for.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from toposcope.recording.limits import MAX_FLOOD, MAX_OUTPUT
from toposcope.recording.recording import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from threading import Event

# Where the tools lie that a plain user's PATH does not name; hccn_tool is in the driver's own folder.
MORE_PATHS = (
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/Ascend/driver/tools",
)
REFUSALS = (
    "permission denied", "operation not permitted", "not permitted", "must be root", "requires root", "need root",
    "root privilege", "run as root", "insufficient permissions", "access denied",
)  # fmt: skip
_TICK_S = 0.05
_GRACE_S = 0.3
_CHUNK = 1 << 16
_MAX_ERROR = 1 << 16


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command: its output up to the limit, the first line of its errors."""

    outcome: Outcome
    output: bytes = b""
    exit_code: int | None = None
    error: str = ""
    duration_s: float = 0.0
    truncated: bool = False


class Runner(Protocol):
    """Runs a command to its end or the limit, whichever comes first. Never raises."""

    def __call__(self, words: Sequence[str], *, timeout_s: float, stop: Event) -> Ran:
        """Run the command; give up when ``stop`` is set."""


def run(words: Sequence[str], *, timeout_s: float, stop: Event) -> Ran:
    """Run a command of this host."""
    begun = time.monotonic()
    try:
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=environment(os.environ),
        )
    except FileNotFoundError:
        return Ran(Outcome.ABSENT)
    except PermissionError as error:
        return Ran(Outcome.REFUSED, error=str(error.strerror))
    except (OSError, ValueError) as error:
        return Ran(Outcome.ABSENT, error=str(error))
    with contextlib.ExitStack() as closing:
        reader = _Reader(process, begun + timeout_s, stop)
        closing.callback(_end, process)
        reader.run()
    return _judged(reader, process.returncode, time.monotonic() - begun)


def run_cat(words: Sequence[str], *, timeout_s: float, stop: Event) -> Ran:
    """Run a command only where it prints a file, which may be one of a copy."""
    if words[0] != "cat":
        return Ran(Outcome.ABSENT, error="not asked: of a copy only files are read")
    return run(words, timeout_s=timeout_s, stop=stop)


def environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for commands: plain words, no pager, no colour, and the paths of all tools."""
    paths = [path for path in outer.get("PATH", "").split(os.pathsep) if path]
    paths += [path for path in MORE_PATHS if path not in paths]
    plain = {"LC_ALL": "C", "LANG": "C", "LANGUAGE": "C", "PAGER": "cat", "TERM": "dumb", "NO_COLOR": "1"}
    return {**outer, **plain, "PATH": os.pathsep.join(paths)}


class _Reader:
    """Reads both pipes of a process until it ends, the time is over, the output is too long, or all is to stop."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float, stop: Event) -> None:
        self._process = process
        self._deadline = deadline
        self._stop = stop
        self._kept: dict[int, bytearray] = {}
        self._fds: list[int] = []
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._kept[pipe.fileno()] = bytearray()
                self._fds.append(pipe.fileno())
        self.ended_by: Outcome | None = None
        self.truncated = False

    @property
    def output(self) -> bytes:
        return bytes(self._kept[self._fds[0]])

    @property
    def errors(self) -> bytes:
        return bytes(self._kept[self._fds[1]])

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for fd in self._fds:
                selector.register(fd, selectors.EVENT_READ)
            exited_at: float | None = None
            while selector.get_map() and not self._over(exited_at):
                for key, _ in selector.select(_TICK_S):
                    if not self._take(key.fd):
                        selector.unregister(key.fd)
                if exited_at is None and self._process.poll() is not None:
                    exited_at = time.monotonic()
            self._await()

    def _over(self, exited_at: float | None) -> bool:
        now = time.monotonic()
        if self.truncated or (exited_at is not None and now - exited_at > _GRACE_S):
            return True
        return self._cut_short(now)

    def _cut_short(self, now: float) -> bool:
        if self._stop.is_set():
            self.ended_by = Outcome.STOPPED
        elif now > self._deadline:
            self.ended_by = Outcome.TIMED_OUT
        return self.ended_by is not None

    def _await(self) -> None:
        """Wait for a process that has closed its pipes and still runs."""
        while not self.truncated and self._process.poll() is None and not self._cut_short(time.monotonic()):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TICK_S)

    def _take(self, fd: int) -> bool:
        """Read what is there; False at the end of the pipe."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        kept = self._kept[fd]
        if fd == self._fds[0]:
            kept += data
            if len(kept) > MAX_OUTPUT:
                del kept[MAX_FLOOD:]
                self.truncated = True
        elif len(kept) < _MAX_ERROR:
            kept += data
        return bool(data)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the session, and close the pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)  # a process in an uninterruptible sleep (a hung driver) outlives its kill


def _judged(reader: _Reader, exit_code: int | None, duration_s: float) -> Ran:
    output, errors = reader.output, reader.errors.decode("utf-8", "replace").strip()
    error = errors.partition("\n")[0][:500]
    if reader.ended_by is not None:
        return Ran(reader.ended_by, output, None, error, duration_s)
    if reader.truncated:
        whole = output[: output.rfind(b"\n") + 1]
        return Ran(Outcome.DONE, whole, None, error, duration_s, truncated=True)
    said = (output[:4000].decode("utf-8", "replace") + errors).lower()
    if exit_code != 0 and any(refusal in said for refusal in REFUSALS):
        return Ran(Outcome.REFUSED, output, exit_code, error, duration_s)
    # A search that finds nothing (grep, journalctl -g) ends with 1 and says nothing.
    if (exit_code == 0 or (exit_code == 1 and not errors)) and not output.strip():
        return Ran(Outcome.EMPTY, b"", exit_code, error, duration_s)
    return Ran(Outcome.DONE, output, exit_code, error, duration_s)
