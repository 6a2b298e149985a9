"""The state of a service as people see it, from its newest answer and the life of its process (SPEC 14, `status`)."""

from __future__ import annotations

from typing import NamedTuple

from watchdog.model.observation import Kind, Observation
from watchdog.model.service import State
from watchdog.state.life import Life, graced


class Seen(NamedTuple):
    """state since wall seconds; reason: one line, the newest."""

    state: State
    since: float
    reason: str = ""


OK, FINE = Kind.OK, State.OK

_WELL = (Kind.OK, Kind.DEGRADED)

_STATES = {
    Kind.OK: State.OK,
    Kind.DEGRADED: State.DEGRADED,
    Kind.CRITICAL: State.CRITICAL,
    Kind.NO_ANSWER: State.FAILING,
    Kind.BAD_ANSWER: State.FAILING,
    Kind.STARTING: State.STARTING,
    Kind.MISCONFIGURED: State.UNKNOWN,
    Kind.UNKNOWN: State.UNKNOWN,
}


def show(seen: Seen, life: Life, observation: Observation) -> Seen:
    """What is seen after one answer.

    A service whose process does not run is down until it answers well; what somebody stopped or paused by hand is stopped; one in
    its startup grace that gives no answer is starting.
    """
    if observation.kind is OK and seen.state is FINE and seen.reason == observation.remark:
        return seen
    at = observation.at
    if life.theirs and observation.kind not in _WELL:
        return change(seen, State.STOPPED, at, life.theirs)
    if life.running is False and not _speaks(life, observation):
        return seen if seen.state is State.DOWN else Seen(State.DOWN, at, seen.reason)
    state = _STATES[observation.kind]
    reason = _reason(observation)
    if state is State.FAILING and graced(life, at):
        state, reason = State.STARTING, f"{reason}, in its startup grace" if reason else "in its startup grace"
    return change(seen, state, at, reason)


def change(seen: Seen, state: State, at: float, reason: str) -> Seen:
    """Another state begins at `at`; the same one goes on with a new reason."""
    if seen.state is state:
        return seen if seen.reason == reason else Seen(state, seen.since, reason)
    return Seen(state, max(at, seen.since), reason)


def _speaks(life: Life, observation: Observation) -> bool:
    """An answer that was known only after the exit and is good says that something runs after all."""
    late = life.down_since is None or observation.at > life.down_since
    return late and observation.kind in _WELL


def _reason(observation: Observation) -> str:
    if observation.kind is Kind.OK:
        return observation.remark
    if observation.kind is Kind.MISCONFIGURED:
        return f"misconfigured: {observation.detail}" if observation.detail else "misconfigured"
    if observation.kind is Kind.UNKNOWN:
        return f"could not ask: {observation.detail}" if observation.detail else "could not ask"
    return observation.reason or observation.detail
