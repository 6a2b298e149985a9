"""Ten pages as a phone shows them, each out of its own scenario: read them when you change a word.

A reader must see at a glance what happened, what was done and what to do next. A page that has changed is shown by the failure;
`python -m tests.stories.test_pages` draws them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from watchdog.alerts.phone import draw
from watchdog.simulation.run import simulate

HERE = Path(__file__).parent
WIDTH = 52
"""Columns of a phone of today with its usual letters."""

PAGES = {
    "new-version": ("page-names-the-new-version", "ezee-scraper"),
    "three-tries-failed": ("before-and-what-helped", "bot"),
    "dies-after-each-start": ("dies-after-each-start", "bot"),
    "no-restart-left": ("budget-healed-runs-count", "bot"),
    "watched-only": ("acknowledged", "bot"),
    "question-open": ("approval-expires", "bot"),
    "port-taken": ("d23-port-already-allocated", "bot"),
    "credential-revoked": ("daemon-crash-waiting-for-a-person", "bot"),
    "observe-mode": ("observe-mode", "off"),
    "blocks-others": ("page-tells-what-is-blocked", "db"),
    "storm": ("storm-500", "host"),
}
"""Which page of which scenario: the first critical one of that service."""


def page(scenario: str, service: str) -> str:
    report = simulate(HERE / "scenarios" / f"{scenario}.yaml")
    said = [each for each in report.timeline if (each.kind, each.name) == ("alert", "critical")]
    text = next(str(each.data["text"]) for each in said if service in (each.service, "any"))
    return draw(text, "03:47", width=WIDTH) + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_on_a_phone_as_it_was_read(name: str) -> None:
    assert page(*PAGES[name]) == (HERE / "pages" / f"{name}.txt").read_text()


if __name__ == "__main__":
    for drawn, where in PAGES.items():
        (HERE / "pages" / f"{drawn}.txt").write_text(page(*where))
