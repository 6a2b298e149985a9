"""The scripted engine: policies, people at the command line and events, as they were measured on a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from recovery.errors import StepFailed
from recovery.ports import Life
from watchdog.config.load import from_values
from watchdog.model.container import Act, Happening
from watchdog.simulation.bot import Bot
from watchdog.simulation.container import FIRST, LONGEST, REMEMBERED, Box, set_container
from watchdog.simulation.fakes import FakeRuntime
from watchdog.simulation.scenario import Operator, Process, Verb
from watchdog.simulation.scenario_file import read
from watchdog.simulation.virtual import VirtualClock, VirtualLoop, run
from watchdog.simulation.world import World

VALUES = {"services": {"bot": {"probe": {"http": "http://bot/health"}, "runtime": {"docker": "box"}}}}


class Shop:
    """One container in its engine, at second 0 of a scenario that was played for a day."""

    def __init__(self, loop: VirtualLoop, policy: str) -> None:
        text = "name: n\nfleet: {count: 1, like: {}}\nuntil: 1h\nworld: []\nexpect: []\n"
        self.clock = VirtualClock(1_772_000_000.0, loop)
        self.world = World(read(text, "s.yaml"), from_values(VALUES).services, self.clock, lambda _change: None)
        self.engine, self.bot = self.world.engine, self.world.bots["bot"]
        self.box.policy = policy
        self.heard: list[Happening] = []

    @property
    def box(self) -> Box:
        assert self.bot.box is not None
        return self.bot.box

    @property
    def life(self) -> Life:
        return self.bot.sight().life

    async def listen(self, since: float | None = None) -> None:
        async for each in self.engine.happenings(since):
            self.heard.append(each)

    def acts(self) -> list[str]:
        return [each.act.value for each in self.heard]

    async def wait(self, seconds: float) -> None:
        await self.clock.sleep(seconds)


Film = Callable[[Shop], Awaitable[None]]


def play(film: Film, policy: str = "unless-stopped") -> None:
    loop = VirtualLoop()

    async def main() -> None:
        shop = Shop(loop, policy)
        ear = asyncio.create_task(shop.listen())
        await shop.wait(1)
        try:
            await film(shop)
        finally:
            ear.cancel()
            await asyncio.gather(ear, return_exceptions=True)

    run(main(), loop)


def deed(act: Callable[[Box, Bot], None], *acts: str, running: bool) -> None:
    async def film(shop: Shop) -> None:
        act(shop.box, shop.bot)
        await shop.wait(5)
        assert shop.acts() == list(acts)
        assert shop.bot.running is running

    play(film)


def test_each_command_has_its_events() -> None:
    deed(Box.stop, "kill", "die", "stop", running=False)
    deed(Box.start, "kill", "die", "stop", "start", "restart", running=True)
    deed(Box.freeze, "pause", running=True)
    deed(Box.remove, "kill", "die", "destroy", running=False)
    deed(Box.replace, "kill", "die", "destroy", "create", "start", running=True)


def test_start_on_what_rests_or_is_paused() -> None:
    async def film(shop: Shop) -> None:
        shop.box.stop(shop.bot)
        await shop.wait(1)
        shop.box.start(shop.bot)
        shop.box.freeze(shop.bot)
        shop.box.start(shop.bot)
        await shop.wait(1)
        assert shop.acts() == ["kill", "die", "stop", "start", "pause", "unpause"]

    play(film)


def test_what_belongs_to_an_event_is_told_with_it() -> None:
    async def film(shop: Shop) -> None:
        shop.box.remove(shop.bot)
        shop.box.replace(shop.bot)
        await shop.wait(0)
        kill, die, *_ = shop.heard
        assert (kill.signal, die.code) == (9, 137)
        assert {each.name for each in shop.heard} == {"box"}
        assert list(dict.fromkeys(each.container for each in shop.heard)) == ["box-1", "box-2"]
        assert len({each.nano for each in shop.heard}) == len(shop.heard)

    play(film)


@pytest.mark.parametrize(
    ("policy", "code", "back"),
    [
        ("no", 1, False),
        ("no", 0, False),
        ("on-failure", 1, True),
        ("on-failure", -9, True),
        ("on-failure", 0, False),
        ("unless-stopped", 0, True),
        ("always", 0, True),
        ("always", 137, True),
    ],
)
def test_its_policy_decides_what_follows_an_end_of_its_own(policy: str, code: int, back: bool) -> None:
    async def film(shop: Shop) -> None:
        shop.bot.end(code)
        assert shop.life is (Life.BUSY if back else Life.STOPPED)
        await shop.wait(FIRST + 0.01)
        assert shop.bot.running is back
        assert shop.acts() == (["die", "start"] if back else ["die"])

    play(film, policy)


@pytest.mark.parametrize("policy", ["always", "unless-stopped", "on-failure"])
def test_no_policy_brings_back_what_a_person_ended(policy: str) -> None:
    async def film(shop: Shop) -> None:
        shop.box.stop(shop.bot)
        await shop.wait(120)
        assert not shop.bot.running
        assert await shop.engine.stopped_by_hand("box") is True
        shop.box.start(shop.bot)
        assert await shop.engine.stopped_by_hand("box") is False

    play(film, policy)


def test_the_pause_before_a_restart_doubles_up_to_a_minute_and_is_short_again_after_a_steady_life() -> None:
    async def film(shop: Shop) -> None:
        gaps = []
        for _ in range(12):
            shop.bot.end(1)
            ended = shop.clock.monotonic()
            while not shop.bot.running:
                await shop.wait(0.1)
            gaps.append(shop.clock.monotonic() - ended)
        assert gaps[0] == pytest.approx(FIRST, abs=0.11)
        assert gaps[3] == pytest.approx(8 * FIRST, abs=0.11)
        assert gaps[-1] == pytest.approx(LONGEST, abs=0.11)
        await shop.wait(30)
        shop.bot.end(1)
        await shop.wait(FIRST + 0.1)
        assert shop.bot.running

    play(film)


def test_a_start_by_us_or_by_hand_ends_the_wait_of_the_policy() -> None:
    async def film(shop: Shop) -> None:
        shop.bot.end(1)
        shop.bot.begin(shop.clock.now())
        number = shop.bot.number
        await shop.wait(5)
        assert shop.bot.number == number
        assert shop.life is Life.RUNNING

    play(film)


def test_a_kill_for_memory_is_told_before_the_end() -> None:
    async def film(shop: Shop) -> None:
        shop.box.starve(shop.bot, 137)
        await shop.wait(0)
        assert shop.acts() == ["oom", "die"]

    play(film)


@pytest.mark.parametrize(
    ("policy", "code", "by_hand", "back"),
    [
        ("always", 0, False, True),
        ("always", 0, True, True),
        ("unless-stopped", 0, False, True),
        ("unless-stopped", 0, True, False),
        ("on-failure", 0, False, False),
        ("on-failure", 137, False, True),
        ("no", 0, False, False),
    ],
)
def test_after_docker_s_own_restart_its_policies_have_the_word(policy: str, code: int, by_hand: bool, back: bool) -> None:
    async def film(shop: Shop) -> None:
        if by_hand:
            shop.box.stop(shop.bot)
        shop.engine.turn(False)
        shop.bot.end(code)
        await shop.wait(60)
        assert not shop.bot.running, "nobody is there to start it"
        shop.engine.turn(True)
        await shop.wait(1)
        assert shop.bot.running is back
        assert await shop.engine.stopped_by_hand("box") is (by_hand and not back)

    play(film, policy)


def test_an_engine_that_is_away_answers_nothing_says_nothing_and_comes_back_without_memory() -> None:
    async def film(shop: Shop) -> None:
        shop.box.freeze(shop.bot)
        since = shop.clock.now() - 1
        shop.engine.turn(False)
        for ask in (shop.engine.ping(), shop.engine.stopped_by_hand("box"), FakeRuntime(shop.bot, shop.clock).look()):
            with pytest.raises(StepFailed, match="Docker does not answer"):
                await ask
        shop.box.start(shop.bot)
        shop.engine.turn(True)
        shop.heard.clear()
        ear = asyncio.create_task(shop.listen(since))
        await shop.wait(1)
        assert shop.acts() == []
        ear.cancel()

    play(film)


def test_a_stream_begins_with_what_happened_since_and_ends_with_the_engine() -> None:
    async def film(shop: Shop) -> None:
        since = shop.clock.now() - 0.5
        shop.box.stop(shop.bot)
        await shop.wait(1)
        shop.heard.clear()
        ear = asyncio.create_task(shop.listen(since))
        await shop.wait(0.1)
        assert shop.acts() == ["kill", "die", "stop"]
        shop.engine.turn(False)
        await asyncio.wait_for(ear, 1)

    play(film)


def test_it_remembers_as_many_events_as_a_real_one() -> None:
    async def film(shop: Shop) -> None:
        since = shop.clock.now() - 0.5
        for _ in range(REMEMBERED):
            shop.box.freeze(shop.bot)
        shop.box.stop(shop.bot)
        stream = shop.engine.happenings(since)
        told: list[Happening] = []
        while not told or told[-1].act is not Act.STOP:
            told.append(await anext(stream))
        assert len(told) == REMEMBERED
        assert [each.act for each in told[-4:]] == [Act.PAUSE, Act.KILL, Act.DIE, Act.STOP]

    play(film)


def test_of_an_unknown_container_nothing_is_recorded() -> None:
    async def film(shop: Shop) -> None:
        assert await shop.engine.stopped_by_hand("other") is None

    play(film)


@pytest.mark.parametrize(
    ("process", "begins", "life", "acts", "by_hand"),
    [
        (Process("exited"), True, Life.STOPPED, [], False),
        (Process("exited", by_hand=True), True, Life.STOPPED, [], True),
        (Process("restarting"), True, Life.BUSY, [], False),
        (Process("paused"), True, Life.RUNNING, ["pause"], False),
        (Process("exited", by_hand=True), False, Life.STOPPED, ["kill", "die", "stop"], True),
        (Process("exited"), False, Life.STOPPED, ["die"], False),
        (Process("running"), False, Life.RUNNING, ["die", "start"], False),
        (Process("running", by_hand=True), False, Life.RUNNING, ["kill", "die", "stop", "start", "restart"], False),
        (Process(""), False, Life.RUNNING, [], False),
    ],
)
def test_as_a_scenario_finds_it_or_as_somebody_makes_it(
    process: Process, begins: bool, life: Life, acts: list[str], by_hand: bool
) -> None:
    async def film(shop: Shop) -> None:
        set_container(shop.bot, shop.box, process, begins=begins)
        await shop.wait(0)
        assert (shop.life, shop.acts(), shop.box.by_hand) == (life, acts, by_hand)
        assert shop.box.policy == "always"

    play(film, "always")


@pytest.mark.parametrize(
    ("verb", "seconds", "theirs", "acts"),
    [
        (Verb.STOP, None, True, ["kill", "die", "stop"]),
        (Verb.STOP, 600.0, False, []),
        (Verb.PAUSE, None, True, ["pause"]),
        (Verb.REMOVE, None, True, ["kill", "die", "destroy"]),
        (Verb.DEPLOY, None, True, ["kill", "die", "destroy", "create", "start"]),
        (Verb.START, None, False, []),
        (Verb.HOLD, 60.0, False, []),
    ],
)
def test_what_people_do_with_docker_itself_and_what_through_us(
    verb: Verb, seconds: float | None, theirs: bool, acts: list[str]
) -> None:
    async def film(shop: Shop) -> None:
        assert shop.world.by_hand(Operator(verb, "bot", seconds)) is theirs
        await shop.wait(0)
        assert shop.acts() == acts

    play(film)
