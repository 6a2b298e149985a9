"""What people ask for at the desk: what is granted, and what is refused with which words (SPEC 14)."""

from __future__ import annotations

from typing import Any

import pytest

from recovery.errors import StepFailed
from recovery.language import parse
from recovery.model import Playbook, RunOutcome
from recovery.reader import Known
from recovery.yaml import load_text
from tests.builders import REGISTRY, Crew, says
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.errors import Misused, Refused
from watchdog.model.incident import Outcome, Stage
from watchdog.model.observation import Kind
from watchdog.model.records import Entry, Hold

ASKING = """
name: careful
summary: asks a person before it restarts
when: {symptom: unresponsive}
services: {names: [bot]}
mode: approve
steps: [{stop_process: {}}, {ensure_running: {}}]
verify: {}
"""


def book(text: str) -> dict[str, Playbook]:
    found, problems = parse(load_text(text, "book.yaml"), Known(REGISTRY))
    assert found is not None, problems
    return {found.name: found}


async def refused(crew: Crew, verb: str, **args: Any) -> str:
    with pytest.raises(Refused) as caught:
        await crew.ask(verb, **args)
    assert isinstance(caught.value, Misused) == str(caught.value).startswith("unknown "), "a wrong name is a wrong usage"
    return str(caught.value)


async def confirmed(crew: Crew, name: str = "bot") -> None:
    """It hangs until that is confirmed."""
    crew.prober.says[name] = HANG
    await crew.wait(150)


@pytest.mark.parametrize("verb", ["hold", "stop", "start", "recover", "resume", "hold_end"])
def test_an_unknown_service_is_refused_with_the_one_that_was_meant(verb: str) -> None:
    async def film() -> None:
        crew = Crew({"postgres": {}, "report-bot": {}})
        asked = {"service": "postgre", "for_": 60.0}
        assert await refused(crew, verb, **asked) == "unknown service 'postgre', did you mean 'postgres'?"
        assert await refused(crew, verb, **{**asked, "service": "zzz"}) == "unknown service 'zzz'"
        assert not crew.ledger.all(Hold)

    play(film())


def test_an_unknown_verb_is_refused_and_status_of_an_unknown_service_too() -> None:
    async def film() -> None:
        crew = Crew()
        assert await refused(crew, "dance") == "unknown verb dance"
        with pytest.raises(Refused, match="did you mean 'bot'"):
            crew.app.desk.read("status", {"service": "bott"})
        assert crew.app.desk.read("ping", {}) == {"text": "here"}
        assert crew.app.desk.read("status", {"service": "bot"})["services"][0]["name"] == "bot"

    play(film())


def test_without_a_file_there_is_nothing_to_reload() -> None:
    async def film() -> None:
        assert await refused(Crew(), "reload") == "there is no file to reload"

    play(film())


def test_a_hold_is_on_disk_when_it_is_granted_and_ends_by_itself_with_fresh_counts() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            answer = await crew.ask("hold", service="bot", for_=600.0, reason="deploy")
            assert answer["text"].startswith("bot is on hold for 10 min, until ")
            assert any(isinstance(row, Hold) and row.by == "anna" for row in crew.ledger.disk)
            await confirmed(crew)
            assert crew.incident().stage is Stage.WAITING
            assert crew.deeds() == []
            await crew.wait(440)
            assert crew.deeds() == []
            await crew.wait(200)
            assert crew.card().hold is None
            assert crew.deeds()[:1] == ["stop i1"]

    play(film())


def test_a_hold_returns_when_the_run_has_reached_its_safe_point_and_the_bot_is_up_again() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].takes = {"stop": 6.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            began = crew.clock.monotonic()
            await crew.ask("hold", service="bot", for_=600.0)
            assert 4.0 < crew.clock.monotonic() - began < 8.0
            assert crew.card().active is None
            assert crew.deeds() == ["stop i1", "start"]
            assert crew.card().runs[-1].outcome is RunOutcome.HELD
            assert crew.incident().reason.startswith("restart-unresponsive: on hold by anna")

    play(film())


def test_a_run_that_does_not_reach_its_safe_point_within_90_seconds_is_named() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].takes, crew.runtimes["bot"].hangs = {"stop": 55.0}, {"start"}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            began = crew.clock.monotonic()
            answer = await crew.ask("hold", service="bot", for_=600.0)
            assert crew.clock.monotonic() - began == pytest.approx(90.0)
            assert answer["text"].endswith("; still busy: bot")

    play(film())


