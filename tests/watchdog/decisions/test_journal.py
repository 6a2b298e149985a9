"""The journal of runs: durable before it returns, and card, timeline and rows say the same (I2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recovery.errors import JournalUnavailable
from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from tests.builders import BOOKS, Crew
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.fleet import Active
from watchdog.decisions.journal import RunJournal
from watchdog.decisions.leash import Leash
from watchdog.model.records import Entry, Exit
from watchdog.state import incidents

T = EPOCH
RUN = Run(1, "bot", "restart-unresponsive", 1, T, Effect.RESTART, target="i1")
STOP = StepRecord(1, "stop", "stop_process", Effect.RESTART, T, "i1")


class Desk:
    """A bot that runs, a run at work on it, and the journal."""

    def __init__(self) -> None:
        self.crew = Crew()
        crew = self.crew
        self.card = crew.card()
        self.card.incident = incidents.opened(1, "bot", T, "timeout")
        crew.app.watch.sighted(self.card, crew.runtimes["bot"].sight, T)
        crew.app.fleet.put_to_work(self.card, Active(RUN, BOOKS["restart-unresponsive"], Leash()))
        crew.app.chronicle.run(self.card, RUN, T)
        self.journal = RunJournal(crew.app.fleet, crew.app.chronicle, crew.app.watch, crew.clock)


def test_an_intent_is_on_disk_when_it_returns() -> None:
    async def film() -> None:
        it = Desk()
        await it.journal.intent(replace(RUN, steps=(STOP,)), STOP)
        assert it.crew.ledger.waiting == []
        on_disk = [row for row in it.crew.ledger.disk if isinstance(row, Run)][-1]
        assert on_disk.steps == (STOP,)
        assert it.crew.active().run == on_disk
        assert [row.text for row in it.crew.ledger.all(Entry) if row.kind == "run"] == ["stop_process …"]

    play(film())


def test_without_an_intent_on_disk_the_engine_hears_that_no_act_may_begin() -> None:
    """I1, I2, F05."""

    async def film() -> None:
        it = Desk()
        it.crew.ledger.away = "disk full"
        with pytest.raises(JournalUnavailable, match="disk full"):
            await it.journal.intent(replace(RUN, steps=(STOP,)), STOP)

    play(film())


def test_the_end_of_a_bot_that_we_stopped_is_ours_and_known_at_once() -> None:
    async def film() -> None:
        it = Desk()
        await it.journal.intent(replace(RUN, steps=(STOP,)), STOP)
        it.crew.runtimes["bot"].die(-15)
        done = replace(STOP, ended_at=T + 2, outcome=StepOutcome.OK, detail="ended by SIGTERM")
        await it.journal.outcome(replace(RUN, steps=(done,)), done)
        assert [(row.code, row.ours) for row in it.crew.ledger.all(Exit)] == [(-15, True)]
        assert it.card.history.running is False
        texts = [row.text for row in it.crew.ledger.all(Entry) if row.kind == "run"]
        assert texts[-1] == "stop_process ok: ended by SIGTERM"

    play(film())


def test_a_bot_that_we_started_and_that_ended_at_once_has_a_start_and_an_exit_all_the_same() -> None:
    """F32: what dies before anybody can look counts too."""

    async def film() -> None:
        it = Desk()
        it.crew.runtimes["bot"].die(-15)
        it.crew.app.watch.sighted(it.card, it.crew.runtimes["bot"].sight, T)
        before = len(it.card.history.life.exits)
        start = StepRecord(2, "run", "ensure_running", Effect.RESTART, T + 1, "", T + 2, StepOutcome.OK, "started")
        await it.journal.outcome(replace(RUN, steps=(start,)), start)
        assert len(it.card.history.life.exits) == before + 1
        assert it.card.history.running is False

    play(film())


def test_the_end_of_a_run_is_a_line_with_its_outcome() -> None:
    async def film() -> None:
        it = Desk()
        await it.journal.proving(replace(RUN, proving_at=T + 5))
        await it.journal.ended(replace(RUN, ended_at=T + 9, outcome=RunOutcome.HEALED, detail="2 good answers"))
        texts = [row.text for row in it.crew.ledger.all(Entry) if row.kind == "run"]
        assert texts == ["asking for proof of health", "restart-unresponsive healed: 2 good answers"]

    play(film())


def test_a_run_of_a_service_that_was_removed_still_writes_its_intents() -> None:
    async def film() -> None:
        it = Desk()
        del it.crew.app.fleet.cards["bot"]
        done = replace(STOP, outcome=StepOutcome.OK)
        await it.journal.outcome(replace(RUN, steps=(done,)), done)
        assert [row.steps for row in it.crew.ledger.all(Run) if row.steps] == [(done,)]

    play(film())
