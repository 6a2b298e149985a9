"""The few signs of the terminal. Each stands beside its word, never alone."""

from __future__ import annotations

from collections.abc import Mapping

from recovery.model import RunOutcome, StepOutcome
from watchdog.model.incident import Outcome, Tier
from watchdog.model.service import State

FULL, HOLLOW = "●", "○"
DONE, FAILED, DECIDED, UNASKED = "✓", "✗", "→", "·"

STATE_ROLE: Mapping[str, str] = {
    State.OK: "good",
    State.DEGRADED: "warn",
    State.CRITICAL: "bad",
    State.FAILING: "bad",
    State.DOWN: "bad",
    State.STARTING: "busy",
    State.STOPPED: "dim",
    State.UNKNOWN: "dim",
}
"""The colour of a state."""

TIER_ROLE: Mapping[str, str] = {Tier.SILENT: "dim", Tier.SOFT: "warn", Tier.CRITICAL: "bad"}

OUTCOME_ROLE: Mapping[str, str] = {Outcome.HEALED: "good", Outcome.SELF_RECOVERED: "good", Outcome.ESCALATED: "bad"}

STEP_SIGN: Mapping[str, str] = {StepOutcome.OK: DONE, StepOutcome.SKIPPED: UNASKED}
RUN_SIGN: Mapping[str, str] = {RunOutcome.HEALED: DONE}


def words(name: str | None) -> str:
    """A machine word as people read it: `self_recovered` as `self recovered`."""
    return (name or "").replace("_", " ")
