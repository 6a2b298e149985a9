"""From a scenario file to a verdict: the same core as the daemon's, in virtual time (SPEC 13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from recovery.load import Playbooks, load_playbooks
from recovery.model import Playbook
from recovery.problem import Problem
from recovery.registry import Registry, discover
from watchdog.config.load import from_document
from watchdog.config.load import load as load_settings
from watchdog.config.schema import Settings
from watchdog.config.secrets import pretended
from watchdog.errors import ConfigurationError
from watchdog.model.service import State
from watchdog.model.symptom import KNOWN
from watchdog.reports.digest import digest
from watchdog.reports.digest_text import text as digest_text
from watchdog.reports.material import Material
from watchdog.reports.planned import planned
from watchdog.simulation.broken import BrokenPlaybook, broken_playbooks
from watchdog.simulation.expectations import Happening, failures
from watchdog.simulation.scenario import Scenario
from watchdog.simulation.scenario_file import load, unmatched
from watchdog.simulation.stage import Stage
from watchdog.simulation.timeline import timeline
from watchdog.simulation.virtual import VirtualClock, VirtualLoop, run


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a scenario. failures: one text each, in the order of `expect`; digest: as people would have read it.

    refused: what is wrong with playbooks of its folders that were left out; the scenario ran with the others.
    """

    name: str
    passed: bool
    failures: tuple[str, ...]
    timeline: tuple[Happening, ...]
    digest: str = ""
    refused: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form of `-o json`."""
        return {
            "name": self.name,
            "passed": self.passed,
            "failures": list(self.failures),
            "timeline": [each.as_json() for each in self.timeline],
        }


def simulate(path: Path, playbooks: Iterable[Path] = ()) -> Report:
    """Run one file. playbooks: more folders or files of them. Raises ConfigurationError when something cannot be read.

    A playbook with problems is left out, as the daemon does (SPEC 6); a scenario of its own has failed then.
    """
    return simulated(load(path), path.parent, playbooks, path)


def simulated(scenario: Scenario, folder: Path, playbooks: Iterable[Path] = (), path: Path | None = None) -> Report:
    """Run a scenario that was read. folder: where the relative paths of its configuration begin. path: its own file."""
    settings = _settings(scenario, folder)
    slips = unmatched(scenario, set(settings.services))
    if slips:
        raise ConfigurationError(tuple(slips))
    found, registry = _playbooks(tuple(folder for folder in (*settings.playbooks, *playbooks) if folder.exists()))
    if path is not None and (whose := _whose(path, found)) is not None:
        return Report(scenario.name, False, (whose.reason,), (), refused=found.found)
    loop = VirtualLoop()
    clock = VirtualClock(scenario.start, loop)
    stage = run(_played(scenario, settings, found.books, registry, clock), loop)
    zone = ZoneInfo(settings.timezone)
    told = _digest(stage, settings, (scenario.start, clock.now()), zone)
    line = timeline(stage.rows, lambda at: round(clock.elapsed(at), 2), stage.acts)
    if not any(each.kind == "report" for each in line):
        line.append(Happening(clock.monotonic(), "report", "", "digest", data={"text": told, "closing": True}))
    wrong = [f"the product itself failed: task '{name}', {count} ×" for name, count in sorted(stage.broken.items())]
    wrong += failures(line, scenario.expects)
    return Report(scenario.name, not wrong, tuple(wrong), tuple(line), told, found.found)


async def _played(
    scenario: Scenario, settings: Settings, books: Mapping[str, Playbook], registry: Registry, clock: VirtualClock
) -> Stage:
    stage = Stage(scenario, settings, books, registry, clock)
    await stage.play()
    return stage


def _settings(scenario: Scenario, folder: Path) -> Settings:
    """The environment holds a zone and no more, and secrets nothing: a scenario must not depend on the machine that runs it."""
    environ = {"TZ": scenario.zone}
    if scenario.config_path is not None:
        return load_settings(scenario.config_path, check_trust=False, environ=environ, secrets=pretended)
    return from_document(scenario.document, ("config",), folder, environ, pretended).settings


def _playbooks(folders: tuple[Path, ...]) -> tuple[Playbooks, Registry]:
    """Nothing real is touched here, so that who could write a playbook does not matter."""
    if not folders:
        return _built_in()
    registry = discover()
    return load_playbooks(folders, registry, symptoms=KNOWN, distrust=lambda _: None), registry


@cache
def _built_in() -> tuple[Playbooks, Registry]:
    registry = discover()
    return load_playbooks((), registry), registry


def _whose(path: Path, found: Playbooks) -> BrokenPlaybook | None:
    """The refused playbook whose scenario this is."""
    own = path.resolve()
    return next((each for each in broken_playbooks(found.found) if own in [test.resolve() for test in each.tests]), None)


def _digest(stage: Stage, settings: Settings, period: tuple[float, float], zone: tzinfo) -> str:
    rows = stage.rows
    states: dict[str, State] = {}
    for segment in sorted(rows.segments.values(), key=lambda each: each.since):
        states[segment.service] = segment.state
    material = Material(
        titles={name: service.title for name, service in settings.services.items()},
        states=states,
        incidents=tuple(rows.incidents.values()),
        runs=tuple(rows.runs.values()),
        segments=tuple(rows.segments.values()),
        holds=tuple(rows.holds.values()),
        notices=tuple(rows.notices.values()),
        planned=planned(settings.services.values(), zone, *period),
        slow=stage.slow,
    )
    night = (settings.reports.night.start, settings.reports.night.end)
    return digest_text(digest(material, period, zone, night, settings.reports.manual_recovery), zone)
