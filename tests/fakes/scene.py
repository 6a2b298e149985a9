"""A scene for films of recovery: one bot, the engine, and everything around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recovery.engine import Engine
from recovery.language import parse
from recovery.model import Effect, Playbook, Run, RunOutcome, StepOutcome
from recovery.ports import Answer, Context, Runtime, Sight, Target
from recovery.reader import Known
from recovery.registry import ActionSpec, discover
from recovery.settle import settle
from recovery.yaml import load_text
from tests.fakes.runtime import FakeClock, FakeJournal, FakeLeash, FakeOutside, FakeRuntime

ACTIONS = discover()

RESTART = "[{stop_process: {}}, {ensure_running: {}}]"
"""The steps of most films."""


def book(steps: str = RESTART, verify: str = "{}", actions: Mapping[str, ActionSpec] = ACTIONS) -> Playbook:
    """A playbook of these steps."""
    text = f"name: film\nsummary: a film\nsteps: {steps}\nverify: {verify}\n"
    found, problems = parse(load_text(text, "film.yaml"), Known(actions))
    assert found is not None, problems
    return found


class Scene:
    """boots_in: seconds from its start to good answers. script: answers that come first. sick: whether it answers badly."""

    def __init__(self, *, running: bool = True, ignores_term: bool = False, **target: Any) -> None:
        self.clock = FakeClock()
        self.runtime = FakeRuntime(self.clock, running=running, ignores_term=ignores_term)
        self.journal = FakeJournal()
        self.leash = FakeLeash()
        self.outside = FakeOutside()
        self.boots_in = 0.0
        self.asks_take = 0.0
        self.script: list[Answer] = []
        self.sick = False
        self.asked: list[float] = []
        self.notes: list[str] = []
        self.kept: list[str] = []
        settings: dict[str, Any] = {"term_grace": 10.0, "startup_grace": 30.0, "interval": 30.0, "proof": 180.0}
        self.target = Target("scraper", "Scraper", **{**settings, **target})
        self.has_runtime = True

    async def ask(self) -> Answer:
        self.asked.append(self.clock.monotonic())
        if self.asks_take:
            await self.clock.sleep(self.asks_take)
        if self.script:
            return self.script.pop(0)
        sight = self.runtime.sight
        if not sight.running:
            return Answer(False, "connection refused")
        if self.sick or self.clock.now() - (sight.started_at or 0.0) < self.boots_in:
            return Answer(False, "HTTP 503")
        return Answer(True, "ok in 3 ms")

    def context(self, sight: Sight | None = None) -> Context:
        runtime: Runtime | None = self.runtime if self.has_runtime else None
        return Context(
            target=self.target,
            runtime=runtime,
            clock=self.clock,
            outside=self.outside,
            sight=sight or self.runtime.sight,
            ask=self.ask,
            note=self.notes.append,
            keep=lambda kind, text: self.kept.append(f"{kind}\n{text}"),
            recent=lambda: ["timeout", "timeout"],
        )

    def begun(self, playbook: Playbook) -> Run:
        """A fresh run, as the core gives it to the engine."""
        return Run(
            id=1,
            service="scraper",
            playbook=playbook.name,
            incident=1,
            started_at=self.clock.now(),
            effect=playbook.effect,
            target=self.runtime.sight.instance,
            charged=playbook.effect.charged,
        )

    def engine(self, actions: Mapping[str, ActionSpec] = ACTIONS) -> Engine:
        return Engine(actions, self.clock, self.journal)

    async def heal(self, playbook: Playbook | None = None, context: Context | None = None) -> Run:
        """The engine carries out the playbook."""
        chosen = playbook or book()
        context = context or self.context()
        self.journal.disk[1] = self.begun(chosen)
        return await self.engine().run(self.begun(chosen), chosen, context, self.leash)

    async def next_life(self, playbook: Playbook) -> Run:
        """The daemon is started again: what is on disk is settled by looking, then gone on with."""
        self.journal.kill = None
        settled = await settle(self.journal.disk[1], playbook, self.context())
        return await self.engine().resume(settled, playbook, self.context(), self.leash)


def outcomes(run: Run) -> dict[str, StepOutcome | None]:
    """Step ids and how they ended."""
    return {step.id: step.outcome for step in run.steps}


def effects(run: Run) -> list[Effect]:
    return [step.effect for step in run.steps]


def healed(run: Run) -> bool:
    return run.outcome is RunOutcome.HEALED
