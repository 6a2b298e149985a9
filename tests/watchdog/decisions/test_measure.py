"""What services use is measured beside everything else: it becomes history, and an incident only by its symptoms."""

from __future__ import annotations

from recovery.errors import StepFailed
from recovery.language import parse
from recovery.model import RunOutcome
from recovery.reader import Known
from recovery.yaml import load_text
from tests.builders import REGISTRY, Crew
from tests.fakes.runtime import play
from watchdog.model.incident import Outcome, Stage
from watchdog.model.observation import Kind, Observation, Report
from watchdog.model.records import Evidence

MB = 1_000_000


def test_a_running_bot_is_measured_each_interval_and_within_ten_seconds_of_trouble() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"interval": "30s", "timeout": "20s"}, "quick": {"interval": "2s", "timeout": "1s"}})
        async with crew.at_work():
            await crew.wait(65)
            load = crew.card().history.life.load
            assert load.memory == 40 * MB
            assert crew.card("quick").history.life.load.cpu == 1.0
            crew.runtimes["bot"].memory = 900 * MB
            await crew.wait(31)
            since = crew.card().history.life.load.memory_since
            assert since is not None
            await crew.wait(10)
            assert crew.card().history.life.load.at > since
            assert crew.card().incident is None, "too much for a moment is nothing"

    play(film())


def test_too_much_memory_opens_an_incident_though_every_answer_is_good_and_a_restart_ends_it() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"thresholds": {"memory": {"above": "500MB", "for": "1m"}}}})
        bot = crew.runtimes["bot"]
        async with crew.at_work():
            await crew.wait(40)
            bot.memory = 600 * MB
            await crew.until(lambda: crew.card().incident is not None, 120)
            assert crew.incident().symptom == "memory"
            assert crew.incident().reason.startswith("relieve-memory")
            await crew.until(lambda: "start" in crew.deeds(), 60)
            bot.memory = 50 * MB
            await crew.until(lambda: crew.card().incident is None, 300)
            assert (crew.last().outcome, bot.starts) == (Outcome.HEALED, 1)
            (evidence,) = [row.text for row in crew.ledger.all(Evidence) if row.kind == "evidence"]
            assert "  memory: 40 MB 2 min ago, 600 MB now" in evidence

    play(film())


def test_good_answers_do_not_close_it_while_it_lasts_and_do_when_it_is_over() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"thresholds": {"memory": {"above": "500MB", "for": "1m"}}}}, mode="observe")
        async with crew.at_work():
            crew.runtimes["bot"].memory = 600 * MB
            await crew.until(lambda: crew.card().incident is not None, 180)
            number = crew.incident().id
            await crew.wait(600)
            assert crew.incident().id == number
            crew.runtimes["bot"].memory = 50 * MB
            await crew.until(lambda: crew.card().incident is None, 120)
            assert (crew.last().outcome, crew.deeds()) == (Outcome.SELF_RECOVERED, [])

    play(film())


def test_a_proof_does_not_hold_while_a_restart_did_not_help() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"thresholds": {"memory": {"above": "500MB", "for": "20s"}}, "interval": "10s", "timeout": "5s"}})
        async with crew.at_work():
            crew.runtimes["bot"].memory = 600 * MB
            await crew.until(lambda: crew.runtimes["bot"].starts > 0, 180)
            await crew.wait(900)
            assert crew.incident().symptom == "memory"
            assert crew.runtimes["bot"].starts <= 3, "the budget"

    play(film())


def test_a_reload_that_frees_nothing_has_healed_nothing() -> None:
    async def film() -> None:
        text = (
            "name: relieve-memory\nsummary: x.\nwhen: {symptom: memory}\nsteps: [{reload: {}}]\nverify: {}\notherwise: escalate\n"
        )
        found, problems = parse(load_text(text, "film.yaml"), Known(REGISTRY))
        assert found is not None, problems
        limits = {"memory": {"above": "500MB", "for": "1m"}}
        crew = Crew({"bot": {"thresholds": limits, "reload": {"signal": "HUP"}}}, books={"relieve-memory": found})
        async with crew.at_work():
            crew.runtimes["bot"].memory = 600 * MB
            await crew.until(lambda: crew.card().incident is not None, 180)
            await crew.until(lambda: crew.card().active is None and bool(crew.card().runs), 600)
            assert [run.outcome for run in crew.card().runs] == [RunOutcome.FAILED]
            assert crew.incident().stage is Stage.PERSON

    play(film())


def test_a_spin_is_found_and_its_stack_lies_with_the_incident() -> None:
    async def film() -> None:
        crew = Crew()
        bot = crew.runtimes["bot"]
        async with crew.at_work():
            crew.prober.says["bot"] = Observation(0.0, Kind.OK, "", 0.003, report=Report(progress=7.0))
            await crew.wait(61)
            bot.uses(100)
            await crew.until(lambda: bot.starts == 1, 500)
            bot.uses(2)
            await crew.until(lambda: crew.card().incident is None, 300)
            assert crew.last().symptom == "cpu_spin"
            kinds = {row.kind: row.text for row in crew.ledger.all(Evidence)}
            assert "parse (bot.py:41)" in kinds["stacks"]

    play(film())


def test_one_that_cannot_be_measured_costs_the_others_nothing() -> None:
    async def film() -> None:
        crew = Crew({"blind": {}, "bot": {}, "watched": {"runtime": None}})
        crew.runtimes["blind"].fails = {"usage": [StepFailed("no /proc")] * 100}
        async with crew.at_work():
            await crew.wait(65)
            assert crew.card("blind").history.life.load.memory == 0
            assert crew.card("watched").history.life.load.memory == 0
            assert crew.card().history.life.load.memory == 40 * MB

    play(film())


def test_a_new_instance_is_measured_from_its_own_begin() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"interval": "2s", "timeout": "1s"}})
        bot = crew.runtimes["bot"]
        async with crew.at_work():
            bot.uses(100)
            await crew.wait(30)
            assert crew.card().history.life.load.cpu_since is not None
            bot.boot()
            await crew.wait(0.5)
            assert crew.card().history.life.load.cpu_since is None

    play(film())
