"""One POST over httpx for those who send alerts: a deadline over all of it, no redirects, no proxy of the environment.

What is raised elsewhere is an answer here, and tells whether anything was written: before that a message cannot have arrived.
The texts of httpx's errors may hold a whole URL, token included; they are never used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from watchdog.alerts.answers import Answer, Verdict

DEADLINE = 20.0
"""Seconds for one call, from the look-up of the name to the last byte."""

LARGEST = 256 * 1024
"""Bytes of an answer that are read."""

_WRITING = "send_request_headers.started"
"""What httpcore says when the first byte of the request is about to go out."""


@dataclass(frozen=True, slots=True)
class Received:
    status: int
    body: bytes


class Wire:
    """transport: None for the stock one."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None, deadline: float = DEADLINE) -> None:
        self._transport, self._deadline = transport, deadline
        self._client: httpx.AsyncClient | None = None

    async def post(self, url: str, **content: Any) -> Received | Answer:
        """`json=` or `data=` with `files=`. An Answer when nothing came back. Never raises for what the network does."""
        written: list[bool] = []
        try:
            async with asyncio.timeout(self._deadline):
                return await self._exchange(url, written, content)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
            return failure(error, written=bool(written), deadline=self._deadline)

    async def _exchange(self, url: str, written: list[bool], content: Mapping[str, Any]) -> Received:
        async def trace(event: str, _info: object) -> None:
            if event.endswith(_WRITING):
                written.append(True)

        client = self._opened()
        request = client.build_request(
            "POST", url, headers={"Accept-Encoding": "identity"}, extensions={"trace": trace}, **content
        )
        response = await client.send(request, stream=True)
        try:
            body = b""
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > LARGEST:
                    break
            return Received(response.status_code, body[:LARGEST])
        finally:
            await response.aclose()

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(
                transport=self._transport, timeout=self._deadline, follow_redirects=False, trust_env=False
            )
        return self._client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def failure(error: Exception, *, written: bool, deadline: float) -> Answer:
    """In our own words, and as certain as it can be."""
    late = isinstance(error, TimeoutError | httpx.TimeoutException)
    if written and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        said = f"no answer within {deadline:g} s" if late else "the connection broke before the answer"
        return Answer(Verdict.DOUBT, f"{said}; it may have arrived")
    if late:
        return Answer(Verdict.AGAIN, f"no connection within {deadline:g} s")
    if isinstance(error, httpx.ConnectError):
        return Answer(Verdict.AGAIN, f"no connection ({_cause(error)})")
    return Answer(Verdict.AGAIN, f"no connection ({type(error).__name__})")


def _cause(error: BaseException | None) -> str:
    """The system's own words, which never hold a URL: refused, unreachable, unknown name, a certificate that is wrong."""
    while error is not None:
        if isinstance(error, OSError) and error.strerror:
            return error.strerror
        error = error.__cause__ or error.__context__
    return "refused or unknown name"
