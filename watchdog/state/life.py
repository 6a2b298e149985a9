"""The life of the process behind a service: running or not, its exits, and the grace after a start (SPEC 4)."""

from __future__ import annotations

import signal
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from watchdog.state.load import UNLOADED, Load, reborn

OOMS = 20
"""Kills for memory kept; `oom` looks at those of an hour."""

EXITS = 20
"""Exits kept; crash_loop looks at the last four or more within ten minutes."""

SAME = 2.0
"""Seconds between an end as we see it and as its engine tells it."""

SLACK = 60.0
"""Seconds by which a clock may have gone back before a grace that seems to lie ahead is over."""


class End(NamedTuple):
    """An exit. code: negative for a signal, None when it is not known. ours: we or a person through us ended it."""

    at: float
    code: int | None
    ours: bool


@dataclass(frozen=True, slots=True)
class Life:
    """Times wall seconds. running: None while nobody has looked, or nothing can (no runtime).

    patience: seconds for which its supervisor may bring it back before its end is a symptom; infinite while it is at work on it.
    ooms: when it was killed for memory, or a child of it.
    theirs: who has it in hand and left it at rest, in words; "" nobody.
    grace_since, grace_until: the startup grace that mutes the symptoms from /health; None once it is over.
    load: what it uses.
    """

    running: bool | None = None
    instance: str = ""
    started_at: float | None = None
    down_since: float | None = None
    exits: tuple[End, ...] = ()
    grace_since: float | None = None
    grace_until: float | None = None
    patience: float = 0.0
    ooms: tuple[float, ...] = ()
    theirs: str = ""
    load: Load = UNLOADED


UNSEEN = Life()
"""Nobody has looked yet."""


def graced(life: Life, now: float) -> bool:
    """Inside startup grace. A clock set back does not make it longer."""
    if life.grace_until is None or life.grace_since is None:
        return False
    return life.grace_since - SLACK <= now < life.grace_until


def begin_grace(life: Life, at: float, grace: float) -> Life:
    """A start inside a grace that still runs begins no new one (SPEC 4)."""
    if graced(life, at):
        return life
    return replace(life, grace_since=at, grace_until=at + grace)


def end_grace(life: Life, at: float) -> Life:
    """The first good answer ends the grace; one that was under way before the start does not."""
    if life.grace_since is None or at <= life.grace_since:
        return life
    return replace(life, grace_since=None, grace_until=None)


def born(life: Life, at: float, instance: str, grace: float) -> Life:
    """A new instance runs."""
    began = replace(life, running=True, instance=instance, started_at=at, down_since=None, load=reborn(life.load))
    return begin_grace(began, at, grace)


def dead(life: Life, at: float, code: int | None, *, ours: bool) -> Life:
    """Its process ended."""
    exits = (*life.exits, End(at, code, ours))[-EXITS:]
    return replace(life, running=False, down_since=at, exits=exits, load=reborn(life.load))


def exit_words(code: int | None) -> str:
    """An exit for people: `exited with code 1`, `killed by SIGKILL`."""
    if code is None:
        return "its process ended"
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def end_words(code: int | None) -> str:
    """The same as the first word of an incident: `its process ended (exit code 1)`, `its process ended (killed by SIGKILL)`."""
    if code is None:
        return exit_words(code)
    return f"its process ended ({exit_words(code) if code < 0 else f'exit code {code}'})"


def starved(life: Life, at: float) -> Life:
    """It, or a child of it, was killed for memory."""
    return replace(life, ooms=(*life.ooms[1 - OOMS :], at))


def excused(life: Life, ends: Collection[float] = ()) -> Life:
    """Its last end was meant by somebody, and those at these moments: no signs of an illness."""
    last = len(life.exits) - 1
    meant = (at == last or any(abs(each.at - end) < SAME for end in ends) for at, each in enumerate(life.exits))
    return replace(
        life, exits=tuple(each._replace(ours=True) if ours else each for each, ours in zip(life.exits, meant, strict=True))
    )
