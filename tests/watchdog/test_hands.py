"""The real hands: what a configuration names on this host, kept over a reload where nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recovery.errors import StepImpossible
from tests.builders import settings
from watchdog.clock import Clock
from watchdog.config.schema import Settings
from watchdog.hands import World, real
from watchdog.state.store.open import open_store


def configured(folder: Path, services: dict[str, dict[str, Any]], **more: Any) -> Settings:
    return settings(services, state={"dir": str(folder)}, **more)


def test_the_runtime_of_a_service_is_one_object_for_as_long_as_it_runs_the_same_way(tmp_path: Path) -> None:
    before = configured(tmp_path, {"bot": {}, "other": {}, "web": {"runtime": None}})
    world = World(before, Clock())
    bot = world.runtime(before.services["bot"])
    assert bot is not None
    assert world.runtime(before.services["bot"]) is bot
    assert world.runtime(before.services["other"]) is not bot
    assert world.runtime(before.services["web"]) is None
    after = configured(tmp_path, {"bot": {"title": "The Bot"}, "other": {"runtime": {"process": {"start": ["changed"]}}}})
    world.use(after)
    assert world.runtime(after.services["bot"]) is bot
    assert world.settings is after


def test_a_changed_way_of_running_is_another_object_and_a_lost_one_is_forgotten(tmp_path: Path) -> None:
    before = configured(tmp_path, {"bot": {}})
    world = World(before, Clock())
    bot = world.runtime(before.services["bot"])
    changed = configured(tmp_path, {"bot": {"runtime": {"process": {"start": ["another"]}}}})
    world.use(changed)
    other = world.runtime(changed.services["bot"])
    assert other is not bot
    lost = configured(tmp_path, {"bot": {"runtime": None}})
    assert world.runtime(lost.services["bot"]) is None
    assert world.runtime(changed.services["bot"]) is not other


async def test_commands_are_those_of_todays_configuration(tmp_path: Path) -> None:
    services = {"bot": {"probe": {"exec": "look"}}}
    before = configured(tmp_path, services, commands={"look": {"argv": ["/bin/echo", "old"]}})
    world = World(before, Clock())
    assert "old" in await world.run_command("look", "bot", 5.0)
    world.use(configured(tmp_path, services, commands={"look": {"argv": ["/bin/echo", "new"]}}))
    assert "new" in await world.run_command("look", "bot", 5.0)
    with pytest.raises(StepImpossible):
        await world.run_command("gone", "bot", 5.0)


def test_connectivity_follows_a_reload(tmp_path: Path) -> None:
    world = World(configured(tmp_path, {"bot": {}}), Clock())
    assert world.targets() == ()
    world.use(configured(tmp_path, {"bot": {}}, connectivity={"targets": ["1.1.1.1:53"]}))
    assert world.targets() == ("1.1.1.1:53",)


async def test_all_hands_are_real(tmp_path: Path) -> None:
    clock = Clock()
    world = World(configured(tmp_path, {"bot": {}}), clock)
    opened = open_store(tmp_path, now=clock.now)

    async def reload() -> dict[str, Any]:
        return {"text": "reloaded"}

    beats: list[float] = []
    try:
        hands = real(world, opened, clock, reload, beats.append, lambda: None)
        assert (hands.store, hands.loaded, hands.spread) == (opened.store, opened.loaded, True)
        assert hands.boot
        assert hands.pid > 1
        assert hands.host_load().startswith("CPU ")
        assert await hands.network.up()
        assert hands.reload is reload
        hands.beat(1.0)
        assert beats == [1.0]
    finally:
        await opened.store.close()
