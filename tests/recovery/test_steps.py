"""Films of single steps: time limits, tries, conditions, identity, and what is written down (F26)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from recovery.errors import StepFailed, StepImpossible, Superseded
from recovery.model import Effect, RunOutcome, StepOutcome
from recovery.ports import Context, Result, Target
from recovery.registry import ActionSpec
from tests.fakes.runtime import later, play
from tests.fakes.scene import ACTIONS, Scene, book, healed, outcomes


@dataclass(frozen=True, slots=True)
class Nothing:
    """No parameters."""


def action(name: str, run: Any, effect: Effect = Effect.NONE) -> ActionSpec:
    """An action of the film."""

    def takes(_params: Any, _target: Target) -> float:
        return 0.0

    return ActionSpec(name, "a film", effect, False, Nothing, {}, run, takes)


def test_a_step_that_hangs_is_ended_at_its_time_limit() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.hangs = {"stop"}
        run = await scene.heal()
        assert run.outcome is RunOutcome.FAILED
        assert run.steps[0].detail == "no end within 60 s"
        assert scene.clock.monotonic() == pytest.approx(60.0)

    play(film())


def test_a_written_time_limit_counts() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.hangs = {"signal"}
        run = await scene.heal(book("[{signal: {name: USR1}, timeout: 3s, on_failure: continue}, {wait: {for: 1s}}]"))
        assert run.steps[0].detail == "no end within 3 s"
        assert run.steps[0].ended_at == run.started_at + 3.0
        assert healed(run)

    play(film())


@pytest.mark.parametrize("timeout", ["", ", timeout: 15s"])
def test_a_long_grace_is_never_cut_before_its_end(timeout: str) -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True, term_grace=90.0)
        run = await scene.heal(book(f"[{{stop_process: {{}}{timeout}}}, {{ensure_running: {{}}}}]"))
        assert healed(run)
        assert run.steps[0].detail == "killed"

    play(film())


def test_an_end_that_was_not_seen_is_looked_for() -> None:
    """A start whose answer is lost, but a new instance runs: it worked (D22)."""

    async def film() -> None:
        scene = Scene(running=False)
        scene.runtime.hangs = {"start"}
        later(10.0, scene.runtime.boot)
        run = await scene.heal(book("[{start: {}}]"))
        assert healed(run)
        assert outcomes(run) == {"start": StepOutcome.OK}
        assert "seen" in run.steps[0].detail

    play(film())


def test_what_a_step_prints_never_fills_the_journal() -> None:
    async def flood(_params: Any, _context: Context) -> Result:
        return Result("y\n" * 1_000_000)

    async def film() -> None:
        scene = Scene()
        actions = {**ACTIONS, "flood": action("flood", flood)}
        playbook = book("[{flood: {}}]", actions=actions)
        run = await scene.engine(actions).run(scene.begun(playbook), playbook, scene.context(), scene.leash)
        assert len(run.steps[0].detail) == 500
        assert "\n" not in run.steps[0].detail

    play(film())


def test_a_bug_in_an_action_is_a_failed_step() -> None:
    async def buggy(_params: Any, _context: Context) -> Result:
        raise KeyError("sight")

    async def film() -> None:
        scene = Scene()
        actions = {**ACTIONS, "buggy": action("buggy", buggy)}
        playbook = book("[{buggy: {}}]", actions=actions)
        run = await scene.engine(actions).run(scene.begun(playbook), playbook, scene.context(), scene.leash)
        assert run.outcome is RunOutcome.FAILED
        assert run.detail == "buggy: KeyError: 'sight'"
        assert run.refunded, "nothing with an effect was begun"

    play(film())


class TestRetry:
    def test_a_failed_step_is_tried_again_after_1_2_4_seconds(self) -> None:
        async def film() -> None:
            scene = Scene(running=False)
            scene.runtime.fails["start"] = [StepFailed("port in use")] * 3
            run = await scene.heal(book("[{start: {}, retry: 3}]"))
            assert healed(run)
            assert scene.runtime.starts == 1
            assert run.steps[0].ended_at == run.started_at + 7.0
            assert run.steps[0].detail == "started (try 4)"
            assert len(run.steps) == 1

        play(film())

    def test_the_tries_are_counted_and_the_last_words_stay(self) -> None:
        async def film() -> None:
            scene = Scene(running=False)
            scene.runtime.fails["start"] = [StepFailed("port in use")] * 5
            run = await scene.heal(book("[{start: {}, retry: 1}]"))
            assert run.outcome is RunOutcome.FAILED
            assert run.steps[0].detail == "port in use (try 2)"
            assert len(scene.runtime.fails["start"]) == 3

        play(film())

    def test_what_is_impossible_is_not_tried_again(self) -> None:
        async def film() -> None:
            scene = Scene(running=False)
            scene.runtime.fails["start"] = [StepImpossible("no such file")]
            run = await scene.heal(book("[{start: {}, retry: 5}]"))
            assert outcomes(run) == {"start": StepOutcome.IMPOSSIBLE}
            assert scene.clock.monotonic() == pytest.approx(0.0)

        play(film())

    def test_a_target_replaced_between_two_tries_is_not_touched(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.runtime.fails["signal"] = [StepFailed("EAGAIN")]
            later(0.5, scene.runtime.boot)
            run = await scene.heal(book("[{signal: {name: HUP}, retry: 3}]"))
            assert run.outcome is RunOutcome.SUPERSEDED
            assert scene.runtime.deeds == []

        play(film())


class TestConditions:
    @pytest.mark.parametrize(
        ("fails", "word", "runs"),
        [(False, "ok", True), (False, "failed", False), (True, "failed", True), (True, "ok", False), (False, "skipped", False)],
    )
    def test_a_step_may_depend_on_how_an_earlier_one_ended(self, fails: bool, word: str, runs: bool) -> None:
        async def film() -> None:
            scene = Scene()
            scene.runtime.fails["signal"] = [StepFailed("no")] if fails else []
            steps = f"[{{signal: {{name: HUP}}, id: hup, on_failure: continue}}, {{notify: {{text: hello}}, if: hup.{word}}}]"
            run = await scene.heal(book(steps))
            assert healed(run)
            assert scene.notes == (["hello"] if runs else [])
            assert outcomes(run)["notify"] is (StepOutcome.OK if runs else StepOutcome.SKIPPED)

        play(film())

    def test_a_skipped_step_counts_as_skipped_for_later_ones(self) -> None:
        async def film() -> None:
            scene = Scene()
            steps = "[{wait: {for: 1s}}, {notify: {text: a}, id: a, if: wait.failed}, {notify: {text: b}, if: a.skipped}]"
            assert healed(await scene.heal(book(steps)))
            assert scene.notes == ["b"]

        play(film())

    def test_conditions_hold_over_a_restart_of_the_daemon(self) -> None:
        async def film() -> None:
            scene = Scene()
            playbook = book("[{stop_process: {}, id: stop}, {ensure_running: {}, if: stop.ok}]")
            begun = scene.begun(playbook)
            stopped = await scene.engine().run(begun, replace(playbook, steps=playbook.steps[:1]), scene.context(), scene.leash)
            scene.journal.disk[1] = replace(stopped, ended_at=None, outcome=None, proving_at=None)
            assert healed(await scene.next_life(playbook))
            assert scene.runtime.starts == 1

        play(film())


class TestIdentity:
    def test_an_act_of_the_runtime_that_finds_a_stranger_ends_the_run(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.runtime.fails["stop"] = [Superseded("another instance runs")]
            run = await scene.heal(book("[{stop_process: {}, on_failure: continue}, {ensure_running: {}}]"))
            assert run.outcome is RunOutcome.SUPERSEDED
            assert scene.runtime.starts == 0

        play(film())

    def test_a_target_that_cannot_be_seen_is_not_touched(self) -> None:
        async def film() -> None:
            scene = Scene()
            scene.runtime.fails["look"] = [StepFailed("no /proc")]
            run = await scene.heal()
            assert run.outcome is RunOutcome.FAILED
            assert "cannot be seen" in run.steps[0].detail
            assert scene.runtime.deeds == []

        play(film())

    def test_what_cannot_be_seen_after_our_own_stop_is_taken_as_ours_when_it_is_seen_again(self) -> None:
        async def film() -> None:
            scene = Scene()

            async def blind(_params: Any, context: Context) -> Result:
                scene.runtime.fails["look"] = [StepFailed("no /proc")]
                scene.runtime.boot()
                return Result("restarted by hand")

            actions = {**ACTIONS, "blind": action("blind", blind, Effect.RESTART)}
            playbook = book("[{blind: {}}, {signal: {name: HUP}}]", actions=actions)
            run = await scene.engine(actions).run(scene.begun(playbook), playbook, scene.context(), scene.leash)
            assert healed(run)
            assert scene.runtime.deeds == ["HUP i2"]

        play(film())

    def test_a_bot_that_was_down_when_decided_and_runs_now_is_not_touched(self) -> None:
        async def film() -> None:
            scene = Scene(running=False)
            context, begun = scene.context(), scene.begun(book("[{restart: {}}]"))
            scene.runtime.boot()
            run = await scene.engine().run(begun, book("[{restart: {}}]"), context, scene.leash)
            assert run.outcome is RunOutcome.SUPERSEDED
            assert scene.runtime.deeds == []

        play(film())