def test_everything_can_be_held_at_once_and_ended_at_once() -> None:
    async def film() -> None:
        crew = Crew({"a": {}, "b": {}})
        async with crew.at_work():
            assert (await crew.ask("hold", service=None, for_=60.0))["text"].startswith("everything is on hold for 1 min")
            assert all(card.hold is not None for card in crew.app.fleet)
            assert (await crew.ask("hold_end", service=None))["text"] == "the hold on a, b is over; fresh counts begin"
            assert all(card.hold is None for card in crew.app.fleet)
            assert await refused(crew, "hold_end", service=None) == "nothing is on hold"
            assert await refused(crew, "hold_end", service="a") == "a is not on hold"

    play(film())


def test_what_cannot_be_written_down_is_not_done() -> None:
    async def film() -> None:
        crew = Crew()
        crew.ledger.away = "disk full"
        for verb in ("hold", "stop"):
            assert await refused(crew, verb, service="bot", for_=60.0) == "not done, it cannot be written down: disk full"
        assert crew.deeds() == []

    play(film())


def test_a_service_without_a_runtime_can_be_neither_stopped_nor_started_nor_restarted() -> None:
    async def film() -> None:
        crew = Crew({"web": {"runtime": None}})
        assert await refused(crew, "stop", service="web", for_=60.0) == "web has no runtime: the watchdog cannot stop it"
        assert await refused(crew, "start", service="web") == "web has no runtime: the watchdog cannot start it"
        assert await refused(crew, "recover", service="web") == "web has no runtime: the watchdog cannot restart it"

    play(film())


def test_a_bot_stopped_on_purpose_stays_down_is_no_incident_and_start_brings_it_back() -> None:
    async def film() -> None:
        crew = Crew()
        bot = crew.runtimes["bot"]
        async with crew.at_work():
            await crew.wait(5)
            answer = await crew.ask("stop", service="bot", for_=3600.0, reason="moving house")
            assert "(ended by SIGTERM)" in answer["text"]
            await crew.wait(300)
            assert (bot.deeds, crew.card().incident) == (["stop i1"], None)
            assert "is being started (run " in (await crew.ask("start", service="bot"))["text"]
            await crew.wait(60)
            assert bot.deeds == ["stop i1", "start"]
            assert crew.card().hold is None
            assert (await crew.ask("start", service="bot"))["text"] == f"bot runs already (pid {bot.sight.pid})"

    play(film())


def test_a_stop_that_fails_leaves_the_hold_and_says_so() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].fails = {"stop": [StepFailed("alive after SIGKILL")]}
        async with crew.at_work():
            words = await refused(crew, "stop", service="bot", for_=60.0)
            assert words == "bot is on hold, but could not be stopped: alive after SIGKILL"
            assert crew.card().hold is not None

    play(film())


def test_resume_takes_back_a_hold_and_an_ack_and_is_refused_when_nothing_holds_back() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            words = await refused(crew, "resume", service="bot")
            assert words == "nothing holds bot back; `watchdogctl why bot` says what it waits for"
            assert await refused(crew, "resume", service=None) == (
                "there is no storm to resume from; name a service, or see `watchdogctl status`"
            )
            await crew.ask("hold", service="bot", for_=3600.0)
            assert (await crew.ask("resume", service="bot"))["text"] == "bot is looked after again"
            assert crew.card().hold is None

    play(film())


def test_an_acknowledged_incident_is_left_alone_until_it_is_resumed() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(70)
            number = crew.incident().id
            assert await refused(crew, "ack", id=99) == "no open incident 99"
            answer = await crew.ask("ack", id=number, false_alarm=True)
            assert (
                answer["text"]
                == f"incident {number} is yours: no more sound, no more actions (ask for one: watchdogctl recover bot)"
            )
            await crew.wait(300)
            assert crew.deeds() == []
            assert (crew.incident().acked, crew.incident().false_alarm) == (True, True)
            await crew.ask("resume", service="bot")
            await crew.wait(5)
            assert crew.deeds()[:1] == ["stop i1"]

    play(film())


def test_recover_names_an_unknown_playbook_and_shows_without_doing() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            words = await refused(crew, "recover", service="bot", playbook="restart-unresponsiv")
            assert words == "unknown playbook 'restart-unresponsiv', did you mean 'restart-unresponsive'?"
            answer = await crew.ask("recover", service="bot", dry_run=True)
            assert answer["text"] == "would run restart-unresponsive on bot, which has no open incident; nothing was done"
            assert answer["steps"] == [
                "1. capture_evidence",
                "2. capture_stacks",
                "3. stop_process: {grace: 10s}",
                "4. ensure_running",
            ]
            assert (crew.card().active, crew.deeds()) == (None, [])

    play(film())


