"""How a step says "again", "never", "a person", or "this is no longer mine". The docstring is the default message."""

from __future__ import annotations


class StepError(Exception):
    """The step did not succeed."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class StepFailed(StepError):
    """The step failed; the same step may be tried again."""


class OutcomeUnknown(StepFailed):
    """The request was sent and no answer came: what became of it must be looked at, never sent again blindly."""


class EngineAway(StepFailed):
    """Docker's engine cannot be asked; nothing is known about its containers."""


class StepImpossible(StepError):
    """The step cannot work here, however often it is tried."""


class NeedsPerson(StepError):
    """Only a person can go on from here."""


class Superseded(StepError):
    """The target was replaced meanwhile; nothing more may be touched."""


class JournalUnavailable(Exception):
    """The journal cannot be written; without it no act may begin."""
