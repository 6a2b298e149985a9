"""What was found once is not lost because the engine is away or a deploy is under way."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from recovery.adapters.docker_host import DockerHost
from recovery.adapters.docker_rows import Listed
from recovery.errors import EngineAway
from tests.fakes.runtime import FakeClock, play
from watchdog.config.load import from_values
from watchdog.facts.discovery import Discovery
from watchdog.model.container import DEPLOY

FILE = from_values({"discovery": "docker"})


class Engine:
    """The list of a `DockerHost`. rows: one container, as it is seen at each look in turn."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.away = False
        self.rows: list[Listed] = []

    async def listed(self) -> dict[str, Listed]:
        if self.away:
            raise EngineAway("gone fishing")
        if self.rows:
            row = self.rows.pop(0)
            return {row.name: row}
        return {name: Listed(name, "1" * 64, "running", labels={"enable": "true"}) for name in self.names}


def test_an_engine_that_is_away_takes_no_service_off_the_list() -> None:
    async def film() -> None:
        engine, discovery = Engine("bot"), Discovery(FakeClock())
        host = cast("DockerHost", engine)
        assert list((await discovery.extend(FILE, host))[0].services) == ["bot"]
        engine.away = True
        settings, problems = await discovery.extend(FILE, host)
        assert list(settings.services) == ["bot"]
        assert problems == ("containers cannot be looked through: gone fishing",)

    play(film())


def test_a_container_that_is_gone_stays_a_service_for_the_length_of_a_deploy() -> None:
    async def film() -> None:
        clock = FakeClock()
        engine, discovery = Engine("bot"), Discovery(clock)
        host = cast("DockerHost", engine)
        await discovery.extend(FILE, host)
        engine.names = ()
        await clock.sleep(DEPLOY - 1)
        assert list((await discovery.extend(FILE, host))[0].services) == ["bot"]
        await clock.sleep(2)
        assert list((await discovery.extend(FILE, host))[0].services) == []

    play(film())


def test_a_bot_that_fell_is_asked_where_it_was() -> None:
    """The engine lists neither ports nor addresses of what does not run; taken as they are, each crash would be a new probe."""

    async def film() -> None:
        published, bridged = Engine(), Engine()
        labels = {"enable": "true", "port": "80"}
        runs = Listed("bot", "1" * 64, "running", published={80: 8101}, labels=labels)
        fell = Listed("bot", "1" * 64, "exited", labels=labels)
        published.rows, bridged.rows = [runs, fell, runs], [replace(runs, published={}, address="172.17.0.2"), fell]
        for engine in (published, bridged):
            discovery, seen = Discovery(FakeClock()), []
            while engine.rows:
                settings, problems = await discovery.extend(FILE, cast("DockerHost", engine))
                seen.append(settings.services["bot"])
                assert problems == ()
            assert seen[0].probe.http
            assert seen == [seen[0]] * len(seen)

    play(film())


def test_one_that_has_not_run_yet_is_nobodys_mistake() -> None:
    async def film() -> None:
        engine = Engine()
        engine.rows = [Listed("bot", "1" * 64, "created", labels={"enable": "true", "port": "80"})]
        settings, problems = await Discovery(FakeClock()).extend(FILE, cast("DockerHost", engine))
        assert settings.services["bot"].probe.docker
        assert problems == ()

    play(film())


def test_the_next_life_knows_what_this_one_found_though_its_engine_is_away() -> None:
    """Holds, budgets and incidents of discovered services would be lost with a boot that brings the engine up last."""

    async def film() -> None:
        engine, discovery, next_life = Engine(), Discovery(FakeClock()), Discovery(FakeClock())
        host = cast("DockerHost", engine)
        labels = {"enable": "true", "port": "80"}
        engine.rows = [Listed("bot", "1" * 64, "running", published={80: 8101}, labels=labels)]
        before, _ = await discovery.extend(FILE, host)
        next_life.recall(discovery.memory())
        engine.away = True
        assert (await next_life.extend(FILE, host))[0].services == before.services

    play(film())


@pytest.mark.parametrize("rubbish", ["", "null", "[1]", '[{"name": "bot"}]', "[" * 100_000, '{"a": 1}'])
def test_a_memory_that_cannot_be_read_is_none(rubbish: str) -> None:
    async def film() -> None:
        discovery = Discovery(FakeClock())
        discovery.recall(rubbish)
        assert discovery.memory() == "[]"

    play(film())
