"""The part of a history that must survive the daemon, as JSON values (SPEC 5: all counts survive the daemon).

Counts over /health do not belong to it: after the gap of a restart they start anew, which is the careful side.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from watchdog.model.service import State
from watchdog.state.history import History
from watchdog.state.life import EXITS, OOMS, End, Life
from watchdog.state.pace import LEARNT, NOTHING, STILL, Counter, Pace, Usual
from watchdog.state.visible import Seen

FORM = 1
"""The version of the document."""


def dump(history: History) -> dict[str, Any]:
    """A document for `restore`."""
    life, counter = history.life, history.pace.counter
    return {
        "form": FORM,
        "name": history.name,
        "state": history.seen.state.value,
        "since": history.seen.since,
        "reason": history.seen.reason,
        "running": life.running,
        "instance": life.instance,
        "started_at": life.started_at,
        "down_since": life.down_since,
        "exits": [list(end) for end in life.exits],
        "ooms": list(life.ooms),
        "theirs": life.theirs,
        "grace": None if life.grace_since is None else [life.grace_since, life.grace_until],
        "latency": list(history.latency),
        "progress": None if counter is None else [counter.at, counter.value, counter.usual, counter.learnt],
    }


def restore(doc: Mapping[str, Any]) -> History:
    """A history as `dump` wrote it. Raises ValueError for anything else."""
    try:
        if doc["form"] != FORM:
            raise ValueError(f"a history of form {doc['form']}, not {FORM}")
        return History(
            str(doc["name"]),
            Seen(State(doc["state"]), _number(doc["since"]), str(doc["reason"])),
            life=_life(doc),
            latency=_usual(doc["latency"]),
            pace=_pace(doc["progress"]),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"not a history: {error!r}") from error


def _life(doc: Mapping[str, Any]) -> Life:
    grace = doc["grace"]
    running = doc["running"]
    return Life(
        running=None if running is None else bool(running),
        instance=str(doc["instance"]),
        started_at=_moment(doc["started_at"]),
        down_since=_moment(doc["down_since"]),
        exits=tuple(End(_number(at), None if code is None else int(code), bool(ours)) for at, code, ours in doc["exits"])[
            -EXITS:
        ],
        ooms=tuple(_number(at) for at in doc.get("ooms", ()))[-OOMS:],
        theirs=str(doc.get("theirs", "")),
        grace_since=None if grace is None else _number(grace[0]),
        grace_until=None if grace is None else _number(grace[1]),
    )


def _usual(value: Any) -> Usual:
    latency, answers = _number(value[0]), int(value[1])
    return Usual(latency, min(answers, LEARNT)) if latency >= 0 and answers > 0 else NOTHING


def _pace(value: Any) -> Pace:
    """The counter waits for the next answer: what it did while nobody looked tells no rate."""
    if value is None:
        return STILL
    at, counted, usual, learnt = (_number(part) for part in value)
    return Pace(Counter(at, counted, usual, usual, learnt, counting=False))


def _moment(value: Any) -> float | None:
    return None if value is None else _number(value)


def _number(value: Any) -> float:
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{value} is no moment")
    return number
