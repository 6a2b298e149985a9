"""The history of one service and the pure folds over it (SPEC 4). All times are wall seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from watchdog.config.schema import Service
from watchdog.model.observation import Kind, Observation
from watchdog.model.records import Segment
from watchdog.model.service import State
from watchdog.state.checks import KEPT, Check, own_errors
from watchdog.state.life import UNSEEN, Life, begin_grace, born, dead, end_grace, exit_words, graced
from watchdog.state.load import reborn
from watchdog.state.pace import NOTHING, STILL, Pace, Slow, Usual, follow, learn, slow, unlearn
from watchdog.state.streaks import ZERO, Streaks, advance, beside
from watchdog.state.visible import Seen, change, show

GAP = 3
"""Intervals without a check after which counts start from zero (SPEC 4)."""

OUTGROWN = 600.0
"""Seconds for which `starting` is believed (SPEC 2)."""

OK = Kind.OK  # looked up once: most answers are compared with it only


@dataclass(frozen=True, slots=True)
class History:
    """All that is remembered of one service; few fields, because one is made for every check.

    seen: what people see. last: the newest answer of any kind, also of a proof. asked_at: of the last check that was made.
    checks: the last counted ones, newest last. good: answers in a row that are neither failing nor critical, also of a proof.
    latency: the usual one. slow: set while it is far from its usual.
    """

    name: str
    seen: Seen
    last: Observation | None = None
    asked_at: float | None = None
    checks: tuple[Check, ...] = ()
    good: int = 0
    streaks: Streaks = ZERO
    life: Life = UNSEEN
    latency: Usual = NOTHING
    pace: Pace = STILL
    slow: Slow | None = None

    @property
    def state(self) -> State:
        return self.seen.state

    @property
    def since(self) -> float:
        return self.seen.since

    @property
    def reason(self) -> str:
        return self.seen.reason

    @property
    def running(self) -> bool | None:
        return self.life.running

    @property
    def instance(self) -> str:
        return self.life.instance


def begin(name: str, at: float) -> History:
    """A service nobody has asked yet."""
    return History(name, Seen(State.UNKNOWN, at, "never asked"))


def fold(history: History, observation: Observation, service: Service, *, counts: bool = True) -> History:
    """One more answer. Total: any observation gives a history.

    counts=False: an answer of a proof; people see it, it ends startup grace, but it advances no count of a symptom.
    """
    at, kind = observation.at, observation.kind
    if history.asked_at is not None and at - history.asked_at > GAP * service.interval:
        history = fresh(history, at)
    good, began = True, None
    if kind is not OK:
        observation = _outgrown(history.streaks, observation)
        if not observation.counts:
            return _beside(history, observation, counts=counts)
        if kind is Kind.STARTING:
            kind, began = observation.kind, history.streaks.starting_since
        good = kind is OK or kind is Kind.DEGRADED
    life, streaks, checks, latency, pace, slowed = (
        history.life,
        history.streaks,
        history.checks,
        history.latency,
        history.pace,
        history.slow,
    )
    if good and life.grace_until is not None:
        life = end_grace(life, at)
    if counts:
        report, reason = observation.report, None
        errors: tuple[str, ...] = ()
        if report is not None:
            reason = report.reason
            if report.errors:
                errors = own_errors(report, service)
        streaks = advance(streaks, observation, errors)
        if began is not None:
            streaks = replace(streaks, starting_since=began)
        checks = (*checks[1 - KEPT :], Check(at, kind, observation.detail, reason, observation.excused, errors))
        if good:
            if report is not None and (report.progress is not None or report.queue is not None):
                pace = follow(pace, report, at)
            slowed = slow(slowed, pace, observation, latency)
            if observation.latency is not None:
                latency = learn(latency, observation.latency)
    return History(
        history.name,
        show(history.seen, life, observation),
        observation,
        at,
        checks,
        history.good + 1 if good else 0,
        streaks,
        life,
        latency,
        pace,
        slowed,
    )


def started(history: History, at: float, instance: str, grace: float) -> History:
    """A start or restart was seen, ours or not: startup grace; windows over /health begin anew, not those of exits (SPEC 4)."""
    life = born(history.life, at, instance, grace)
    return replace(
        fresh(history, at),
        life=life,
        pace=unlearn(history.pace),
        seen=change(history.seen, State.STARTING, at, "just started"),
    )


def ended(history: History, at: float, code: int | None, ours: bool, patience: float = 0.0) -> History:
    """Its process was seen not to run; the first sight is the exit. ours: we or a person through us ended it.

    What was never seen to run is down without an exit. patience: seconds that its supervisor has to bring it back.
    """
    if history.life.patience != patience:
        history = replace(history, life=replace(history.life, patience=patience))
    if history.life.running is False:
        return history
    if history.life.running is None:
        life = replace(history.life, running=False, down_since=at)
        return replace(history, life=life, good=0, seen=_down(history, at, "not running"))
    reason = "stopped" if ours else exit_words(code)
    return replace(history, life=dead(history.life, at, code, ours=ours), good=0, seen=_down(history, at, reason))


def _down(history: History, at: float, reason: str) -> Seen:
    theirs = history.life.theirs
    return change(history.seen, State.STOPPED, at, theirs) if theirs else change(history.seen, State.DOWN, at, reason)


def left(history: History, at: float, words: str) -> History:
    """Somebody stopped, paused or removed it at `at`, and left it so: planned time from then on."""
    life, seen = replace(history.life, theirs=words), history.seen
    return replace(history, life=life, seen=change(seen, State.STOPPED, at, words))


def given_back(history: History, at: float, grace: float) -> History:
    """They let it run again: startup grace and fresh counts, as after a hold (SPEC 5, step 2).

    That it was down until now was meant; whether it still is will be seen with the next look.
    """
    life = replace(history.life, theirs="", down_since=None, running=history.life.running or None)
    history = fresh(replace(history, life=life), at, grace)
    if history.seen.state is not State.STOPPED:
        return history
    return replace(history, seen=change(history.seen, State.STARTING, at, "runs again, not asked yet"))


def seen_running(history: History, at: float, instance: str) -> History:
    """It was seen to run, and that is no start: the first look, or the same instance as before (a start is `started`)."""
    if history.life.running is True and history.life.instance == instance:
        return history
    seen = history.seen
    if seen.state in (State.DOWN, State.STOPPED) and not history.life.theirs:
        seen = change(seen, State.UNKNOWN, at, "runs, not asked yet")
    life = history.life
    load = life.load if life.instance == instance else reborn(life.load)
    return replace(history, life=replace(life, running=True, instance=instance, down_since=None, load=load), seen=seen)


def fresh(history: History, at: float, grace: float | None = None) -> History:
    """Fresh counts: after a hold (with startup grace), after reconnecting, after a change of its probe or runtime (SPEC 3, 5)."""
    life = history.life if grace is None else begin_grace(history.life, at, grace)
    return replace(history, streaks=ZERO, good=0, slow=None, asked_at=None, life=life)


def muted(history: History, now: float) -> bool:
    """Startup grace mutes the symptoms that come from /health (SPEC 4)."""
    return graced(history.life, now)


def segment_changed(before: History, after: History) -> tuple[Segment, ...]:
    """The records due when the visible state changed: the closed stretch and the one that lasts. Nothing otherwise."""
    old, new = before.seen, after.seen
    if old.state is new.state and old.since == new.since:
        return ()
    return (
        Segment(before.name, old.state, old.since, new.since, old.reason),
        Segment(after.name, new.state, new.since, None, new.reason),
    )


def _beside(history: History, observation: Observation, *, counts: bool) -> History:
    """An answer that counts neither way keeps every count; what could not be asked is no check at all."""
    asked = history.asked_at if observation.kind is Kind.UNKNOWN else observation.at
    return replace(
        history,
        last=observation,
        asked_at=asked,
        streaks=beside(history.streaks, observation) if counts else history.streaks,
        seen=show(history.seen, history.life, observation),
    )


def _outgrown(streaks: Streaks, observation: Observation) -> Observation:
    """`starting` is believed for ten minutes, then its code speaks: 2xx ok, 5xx critical (SPEC 2)."""
    since, code = streaks.starting_since, observation.code
    if observation.kind is not Kind.STARTING or since is None or code is None or observation.at - since < OUTGROWN:
        return observation
    if 200 <= code < 300:
        return replace(observation, kind=Kind.OK, remark="says it is starting for too long")
    if code >= 500:
        return replace(observation, kind=Kind.CRITICAL, detail=observation.detail or "starting for too long")
    return observation
