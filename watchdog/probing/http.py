"""Asks one URL once: plain http:// over the own transport, https:// over the stock one, both within the same bounds."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import httpx

from watchdog.clock import Clock
from watchdog.probing.answer import HttpAnswer
from watchdog.probing.exchange import Told
from watchdog.probing.tls import TlsGet
from watchdog.probing.transport import Asked, PlainTransport, prepare
from watchdog.resolve import Resolver

_HEADERS = {
    "Accept": "application/health+json, application/json;q=0.9, */*;q=0.5",
    "Accept-Encoding": "identity",
    "User-Agent": "bot-watchdog",
    "Connection": "close",
}

Question = Asked | httpx.Request
"""A plain one made into bytes, or the request of an https one."""


class HttpProbe:
    """`question` once per service, `ask` at each check. It follows no redirect, uses no proxy and keeps no cookie."""

    def __init__(self, clock: Clock, resolver: Resolver | None = None, tls: TlsGet | None = None) -> None:
        resolver = resolver or Resolver(clock)
        self._plain = PlainTransport(clock, resolver)
        self._tls = tls or TlsGet(clock, resolver)

    def question(self, url: str, deadline: float) -> Question:
        """What can be asked again and again. deadline: seconds for everything.

        Raises ValueError or httpx.InvalidURL for a URL that cannot be asked.
        """
        request = httpx.Request("GET", url, headers=_HEADERS, extensions={"deadline": deadline})
        if request.url.scheme == "http":
            return prepare(request)
        if request.url.scheme != "https" or request.url.userinfo:
            raise ValueError("only http:// and https:// without a user can be asked")
        return request

    def begin(self, question: Question, told: Told) -> Callable[[], None] | None:
        """Asks without a task, as `PlainTransport.begin`; None for what only `ask` can ask."""
        return self._plain.begin(question, told) if isinstance(question, Asked) else None

    def ask(self, question: Question) -> Coroutine[Any, Any, HttpAnswer]:
        """The answer, whatever comes; nothing is raised but cancellation."""
        return self._plain.ask(question) if isinstance(question, Asked) else self._tls.get(question)

    async def close(self) -> None:
        await self._plain.aclose()
        await self._tls.close()
