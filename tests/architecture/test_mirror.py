"""Tests mirror paths: `a/b.py` is tested by `tests/a/test_b.py`, and what is not says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("watchdog", "recovery", "botkit")

NOUNS = "frozen values with no rule; whatever uses them tests them"
ORDER = "one step of `decide`, whose film is tests/watchdog/decisions/test_decide.py"
HANDS = (
    "fake hands of the simulator; played by every scenario, first of all tests/watchdog/simulation/test_run.py and test_fakes.py"
)
SHOW = "the show of `make demo`, which CI plays; its pieces have no meaning alone"

ELSEWHERE = {
    "recovery/errors.py": NOUNS,
    "recovery/model.py": NOUNS,
    "recovery/ports.py": "Protocols and their values",
    "watchdog/alerts/box.py": "what couriers keep in mind; tests/watchdog/alerts/test_outbox.py",
    "watchdog/alerts/channel.py": "a Protocol",
    "watchdog/alerts/courier.py": "the loop of one address; tests/watchdog/alerts/test_outbox.py",
    "watchdog/alerts/ways.py": "a line of wiring for each kind; tests/watchdog/alerts/test_outbox.py and test_trial.py",
    "watchdog/alerts/log.py": "a line per message; read by tests/watchdog/test_daemon.py",
    "watchdog/alerts/story.py": NOUNS,
    "watchdog/cli/books.py": "two lines of wiring; every test of tests/watchdog/cli/test_playbooks.py goes through it",
    "watchdog/cli/demo.py": SHOW,
    "watchdog/cli/failures.py": "how errors leave the program; tests/watchdog/cli/test_main.py",
    "watchdog/cli/options.py": "declarations of options; tests/watchdog/cli/test_main.py",
    "watchdog/cli/stored.py": "what reading verbs take from the store; tests/watchdog/cli/test_status.py and test_incidents.py",
    "watchdog/cli/views/frame.py": "the frame around every view; the other tests of tests/watchdog/cli/views",
    "watchdog/cli/views/outbox.py": "tests/watchdog/cli/test_outbox.py",
    "watchdog/cli/views/scenario.py": "tests/watchdog/cli/test_simulate.py",
    "watchdog/cli/views/shapes.py": "JSON shapes of SPEC 14; tests/watchdog/cli/test_incidents.py, test_status.py, test_why.py",
    "watchdog/cli/views/symbols.py": "a table of symbols",
    "watchdog/clock.py": "three calls of the standard library; nothing else may make them (test_time.py)",
    "watchdog/decisions/boundaries.py": ORDER,
    "watchdog/decisions/charge.py": ORDER,
    "watchdog/decisions/consent.py": ORDER,
    "watchdog/decisions/operator.py": ORDER,
    "watchdog/decisions/pauses.py": ORDER,
    "watchdog/decisions/root.py": ORDER,
    "watchdog/decisions/world.py": ORDER,
    "watchdog/decisions/ports.py": "Protocols",
    "watchdog/decisions/situation.py": NOUNS,
    "watchdog/decisions/wishes.py": NOUNS,
    "watchdog/errors.py": NOUNS,
    "watchdog/model/decision.py": NOUNS,
    "watchdog/model/incident.py": NOUNS,
    "watchdog/model/letter.py": NOUNS,
    "watchdog/model/observation.py": NOUNS,
    "watchdog/model/records.py": NOUNS,
    "watchdog/model/service.py": NOUNS,
    "watchdog/model/symptom.py": NOUNS,
    "watchdog/probing/answer.py": NOUNS,
    "watchdog/reports/material.py": NOUNS,
    "watchdog/reports/uptime.py": "sums of segments; tests/watchdog/reports/test_digest.py",
    "watchdog/simulation/bot.py": HANDS,
    "watchdog/simulation/expect_file.py": "tests/watchdog/simulation/test_scenario_file.py",
    "watchdog/simulation/reading.py": "tests/watchdog/simulation/test_scenario_file.py",
    "watchdog/simulation/scenario.py": NOUNS,
    "watchdog/simulation/script.py": "tests/watchdog/simulation/test_scenario_file.py",
    "watchdog/simulation/stage.py": HANDS,
    "watchdog/simulation/witness.py": HANDS,
    "watchdog/simulation/world.py": HANDS,
}
"""Modules without a mirrored file, and where their behaviour is looked at."""


def modules() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted(Path(package).rglob("*.py")):
            if not path.name.startswith("__"):
                yield str(path)


def mirror(module: str) -> Path:
    path = Path(module)
    return Path("tests") / path.parent / f"test_{path.name}"


def test_every_module_has_its_mirrored_tests() -> None:
    missing = [str(mirror(module)) for module in modules() if module not in ELSEWHERE and not mirror(module).is_file()]
    assert missing == []


def test_a_reason_is_given_only_where_one_is_needed() -> None:
    assert [module for module in ELSEWHERE if not Path(module).is_file()] == [], "gone"
    assert [module for module in ELSEWHERE if mirror(module).exists()] == [], "they have tests of their own now"


def test_no_test_mirrors_what_is_gone() -> None:
    known = set(modules())
    orphans = [
        str(path)
        for package in PACKAGES
        for path in Path("tests", package).rglob("test_*.py")
        if str(Path(*path.parts[1:-1]) / path.name.removeprefix("test_")) not in known and path.parent / path.name not in TOPICS
    ]
    assert orphans == []


TOPICS = {
    Path("tests/watchdog/state/store/test_faults.py"),
    Path("tests/watchdog/state/test_phrases.py"),
}
"""Tests of a whole room, named after their subject."""
