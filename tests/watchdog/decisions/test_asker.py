"""Questions: never two to one service at a time, nobody waits for another (F43)."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.builders import Crew, settings
from tests.fakes.prober import HANG, OK, FakeProber
from tests.fakes.runtime import play
from watchdog.config.schema import Service
from watchdog.decisions.asker import Asker
from watchdog.model.observation import Kind, Observation


def asker(crew: Crew) -> Asker:
    told: list[bool] = []
    return Asker(crew.app.fleet, crew.app.watch, crew.prober, crew.wire, crew.clock, told.append, crew.app._ask_now)


@pytest.fixture
def young() -> Iterator[None]:
    """The objects of a thousand other tests are no business of the collector here; the daemon does so at its start."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("young")
def test_f43_five_hundred_hang_and_each_is_asked_in_time_and_never_twice_at_once() -> None:
    async def film() -> None:
        names = [f"bot-{n}" for n in range(500)]
        crew = Crew({name: {} for name in names}, spread=True)
        crew.prober.says = dict.fromkeys(names, HANG)
        async with crew.at_work() as app:
            work = asyncio.create_task(stalls(crew))
            await crew.wait(200)
            work.cancel()
            assert max(await work) < 0.2
            assert app.fleet.storm is not None
        for name in names:
            asked, answered = crew.prober.times(name), [at for who, at in crew.prober.answered if who == name]
            assert max(b - a for a, b in pairwise(asked)) <= 31.0
            assert all(done <= begun for done, begun in zip(answered, asked[1:], strict=False)), "checks overlap"

    play(film())


async def stalls(crew: Crew) -> list[float]:
    """Seconds of CPU in each tenth of a virtual second: what a real loop would be late by. Ends when it is cancelled."""
    found: list[float] = []
    try:
        while True:
            began = time.thread_time()
            await crew.wait(0.1)
            found.append(time.thread_time() - began)
    except asyncio.CancelledError:
        return found


def test_a_check_that_is_still_out_is_not_asked_twice() -> None:
    async def film() -> None:
        crew = Crew()
        asks = asker(crew)
        crew.prober.says["bot"] = HANG
        first = asyncio.create_task(asks.check("bot"))
        await crew.wait(1)
        await asks.check("bot")
        assert crew.prober.times("bot") == [0.0]
        await first
        assert asks.in_flight == {}
        await asks.check("bot")
        assert len(crew.prober.times("bot")) == 2

    play(film())


def test_an_unknown_service_is_nobody() -> None:
    async def film() -> None:
        crew = Crew()
        await asker(crew).check("gone")
        await asker(crew).anew("gone")
        assert not asker(crew).wants_anew("gone")
        assert crew.prober.asked == []

    play(film())


def test_an_answer_that_comes_after_its_service_was_replaced_is_dropped() -> None:
    async def film() -> None:
        crew = Crew()
        asks = asker(crew)
        crew.prober.says["bot"] = HANG
        check = asyncio.create_task(asks.check("bot"))
        await crew.wait(1)
        old = crew.card()
        crew.app.fleet.cards["bot"] = Crew().card()
        await check
        assert old.history.last is None
        assert crew.card().history.last is None

    play(film())


def test_an_answer_beside_the_turns_is_seen_and_advances_no_count() -> None:
    async def film() -> None:
        crew = Crew()
        crew.prober.says["bot"] = "refuse"
        seen = await asker(crew).ask(crew.card(), counts=False)
        assert seen.failing
        assert crew.card().history.last is not None
        assert crew.card().history.streaks.failing == 0
        await asker(crew).ask(crew.card(), counts=True)
        assert crew.card().history.streaks.failing == 1

    play(film())


def test_a_dependency_is_asked_anew_once_however_many_want_to_know() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        asks = asker(crew)
        assert asks.wants_anew("db")
        assert not asks.wants_anew("db")
        await crew.wait(2)
        await asks.anew("db")
        fresh = crew.card("db").fresh
        assert fresh is not None
        assert (fresh.asked_at, fresh.answered_at) == (crew.clock.now() - 2, crew.clock.now())
        assert asks.wants_anew("db")

    play(film())


