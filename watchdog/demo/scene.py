"""What an act may do: tell, wait for what it expects to see, make a bot ill. And the tale that grows from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from watchdog.demo.fleet import NAMES
from watchdog.demo.news import Line
from watchdog.demo.seen import Seen
from watchdog.model.service import State

PATIENCE = 60.0
"""Seconds that an act waits for what it expects. It takes 5 s on an idle machine; a loaded one may need far longer."""

SECONDS = 20
"""Length of the strip of states, one block each."""


class MissedError(Exception):
    """What an act waits for did not happen."""


class Scene(Protocol):
    """What an act sees and does."""

    @property
    def seen(self) -> Seen: ...

    def say(self, text: str) -> None:
        """What happens now, and why; one or two sentences."""

    async def until(self, true: Callable[[Seen], bool], what: str) -> None:
        """Returns when it is so. Raises MissedError after PATIENCE; what: `PostgreSQL is back`."""

    async def pause(self, seconds: float) -> None:
        """Time for a viewer to read; none in a pipe."""

    def order(self, name: str, word: str) -> None:
        """Tells a bot how to fall ill."""

    async def kill(self, name: str) -> None:
        """SIGKILL, as `kill -9` sends it."""

    async def strangers(self, name: str) -> int:
        """Processes that an ended instance left behind."""


@dataclass(frozen=True, slots=True)
class Act:
    """short: its word in the programme. play: returns the sentence that closes it."""

    short: str
    title: str
    play: Callable[[Scene], Awaitable[str]]


@dataclass(slots=True)
class Tale:
    """What was told so far. act: index of the one on stage. closes: sentence of each act that is over."""

    programme: tuple[str, ...]
    began: float
    act: int = 0
    title: str = ""
    text: str = ""
    closes: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    strips: dict[str, deque[str]] = field(default_factory=lambda: {name: deque(maxlen=SECONDS) for name in NAMES})
    _sampled: int = -1

    def sample(self, seen: Seen) -> None:
        """One block a second for the strip of each bot: the worst that the second held."""
        second = int(seen.at - self.began)
        for name, strip in self.strips.items():
            state = seen.state(name) if seen.starts.get(name) else State.UNKNOWN.value
            if second != self._sampled or not strip:
                strip.append(state)
            elif _badness(state) > _badness(strip[-1]):
                strip[-1] = state
        self._sampled = second


def _badness(state: str) -> int:
    return {State.OK.value: 1, State.STARTING.value: 2, State.DEGRADED.value: 3, State.UNKNOWN.value: 0}.get(state, 4)
