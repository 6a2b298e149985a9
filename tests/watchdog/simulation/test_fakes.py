"""The fake hands: a scripted bot met through the ports of the product."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from recovery.errors import StepFailed, Superseded
from recovery.model import Effect, Run, StepOutcome, StepRecord
from recovery.ports import Life
from watchdog.config.load import from_values
from watchdog.config.schema import Settings
from watchdog.model.observation import Kind
from watchdog.simulation.fakes import FakeOutside, FakeProber, FakeRuntime
from watchdog.simulation.scenario import Change
from watchdog.simulation.scenario_file import read
from watchdog.simulation.virtual import VirtualClock, VirtualLoop, run
from watchdog.simulation.world import World

SERVICE = {"probe": {"http": "http://127.0.0.1:1/health"}, "runtime": {"process": {"start": ["bot"]}}, "depends_on": ["db"]}
VALUES = {
    "services": {"bot": SERVICE, "db": {"probe": {"tcp": "far.example:5432"}}},
    "commands": {"fix": {"argv": ["/bin/true"]}},
}


class Set:
    """A world with its hands, at second 0 of a scenario."""

    def __init__(self, loop: VirtualLoop, world: str) -> None:
        text = f"name: n\nfleet: {{count: 1, like: {{}}}}\nuntil: 1h\nworld:\n{world or '  []'}\nexpect: []\n"
        self.settings: Settings = from_values(VALUES)
        self.clock = VirtualClock(1_772_000_000.0, loop)
        self.staged: list[Change] = []
        self.world = World(read(text, "s.yaml"), self.settings.services, self.clock, self.staged.append)
        self.prober = FakeProber(self.world, self.clock)
        self.runtime = FakeRuntime(self.world.bots["bot"], self.clock)
        self.outside = FakeOutside(self.world, self.clock)

    async def ask(self, name: str = "bot") -> tuple[Kind, str]:
        seen = await self.prober.ask(self.settings.services[name])
        return seen.kind, seen.detail

    def step(self, action: str, outcome: StepOutcome | None = None, *, number: int = 1) -> None:
        """The product journals a step of a run on the bot."""
        record = StepRecord(number, action, action, Effect.RESTART, self.clock.now(), outcome=outcome)
        self.world.follow(Run(1, "bot", "p", None, self.clock.now(), Effect.RESTART, steps=(record,)))


Film = Callable[[Set], Awaitable[None]]


def play(film: Film, world: str = "") -> None:
    loop = VirtualLoop()

    async def main() -> None:
        await film(Set(loop, world))

    run(main(), loop)


def test_a_bot_answers_ok_unless_the_scenario_says_otherwise() -> None:
    async def film(on: Set) -> None:
        assert (await on.ask())[0] is Kind.OK
        assert (await on.ask("db"))[0] is Kind.OK

    play(film)


def test_a_hang_lasts_the_deadline_and_is_reset_when_the_process_dies() -> None:
    async def film(on: Set) -> None:
        assert await on.ask() == (Kind.NO_ANSWER, "timeout")
        assert on.clock.monotonic() == pytest.approx(29.9)
        asyncio.get_running_loop().call_later(5, on.world.apply, Change(services="bot", exit=1))
        assert await on.ask() == (Kind.NO_ANSWER, "reset")
        assert on.clock.monotonic() == pytest.approx(34.9)

    play(film, "  - {at: 0s, service: bot, does: hang}")


def test_documents_are_judged_by_the_product() -> None:
    async def film(on: Set) -> None:
        assert (await on.ask())[0] is Kind.DEGRADED
        assert (await on.ask())[0] is Kind.BAD_ANSWER
        assert (await on.ask())[0] is Kind.CRITICAL

    play(film, "  - {at: 0s, service: bot, cycle: [{health: {status: degraded}}, {http: 502}, {health: {status: critical}}]}")


def test_how_long_starting_is_believed_is_not_for_the_prober_to_say() -> None:
    async def film(on: Set) -> None:
        assert (await on.ask())[0] is Kind.STARTING
        await on.clock.sleep(601)
        assert (await on.ask())[0] is Kind.STARTING

    play(film, "  - {at: 0s, service: bot, health: {status: starting}, http: 503}")


def test_a_stopped_process_refuses_and_a_started_one_is_another_instance() -> None:
    async def film(on: Set) -> None:
        before = await on.runtime.look()
        assert await on.runtime.stop(before, 10.0) == "ended by SIGTERM after 0.2 s"
        assert (await on.runtime.look()).life is Life.STOPPED
        assert await on.ask() == (Kind.NO_ANSWER, "refused")
        after = await on.runtime.start()
        assert after.running
        assert after.instance != before.instance
        assert await on.runtime.start() == after
        with pytest.raises(Superseded):
            await on.runtime.stop(before, 10.0)

    play(film)


def test_the_end_of_a_process_is_told_to_who_waits_for_it() -> None:
    async def film(on: Set) -> None:
        sight = await on.runtime.look()
        on.world.apply(Change(services="bot", exit=3))
        await on.runtime.gone(sight)
        assert (await on.runtime.look()).exit_code == 3

    play(film)


def test_an_action_lasts_and_fails_as_its_line_says_so_often_as_it_says() -> None:
    async def film(on: Set) -> None:
        on.step("stop_process")
        with pytest.raises(StepFailed, match="will not"):
            await on.runtime.stop(await on.runtime.look(), 10.0)
        assert on.clock.monotonic() == pytest.approx(3.0)
        on.step("stop_process", StepOutcome.FAILED)
        on.step("stop_process", number=2)
        await on.runtime.stop(await on.runtime.look(), 10.0)
        assert on.clock.monotonic() == pytest.approx(3.2)

    play(film, "  - {after: stop_process, service: bot, times: 1, takes: 3s, fail: will not}")


def test_a_bot_that_outlasts_the_grace_is_killed_or_left_as_asked() -> None:
    async def film(on: Set) -> None:
        on.step("stop_process")
        with pytest.raises(StepFailed, match="alive 10 s after SIGTERM"):
            await on.runtime.stop(await on.runtime.look(), 10.0, kill=False)
        assert on.clock.monotonic() == pytest.approx(10.0)
        on.step("stop_process", StepOutcome.FAILED)
        on.step("stop_process", number=2)
        assert await on.runtime.stop(await on.runtime.look(), 10.0) == "ignored SIGTERM for 10 s, killed"

    play(film, "  - {after: stop_process, service: bot, takes: 12s}")


def test_a_change_follows_the_end_of_the_action_after_its_delay() -> None:
    async def film(on: Set) -> None:
        on.step("stop_process")
        on.step("stop_process", StepOutcome.OK)
        await on.clock.sleep(11)
        assert (await on.ask())[1] == "refused"
        await on.clock.sleep(1.5)
        assert (await on.ask())[0] is Kind.OK

    play(
        film,
        "  - {at: 0s, service: bot, does: refuse}\n  - {after: stop_process, service: bot, delay: 12s, health: {status: ok}}",
    )


def test_a_failed_action_sets_nothing_off() -> None:
    async def film(on: Set) -> None:
        on.step("stop_process")
        on.step("stop_process", StepOutcome.FAILED)
        assert (await on.ask())[1] == "refused"

    play(film, "  - {at: 0s, service: bot, does: refuse}\n  - {after: stop_process, service: bot, health: {status: ok}}")


def test_without_network_only_what_leaves_the_host_is_unreachable() -> None:
    async def film(on: Set) -> None:
        on.world.apply(Change(network=False))
        assert await on.ask("db") == (Kind.NO_ANSWER, "unreachable")
        assert (await on.ask())[0] is Kind.OK

    play(film)


def test_commands_and_calls_are_actions_too() -> None:
    async def film(on: Set) -> None:
        on.step("run_command")
        with pytest.raises(StepFailed, match="exit code 2"):
            await on.outside.run_command("fix", "bot", 10.0)
        on.step("reload", number=2)
        with pytest.raises(TimeoutError):
            await on.outside.http_call("http://127.0.0.1/x", 10.0)

    play(
        film,
        '  - {after: run_command, service: bot, fail: "exit code 2"}\n  - {after: reload, service: bot, takes: 30s}',
    )


def test_what_is_not_of_the_world_is_handed_to_the_stage() -> None:
    async def film(on: Set) -> None:
        on.world.apply(Change(crash=5.0))
        assert on.staged == [Change(crash=5.0)]

    play(film)
