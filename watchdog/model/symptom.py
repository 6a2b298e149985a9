"""A confirmed pattern in a history (SPEC 4)."""

from __future__ import annotations

from dataclasses import dataclass

ORDER = (
    "crash_loop",
    "exited",
    "oom",
    "memory",
    "cpu_spin",
    "unresponsive",
    "flapping",
    "critical",
    "degraded",
)
"""Of several symptoms of one service the first in this order is treated (SPEC 4). `slow` opens no incident."""

RESTART_WITH = "restart_with"
"""No illness: a dependency with such an edge was restarted, and this service must follow (SPEC 5, step 3)."""

KNOWN = (*ORDER, RESTART_WITH)
"""What a playbook may name in `when`."""

FROM_HEALTH = frozenset({"unresponsive", "flapping", "critical", "degraded", "slow"})
"""Symptoms that come from /health: startup grace and reconnecting mute them."""

SOFT = frozenset({"degraded"})
"""Symptoms whose recovery waits in the soft queue, behind every urgent one."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """name: one of ORDER or `slow`. since: wall seconds of the first sign. text: one line for people.

    reason: the word the bot gave (`disk_full`). excused: only declared dependencies or APIs are blamed.
    codes: those of the errors in its newest answer, and its HTTP code unless it is 2xx.
    person: nothing but a person can help (crash_loop, a reason without a playbook is found later by `choose`).
    heard: found by failing checks, though its name alone does not say so (`cpu_spin` of a bot that does not answer).
    """

    name: str
    since: float
    text: str
    reason: str | None = None
    excused: bool = False
    person: bool = False
    codes: frozenset[str] = frozenset()
    heard: bool = False

    @property
    def from_health(self) -> bool:
        """Startup grace and reconnecting mute it."""
        return self.heard or self.name in FROM_HEALTH
