"""F02 and the table of SPEC 7: the daemon is killed at any point of a run, and the next life looks and never acts twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from recovery.errors import StepFailed
from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from recovery.ports import Life, Settled
from recovery.settle import settle, took_down
from tests.fakes.runtime import EPOCH, Killed, later, play
from tests.fakes.scene import RESTART, Scene, book, healed, outcomes

POINTS = [
    ("intent", "stop_process"),
    ("outcome", "stop_process"),
    ("after", "stop_process"),
    ("intent", "ensure_running"),
    ("outcome", "ensure_running"),
    ("after", "ensure_running"),
    ("proving", ""),
    ("ended", ""),
]


async def killed(scene: Scene, point: tuple[str, str], steps: str = RESTART) -> None:
    scene.journal.kill = point
    with pytest.raises(Killed):
        await scene.heal(book(steps))
    assert scene.journal.disk[1].open


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_the_bot_is_stopped_and_started_at_most_once_and_runs_in_the_end(point: tuple[str, str]) -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, point)
        run = await scene.next_life(book())
        assert scene.runtime.sight.running
        assert scene.runtime.deeds in ([], ["stop i1", "start"])
        assert all(step.outcome is not None for step in run.steps) or run.outcome is RunOutcome.INTERRUPTED
        if point == ("intent", "stop_process"):
            assert run.outcome is RunOutcome.INTERRUPTED
            assert run.refunded
            assert scene.runtime.deeds == []
        else:
            assert healed(run)
            assert not run.refunded

    play(film())


@pytest.mark.parametrize("point", [("intent", "restart"), ("outcome", "restart")])
def test_killed_in_a_restart_of_one_step(point: tuple[str, str]) -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, point, "[{restart: {}}]")
        run = await scene.next_life(book("[{restart: {}}]"))
        assert scene.runtime.sight.running
        assert scene.runtime.starts == (0 if point[0] == "intent" else 1)
        assert healed(run) == (point[0] == "outcome")

    play(film())


def test_killed_between_the_two_halves_of_a_restart_only_the_start_is_done() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.takes = {"start": 5.0}
        task = asyncio.ensure_future(scene.heal(book("[{restart: {}}]")))
        await scene.clock.sleep(2.0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not scene.runtime.sight.running
        run = await scene.next_life(book("[{restart: {}}]"))
        assert healed(run)
        assert scene.runtime.deeds == ["stop i1", "start"]
        assert outcomes(run) == {"restart": StepOutcome.OK, "bring_back": StepOutcome.OK}

    play(film())


@pytest.mark.parametrize("point", [("intent", "ensure_running"), ("outcome", "ensure_running")])
def test_killed_while_an_exited_bot_is_started_it_is_never_started_twice(point: tuple[str, str]) -> None:
    async def film() -> None:
        scene = Scene(running=False)
        await killed(scene, point, "[{ensure_running: {}}]")
        run = await scene.next_life(book("[{ensure_running: {}}]"))
        assert scene.runtime.starts == (0 if point[0] == "intent" else 1)
        if point[0] == "intent":
            assert run.outcome is RunOutcome.INTERRUPTED, "we did not stop it: the core decides anew"
        else:
            assert healed(run)

    play(film())


def test_what_its_supervisor_started_while_we_were_away_is_seen_and_proved() -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, ("after", "stop_process"))
        await scene.clock.sleep(5.0)
        scene.runtime.boot()
        run = await scene.next_life(book())
        assert healed(run)
        assert scene.runtime.starts == 0

    play(film())


def test_a_bot_that_obeyed_the_stop_only_after_our_death_is_ours_to_bring_back() -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, ("intent", "stop_process"))
        scene.runtime.die(-15)
        run = await scene.next_life(book())
        assert healed(run)
        assert outcomes(run) == {"stop_process": StepOutcome.OK, "ensure_running": StepOutcome.OK}
        assert run.steps[0].detail == "seen: it does not run"

    play(film())


def test_steps_between_stop_and_start_are_gone_on_with_and_an_open_command_is_not_run_again() -> None:
    async def film() -> None:
        steps = "[{stop_process: {}}, {run_command: {name: unlock}}, {ensure_running: {}}]"
        scene = Scene(commands=frozenset({"unlock"}))
        await killed(scene, ("outcome", "run_command"), steps)
        run = await scene.next_life(book(steps))
        assert healed(run)
        assert scene.outside.calls == [("run_command", "unlock")]
        assert outcomes(run)["run_command"] is StepOutcome.FAILED

    play(film())


def test_a_run_in_proof_is_proved_again_with_a_full_window() -> None:
    async def film() -> None:
        scene = Scene()
        scene.sick = True
        scene.journal.kill = ("proving", "")
        with pytest.raises(Killed):
            await scene.heal()
        await scene.clock.sleep(170.0)
        began = scene.clock.monotonic()
        scene.sick = False
        scene.boots_in = 170.0 + 100.0
        run = await scene.next_life(book())
        assert healed(run)
        assert scene.clock.monotonic() - began == pytest.approx(105.0)

    play(film())


def test_a_reload_in_proof_is_proved_again_though_its_instance_is_the_old_one() -> None:
    async def film() -> None:
        scene = Scene(reload=("signal", "HUP"))
        await killed(scene, ("proving", ""), "[{reload: {}}]")
        assert healed(await scene.next_life(book("[{reload: {}}]")))
        assert scene.runtime.deeds == ["HUP i1"]

    play(film())


def test_a_bot_that_died_during_its_proof_while_we_were_away_failed() -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, ("proving", ""))
        scene.runtime.die(1)
        run = await scene.next_life(book())
        assert run.outcome is RunOutcome.FAILED
        assert scene.runtime.starts == 1

    play(film())


def test_killed_twice_the_bring_back_is_still_done_once() -> None:
    async def film() -> None:
        scene = Scene()
        await killed(scene, ("after", "stop_process"))
        scene.journal.kill = ("outcome", "ensure_running")
        settled = await settle(scene.journal.disk[1], book(), scene.context())
        with pytest.raises(Killed):
            await scene.engine().resume(settled, book(), scene.context(), scene.leash)
        run = await scene.next_life(book())
        assert healed(run)
        assert scene.runtime.deeds == ["stop i1", "start"]

    play(film())


def test_an_end_that_was_not_written_is_written_now() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        steps = "[{stop_process: {kill: false}}, {ensure_running: {}}]"
        await killed(scene, ("ended", ""), steps)
        run = await scene.next_life(book(steps))
        assert run.outcome is RunOutcome.FAILED
        assert not scene.journal.disk[1].open
        assert not run.refunded, "it was signalled"

    play(film())


class TestCannotBeTold:
    def run(self, *steps: StepRecord, **changes: object) -> Run:
        run = Run(id=1, service="scraper", playbook="film", incident=1, started_at=EPOCH, effect=Effect.RESTART, target="i1")
        return replace(run, steps=steps, **changes)  # type: ignore[arg-type]

    def settled(self, scene: Scene, run: Run) -> Settled:
        async def look() -> Settled:
            return await settle(run, book(), scene.context())

        return play(look())

    def scene(self, **settings: bool) -> Scene:
        async def made() -> Scene:
            return Scene(**settings)

        return play(made())

    def test_a_target_that_cannot_be_seen(self) -> None:
        scene = self.scene()
        scene.runtime.fails["look"] = [StepFailed("no /proc")]
        stop = StepRecord(0, "stop_process", "stop_process", Effect.RESTART, EPOCH, before="i1")
        told = self.settled(scene, self.run(stop))
        assert (told.outcome, told.go_on, told.refund) == (RunOutcome.INTERRUPTED, None, False)

    def test_another_instance_that_is_older_than_our_act(self) -> None:
        scene = self.scene()
        stop = StepRecord(0, "stop_process", "stop_process", Effect.RESTART, EPOCH, before="i0")
        told = self.settled(scene, self.run(stop))
        assert told.outcome is RunOutcome.INTERRUPTED
        assert "older than our act" in told.detail

    def test_an_open_destructive_step_is_for_a_person(self) -> None:
        command = StepRecord(0, "run_command", "run_command", Effect.DESTRUCTIVE, EPOCH, before="i1")
        told = self.settled(self.scene(), self.run(command))
        assert told.outcome is RunOutcome.NEEDS_PERSON

    def test_a_run_that_had_only_looked_is_refunded(self) -> None:
        evidence = StepRecord(0, "capture_evidence", "capture_evidence", Effect.NONE, EPOCH, before="i1")
        told = self.settled(self.scene(), self.run(evidence))
        assert (told.outcome, told.refund) == (RunOutcome.INTERRUPTED, True)
        gone = self.settled(self.scene(running=False), self.run(evidence))
        assert (gone.outcome, gone.go_on) == (RunOutcome.INTERRUPTED, None), "it ended, but not by us"

    def test_an_act_that_ended_is_not_refunded_even_if_the_old_instance_lives(self) -> None:
        command = StepRecord(0, "run_command", "run_command", Effect.RESTART, EPOCH, "i1", EPOCH, StepOutcome.OK)
        stop = StepRecord(1, "stop_process", "stop_process", Effect.RESTART, EPOCH, before="i1")
        told = self.settled(self.scene(), self.run(command, stop))
        assert (told.outcome, told.refund) == (RunOutcome.INTERRUPTED, False)
        assert self.settled(self.scene(), self.run(replace(stop, index=0))).refund

    def test_a_run_without_any_step_is_refunded(self) -> None:
        told = self.settled(self.scene(), self.run())
        assert (told.outcome, told.refund) == (RunOutcome.INTERRUPTED, True)

    def test_a_run_that_has_ended_stays_as_it_ended(self) -> None:
        ended = self.run(ended_at=EPOCH, outcome=RunOutcome.HEALED)
        assert self.settled(self.scene(), ended).outcome is RunOutcome.HEALED

    def test_a_supervisor_at_work_on_what_we_stopped_is_waited_for_by_the_next_step(self) -> None:
        async def film() -> None:
            scene = Scene()
            await killed(scene, ("after", "stop_process"))
            scene.runtime.die(life=Life.BUSY)
            later(3.0, scene.runtime.boot)
            assert healed(await scene.next_life(book()))
            assert scene.runtime.starts == 0

        play(film())


def test_only_a_bot_that_ran_before_our_act_was_taken_down_by_us() -> None:
    run = Run(id=1, service="s", playbook="p", incident=1, started_at=EPOCH, effect=Effect.RESTART)
    start = StepRecord(0, "start", "start", Effect.RESTART, EPOCH, before="")
    assert not took_down(run)
    assert not took_down(replace(run, steps=(start,)))
    assert took_down(replace(run, steps=(replace(start, before="i1"),)))
