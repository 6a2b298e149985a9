"""A history after the wall clock was set: what happened so many seconds ago still happened so many seconds ago (F07)."""

from __future__ import annotations

from dataclasses import replace

from watchdog.state import load
from watchdog.state.history import History
from watchdog.state.life import Life
from watchdog.state.pace import Pace
from watchdog.state.streaks import Streaks


def shifted(history: History, seconds: float) -> History:
    """Every moment moves with the clock, only the begin of the visible segment stays as it was told."""
    return replace(
        history,
        asked_at=_moved(history.asked_at, seconds),
        checks=tuple(check._replace(at=check.at + seconds) for check in history.checks),
        streaks=_streaks(history.streaks, seconds),
        life=_life(history.life, seconds),
        pace=_pace(history.pace, seconds),
        slow=None,
    )


def _streaks(streaks: Streaks, seconds: float) -> Streaks:
    return replace(
        streaks,
        failing_since=_moved(streaks.failing_since, seconds),
        critical_since=_moved(streaks.critical_since, seconds),
        degraded_since=_moved(streaks.degraded_since, seconds),
        starting_since=_moved(streaks.starting_since, seconds),
        errors=tuple(repeat._replace(since=repeat.since + seconds) for repeat in streaks.errors),
    )


def _life(life: Life, seconds: float) -> Life:
    return replace(
        life,
        started_at=_moved(life.started_at, seconds),
        down_since=_moved(life.down_since, seconds),
        grace_since=_moved(life.grace_since, seconds),
        grace_until=_moved(life.grace_until, seconds),
        ooms=tuple(at + seconds for at in life.ooms),
        exits=tuple(end._replace(at=end.at + seconds) for end in life.exits),
        load=load.shifted(life.load, seconds),
    )


def _pace(pace: Pace, seconds: float) -> Pace:
    """Rates go on from here; the growth of a queue is watched anew."""
    counter = pace.counter
    return Pace(counter._replace(at=counter.at + seconds) if counter is not None else None, None)


def _moved(at: float | None, seconds: float) -> float | None:
    return None if at is None else at + seconds
