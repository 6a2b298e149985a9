"""Looks through the containers of an engine for those that ask by their labels to be watched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from recovery.adapters.docker_host import DockerHost
from recovery.adapters.docker_rows import Listed
from recovery.errors import StepError
from watchdog.clock import Clock
from watchdog.config.discovery import discovered
from watchdog.config.schema import Settings
from watchdog.model.container import DEPLOY, Found


class Discovery:
    """Remembers what it found: an engine that is away, or a deploy under way (for DEPLOY), takes no service off the list."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, tuple[Found, float]] = {}

    def memory(self) -> str:
        """What it knows, as JSON, for `recall` in the next life."""
        known = (asdict(found) for found, _ in self._known.values())
        return json.dumps(sorted(known, key=lambda each: str(each["name"])), ensure_ascii=False)

    def recall(self, memory: str) -> None:
        """What an earlier life knew: the engine may be away when this one begins, and holds and counts need their services."""
        now = self._clock.monotonic()
        try:
            found = [_remembered(each) for each in json.loads(memory)]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return
        self._known = {each.name: (each, now) for each in found} | self._known

    async def extend(self, settings: Settings, host: DockerHost) -> tuple[Settings, tuple[str, ...]]:
        """The settings with what is found now, or was lately; and what is wrong with labels."""
        now = self._clock.monotonic()
        try:
            rows = (await host.listed()).values()
        except StepError as trouble:
            found = [each for each, _ in self._known.values()]
            return discovered(settings, found)[0], (f"containers cannot be looked through: {trouble}",)
        self._known |= {row.name: (self._found(row), now) for row in rows if row.labels}
        self._known = {name: (each, at) for name, (each, at) in self._known.items() if now - at < DEPLOY}
        return discovered(settings, [each for each, _ in self._known.values()])

    def _found(self, row: Listed) -> Found:
        """Where it is asked stays known while it does not run: a bot that fell is asked where it was, and is the same service."""
        found = Found(**{each.name: getattr(row, each.name) for each in fields(Found)})
        before, _ = self._known.get(row.name, (found, 0.0))
        return found if found.runs else replace(found, published=before.published, address=before.address)


def _remembered(told: Mapping[str, Any]) -> Found:
    """Raises what a document of another form raises."""
    return Found(
        name=str(told["name"]),
        labels={str(key): str(value) for key, value in told["labels"].items()},
        published={int(inside): int(outside) for inside, outside in told["published"].items()},
        host_network=bool(told["host_network"]),
        address=str(told["address"]),
        state=str(told["state"]),
    )