def test_a_dry_run_also_says_what_would_happen_by_itself() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            crew.runtimes["bot"].takes = {"look": 0.1}
            await crew.ask("hold", service="bot", for_=3600.0, reason="deploy")
            await confirmed(crew)
            answer = await crew.ask("recover", service="bot", dry_run=True)
            assert answer["playbook"] == "restart-unresponsive"
            assert answer["by_itself"] == "wait: on hold by anna: deploy"

    play(film())


def test_recover_goes_past_a_hold_and_a_second_one_is_refused_while_it_runs() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.ask("hold", service="bot", for_=3600.0)
            answer = await crew.ask("recover", service="bot")
            assert answer["text"] == f"bot: restart-unresponsive has begun (run {answer['run']})"
            for verb in ("recover", "start"):
                assert await refused(crew, verb, service="bot") == "bot is being healed by restart-unresponsive now"
            await crew.wait(60)
            assert crew.deeds() == ["stop i1", "start"]
            assert (crew.card().runs[-1].by, crew.card().runs[-1].outcome) == ("anna", RunOutcome.HEALED)

    play(film())


def test_recover_gives_a_parked_service_a_full_budget() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "budget": "1/1h", "proof": "30s"})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(300)
            assert crew.incident().stage is Stage.PARKED
            await crew.ask("recover", service="bot")
            assert (crew.card().parking, crew.card().charges[:-1]) == (None, ())
            crew.prober.says["bot"] = OK
            await crew.wait(60)
            assert crew.card().incident is None
            assert crew.last().outcome is Outcome.HEALED

    play(film())


def test_in_observe_mode_nothing_is_touched_also_when_a_person_asks() -> None:
    async def film() -> None:
        crew = Crew(mode="observe")
        told = "mode: observe; the watchdog touches nothing and starts nothing"
        assert await refused(crew, "recover", service="bot") == told
        assert await refused(crew, "stop", service="bot", for_=60.0) == told
        assert await refused(crew, "start", service="bot") == told
        assert (await crew.ask("recover", service="bot", dry_run=True))["effect"] == "restart"

    play(film())


def test_a_request_is_approved_once_and_its_run_has_the_number_that_was_asked_for() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        async with crew.at_work():
            await confirmed(crew)
            approval = crew.card().approval
            assert approval is not None
            assert crew.deeds() == []
            assert any("may I run careful?" in text for text in crew.told())
            assert await refused(crew, "approve", run=99) == "no run 99 waits for approval"
            answer = await crew.ask("approve", run=approval.run)
            assert answer == {"text": f"run {approval.run} on bot: approved, it begins", "run": approval.run}
            await crew.wait(2)
            assert crew.active().run.id == approval.run
            assert await refused(crew, "approve", run=approval.run) == f"no run {approval.run} waits for approval"

    play(film())


def test_a_rejected_request_goes_to_a_person_and_cannot_be_approved_afterwards() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        async with crew.at_work():
            await confirmed(crew)
            approval = crew.card().approval
            assert approval is not None
            assert "rejected; it is yours now" in (await crew.ask("reject", run=approval.run))["text"]
            assert (crew.incident().stage, crew.incident().reason) == (Stage.PERSON, "approval of careful: rejected")
            assert await refused(crew, "approve", run=approval.run) == f"the request for run {approval.run} is over (rejected)"
            await crew.wait(600)
            assert crew.deeds() == []

    play(film())


def test_an_unanswered_request_expires_after_half_an_hour() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        async with crew.at_work():
            await confirmed(crew)
            approval = crew.card().approval
            assert approval is not None
            await crew.wait(1800)
            assert await refused(crew, "approve", run=approval.run) == f"the request for run {approval.run} is over (expired)"
            assert (crew.incident().stage, crew.incident().reason) == (Stage.PERSON, "approval of careful: expired")
            assert crew.deeds() == []
            assert any(entry.kind == "approval" for entry in crew.ledger.all(Entry))

    play(film())


def test_the_playbook_of_a_recover_is_the_one_that_the_symptom_calls_for() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.ask("hold", service="bot", for_=3600.0)
            crew.prober.says["bot"] = says(Kind.DEGRADED, "queue is long")
            await crew.wait(120)
            assert crew.incident().symptom == "degraded"
            assert (await crew.ask("recover", service="bot", dry_run=True))["playbook"] == "soft-restart"

    play(film())
