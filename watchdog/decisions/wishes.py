"""What the watch wants done in the world. It only wishes; the loop carries out."""

from __future__ import annotations

from dataclasses import dataclass

from recovery.model import Playbook

BRING_UP = "bring-up"
"""The built-in playbook of a first start; it has no `when`, the core chooses it."""


@dataclass(frozen=True, slots=True)
class AskAnew:
    """Ask these services now, because somebody who needs them is about to be touched."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskSoon:
    """Ask this service again in `seconds`, or at its next check if that is sooner."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Heal:
    """Run this playbook on this service. by: `watchdog` or a person. folded: it only follows the restart of its root."""

    name: str
    playbook: Playbook
    by: str = "watchdog"
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """Take evidence now: the bot said of itself that it is critical, or it ended and its supervisor starts it again."""

    name: str


Wish = AskAnew | AskSoon | Heal | Capture
