"""The cast is a fleet that the product accepts."""

from __future__ import annotations

from pathlib import Path

from watchdog.config.load import load
from watchdog.demo.fleet import CAST, DATABASE, HOPELESS, NAMES, TRIES, configuration, dependents
from watchdog.graph.build import build


def test_its_configuration_loads_without_an_error(tmp_path: Path) -> None:
    file = tmp_path / "watchdog.yaml"
    file.touch(mode=0o600)
    file.write_text(configuration(tmp_path, {name: 20_000 + number for number, name in enumerate(NAMES)}))
    settings = load(file)
    assert tuple(settings.services) == NAMES
    assert settings.services["wa-translator"].title == "WhatsApp Translator"
    assert settings.state.dir == tmp_path / "state"
    assert settings.guards.budget.count == TRIES + 1, "the first start of a bot counts as well"
    assert build(settings.services).level("report-bot") == 2
    for name in NAMES:
        runtime = settings.services[name].runtime
        assert runtime is not None
        assert runtime.process is not None
        assert Path(runtime.process.start[3]).is_file()


def test_two_levels_stand_on_the_database() -> None:
    direct, behind = dependents(DATABASE)
    assert set(direct) == {"booking-bot", "ezee-scraper", "sheets-sync"}
    assert set(behind) == {"report-bot", "owner-digest"}
    assert dependents(HOPELESS) == (("invoice-bot",),)


def test_who_needs_another_stands_below_it() -> None:
    seen: set[str] = set()
    for part in CAST:
        assert set(part.needs) <= seen
        seen.add(part.name)
