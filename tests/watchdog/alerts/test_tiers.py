"""When an incident is silent, soft or critical, told as films with hand-given time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from watchdog.alerts.tiers import Facts, next_rise, tier
from watchdog.model.incident import Incident, Outcome, Stage, Tier

T0 = 1_772_000_000.0


@dataclass(frozen=True)
class Defaults:
    silent_below: float = 180.0
    critical_after: float = 900.0
    repeats_per_hour: int = 3


LIMITS = Defaults()
ALONE = Facts()
HUNG = Incident(1, "scraper", Stage.CONFIRMED, T0, symptom="unresponsive", confirmed_at=T0 + 90, clock_at=T0)


def at(seconds: float, incident: Incident = HUNG, facts: Facts = ALONE) -> Tier:
    return tier(incident, LIMITS, T0 + seconds, facts).tier


def test_an_incident_grows_louder_with_its_age() -> None:
    assert at(179.9) is Tier.SILENT
    assert at(180) is Tier.SOFT
    assert at(899.9) is Tier.SOFT
    assert at(900) is Tier.CRITICAL


def test_the_next_rise_is_known_beforehand() -> None:
    assert next_rise(HUNG, LIMITS) == T0 + 180
    assert next_rise(replace(HUNG, tier=Tier.SOFT), LIMITS) == T0 + 900
    assert next_rise(replace(HUNG, tier=Tier.CRITICAL), LIMITS) is None


def test_healed_quickly_by_routine_stays_silent() -> None:
    healed = replace(HUNG, stage=Stage.CLOSED, outcome=Outcome.HEALED, closed_at=T0 + 140, clock_at=None)
    assert at(140, healed) is Tier.SILENT
    assert next_rise(healed, LIMITS) is None


def test_healed_quickly_by_an_unusual_action_is_soft() -> None:
    healed = replace(HUNG, stage=Stage.CLOSED, outcome=Outcome.HEALED, closed_at=T0 + 20, clock_at=None, routine=False)
    assert at(20, healed) is Tier.SOFT


def test_a_tier_only_rises() -> None:
    critical = replace(HUNG, tier=Tier.CRITICAL)
    assert at(1, critical) is Tier.CRITICAL
    assert "only rises" in tier(critical, LIMITS, T0 + 1).why
    assert at(1000, replace(critical, stage=Stage.CLOSED, outcome=Outcome.HEALED, clock_at=None)) is Tier.CRITICAL


def test_while_the_daemon_may_not_act_time_makes_nothing_louder() -> None:
    held = replace(HUNG, stage=Stage.WAITING, clock_at=None)
    assert at(5000, held) is Tier.SILENT
    assert next_rise(held, LIMITS) is None


@pytest.mark.parametrize("stage", [Stage.PARKED, Stage.PERSON])
def test_what_only_a_person_can_end_is_critical_at_once(stage: Stage) -> None:
    assert at(91, replace(HUNG, stage=stage)) is Tier.CRITICAL


def test_a_lasting_storm_is_critical() -> None:
    assert at(60, facts=Facts(storm=True)) is Tier.CRITICAL


def test_the_fourth_time_in_an_hour_is_critical() -> None:
    assert at(91, facts=Facts(repeats=3)) is Tier.SILENT
    rise = tier(HUNG, LIMITS, T0 + 91, Facts(repeats=4))
    assert (rise.tier, rise.why) == (Tier.CRITICAL, "4 times in an hour")


def test_degraded_never_pages_by_age() -> None:
    degraded = replace(HUNG, symptom="degraded")
    assert at(4000, degraded) is Tier.SOFT
    assert next_rise(replace(degraded, tier=Tier.SOFT), LIMITS) is None
    assert at(4000, degraded, Facts(degraded_pages=True)) is Tier.CRITICAL


def test_a_good_answer_in_the_proof_delays_the_page_by_a_minute_at_most() -> None:
    assert at(930, facts=Facts(good=True)) is Tier.SOFT
    assert next_rise(replace(HUNG, tier=Tier.SOFT), LIMITS, Facts(good=True)) == T0 + 960
    assert at(960, facts=Facts(good=True)) is Tier.CRITICAL


def test_what_is_blocked_or_folded_has_no_alert_of_its_own() -> None:
    for child in (replace(HUNG, stage=Stage.BLOCKED), replace(HUNG, parent=7)):
        assert at(5000, child) is Tier.SILENT
        assert next_rise(child, LIMITS) is None
        assert at(5000, child, Facts(repeats=9)) is Tier.SILENT


def test_a_blip_is_never_told() -> None:
    blip = replace(HUNG, confirmed_at=None, symptom=None, stage=Stage.OPEN)
    assert at(5000, blip) is Tier.SILENT
    assert next_rise(blip, LIMITS) is None


def test_a_seen_alert_makes_no_more_sound() -> None:
    assert tier(HUNG, LIMITS, T0 + 900).sound
    assert not tier(replace(HUNG, acked=True), LIMITS, T0 + 900).sound
    assert not tier(HUNG, LIMITS, T0 + 200).sound
