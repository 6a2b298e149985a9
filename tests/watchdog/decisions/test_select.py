"""The rung that a failed run named goes before the choice by symptom."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import Crew
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.gather import gather
from watchdog.decisions.select import pick
from watchdog.decisions.situation import Situation
from watchdog.model.symptom import Symptom


def situation() -> Situation:
    async def film() -> Situation:
        crew = Crew({"bot": {"reload": {"signal": "HUP"}}})
        return gather(crew.app.fleet, crew.card(), Symptom("degraded", EPOCH, "degraded"), EPOCH)

    return play(film())


def test_the_symptom_chooses() -> None:
    choice = pick(situation())
    assert choice.playbook is not None
    assert choice.playbook.name == "soft-recovery"


def test_the_next_rung_goes_first() -> None:
    choice = pick(replace(situation(), rung="soft-restart"))
    assert choice.playbook is not None
    assert (choice.playbook.name, choice.why) == ("soft-restart", "the next rung after a run that did not help")


def test_a_rung_that_a_reload_took_away_is_forgotten() -> None:
    choice = pick(replace(situation(), rung="gone"))
    assert choice.playbook is not None
    assert choice.playbook.name == "soft-recovery"
