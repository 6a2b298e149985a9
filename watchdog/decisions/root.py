"""Step 3, root: a service is not touched while something it needs is unhealthy (SPEC 5)."""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.decisions.situation import Dependency, Situation
from watchdog.model.decision import Ruling, Step, Verdict


def root(situation: Situation, now: float) -> Ruling:
    """Waits for fresh answers of all dependencies, and for an unhealthy one; what it is blamed for is judged there."""
    pending = [d.name for d in situation.dependencies if d.well is None]
    unwell = [d for d in situation.dependencies if d.well is False]
    if unwell:
        cause = deepest(unwell)
        return Ruling(Step.ROOT, Verdict.WAIT, f"blocked by {cause.name}: {cause.why}", by=cause.name)
    if pending:
        return Ruling(Step.ROOT, Verdict.WAIT, f"asking {_names(pending)} anew first")
    if situation.symptom.excused:
        blamed = situation.named or "a dependency or API of its configuration"
        return Ruling(Step.ROOT, Verdict.WAIT, f"it blames {blamed}, which is judged there; a restart would not help")
    if not situation.dependencies:
        return Ruling(Step.ROOT, Verdict.PASS, "it needs no other service")
    return Ruling(Step.ROOT, Verdict.PASS, "; ".join(f"{d.name} {d.why}" for d in situation.dependencies[:4]))


def deepest(unwell: Sequence[Dependency]) -> Dependency:
    """The one to be healed first: nearest to the ground of the graph, by name among equals."""
    return min(unwell, key=lambda d: (d.level, d.name))


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