def test_f08_a_failing_check_over_which_we_slept_ourselves_blames_nobody() -> None:
    async def film() -> None:
        crew = Crew()
        asks = asker(crew)
        crew.prober.says["bot"] = HANG
        check = asyncio.create_task(asks.check("bot"))
        await crew.wait(1)
        crew.clock.skip = 120.0
        await check
        last = crew.card().history.last
        assert last is not None
        assert (last.kind, last.detail) == (Kind.UNKNOWN, "the watchdog itself was suspended meanwhile")
        assert crew.card().history.streaks.failing == 0

    play(film())


def test_a_good_answer_over_which_we_slept_is_a_good_answer() -> None:
    async def film() -> None:
        crew = Crew()
        crew.prober.says["bot"] = OK
        await asker(crew).check("bot")
        crew.clock.skip = 120.0
        await asker(crew).check("bot")
        last = crew.card().history.last
        assert last is not None
        assert last.kind is Kind.OK

    play(film())


def test_only_what_leaves_the_host_asks_for_our_own_network() -> None:
    async def film() -> None:
        crew = Crew({"far": {"probe": {"tcp": "10.0.0.7:5432"}, "runtime": None}, "near": {}})
        told: list[bool] = []
        asks = Asker(crew.app.fleet, crew.app.watch, crew.prober, crew.wire, crew.clock, told.append, crew.app._ask_now)
        crew.wire.there = False
        crew.prober.says = {"far": "refuse", "near": "refuse"}
        await asks.check("near")
        assert told == []
        await asks.check("far")
        assert told == [False]
        kinds = {name: crew.card(name).history.last for name in ("far", "near")}
        assert kinds["far"] is not None
        assert kinds["near"] is not None
        assert (kinds["far"].kind, kinds["near"].kind) == (Kind.UNKNOWN, Kind.NO_ANSWER)
        crew.app.fleet.network_down = crew.clock.now()
        crew.prober.says["far"] = OK
        await asks.check("far")
        assert told == [False, True]

    play(film())


def test_settings_name_what_leaves_the_host() -> None:
    async def film() -> None:
        services: dict[str, dict[str, Any]] = {
            "loopback": {"probe": {"http": "http://127.0.0.1:1/health"}},
            "localhost": {"probe": {"http": "http://localhost:1/health"}},
            "six": {"probe": {"http": "http://[::1]:1/health"}},
            "process": {"probe": {"process": True}},
            "far": {"probe": {"tcp": "db.example:5432"}},
            "lan": {"probe": {"http": "http://192.168.1.4/health"}},
        }
        crew = Crew(services)
        assert settings(services).services.keys() == crew.app.fleet.cards.keys()
        assert {card.name for card in crew.app.fleet if card.leaves_host} == {"far", "lan"}

    play(film())


class Direct(FakeProber):
    """One that needs no task, as the real one. told: whom to tell the answer, by service. given_up: who is not to be told."""

    def __init__(self, crew: Crew) -> None:
        super().__init__(crew.clock, crew.runtimes)
        self.told: dict[str, Callable[[Observation], None]] = {}
        self.given_up: list[str] = []
        self.able = True

    def begin(self, service: Service, told: Callable[[Observation], None]) -> Callable[[], None] | None:
        if not self.able:
            return None
        self.told[service.name] = told
        return lambda: self.given_up.append(service.name)

    def answers(self, name: str, kind: Kind = Kind.OK) -> None:
        self.told.pop(name)(Observation(self._clock.now(), kind))


class Turns:
    """Asks at its turn, as the loop does."""

    def __init__(self, crew: Crew) -> None:
        self.crew, self.prober = crew, Direct(crew)
        self.missed: list[str] = []
        self.network: list[bool] = []
        app = crew.app
        self.asker = Asker(app.fleet, app.watch, self.prober, crew.wire, crew.clock, self.network.append, self.missed.append)

    def begin(self, name: str) -> None:
        self.asker.begin(name, self.crew.clock.monotonic(), self.crew.app.tasks.spawn)

    def last(self, name: str = "bot") -> Kind | None:
        seen = self.crew.card(name).history.last
        return seen.kind if seen is not None else None


