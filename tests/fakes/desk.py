"""A desk that remembers what it was asked and answers what the test put on it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any


class FakeDesk:
    """answers: verb to a result or an exception. hold_back: acts wait for it when it is set."""

    def __init__(self, answers: Mapping[str, Any] | None = None) -> None:
        self.answers: dict[str, Any] = dict(answers or {})
        self.asked: list[tuple[str, dict[str, Any], str]] = []
        self.hold_back: asyncio.Event | None = None

    async def act(self, verb: str, args: Mapping[str, Any], who: str) -> Any:
        self.asked.append((verb, dict(args), who))
        if self.hold_back is not None:
            await self.hold_back.wait()
        return self._answer(verb)

    def read(self, verb: str, args: Mapping[str, Any]) -> Any:
        self.asked.append((verb, dict(args), ""))
        return self._answer(verb)

    def _answer(self, verb: str) -> Any:
        answer = self.answers.get(verb, {"text": f"{verb}: done"})
        if isinstance(answer, Exception):
            raise answer
        return answer
