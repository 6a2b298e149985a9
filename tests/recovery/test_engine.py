"""Films of whole runs: steps, safe points, journal, ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from recovery.errors import NeedsPerson, StepFailed
from recovery.model import RunOutcome, StepOutcome
from recovery.ports import Life, Sight, Stop
from tests.fakes.runtime import later, play
from tests.fakes.scene import Scene, book, healed, outcomes


def test_a_hung_bot_is_stopped_started_and_proved_and_each_act_has_its_intent_on_disk_first() -> None:
    async def film() -> None:
        scene = Scene()
        scene.boots_in = 12.0
        run = await scene.heal()
        assert healed(run)
        assert scene.runtime.deeds == ["stop i1", "start"]
        assert scene.journal.rows == [
            ("intent", "stop_process"),
            ("outcome", "stop_process"),
            ("intent", "ensure_running"),
            ("outcome", "ensure_running"),
            ("proving", ""),
            ("ended", ""),
        ]
        assert [step.before for step in run.steps] == ["i1", ""]
        assert run.proving_at is not None
        assert not run.refunded

    play(film())


def test_the_proof_asks_at_once_and_every_five_seconds_so_that_a_hang_is_healed_in_time() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        scene.runtime.takes = {"start": 10.0}
        scene.boots_in = 12.0
        run = await scene.heal()
        assert healed(run)
        assert scene.asked == [20.0, 25.0, 30.0, 35.0, 40.0]
        assert scene.clock.monotonic() + 90 <= 165  # the fourth failing outcome comes after 90 s; SPEC 6: 2:15 to 2:45

    play(film())


def test_a_target_replaced_after_the_decision_is_not_touched() -> None:
    async def film() -> None:
        scene = Scene()
        context, begun = scene.context(), scene.begun(book())
        scene.runtime.boot()
        run = await scene.engine().run(begun, book(), context, scene.leash)
        assert run.outcome is RunOutcome.SUPERSEDED
        assert "another instance" in run.detail
        assert scene.runtime.deeds == []
        assert scene.journal.rows == [("ended", "")]
        assert run.refunded

    play(film())


def test_a_target_replaced_between_two_steps_is_not_touched_again() -> None:
    async def film() -> None:
        scene = Scene()
        later(5.0, scene.runtime.boot)
        run = await scene.heal(book("[{signal: {name: USR1}}, {wait: {for: 10s}}, {stop_process: {}}]"))
        assert run.outcome is RunOutcome.SUPERSEDED
        assert scene.runtime.deeds == ["USR1 i1"]

    play(film())


def test_a_supervisor_that_brings_the_bot_back_after_our_stop_is_let_to_it_and_nothing_is_started_twice() -> None:
    async def film() -> None:
        scene = Scene()
        later(1.0, scene.runtime.boot)
        run = await scene.heal(book("[{stop_process: {}}, {wait: {for: 2s}}, {ensure_running: {}}]"))
        assert healed(run)
        assert scene.runtime.starts == 0

    play(film())


def test_a_bot_that_died_by_itself_before_the_stop_is_started() -> None:
    async def film() -> None:
        scene = Scene()
        context, begun = scene.context(), scene.begun(book())
        scene.runtime.die(1)
        run = await scene.engine().run(begun, book(), context, scene.leash)
        assert healed(run)
        assert scene.runtime.deeds == ["start"]

    play(film())


def test_a_run_without_a_step_that_helps_fails_when_patience_ends() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        run = await scene.heal()
        assert run.outcome is RunOutcome.FAILED
        assert "not healthy within 3 min" in run.detail
        assert "HTTP 503" in run.detail
        assert scene.clock.monotonic() == pytest.approx(180.0)

    play(film())


def test_a_bot_that_dies_after_its_start_fails_the_run_at_once() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        scene.runtime.dies_after = 1.0
        scene.boots_in = 5.0
        run = await scene.heal(book("[{ensure_running: {}}]"))
        assert run.outcome is RunOutcome.FAILED
        assert "exit code 1" in run.detail
        assert scene.clock.monotonic() == pytest.approx(1.0)
        assert scene.runtime.starts == 1

    play(film())


def test_a_step_that_needs_a_person_ends_the_run_even_when_failures_are_passed_over() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.fails["stop"] = [NeedsPerson("survived SIGKILL for 60 s")]
        run = await scene.heal(book("[{stop_process: {}, on_failure: continue}, {ensure_running: {}}]"))
        assert run.outcome is RunOutcome.NEEDS_PERSON
        assert "survived SIGKILL" in run.detail
        assert scene.runtime.starts == 0

    play(film())


def test_an_undeclared_reload_is_impossible_and_the_run_has_restarted_nothing() -> None:
    async def film() -> None:
        scene = Scene()
        run = await scene.heal(book("[{reload: {}}]"))
        assert run.outcome is RunOutcome.FAILED
        assert outcomes(run) == {"reload": StepOutcome.IMPOSSIBLE}
        assert scene.runtime.deeds == []

    play(film())


def test_a_failed_gentle_stop_leaves_the_bot_as_it_is() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        run = await scene.heal(book("[{stop_process: {kill: false}}, {ensure_running: {}}]"))
        assert run.outcome is RunOutcome.FAILED
        assert scene.runtime.sight.running
        assert scene.runtime.starts == 0

    play(film())


class TestSafePoints:
    def test_a_hold_before_the_first_step_ends_the_run_untouched_and_refunded(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.leash.call(Stop.HOLD, "hold by ann")
            run = await scene.heal()
            assert run.outcome is RunOutcome.HELD
            assert run.detail == "hold by ann; nothing was touched"
            assert run.refunded
            assert scene.runtime.deeds == []

        play(film())

    def test_a_storm_cancels_a_run_that_has_touched_nothing_in_the_middle_of_a_wait(self) -> None:
        async def film() -> None:
            scene = Scene()
            later(7.0, scene.leash.call, Stop.CANCEL, "storm")
            run = await scene.heal(book("[{wait: {for: 5m}}, {stop_process: {}}]"))
            assert run.outcome is RunOutcome.INTERRUPTED
            assert scene.clock.monotonic() == pytest.approx(7.0)
            assert scene.runtime.deeds == []
            assert run.refunded

        play(film())

    @pytest.mark.parametrize(
        ("order", "outcome"),
        [
            (Stop.HOLD, RunOutcome.HELD),
            (Stop.SUPERSEDED, RunOutcome.SUPERSEDED),
            (Stop.REMOVED, RunOutcome.SUPERSEDED),
            (Stop.CANCEL, RunOutcome.INTERRUPTED),
        ],
    )
    def test_a_call_during_the_stop_lets_it_finish_and_brings_the_bot_up_again(self, order: Stop, outcome: RunOutcome) -> None:
        async def film() -> None:
            scene = Scene(ignores_term=True)
            later(3.0, scene.leash.call, order, "called")
            run = await scene.heal()
            assert run.outcome is outcome
            assert scene.runtime.deeds == ["stop i1", "start"]
            assert outcomes(run) == {"stop_process": StepOutcome.OK, "bring_back": StepOutcome.OK}
            assert ("intent", "bring_back") in scene.journal.rows
            assert scene.runtime.sight.running
            assert run.detail == "called; brought up again"
            assert scene.clock.monotonic() <= 90.0
            assert not run.refunded

        play(film())

    def test_a_stop_that_somebody_takes_over_is_theirs_and_nothing_is_killed(self) -> None:
        """`docker stop -t 60` during our own stop: it gives the bot a minute, where our grace would have killed it."""

        async def film() -> None:
            scene = Scene(ignores_term=True)
            later(3.0, scene.leash.call, Stop.BY_HAND, "docker: kill")
            run = await scene.heal()
            assert (run.outcome, run.detail) == (RunOutcome.HELD, "docker: kill; it was left as it is")
            assert outcomes(run) == {"stop_process": StepOutcome.FAILED}
            assert scene.runtime.sight.running
            assert scene.clock.monotonic() == pytest.approx(3.0)
            assert not run.refunded

        play(film())

    def test_a_bot_whose_end_its_engine_has_yet_to_notice_is_brought_up_again_too(self) -> None:
        """Docker needs a moment after each death; a bot left down then would stay so for as long as the hold lasts."""

        async def film() -> None:
            scene = Scene()
            runtime = scene.runtime
            plain = runtime.stop

            async def stop(sight: Sight, grace: float, *, kill: bool = True) -> str:
                said = await plain(sight, grace, kill=kill)
                runtime.sight = Sight(Life.BUSY, detail="its process has ended, Docker has yet to notice")
                later(0.3, runtime.die, 137)
                scene.leash.call(Stop.HOLD, "called")
                return said

            runtime.stop = stop  # type: ignore[method-assign]
            run = await scene.heal()
            assert (run.outcome, run.detail) == (RunOutcome.HELD, "called; brought up again")
            assert runtime.sight.running

        play(film())

    def test_a_hold_during_a_wait_between_stop_and_start_brings_the_bot_up_at_once(self) -> None:
        async def film() -> None:
            scene = Scene()
            later(3.0, scene.leash.call, Stop.HOLD)
            run = await scene.heal(book("[{stop_process: {}}, {wait: {for: 10m}}, {ensure_running: {}}]"))
            assert run.outcome is RunOutcome.HELD
            assert scene.runtime.sight.running
            assert scene.clock.monotonic() == pytest.approx(3.0)

        play(film())

    def test_a_hold_during_the_proof_ends_it_at_once_and_leaves_the_new_instance(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.sick = True
            scene.asks_take = 29.9
            later(42.0, scene.leash.call, Stop.HOLD)
            run = await scene.heal()
            assert run.outcome is RunOutcome.HELD
            assert scene.runtime.deeds == ["stop i1", "start"]
            assert scene.clock.monotonic() == pytest.approx(42.0)

        play(film())

    def test_a_hold_while_a_failed_step_waits_for_its_next_try_is_a_hold_and_no_failure(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.runtime.fails["stop"] = [StepFailed("busy")] * 3
            later(0.5, scene.leash.call, Stop.HOLD)
            run = await scene.heal(book("[{stop_process: {}, retry: 3}, {ensure_running: {}}]"))
            assert run.outcome is RunOutcome.HELD
            assert scene.runtime.sight.running

        play(film())

    def test_a_bot_that_was_down_before_is_not_started_by_a_hold(self) -> None:
        async def film() -> None:
            scene = Scene(running=False)
            scene.runtime.fails["start"] = [StepFailed("port in use")]
            later(0.5, scene.leash.call, Stop.HOLD)
            run = await scene.heal(book("[{start: {}, retry: 1}]"))
            assert run.outcome is RunOutcome.HELD
            assert scene.runtime.starts == 0

        play(film())

    def test_what_its_supervisor_is_bringing_up_is_left_to_it(self) -> None:
        async def film() -> None:
            scene = Scene()
            later(1.0, lambda: scene.runtime.die(life=Life.BUSY))
            later(2.0, scene.leash.call, Stop.HOLD)
            run = await scene.heal(book("[{stop_process: {}}, {wait: {for: 5m}}, {ensure_running: {}}]"))
            assert run.outcome is RunOutcome.HELD
            assert scene.runtime.starts == 0

        play(film())


class TestJournal:
    def test_without_a_journal_nothing_is_touched(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.journal.away = True
            run = await scene.heal()
            assert run.outcome is RunOutcome.INTERRUPTED
            assert run.detail == "the journal cannot be written, no act without it: disk full"
            assert scene.runtime.deeds == []
            assert run.steps == ()
            assert run.refunded

        play(film())

    def test_a_journal_that_comes_back_within_a_minute_lets_a_stopped_bot_be_started(self) -> None:
        async def film() -> None:
            scene = Scene(ignores_term=True)
            later(5.0, setattr, scene.journal, "away", True)
            later(40.0, setattr, scene.journal, "away", False)
            run = await scene.heal()
            assert healed(run)
            assert scene.runtime.deeds == ["stop i1", "start"]

        play(film())

    def test_a_journal_that_stays_away_leaves_the_run_open_on_disk_and_the_next_life_brings_the_bot_back(self) -> None:
        async def film() -> None:
            scene = Scene(ignores_term=True)
            later(5.0, setattr, scene.journal, "away", True)
            run = await scene.heal()
            assert run.outcome is RunOutcome.INTERRUPTED
            assert scene.runtime.starts == 0
            assert scene.journal.disk[1].open
            scene.journal.away = False
            assert healed(await scene.next_life(book()))
            assert scene.runtime.deeds == ["stop i1", "start"]

        play(film())


def test_nothing_but_cancellation_leaves_the_engine() -> None:
    async def film() -> None:
        scene = Scene()

        async def ask() -> None:
            raise RuntimeError("a bug of ours")

        scene.ask = ask  # type: ignore[assignment, method-assign]
        run = await scene.heal()
        assert run.outcome is RunOutcome.INTERRUPTED
        assert "a bug of ours" in run.detail

    play(film())


def test_a_cancelled_run_stays_open_in_its_journal() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        task = asyncio.ensure_future(scene.heal())
        await scene.clock.sleep(3.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        on_disk = scene.journal.disk[1]
        assert on_disk.open
        assert on_disk.steps[-1].outcome is None

    play(film())


def test_evidence_outside_of_a_run_is_kept_and_never_raises() -> None:
    async def film() -> None:
        scene = Scene()
        await scene.engine().capture(scene.context())
        assert "cycle done" in scene.kept[0]

        def broken() -> list[str]:
            raise RuntimeError("no history")

        await scene.engine().capture(replace(scene.context(), recent=broken))
        assert scene.notes == ["no evidence could be kept: no history"]

    play(film())