def test_a_check_goes_without_a_task_where_it_can_and_never_twice_at_once() -> None:
    async def film() -> None:
        turns = Turns(Crew())
        turns.begin("bot")
        assert len(asyncio.all_tasks()) == 1
        turns.begin("bot")
        assert turns.missed == []
        turns.prober.answers("bot")
        assert (turns.last(), turns.missed, turns.asker.in_flight) == (Kind.OK, ["bot"], {})
        turns.begin("gone")
        turns.prober.able = False
        turns.begin("bot")
        await turns.crew.wait(1)
        assert turns.prober.times("bot") == [0.0], "what it cannot begin is asked by a task"
        assert turns.asker.in_flight == {}

    play(film())


def test_what_is_given_up_is_asked_again_at_its_next_turn() -> None:
    async def film() -> None:
        turns = Turns(Crew())
        turns.begin("bot")
        turns.asker.give_up()
        assert (turns.prober.given_up, turns.asker.in_flight) == (["bot"], {})
        turns.begin("bot")
        turns.prober.answers("bot")
        assert turns.last() is Kind.OK

    play(film())


def test_without_a_task_too_an_answer_for_a_service_that_was_replaced_is_dropped() -> None:
    async def film() -> None:
        turns = Turns(Crew())
        turns.begin("bot")
        turns.crew.app.fleet.cards["bot"] = Crew().card()
        turns.prober.answers("bot")
        assert (turns.last(), turns.asker.in_flight) == (None, {})

    play(film())


def test_f08_without_a_task_too_a_failure_over_which_we_slept_blames_nobody() -> None:
    async def film() -> None:
        turns = Turns(Crew())
        turns.begin("bot")
        turns.crew.clock.skip = 120.0
        turns.prober.answers("bot", Kind.NO_ANSWER)
        assert turns.last() is Kind.UNKNOWN

    play(film())


def test_without_a_task_too_what_leaves_the_host_is_believed_only_while_our_own_network_is_up() -> None:
    async def film() -> None:
        crew = Crew({"far": {"probe": {"http": "http://10.0.0.7/health"}, "runtime": None}})
        turns = Turns(crew)
        crew.wire.there = False
        turns.begin("far")
        turns.prober.answers("far", Kind.NO_ANSWER)
        turns.begin("far")
        assert (turns.last("far"), list(turns.asker.in_flight)) == (None, ["far"]), "it is out until the network was asked"
        await crew.wait(0)
        assert (turns.last("far"), turns.network, turns.asker.in_flight) == (Kind.UNKNOWN, [False], {})
        assert turns.missed == ["far"]
        turns.begin("far")
        turns.prober.answers("far")
        assert (turns.last("far"), turns.network) == (Kind.OK, [False]), "a good answer asks nobody"

    play(film())


def test_a_fault_in_taking_in_an_answer_is_counted_as_that_of_a_task_and_ends_the_check() -> None:
    async def film() -> None:
        turns = Turns(Crew())
        turns.begin("bot")
        broken: Any = None
        turns.crew.card().history, kept = broken, turns.crew.card().history
        with capture_logs() as said:
            turns.prober.answers("bot")
            await turns.crew.wait(1)
        assert [each["event"] for each in said] == ["task_failed"]
        assert turns.crew.app.tasks.failures == {"check": 1}
        turns.crew.card().history = kept
        turns.begin("bot")
        turns.prober.answers("bot")
        assert turns.last() is Kind.OK

    play(film())


def test_the_end_of_the_loop_gives_up_what_goes_without_a_task() -> None:
    async def film() -> None:
        crew = Crew()
        prober = Direct(crew)
        crew.prober = prober
        crew.next_life()
        async with crew.at_work():
            await crew.wait(1)
            assert list(prober.told) == ["bot"]
        assert prober.given_up == ["bot"]

    play(film())
