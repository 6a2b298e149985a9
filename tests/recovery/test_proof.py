"""Films of the proof: what counts, how long, and what ends it."""

from __future__ import annotations

import pytest

from recovery.errors import StepFailed
from recovery.model import RunOutcome, Verify
from recovery.ports import Answer, Life, Stop
from recovery.proof import Proven, pace, prove
from tests.fakes.runtime import later, play
from tests.fakes.scene import Scene

GOOD, BAD, NEITHER = Answer(True, "ok"), Answer(False, "HTTP 503"), Answer(False, "could not ask", counts=False)


async def proof(scene: Scene, verify: Verify | None = None, mine: str | None = "i1") -> Proven:
    return await prove(verify or Verify(), scene.context(), scene.leash, scene.clock, mine)


def test_two_good_answers_in_a_row_heal() -> None:
    async def film() -> None:
        scene = Scene()
        assert (await proof(scene)).outcome is RunOutcome.HEALED
        assert scene.asked == [0.0, 5.0]

    play(film())


def test_a_bad_answer_between_two_good_ones_begins_the_count_anew() -> None:
    async def film() -> None:
        scene = Scene()
        scene.script = [GOOD, BAD, GOOD, GOOD]
        assert (await proof(scene)).outcome is RunOutcome.HEALED
        assert scene.asked == [0.0, 5.0, 10.0, 15.0]

    play(film())


def test_an_answer_that_says_nothing_neither_counts_nor_resets() -> None:
    async def film() -> None:
        scene = Scene()
        scene.script = [GOOD, NEITHER, GOOD]
        assert (await proof(scene)).outcome is RunOutcome.HEALED
        assert len(scene.asked) == 3

    play(film())


def test_questions_come_no_more_seldom_than_the_checks_of_the_service() -> None:
    async def film() -> None:
        scene = Scene(interval=1.0)
        await proof(scene)
        assert scene.asked == [0.0, 1.0]

    play(film())


def test_bad_answers_while_the_bot_boots_do_not_fail_it() -> None:
    async def film() -> None:
        scene = Scene(startup_grace=120.0)
        scene.runtime.die()
        scene.runtime.boot()
        scene.boots_in = 95.0
        proven = await proof(scene, Verify(within=60.0), mine="i2")
        assert proven.outcome is RunOutcome.HEALED
        assert scene.clock.monotonic() == pytest.approx(100.0)

    play(film())


def test_patience_ends_since_the_last_step_but_never_before_the_grace_and_two_questions() -> None:
    async def film() -> None:
        scene = Scene()
        old = scene.context()  # runs since a day: nothing of its grace is left
        assert pace(Verify(), old, scene.clock.now()).last == 180.0
        scene.runtime.boot()
        fresh, now = scene.context(), scene.clock.now()
        assert pace(Verify(within=20.0), fresh, now).last == 40.0
        assert pace(Verify(within=20.0, after=5.0), fresh, now).last == 20.0
        assert pace(Verify(within=20.0, after=60.0, healthy=4), fresh, now).last == 80.0
        assert pace(Verify(within=20.0), fresh, now - 7200.0).last == 40.0, "a clock that stepped back does not lengthen it"
        assert pace(Verify(within=20.0), fresh, now + 7200.0).last == 20.0

    play(film())


def test_a_clock_that_steps_in_the_middle_changes_nothing() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        later(20.0, setattr, scene.clock, "step", 10800.0)
        assert (await proof(scene)).outcome is RunOutcome.FAILED
        assert scene.clock.monotonic() == pytest.approx(180.0)

    play(film())


def test_a_question_that_hangs_does_not_outlive_patience() -> None:
    async def film() -> None:
        scene = Scene()
        scene.asks_take = 1000.0
        proven = await proof(scene)
        assert proven.outcome is RunOutcome.FAILED
        assert "no answer yet" in proven.detail
        assert scene.clock.monotonic() == pytest.approx(180.0)

    play(film())


def test_the_death_of_the_bot_is_seen_at_once_and_not_at_the_next_question() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        later(1.25, scene.runtime.die, 137)
        proven = await proof(scene)
        assert proven == Proven(RunOutcome.FAILED, "it ended during the proof, exit code 137")
        assert scene.clock.monotonic() == pytest.approx(1.25)

    play(film())


def test_a_good_answer_from_another_instance_proves_nothing() -> None:
    async def film() -> None:
        scene = Scene()
        later(2.0, scene.runtime.boot)
        proven = await proof(scene)
        assert proven.outcome is RunOutcome.FAILED
        assert "another instance" in proven.detail

    play(film())


def test_a_bot_that_dies_with_its_last_good_answer_is_not_healed() -> None:
    async def film() -> None:
        scene = Scene()
        scene.asks_take = 1.0
        scene.script = [GOOD, GOOD]
        scene.runtime.hangs = {"gone"}
        later(5.5, scene.runtime.die)
        assert (await proof(scene)).outcome is RunOutcome.FAILED

    play(film())


def test_a_watch_over_the_instance_that_breaks_is_replaced_by_looking() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        scene.runtime.fails["gone"] = [StepFailed("no pidfd"), StepFailed("no pidfd")]
        later(12.0, scene.runtime.die)
        assert (await proof(scene)).outcome is RunOutcome.FAILED
        assert scene.clock.monotonic() == pytest.approx(15.0)

    play(film())


def test_a_watch_that_cries_wolf_does_not_end_the_proof() -> None:
    async def film() -> None:
        scene = Scene()
        scene.script = [BAD, GOOD, GOOD]

        async def gone(_sight: object) -> None:
            return

        scene.runtime.gone = gone  # type: ignore[assignment, method-assign]
        assert (await proof(scene)).outcome is RunOutcome.HEALED

    play(film())


def test_a_target_that_cannot_be_seen_is_asked_on() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.fails["look"] = [StepFailed("no /proc")] * 3
        assert (await proof(scene)).outcome is RunOutcome.HEALED

    play(film())


def test_a_supervisor_at_work_is_waited_for_and_its_instance_is_ours() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=Life.BUSY)
        later(7.0, scene.runtime.boot)
        assert (await proof(scene, mine="")).outcome is RunOutcome.HEALED

    play(film())


def test_a_call_of_the_core_ends_it_without_an_outcome() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        later(33.0, scene.leash.call, Stop.HOLD)
        assert (await proof(scene)).outcome is None
        assert scene.clock.monotonic() == pytest.approx(33.0)

    play(film())


def test_without_a_runtime_the_answers_alone_prove() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        assert (await proof(scene, Verify(healthy=1))).outcome is RunOutcome.HEALED

    play(film())
