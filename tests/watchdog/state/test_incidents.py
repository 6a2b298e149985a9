"""The life of an incident, step by step (SPEC 7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.symptom import Symptom
from watchdog.state import incidents
from watchdog.state.incidents import RELAPSE_WITHIN

T = 1_000_000.0
HUNG = Symptom("unresponsive", T, "4 timeouts")
GONE = Symptom("exited", T, "its process ended")


def opened() -> Incident:
    return incidents.opened(7, "bot", T, "timeout")


def confirmed() -> Incident:
    return incidents.confirmed(opened(), HUNG, T + 90)


def healed(at: float = T + 120) -> Incident:
    return incidents.closed(confirmed(), Outcome.HEALED, "healed by restart", at)


def test_it_opens_with_the_first_bad_sign_and_its_clock_runs_from_there() -> None:
    assert opened() == Incident(7, "bot", Stage.OPEN, T, reason="timeout", clock_at=T)
    assert opened().blip


def test_a_symptom_confirms_it_once() -> None:
    incident = confirmed()
    assert (incident.stage, incident.symptom, incident.reason) == (Stage.CONFIRMED, "unresponsive", "4 timeouts")
    assert (incident.confirmed_at, incident.blip) == (T + 90, False)
    assert incidents.confirmed(incident, HUNG, T + 500).confirmed_at == T + 90


def test_another_symptom_leads_and_the_earlier_stays_joined() -> None:
    both = incidents.confirmed(confirmed(), GONE, T + 95)
    assert (both.symptom, both.joined) == ("exited", ("unresponsive",))
    back = incidents.confirmed(both, HUNG, T + 99)
    assert (back.symptom, back.joined) == ("unresponsive", ("exited",))
    assert incidents.confirmed(back, HUNG, T + 100).joined == ("exited",)


def test_a_symptom_that_comes_later_leaves_the_stage_and_its_reason_alone() -> None:
    waiting = incidents.waiting(confirmed(), "cooldown", T + 91, clock_runs=True)
    later = incidents.confirmed(waiting, GONE, T + 95)
    assert (later.stage, later.reason, later.symptom) == (Stage.WAITING, "cooldown", "exited")


def test_blocked_is_folded_into_its_root_and_its_clock_stands_still() -> None:
    blocked = incidents.blocked(confirmed(), "db", 3, "blocked by db: is not running", T + 91)
    assert (blocked.stage, blocked.blocked_by, blocked.parent, blocked.clock_at) == (Stage.BLOCKED, "db", 3, None)
    anew = incidents.reconfirm(blocked, "db is back", T + 200)
    assert (anew.stage, anew.blocked_by, anew.parent, anew.clock_at) == (Stage.OPEN, None, 3, T + 200)
    own = incidents.confirmed(anew, HUNG, T + 290)
    assert (own.stage, own.parent) == (Stage.CONFIRMED, None), "confirmed bad afterwards it has a life of its own"


@pytest.mark.parametrize("runs", [True, False])
def test_waiting_stops_the_clock_only_while_the_daemon_may_not_act(runs: bool) -> None:
    waiting = incidents.waiting(confirmed(), "on hold", T + 91, clock_runs=runs)
    assert waiting.clock_at == (T if runs else None)
    assert incidents.again(waiting, "the hold is over", T + 700).clock_at == (T if runs else T + 700)


def test_healing_names_its_run_and_one_action_that_is_not_routine_is_enough() -> None:
    healing = incidents.healing(confirmed(), 4, "restart", T + 91, routine=True)
    assert (healing.stage, healing.run, healing.routine) == (Stage.HEALING, 4, True)
    odd = incidents.healing(incidents.again(healing, "did not help", T + 99), 5, "odd", T + 100, routine=False)
    assert incidents.healing(odd, 6, "restart", T + 150, routine=True).routine is False
    assert incidents.again(odd, "did not help", T + 160).run is None


def test_what_was_given_to_a_person_stays_escalated_unless_a_run_heals_it() -> None:
    for given in (incidents.parked(confirmed(), "3 of 3", T + 91), incidents.person(confirmed(), "logged out", T + 91)):
        assert given.outcome is Outcome.ESCALATED
        assert incidents.closed(given, Outcome.SELF_RECOVERED, "well", T + 99).outcome is Outcome.ESCALATED
        assert incidents.closed(given, Outcome.HEALED, "proved", T + 99).outcome is Outcome.HEALED
    assert incidents.person(confirmed(), "logged out", T + 91).reminded_at == T + 91


def test_a_close_ends_clock_and_run_and_duration_stands_still() -> None:
    closed = healed(T + 120)
    assert (closed.open, closed.clock_at, closed.run, closed.duration(T + 9999)) == (False, None, None, 120.0)
    assert confirmed().duration(T + 100) == 100.0


def test_a_relapse_is_the_same_incident_with_clock_and_tier_anew_and_the_bad_stretches_add_up() -> None:
    loud = replace(healed(T + 120), tier=Tier.CRITICAL, acked=True)
    back = incidents.relapsed(loud, HUNG, T + 300, T + 390)
    assert (back.id, back.stage, back.relapses, back.outcome) == (7, Stage.CONFIRMED, 1, None)
    assert (back.clock_at, back.tier, back.acked) == (T + 300, Tier.SILENT, False)
    assert back.duration(T + 400) == 120.0 + 100.0
    again = incidents.relapsed(incidents.closed(back, Outcome.HEALED, "proved", T + 420), HUNG, T + 500, T + 590)
    assert (again.relapses, again.duration(T + 600)) == (2, 120.0 + 120.0 + 100.0)


@pytest.mark.parametrize(
    ("incident", "ago", "may"),
    [
        (healed(), RELAPSE_WITHIN, True),
        (healed(), RELAPSE_WITHIN + 1, False),
        (replace(healed(), outcome=Outcome.SELF_RECOVERED), 1.0, True),
        (replace(healed(), outcome=Outcome.ESCALATED), 1.0, True),
        (replace(healed(), outcome=Outcome.IGNORED), 1.0, False),
        (replace(healed(), outcome=Outcome.REMOVED), 1.0, False),
        (replace(healed(), parent=3), 1.0, False),
        (incidents.closed(opened(), Outcome.SELF_RECOVERED, "well", T + 120), 1.0, False),
        (confirmed(), 1.0, False),
        (None, 1.0, False),
    ],
)
def test_only_a_listed_incident_that_ended_by_itself_a_short_time_ago_relapses(
    incident: Incident | None, ago: float, may: bool
) -> None:
    assert incidents.can_relapse(incident, T + 120 + ago) is may
