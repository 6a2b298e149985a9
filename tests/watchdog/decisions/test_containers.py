"""Films of containers: what a person does with `docker` wins, whenever it is done and whatever the engine does then (SPEC 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from recovery.errors import StepFailed
from recovery.model import RunOutcome
from recovery.ports import Life
from tests.builders import Crew, settings
from tests.fakes.dock import Person
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import later, play
from watchdog.model.container import DEPLOY, Act, Deed
from watchdog.model.decision import Decision
from watchdog.model.incident import Outcome, Tier
from watchdog.model.records import Entry, Exit, Meta
from watchdog.state.dealings import JUDGED, PATIENCE

BOXED: dict[str, Any] = {"runtime": {"docker": "bot"}}
OTHER = "/run/other/docker.sock"


def boxed(**more: Any) -> Crew:
    return Crew({"bot": {**BOXED, **more}})


def notes(crew: Crew) -> list[str]:
    """Soft lines about what people did."""
    return [text for text in crew.told(Tier.SOFT) if "by hand" in text or "gone" in text]


def by_hand(crew: Crew, name: str = "bot") -> Deed | None:
    hand = crew.card(name).by_hand
    return hand.deed if hand is not None else None


@pytest.mark.parametrize(
    ("deed", "left", "words"),
    [
        (Person.stop, Deed.STOPPED, "stopped by hand (docker stop)"),
        (Person.kill, Deed.STOPPED, "stopped by hand (docker kill)"),
        (lambda person: person.kill(15, 0), Deed.STOPPED, "stopped by hand (docker kill -s TERM)"),
        (Person.pause, Deed.PAUSED, "paused by hand (docker pause)"),
        (Person.remove, Deed.REMOVED, "removed by hand (docker rm)"),
    ],
)
def test_what_a_person_took_away_stays_theirs(deed: Callable[[Person], Awaitable[None]], left: Deed, words: str) -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await deed(crew.person())
            if left is Deed.PAUSED:
                crew.prober.says["bot"] = HANG
            await crew.wait(JUDGED + 0.1)
            assert (by_hand(crew), crew.card().touched) == (left, "")
            await crew.wait(7200)
            assert crew.deeds() == []
            assert by_hand(crew) is left
            assert (crew.card().history.state, crew.card().history.reason) == ("stopped", words)
            assert crew.told(Tier.CRITICAL) == []
            assert len(notes(crew)) == 1
            decision = crew.card().decision
            assert decision is None or decision.last.step == "operator"

    play(film())


@pytest.mark.parametrize("end", [Person.stop, Person.pause, Person.remove])
def test_when_it_runs_again_it_is_ours_again(end: Callable[[Person], Awaitable[None]]) -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await end(person)
            await crew.wait(300)
            await (person.unpause() if end is Person.pause else person.start())
            await crew.wait(70)
            assert by_hand(crew) is None
            assert crew.card().history.state == "ok"
            assert crew.card().incident is None
            assert crew.card().last is None or crew.last().outcome is Outcome.IGNORED
            await person.dies(1)
            await crew.wait(10)
            assert crew.deeds() == ["start"], "a crash after that is a crash"

    play(film())


def test_an_end_of_its_own_is_healed_at_once() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().dies(137)
            await crew.wait(5)
            assert crew.deeds() == ["start"]
            assert (by_hand(crew), notes(crew)) == (None, [])

    play(film())


@pytest.mark.parametrize(
    ("signal", "wait", "healed"),
    [(1, 60.0, True), (10, 60.0, True), (15, 60.0, True), (15, 8.0, False)],
    ids=["HUP, a crash a minute later", "USR1 likewise", "TERM likewise", "TERM that it obeys in 8 s"],
)
def test_a_death_belongs_to_a_signal_only_within_the_grace(signal: int, wait: float, healed: bool) -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.KILL, signal=signal)
            await crew.wait(wait)
            await crew.person().dies(1)
            await crew.wait(10)
            assert crew.deeds() == (["start"] if healed else [])
            assert by_hand(crew) is (None if healed else Deed.STOPPED)

    play(film())


def test_the_patience_of_a_persons_stop_is_not_cut_short() -> None:
    """`docker stop -t 60` on a bot that hangs: it has a minute to save what it has, and no SIGKILL of ours before."""

    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.prober.says["bot"] = HANG
            await crew.wait(110)
            crew.dock().says(Act.KILL, signal=15)
            await crew.wait(50)
            assert crew.deeds() == []
            decision = crew.card().decision
            assert decision is not None
            assert (decision.last.step, decision.last.reason) == ("operator", "somebody is at its container (kill (signal 15))")
            person = crew.person()
            await person.dies(0)
            crew.dock().says(Act.STOP)
            await crew.wait(600)
            assert (crew.deeds(), by_hand(crew)) == ([], Deed.STOPPED)

    play(film())


def test_a_signal_that_a_hanging_bot_survives_delays_its_recovery_by_a_minute_at_most() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.prober.says["bot"] = HANG
            await crew.wait(110)
            crew.dock().says(Act.KILL, signal=15)
            await crew.wait(PATIENCE - 1)
            assert crew.deeds() == []
            await crew.wait(30)
            assert crew.card().touched == ""
            assert crew.deeds() == ["stop i1", "start"]

    play(film())


def test_a_container_that_takes_the_name_of_another_service_leaves_its_own_without_one() -> None:
    """`docker rename green blue`, and both are services: nobody makes a `green` anew, and nobody is woken for it."""

    async def film() -> None:
        crew = Crew({name: {"runtime": {"docker": name}} for name in ("blue", "green")})
        async with crew.at_work():
            await crew.wait(65)
            crew.runtimes["green"].die(None, Life.GONE)
            crew.dock().says(Act.RENAME, "blue-old", cid="c1", old="blue")
            crew.dock().says(Act.RENAME, "blue", cid="c2", old="green")
            await crew.wait(JUDGED + 0.1)
            assert (by_hand(crew, "blue"), by_hand(crew, "green")) == (None, Deed.REMOVED)
            await crew.wait(3600)
            assert crew.deeds("green") == []
            assert crew.told(Tier.CRITICAL) == []

    play(film())


def test_a_crash_soon_after_a_restart_by_its_policy_is_no_deed_of_the_one_who_signalled_it_before() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            for _ in range(3):
                await person.dies(1)
                await crew.wait(0.2)
                await person.start()
                await crew.wait(30)
            assert (notes(crew), by_hand(crew)) == ([], None)
            assert [row.ours for row in crew.ledger.all(Exit)] == [False] * 3

    play(film())


def test_a_restart_by_hand_is_one_soft_line_and_no_crash() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            for _ in range(5):
                await crew.person().restart()
                await crew.wait(20)
            await crew.wait(60)
            assert len(notes(crew)) == 5
            assert "restarted by hand (docker restart)" in notes(crew)[0]
            assert crew.deeds() == []
            assert crew.told(Tier.CRITICAL) == [], "five restarts in two minutes by a person are no crash loop"
            assert crew.card().incident is None

    play(film())


def test_a_start_and_a_restart_of_what_had_exited_take_nothing_away() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, mode="observe")
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().dies(1)
            await crew.wait(20)
            await crew.person().restart()
            await crew.wait(70)
            assert by_hand(crew) is None
            assert [text.partition(" · ")[0] for text in notes(crew)] == ["🟡 bot: restarted by hand (docker restart)"]
            assert crew.card().history.state == "ok"

    play(film())


def test_a_deploy_is_adopted_with_startup_grace() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().deploy()
            await crew.wait(JUDGED + 0.2)
            assert by_hand(crew) is None
            assert crew.card().history.instance == "i2"
            assert crew.card().history.life.grace_until is not None
            assert ["re-created by hand" in text for text in notes(crew)] == [True]
            await crew.wait(DEPLOY + 60)
            assert (crew.deeds(), crew.card().incident, len(notes(crew))) == ([], None, 1)

    play(film())


def test_a_deploy_that_takes_its_time_is_judged_by_its_end() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await person.stop()
            for act in (person.remove, person.start):
                await crew.wait(0.8)
                person.id = "c2" if act == person.start else "c1"
                await act()
            await crew.wait(5)
            assert [text.partition(" (")[0] for text in notes(crew)] == ["🟡 bot: re-created by hand"]
            reasons = [row.last.reason for row in crew.ledger.all(Decision) if row.service == "bot"]
            assert [reason for reason in reasons if "by hand" in reason] == [
                "re-created by hand (a new container under the same name)"
            ]

    play(film())


def test_another_container_that_was_renamed_into_its_place_is_adopted_though_it_never_started() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.RENAME, "bot-old", cid="c1", old="bot")
            await crew.wait(0.3)
            crew.dock().says(Act.RENAME, "bot", cid="c2", old="bot-new")
            crew.runtimes["bot"].boot(ago=600.0)
            await crew.wait(5)
            assert by_hand(crew) is None
            assert "re-created by hand" in notes(crew)[0]
            crew.dock().says(Act.DESTROY, "bot-old", cid="c1")
            await crew.wait(DEPLOY + 60)
            assert (by_hand(crew), len(notes(crew))) == (None, 1)

    play(film())


def test_a_name_that_is_given_back_ends_its_absence() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.RENAME, "elsewhere", old="bot")
            await crew.wait(0.3)
            crew.dock().says(Act.RENAME, "bot", old="elsewhere")
            await crew.wait(5)
            assert (by_hand(crew), notes(crew)) == (None, [])

    play(film())


def test_stop_on_a_paused_one_leaves_it_stopped() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await person.pause()
            await crew.wait(30)
            crew.dock().says(Act.KILL, signal=15)
            await person.unpause()
            await person.dies(0)
            crew.dock().says(Act.STOP)
            await crew.wait(120)
            assert by_hand(crew) is Deed.STOPPED
            assert crew.deeds() == []

    play(film())


def test_a_container_that_is_gone_is_a_deploy_for_ten_minutes_then_one_soft_line() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().remove()
            await crew.wait(DEPLOY - 5)
            assert notes(crew) == []
            assert (by_hand(crew), crew.card().incident) == (Deed.REMOVED, None)
            await crew.wait(10)
            assert len(notes(crew)) == 1
            assert "gone for 10 min" in notes(crew)[0]
            await crew.wait(3600)
            assert len(notes(crew)) == 1

    play(film())


def test_a_second_removal_has_ten_minutes_of_its_own() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await person.remove()
            await crew.wait(300)
            await person.start()
            await crew.wait(60)
            await person.remove()
            await crew.wait(DEPLOY - 10)
            assert [text for text in notes(crew) if "gone" in text] == []
            await crew.wait(20)
            assert len([text for text in notes(crew) if "gone" in text]) == 1

    play(film())


# --- around a run -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [-1.5, -0.5, -0.05, 0.0, 0.05, 0.5, 2.0, 5.0])
@pytest.mark.parametrize("deed", [Person.stop, Person.pause, Person.remove])
def test_whoever_is_faster_a_person_wins_over_a_run(deed: Callable[[Person], Awaitable[None]], moment: float) -> None:
    """moment: seconds from the intent of our own stop, which takes 8 s."""

    async def began(act: bool) -> float:
        crew = boxed()
        crew.runtimes["bot"].takes = {"stop": 8.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            if not act:
                await crew.until(crew.touched)
                return crew.clock.monotonic()
            await crew.wait(start + moment - crew.clock.monotonic())
            await deed(crew.person())
            crew.prober.says["bot"] = HANG
            await crew.wait(400)
            assert "start" not in crew.deeds(), crew.deeds()
            assert by_hand(crew) is not None
            assert crew.told(Tier.CRITICAL) == []
            assert all(run.outcome is not RunOutcome.FAILED for run in crew.card().runs)
        return 0.0

    start = play(began(False))
    play(began(True))


def test_a_stop_calls_back_a_run_that_waits_for_its_proof() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(lambda: crew.card().active is not None and crew.active().run.proving_at is not None)
            await crew.person().stop()
            await crew.wait(300)
            assert crew.deeds() == ["stop i1", "start"], "our own act, and nothing after the person's"
            assert crew.card().runs[-1].outcome is RunOutcome.HELD
            assert crew.card().incident is None
            assert crew.last().outcome is Outcome.IGNORED

    play(film())


def test_a_harmless_signal_calls_nobody_back() -> None:
    async def film() -> None:
        crew = boxed()
        crew.runtimes["bot"].takes = {"stop": 8.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            crew.dock().says(Act.KILL, signal=1)
            crew.prober.says["bot"] = OK
            await crew.wait(120)
            assert crew.card().runs[-1].outcome is RunOutcome.HEALED

    play(film())


def test_our_own_stop_and_start_are_nobody_s_deed() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            crew.dock().says(Act.DIE, code=143)
            crew.prober.says["bot"] = OK
            await crew.until(lambda: "start" in crew.deeds())
            crew.dock().says(Act.START)
            await crew.wait(120)
            assert (notes(crew), by_hand(crew)) == ([], None)
            assert crew.last().outcome is Outcome.HEALED

    play(film())


# --- what the engine does meanwhile -----------------------------------------------------------------------------------


def test_a_health_status_right_after_an_end_does_not_hide_who_ended_it() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(0.5)
            crew.dock().says(Act.HEALTH)
            await crew.wait(60)
            assert (by_hand(crew), crew.card().touched, crew.deeds()) == (Deed.STOPPED, "", [])

    play(film())


def test_an_engine_that_goes_down_stops_what_runs_and_that_is_no_person() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, guards={"settle": "20s"})
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await person.stop()
            await crew.wait(0.1)
            crew.dock().record["bot"] = False
            crew.dock().fall()
            await crew.wait(30)
            assert (by_hand(crew), crew.deeds()) == (None, [])
            assert list(crew.app.fleet.engines_down)
            crew.dock().up = True
            await crew.wait(15)
            assert crew.deeds() == [], "Docker's own policies have the word first"
            await crew.wait(20)
            assert crew.deeds() == ["start"]
            assert (notes(crew), crew.card().incident and crew.incident().stage) == ([], None)

    play(film())


def test_what_docker_starts_again_after_its_own_restart_was_restarted_by_nobody() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            await person.stop()
            await crew.wait(0.1)
            crew.dock().record["bot"] = False
            crew.dock().fall()
            await crew.wait(5)
            crew.dock().up = True
            await crew.wait(1.5)
            await person.start()
            await crew.wait(120)
            assert notes(crew) == []
            assert crew.card().history.state == "ok"

    play(film())


def test_an_engine_that_fails_at_the_judgement_is_asked_for_its_record_when_it_answers_again() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().record["bot"] = True
            await crew.person().stop()
            later(0.5, setattr, crew.dock(), "up", False)
            later(2.0, setattr, crew.dock(), "up", True)
            await crew.wait(120)
            assert by_hand(crew) is Deed.STOPPED
            assert crew.deeds() == []
            assert crew.app.fleet.engines_down == {}

    play(film())


def test_a_slow_engine_at_the_judgement_gives_nobody_time_to_start_it_again() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            crew.dock().takes = 4.0
            await crew.wait(3)
            assert (by_hand(crew), crew.deeds()) == (None, [])
            assert "somebody is at its container (stop)" in crew.incident().reason
            await crew.wait(30)
            assert (by_hand(crew), crew.card().touched, crew.deeds()) == (Deed.STOPPED, "", [])

    play(film())


def test_an_engine_that_hangs_while_its_stream_is_silent_is_found_by_its_pulse() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.START, "somebody-else")
            crew.dock().up = False
            await crew.wait(11)
            assert list(crew.app.fleet.engines_down)
            await crew.person().stop()
            crew.dock().up = True
            await crew.wait(120)
            assert crew.app.fleet.engines_down == {}
            assert by_hand(crew) is Deed.STOPPED

    play(film())


def test_a_stream_that_was_only_cut_loses_nothing_and_tells_nothing_twice() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().restart()
            await crew.wait(10)
            crew.dock().drop()
            await crew.wait(0.3)
            await crew.person().stop()
            await crew.wait(10)
            assert by_hand(crew) is Deed.STOPPED
            assert len(notes(crew)) == 2
            assert not [row for row in crew.ledger.all(Entry) if row.kind == "opened" and row.service == "docker"]

    play(film())


def test_what_happens_before_the_first_event_of_all_is_not_lost_with_a_cut_stream() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().drop()
            await crew.wait(0.3)
            await crew.person().stop()
            await crew.wait(60)
            assert by_hand(crew) is Deed.STOPPED
            assert crew.deeds() == []

    play(film())


def test_events_after_the_clock_was_set_back_are_heard() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().restart()
            await crew.wait(60)
            crew.clock.step = -10_800.0
            await crew.person().stop()
            await crew.wait(60)
            assert by_hand(crew) is Deed.STOPPED
            assert crew.deeds() == []

    play(film())


def test_an_unknown_container_is_nobody_s() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.KILL, "database", signal=9)
            crew.dock().says(Act.STOP, "database")
            await crew.wait(5)
            assert (by_hand(crew), crew.card().touched, notes(crew)) == (None, "", [])

    play(film())


def test_two_engines_each_have_their_own_bot_of_the_same_name() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "twin": {"runtime": {"docker": {"name": "bot", "host": OTHER}}}})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock(OTHER).says(Act.KILL, signal=15)
            crew.dock(OTHER).says(Act.DIE, code=0)
            crew.runtimes["twin"].die(0)
            crew.dock(OTHER).says(Act.STOP)
            await crew.wait(60)
            assert (by_hand(crew, "bot"), by_hand(crew, "twin")) == (None, Deed.STOPPED)
            crew.dock(OTHER).up = False
            crew.prober.says["bot"] = HANG
            await crew.wait(150)
            assert list(crew.app.fleet.engines_down) == [OTHER]
            assert crew.deeds("bot") == ["stop i1", "start"], "the other engine answers"

    play(film())


def test_a_kill_for_memory_is_counted_and_its_container_left_to_its_policy() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().says(Act.OOM)
            await crew.wait(1)
            assert len(crew.card().history.life.ooms) == 1
            assert (by_hand(crew), crew.deeds()) == (None, [])
            assert ("killed for memory", 1) in crew.card().signs

    play(film())


def test_an_end_that_came_before_anybody_could_look_is_an_exit_all_the_same() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, mode="observe")
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().dies(1)
            await crew.wait(2)
            for _ in range(4):
                crew.dock().says(Act.START)
                crew.dock().says(Act.DIE, code=1)
                await crew.wait(1)
            assert len(crew.card().history.life.exits) == 5
            assert crew.incident().symptom == "crash_loop"

    play(film())


# --- the life of the daemon -------------------------------------------------------------------------------------------


def test_what_was_stopped_by_hand_is_known_in_the_next_life_and_told_once() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(5)
        crew.next_life()
        assert by_hand(crew) is Deed.STOPPED
        assert crew.card().history.state == "stopped"
        async with crew.at_work():
            await crew.wait(600)
            assert by_hand(crew) is Deed.STOPPED
            assert (crew.deeds(), len(notes(crew))) == ([], 1)

    play(film())


def test_what_was_started_and_crashed_while_the_daemon_was_away_is_ours() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(5)
        crew.next_life()
        crew.dock().record["bot"] = False
        async with crew.at_work():
            await crew.wait(10)
            assert by_hand(crew) is None
            assert crew.deeds() == ["start"]

    play(film())


@pytest.mark.parametrize(("record", "left"), [(True, Deed.STOPPED), (False, None), (None, None)])
def test_after_a_gap_docker_s_own_record_is_the_evidence(record: bool | None, left: Deed | None) -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
        crew.next_life()
        crew.runtimes["bot"].die(0)
        crew.dock().record["bot"] = record
        async with crew.at_work():
            await crew.wait(40)
            assert by_hand(crew) is left
            assert crew.deeds() == ([] if left else ["start"])

    play(film())


def test_events_of_the_gap_are_taken_once_and_those_before_it_not_again() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().restart()
            await crew.wait(5)
            assert [row.value for row in crew.ledger.all(Meta) if row.key.startswith("docker_seen")]
        crew.next_life()
        await crew.wait(60)
        crew.dock().says(Act.OOM)
        async with crew.at_work():
            await crew.wait(60)
            assert len(crew.card().history.life.ooms) == 1
            assert len(notes(crew)) == 1, "the restart before was told in the life before"
        crew.next_life()
        async with crew.at_work():
            await crew.wait(60)
            assert len(crew.card().history.life.ooms) == 1

    play(film())


def test_a_removal_is_told_though_the_daemon_was_started_again_meanwhile() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().remove()
            await crew.wait(300)
        crew.next_life()
        async with crew.at_work():
            await crew.wait(280)
            assert notes(crew) == []
            await crew.wait(60)
            assert len(notes(crew)) == 1

    play(film())


def test_paused_or_gone_when_we_came_is_left_alone() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "gone": {"runtime": {"docker": "gone"}}})
        await crew.person().pause()
        await crew.person("gone").remove()
        async with crew.at_work():
            await crew.wait(120)
            assert (by_hand(crew), by_hand(crew, "gone")) == (Deed.PAUSED, Deed.REMOVED)
            assert crew.deeds("bot") == crew.deeds("gone") == []

    play(film())


def test_an_incident_of_docker_of_an_earlier_life_ends_when_docker_answers() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().up = False
            await crew.wait(15)
            assert "docker" in crew.app.fleet.host
        crew.next_life()
        assert "docker" in crew.app.fleet.host
        crew.dock().up = True
        async with crew.at_work():
            await crew.wait(5)
            assert crew.app.fleet.host == {}

    play(film())


@pytest.mark.parametrize("anew", [False, True], ids=["it hung", "it was down"])
@pytest.mark.parametrize(("ended", "left"), [(-3600.0, Deed.STOPPED), (30.0, None)], ids=["by a person, before", "by the engine"])
def test_what_was_stopped_before_the_daemon_and_while_its_engine_was_away(anew: bool, ended: float, left: Deed | None) -> None:
    """The first look falls on an engine that does not answer: its record is asked when it is back, and for what ended before."""

    async def film() -> None:
        crew = Crew({"bot": BOXED, "other": {"runtime": {"docker": "other"}}})
        for name in ("bot", "other"):
            crew.runtime(crew.settings.services[name])
        crew.runtimes["bot"].die(0)
        unseen: list[Exception] = [StepFailed("Docker is not there")] * 10_000
        crew.runtimes["bot"].fails["look"] = unseen
        dock = crew.dock()
        dock.says(Act.START, "other", cid="c9")
        dock.record["bot"], dock.ended["bot"] = left is not None or anew, crew.clock.now() + ended
        dock.up = False
        async with crew.at_work():
            await crew.wait(60)
            if anew:
                dock.fall()
            dock.up = True
            unseen.clear()
            await crew.wait(300)
            assert by_hand(crew) is left
            assert crew.deeds() == ([] if left else ["start"])

    play(film())


def test_when_an_engine_is_back_containers_are_looked_for_at_once() -> None:
    async def film() -> None:
        crew = boxed()
        crew.dock().up = False
        async with crew.at_work():
            await crew.wait(65)
            assert crew.strangers == 0
            crew.dock().up = True
            await crew.wait(3)
            assert crew.strangers == 1

    play(film())


def test_what_a_person_does_again_and_again_is_no_crash_loop() -> None:
    """A deploy that is tried again and again: only when a second was quiet it is judged, and then all its ends were theirs."""

    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            person = crew.person()
            for _ in range(6):
                await person.deploy()
                await crew.wait(0.5)
            await crew.wait(120)
            assert crew.told(Tier.CRITICAL) == []
            assert [end.ours for end in crew.card().history.life.exits] == [True] * 6
            await person.dies(1)
            await crew.wait(10)
            assert crew.deeds() == ["start"], "one crash after that is one crash"

    play(film())


# --- reloads ----------------------------------------------------------------------------------------------------------


async def reload(crew: Crew, services: dict[str, dict[str, Any]]) -> None:
    await crew.app.reload(settings(services, **crew.more), crew.books)


def test_a_removed_service_is_judged_by_nobody_and_its_engine_let_go() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "plain": {}})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await reload(crew, {"plain": {}})
            crew.dock().up = False
            await crew.wait(60)
            assert crew.app.fleet.engines == ()
            assert (crew.app.fleet.engines_down, crew.app.fleet.host) == ({}, {})
            assert notes(crew) == []
            pings = crew.dock().pings
            await crew.wait(600)
            assert crew.dock().pings == pings, "nobody asks an engine that nobody needs"

    play(film())


def test_an_engine_that_is_away_and_not_needed_any_more_ends_its_incident() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "plain": {}})
        async with crew.at_work():
            crew.dock().up = False
            await crew.wait(65)
            assert "docker" in crew.app.fleet.host
            await reload(crew, {"plain": {}})
            await crew.wait(5)
            assert crew.app.fleet.host == {}

    play(film())


def test_a_service_that_comes_back_is_followed_and_felt_as_before() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "plain": {}})
        async with crew.at_work():
            await crew.wait(65)
            for pause in (30.0, 0.0):
                await reload(crew, {"plain": {}})
                await crew.wait(pause)
                await reload(crew, {"bot": BOXED, "plain": {}})
                await crew.wait(30)
            crew.dock().up = False
            await crew.wait(12)
            assert "docker" in crew.app.fleet.host, "its pulse is felt"
            crew.dock().up = True
            await crew.wait(40)
            await crew.person().stop()
            await crew.wait(40)
            assert (by_hand(crew), crew.deeds()) == (Deed.STOPPED, [])

    play(film())


def test_a_new_service_that_somebody_had_stopped_is_not_brought_up() -> None:
    async def film() -> None:
        crew = Crew({"plain": {}, "first": {"runtime": {"docker": "first"}}})
        async with crew.at_work():
            await crew.wait(65)
            crew.runtime(replace(crew.settings.services["first"], name="bot"))
            crew.runtimes["bot"].die(0)
            crew.dock().record["bot"] = True
            await reload(crew, {"plain": {}, "first": {"runtime": {"docker": "first"}}, "bot": BOXED})
            await crew.wait(120)
            assert (by_hand(crew), crew.deeds()) == (Deed.STOPPED, [])

    play(film())


@pytest.mark.parametrize("meanwhile", [{}, {"bot": {"runtime": {"docker": "bot-2"}}}], ids=["removed", "another container"])
def test_what_a_person_did_while_nobody_here_followed_it_is_found_when_it_comes_back(meanwhile: dict[str, Any]) -> None:
    async def film() -> None:
        first = {"first": {"runtime": {"docker": "first"}}}
        crew = Crew({"bot": BOXED, **first})
        async with crew.at_work():
            await crew.wait(65)
            await reload(crew, {**meanwhile, **first})
            await crew.wait(65)
            crew.dock().says(Act.STOP)
            await crew.wait(5)
            crew.runtimes["bot"].die(0)
            crew.dock().record["bot"] = True
            await reload(crew, {"bot": BOXED, **first})
            await crew.wait(120)
            assert (by_hand(crew), crew.deeds()) == (Deed.STOPPED, [])

    play(film())


def test_another_container_of_the_same_service_was_not_stopped_by_anybody() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(5)
            assert by_hand(crew) is Deed.STOPPED
            crew.runtimes["bot"].boot()
            await reload(crew, {"bot": {"runtime": {"docker": "bot-2"}}})
            await crew.wait(70)
            assert by_hand(crew) is None
            assert crew.card().history.state == "ok"

    play(film())


def test_another_container_of_the_same_service_that_has_crashed_is_healed() -> None:
    async def film() -> None:
        crew = boxed()
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(5)
            await reload(crew, {"bot": {"runtime": {"docker": "bot-2"}}})
            await crew.wait(60)
            assert (by_hand(crew), crew.deeds()) == (None, ["start"])

    play(film())


def test_a_storm_does_not_count_what_people_stopped() -> None:
    async def film() -> None:
        names = [f"bot-{number}" for number in range(6)]
        crew = Crew({name: {"runtime": {"docker": name}} for name in names})
        async with crew.at_work():
            await crew.wait(65)
            for name in names:
                await crew.person(name).stop()
            await crew.wait(120)
            assert crew.app.fleet.storm is None
            assert all(crew.deeds(name) == [] for name in names)
            assert all(crew.card(name).incident is None for name in names)

    play(film())
