"""Errors that end in front of a person. The text says what is wrong and what to do."""

from __future__ import annotations


class WatchdogError(Exception):
    """Something a person must mend."""


class ConfigurationError(WatchdogError):
    """The configuration cannot be used; `problems` are one line each, `file:line:column: path: text`."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class StartError(WatchdogError):
    """The daemon cannot start (another instance, no state folder); it exits 78."""


class StoreUnavailable(WatchdogError):
    """The store cannot be written now."""


class Refused(WatchdogError):
    """An act that was asked for is not done; the text says why."""


class Misused(Refused):
    """What was asked for does not exist here: an unknown name, or a request that is not understood."""


class Unreachable(WatchdogError):
    """No daemon answers at the control socket; the text says why."""
