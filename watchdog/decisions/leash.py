"""How a run is called back (`recovery.ports.Leash`)."""

from __future__ import annotations

import asyncio

from recovery.ports import Stop


class Leash:
    """`order` is asked at every safe point; `wait` returns when it is set."""

    def __init__(self) -> None:
        self._order: Stop | None = None
        self._why = ""
        self._called = asyncio.Event()

    @property
    def order(self) -> Stop | None:
        return self._order

    @property
    def why(self) -> str:
        return self._why

    def call(self, order: Stop, why: str) -> None:
        """The first order stands."""
        if self._order is None:
            self._order, self._why = order, why
            self._called.set()

    async def wait(self) -> None:
        await self._called.wait()
