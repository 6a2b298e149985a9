from __future__ import annotations

import httpx
import pytest

from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.wire import LARGEST, Received, Wire, failure

URL = "http://telegram.test/bot123456:SECRETSECRETSECRETSECRETSECRET12/sendMessage"


def wire(answer: httpx.Response | Exception) -> Wire:
    def says(_request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Wire(httpx.MockTransport(says), 1.0)


async def test_no_redirect_is_followed_and_an_answer_has_an_end() -> None:
    moved = await wire(httpx.Response(302, headers={"Location": "http://elsewhere.test/"}, stream=httpx.ByteStream(b""))).post(
        URL
    )
    assert moved == Received(302, b"")
    long = await wire(httpx.Response(200, stream=httpx.ByteStream(b"x" * (LARGEST * 2)))).post(URL)
    assert isinstance(long, Received)
    assert len(long.body) == LARGEST


@pytest.mark.parametrize("kind", [httpx.ConnectError, httpx.ConnectTimeout, httpx.ReadTimeout, httpx.ReadError, httpx.WriteError])
async def test_an_error_becomes_an_answer_without_the_url(kind: type[httpx.TransportError]) -> None:
    got = await wire(kind(f"cannot reach {URL}")).post(URL, json={})
    assert isinstance(got, Answer)
    assert got.verdict is Verdict.AGAIN, "nothing was written"
    assert "SECRET" not in got.text


@pytest.mark.parametrize(
    ("error", "written", "verdict"),
    [
        (httpx.ReadTimeout(""), True, Verdict.DOUBT),
        (httpx.RemoteProtocolError(""), True, Verdict.DOUBT),
        (TimeoutError(), True, Verdict.DOUBT),
        (TimeoutError(), False, Verdict.AGAIN),
        (httpx.ConnectError(""), True, Verdict.AGAIN),
        (OSError(111, "Connection refused"), False, Verdict.AGAIN),
    ],
)
def test_in_doubt_only_when_something_was_written(error: Exception, written: bool, verdict: Verdict) -> None:
    assert failure(error, written=written, deadline=20.0).verdict is verdict


def test_the_system_s_own_words_are_kept() -> None:
    error = httpx.ConnectError("x")
    error.__cause__ = OSError(111, "Connection refused")
    assert failure(error, written=False, deadline=20.0).text == "no connection (Connection refused)"
