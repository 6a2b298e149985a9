"""The order of SPEC 5 as a film: one situation, and what speaks against acting on it, step by step."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from recovery.model import Condition, Effect, Mode, Playbook, Run, RunOutcome, Step, Verify, When
from watchdog.config.load import from_values
from watchdog.decisions.decide import decide
from watchdog.decisions.situation import Approval, Dependency, Parking, Pause, Situation, World
from watchdog.model.decision import Ruling, Verdict
from watchdog.model.decision import Step as Stage
from watchdog.model.records import Hold
from watchdog.model.symptom import Symptom

NOW = 1_000_000.0


def book(
    name: str = "restart-unresponsive", symptom: str = "unresponsive", *, kill: bool = True, mode: Mode = Mode.AUTO
) -> Playbook:
    step = Step("stop", "stop_process", SimpleNamespace(kill=kill), Effect.RESTART)
    return Playbook(name, "", When((Condition(symptom=symptom),)), (step,), Verify(), mode=mode)


def situation() -> Situation:
    settings = from_values(
        {
            "services": {
                "bot": {
                    "probe": {"http": "http://127.0.0.1:8101/health"},
                    "runtime": {"process": {"start": ["bot"]}},
                }
            }
        }
    )
    books = {"restart-unresponsive": book()}
    symptom = Symptom("unresponsive", NOW - 120, "4 timeouts in a row")
    return Situation(settings.services["bot"], symptom, settings.guards, books, world=World(bad=1, total=42, storm_at=20))


def run(at: float, playbook: str = "restart-unresponsive", *, gentle: bool = False) -> Run:
    return Run(1, "bot", playbook, 1, at, Effect.RESTART, gentle=gentle, ended_at=at + 20, outcome=RunOutcome.FAILED)


def last(each: Situation, now: float = NOW) -> Ruling:
    return decide(each, now)[-1]


def test_with_nothing_against_it_every_step_passes_and_says_why() -> None:
    trail = decide(situation(), NOW)

    assert [ruling.step for ruling in trail] == list(Stage)
    assert [ruling.verdict for ruling in trail] == [Verdict.PASS] * 6 + [Verdict.HEAL]
    assert trail[-1].playbook == "restart-unresponsive"
    assert all(ruling.reason for ruling in trail)
    assert "1 of 42 bad (a storm begins at 20)" in trail[0].reason


@pytest.mark.parametrize(
    ("world", "word"),
    [
        (World(store="the store cannot be written (disk full)"), "store"),
        (World(network="our own network is down"), "network"),
        (World(storm="31 services went bad at once"), "31 services"),
    ],
)
def test_what_is_wrong_for_many_is_not_healed_one_by_one(world: World, word: str) -> None:
    ruling = last(replace(situation(), world=world))

    assert (ruling.step, ruling.verdict) == (Stage.HOST, Verdict.WAIT)
    assert word in ruling.reason


def test_a_hold_a_window_and_an_ack_are_the_operators_word() -> None:
    held = replace(situation(), hold=Hold("bot", NOW - 10, NOW + 600, "anna", "deploy"))
    ruling = last(held)
    assert (ruling.step, ruling.verdict, ruling.until) == (Stage.OPERATOR, Verdict.WAIT, NOW + 600)
    assert ruling.reason == "on hold by anna: deploy"

    assert last(replace(situation(), maintenance_until=NOW + 60)).reason == "maintenance window"
    assert "acknowledged" in last(replace(situation(), acked=True)).reason


def test_dependencies_are_asked_anew_before_anything_is_touched() -> None:
    unasked = replace(situation(), dependencies=(Dependency("redis", None, "is being asked"),))
    ruling = last(unasked)
    assert (ruling.step, ruling.verdict, ruling.by) == (Stage.ROOT, Verdict.WAIT, None)
    assert ruling.reason == "asking redis anew first"

    fine = replace(situation(), dependencies=(Dependency("redis", True, "is ok, answered in 1 ms"),))
    assert last(fine).verdict is Verdict.HEAL


def test_the_deepest_unhealthy_dependency_is_named_as_the_root() -> None:
    below = (
        Dependency("api", False, "does not answer (timeout)", level=1),
        Dependency("postgres", False, "is not running", level=0),
        Dependency("redis", None, "is being asked", level=0),
    )
    ruling = last(replace(situation(), dependencies=below))

    assert ruling.by == "postgres"
    assert ruling.reason == "blocked by postgres: is not running"


def test_a_dependency_that_came_back_gives_time_to_reconnect_but_not_to_the_dead() -> None:
    pause = Pause("postgres is back; time to reconnect", NOW + 40)
    waiting = last(replace(situation(), reconnect=pause))
    assert (waiting.step, waiting.verdict, waiting.until) == (Stage.GRACE, Verdict.WAIT, NOW + 40)

    books = {"start-exited": book("start-exited", "exited")}
    exited = replace(situation(), reconnect=pause, symptom=Symptom("exited", NOW, "exited with code 1"), playbooks=books)
    assert last(exited).verdict is Verdict.HEAL


def test_who_blames_a_declared_dependency_is_not_restarted_for_it() -> None:
    excused = replace(situation(), symptom=Symptom("critical", NOW, "critical twice", excused=True), named="redis")
    ruling = last(excused)

    assert (ruling.step, ruling.verdict) == (Stage.ROOT, Verdict.WAIT)
    assert "it blames redis" in ruling.reason


def test_settling_and_startup_grace_wait_and_grace_spares_only_what_comes_from_health() -> None:
    settling = last(replace(situation(), settle=Pause("settling after the start of the daemon", NOW + 20)))
    assert (settling.step, settling.until) == (Stage.GRACE, NOW + 20)

    young = replace(situation(), grace=Pause("within its startup grace", NOW + 12))
    assert last(young).until == NOW + 12
    books = {"start-exited": book("start-exited", "exited")}
    assert last(replace(young, symptom=Symptom("exited", NOW, "exited"), playbooks=books)).verdict is Verdict.HEAL


def test_what_no_retry_cures_goes_to_a_person_before_any_budget_is_looked_at() -> None:
    hopeless = replace(situation(), symptom=Symptom("critical", NOW, "critical twice: invalid_grant", reason="invalid_grant"))
    ruling = last(hopeless)
    assert (ruling.step, ruling.verdict, ruling.park) == (Stage.TERMINAL, Verdict.ESCALATE, False)

    looping = last(replace(situation(), symptom=Symptom("crash_loop", NOW, "5 exits in 10 minutes", person=True)))
    assert (looping.step, looping.verdict, looping.park) == (Stage.TERMINAL, Verdict.ESCALATE, True)


def test_cooldown_runs_from_the_start_of_the_last_run_of_the_same_playbook() -> None:
    ruling = last(replace(situation(), runs=(run(NOW - 100),)))
    assert (ruling.step, ruling.verdict, ruling.until) == (Stage.BUDGET, Verdict.WAIT, NOW + 200)

    assert last(replace(situation(), runs=(run(NOW - 301),))).verdict is Verdict.HEAL
    assert last(replace(situation(), runs=(run(NOW - 100, "start-exited"),))).verdict is Verdict.HEAL


def test_the_fourth_restart_in_an_hour_is_not_made_but_parks() -> None:
    runs = tuple(run(NOW - age) for age in (3000, 2000, 1000))
    ruling = last(replace(situation(), runs=runs))
    assert (ruling.step, ruling.verdict, ruling.park) == (Stage.BUDGET, Verdict.ESCALATE, True)
    assert "3 of 3" in ruling.reason

    assert last(replace(situation(), runs=runs[1:])).verdict is Verdict.HEAL
    refunded = (replace(runs[0], refunded=True), *runs[1:])
    assert last(replace(situation(), runs=refunded)).verdict is Verdict.HEAL


def test_a_parked_service_waits_for_its_chance_and_then_gets_one_attempt() -> None:
    parked = replace(situation(), parking=Parking(NOW - 600, 0, NOW + 3000), runs=tuple(run(NOW - 600) for _ in range(3)))
    assert last(parked).until == NOW + 3000

    chance = replace(parked, parking=Parking(NOW - 600, 1, NOW + 3000, chance="re-armed after its wait"))
    assert last(chance).verdict is Verdict.HEAL


def test_only_so_many_recoveries_work_at_a_time_and_soft_ones_queue_behind() -> None:
    busy = last(replace(situation(), working=4))
    assert (busy.step, busy.verdict) == (Stage.BUDGET, Verdict.WAIT)
    assert busy.reason == "4 recoveries at work, 4 at a time"

    books = {"soft-recovery": book("soft-recovery", "degraded", kill=False)}
    soft = replace(situation(), symptom=Symptom("degraded", NOW, "degraded 3 times"), playbooks=books, soft_busy="other")
    assert last(soft).reason == "soft queue: other goes first"
    assert last(replace(soft, soft_busy="")).verdict is Verdict.HEAL


def test_a_gentle_restart_comes_once_an_hour_and_never_parks() -> None:
    books = {"soft-recovery": book("soft-recovery", "degraded", kill=False)}
    degraded = replace(situation(), symptom=Symptom("degraded", NOW, "degraded 3 times"), playbooks=books)
    again = last(replace(degraded, runs=(run(NOW - 1800, "soft-recovery", gentle=True),)))

    assert (again.step, again.verdict, again.park) == (Stage.BUDGET, Verdict.WAIT, False)
    assert last(replace(degraded, runs=tuple(run(NOW - a) for a in (3000, 2000, 1000)))).verdict is Verdict.HEAL


def test_without_a_playbook_a_person_is_asked() -> None:
    ruling = last(replace(situation(), playbooks={}))
    assert (ruling.step, ruling.verdict, ruling.park) == (Stage.PLAYBOOK, Verdict.ESCALATE, False)


def test_observe_mode_says_what_it_would_run() -> None:
    ruling = last(replace(situation(), observing=True))
    assert (ruling.verdict, ruling.reason) == (Verdict.WAIT, "observe: would run restart-unresponsive")


def test_approve_mode_asks_waits_and_obeys() -> None:
    asks = replace(situation(), playbooks={"restart-unresponsive": book(mode=Mode.APPROVE)})
    assert last(asks).reason.startswith("approval: restart-unresponsive asks a person first")

    asked = Approval(7, "restart-unresponsive", NOW, NOW + 1800)
    assert "watchdogctl approve 7" in last(replace(asks, approval=asked)).reason
    assert last(replace(asks, approval=replace(asked, outcome="approved"))).verdict is Verdict.HEAL
    rejected = last(replace(asks, approval=replace(asked, outcome="rejected")))
    assert (rejected.verdict, rejected.reason) == (Verdict.ESCALATE, "approval of restart-unresponsive: rejected")
    assert last(replace(asks, approval=asked), NOW + 1801).verdict is Verdict.ESCALATE


def test_terminal_comes_before_budget_and_budget_before_the_playbook() -> None:
    runs = tuple(run(NOW - age) for age in (3000, 2000, 1000))
    symptom = Symptom("critical", NOW, "critical", reason="invalid_grant")
    assert last(replace(situation(), symptom=symptom, runs=runs)).step is Stage.TERMINAL
    assert last(replace(situation(), runs=runs, observing=True)).step is Stage.BUDGET
