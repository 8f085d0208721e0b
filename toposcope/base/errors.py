"""The errors that end a command: each says what, where, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base.problem import Problem


class ToposcopeError(Exception):
    """Something that the user can mend. The message says what, where, and what to do."""


class UsageError(ToposcopeError):
    """The command was called in a way that has no meaning (exit code 2)."""


class InputError(ToposcopeError):
    """The input holds nothing that can be used (exit code 3). ``problems`` lists what was tried."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems
