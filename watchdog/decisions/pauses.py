"""Step 4, grace: what has just begun is given its time (SPEC 4, 5)."""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.decisions.situation import Situation
from watchdog.model.decision import Ruling, Step, Verdict


def grace(situation: Situation, now: float) -> Ruling:
    """Waits while the daemon settles; reconnecting and within startup grace for symptoms that come from /health."""
    if situation.settle is not None:
        return Ruling(Step.GRACE, Verdict.WAIT, situation.settle.reason, until=situation.settle.until)
    if situation.reconnect is not None and situation.symptom.from_health:
        return Ruling(Step.GRACE, Verdict.WAIT, situation.reconnect.reason, until=situation.reconnect.until)
    if situation.grace is not None and situation.symptom.from_health:
        return Ruling(Step.GRACE, Verdict.WAIT, situation.grace.reason, until=situation.grace.until)
    if situation.started_at is None:
        return Ruling(Step.GRACE, Verdict.PASS, "no start seen in its grace")
    return Ruling(Step.GRACE, Verdict.PASS, f"started {format_duration(now - situation.started_at)} ago")
