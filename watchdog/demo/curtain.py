"""The words around the acts: what a viewer is told first and last, the alert on a phone, and the questions at the end. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from recovery.units import format_duration
from watchdog.alerts.phone import draw
from watchdog.config.zone import host_zone
from watchdog.demo.fleet import HOPELESS, NAMES
from watchdog.demo.ink import Ink
from watchdog.demo.scene import Tale
from watchdog.demo.seen import Seen

PHONE = 60
"""Columns of the phone: held sideways, so that a page of it fits a terminal."""

INTRODUCTION = (
    f"bot-watchdog demo: {len(NAMES)} small bots as real processes on loopback, with the real daemon on top.",
    "It takes about a minute, touches nothing of yours and clears everything away. Ctrl-C ends it at any time.",
)
HURRY = (
    "Four of these bots are about to fall ill, each in its own way",
    "Everything is in a hurry here: a check every second instead of every 30 s, seconds to wait instead of minutes.",
)
CLEARED = ("", "All is cleared away: the daemon and its bots are ended, their folder is removed.")
EARLY = "Ended early. The daemon and its bots are ended, their folder is removed."
MORE = ("Your own bots: write a watchdog.yaml (README.md shows one), then watchdogctl check and watchdogctl run.",)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the real watchdogctl, and why."""

    about: str
    words: tuple[str, ...]

    @property
    def command(self) -> str:
        return " ".join(("watchdogctl", *self.words))

    def lines(self, ink: Ink) -> list[str]:
        return ["", ink.paint(self.about, "bold"), "", ink.paint(f"$ {self.command}", "dim")]


def questions() -> tuple[Question, ...]:
    return (
        Question("Why was nothing done to Report Bot, two levels above the database?", ("why", "report-bot")),
        Question("And the next morning, all of it on one screen:", ("digest",)),
    )


def summary(tale: Tale, seen: Seen, ink: Ink, *, told: bool) -> list[str]:
    """told: the sentences of the acts stand above already."""
    span = format_duration(seen.at - tale.began)
    lines = [
        "",
        ink.paint(f"All {len(tale.closes)} acts happened, in {span}; the store and the bots' own counters agree.", "bold"),
    ]
    return lines if told else [*lines, *(f"{ink.paint('✓', 'good')} {text}" for text in tale.closes)]


def alert(seen: Seen) -> list[str]:
    """The one critical message as it would stand on a phone."""
    page = seen.page(HOPELESS)
    if page is None:
        return []
    clock = datetime.fromtimestamp(page.at, ZoneInfo(host_zone(os.environ))).strftime("%H:%M")
    return ["", "The one message of this minute, as a phone would show it:", *draw(page.text, clock, width=PHONE).splitlines()]


def wrong_words(wrong: Iterable[str], log: Iterable[str]) -> list[str]:
    """What did not happen, and the end of the daemon's log."""
    tail = [f"  {line}" for line in log]
    said = ["The daemon said last:", *tail] if tail else []
    return ["", "The demo did not go as it should:", *(f"✗ {text}" for text in wrong), *said]
