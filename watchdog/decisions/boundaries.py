"""Step 5, terminal: what no retry can cure goes to a person at once (SPEC 5, 8)."""

from __future__ import annotations

from watchdog.decisions.situation import Situation
from watchdog.model.decision import Ruling, Step, Verdict

HOPELESS = frozenset(
    {"access_denied", "banned", "business", "invalid_client", "invalid_grant", "logged_out", "unauthorized_client"}
)
"""Reasons that a restart cannot mend (SPEC 5, step 5, and 8)."""


def terminal(situation: Situation, now: float) -> Ruling:
    """Escalates a crash loop and a hopeless reason."""
    symptom = situation.symptom
    if symptom.reason and symptom.reason.casefold().replace("-", "_") in HOPELESS:
        return Ruling(Step.TERMINAL, Verdict.ESCALATE, f"{symptom.reason}: nothing a restart can mend")
    if symptom.person and situation.parking is None:
        return Ruling(Step.TERMINAL, Verdict.ESCALATE, symptom.text, park=True)
    return Ruling(Step.TERMINAL, Verdict.PASS, "nothing only a person can mend")
