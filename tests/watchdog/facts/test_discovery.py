"""What was found once is not lost because the engine is away or a deploy is under way."""

from __future__ import annotations

from typing import cast

from recovery.adapters.docker_host import DockerHost
from recovery.adapters.docker_rows import Listed
from recovery.errors import EngineAway
from tests.fakes.runtime import FakeClock, play
from watchdog.config.load import from_values
from watchdog.facts.discovery import DEPLOY, Discovery

FILE = from_values({"discovery": "docker"})


class Engine:
    """The list of a `DockerHost`."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.away = False

    async def listed(self) -> dict[str, Listed]:
        if self.away:
            raise EngineAway("gone fishing")
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
