"""Step 1, host and world: what is wrong for many is not healed one by one (SPEC 5)."""

from __future__ import annotations

from watchdog.decisions.situation import Situation
from watchdog.model.decision import Ruling, Step, Verdict


def host(situation: Situation, now: float) -> Ruling:
    """Waits while nothing can be journalled, while our own network or its Docker is down, and for the members of a storm."""
    world = situation.world
    for trouble in (world.store, world.network, world.docker, world.storm):
        if trouble:
            return Ruling(Step.HOST, Verdict.WAIT, trouble)
    near = f"; {world.bad} of {world.total} bad (a storm begins at {world.storm_at})" if world.total else ""
    return Ruling(Step.HOST, Verdict.PASS, f"store and network fine{near}")
