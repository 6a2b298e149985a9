from __future__ import annotations

import json

import httpx

from recovery.breaker import Breakers
from watchdog.alerts.answers import Verdict
from watchdog.alerts.webhook import Webhook
from watchdog.alerts.wire import Wire
from watchdog.clock import Clock
from watchdog.config.secrets import Secret

URL = "https://hooks.test/T0/s3cr3ts3cr3t"


def hook(status: int, got: list[bytes]) -> Webhook:
    def says(request: httpx.Request) -> httpx.Response:
        got.append(request.content)
        return httpx.Response(status, stream=httpx.ByteStream(b"ok"))

    return Webhook(Secret("file hook", URL), Breakers(Clock().monotonic), Wire(httpx.MockTransport(says)))


async def test_it_is_given_the_text_as_json() -> None:
    got: list[bytes] = []
    channel = hook(204, got)
    draft = channel.draft("🔴 bot down\nmore", None, topicless=False)
    assert (await channel.deliver(draft)).verdict is Verdict.DONE
    assert json.loads(got[0]) == {"text": "🔴 bot down\nmore"}
    assert (await channel.attach(draft, 1)).verdict is (await channel.check()).verdict is Verdict.DONE


async def test_a_refusal_is_tried_again_for_nothing_else_is_left() -> None:
    answer = await hook(404, []).deliver(hook(404, []).draft("x", None, topicless=False))
    assert (answer.verdict, answer.text) == (Verdict.AGAIN, "HTTP 404")
    assert "s3cr3t" not in repr(hook(404, []))
