"""Another way for what is critical: a POST of JSON to a URL (`alerts/channel.Channel`)."""

from __future__ import annotations

from recovery.breaker import Breakers
from recovery.errors import StepFailed
from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.draft import Draft
from watchdog.alerts.wire import Received, Wire
from watchdog.config.secrets import Secret

BREAKER = "webhook"


class Webhook:
    """`{"text": ...}`, as most chat services take it. Any 2xx is a delivery; nothing can be edited, a change is a new one.

    The URL is often a secret itself and never shown.
    """

    address = "webhook"
    line = "webhook"

    def __init__(self, url: Secret | str, breakers: Breakers, wire: Wire) -> None:
        self._url, self._breakers, self._wire = url, breakers, wire

    def draft(self, text: str, moved_to: int | None, *, topicless: bool) -> Draft:  # noqa: ARG002  a webhook has neither
        return Draft(text, marked=False)

    async def deliver(self, draft: Draft) -> Answer:
        url = self._url.reveal() if isinstance(self._url, Secret) else self._url

        async def act() -> Answer:
            answer = said(await self._wire.post(url, json={"text": draft.shown}))
            if answer.verdict in (Verdict.AGAIN, Verdict.DOUBT):
                raise StepFailed(answer.text)
            return answer

        try:
            return await self._breakers.call(BREAKER, act)
        except StepFailed as trouble:
            return Answer(Verdict.AGAIN, str(trouble))

    async def attach(self, draft: Draft, message_id: int) -> Answer:  # noqa: ARG002  it takes text only
        return Answer(Verdict.DONE)

    async def check(self) -> Answer:
        return Answer(Verdict.DONE)


def said(got: Received | Answer) -> Answer:
    """A refusal may be a mistake that somebody mends: it is tried again, for nothing else is left."""
    if isinstance(got, Answer):
        return got
    if 200 <= got.status < 300:
        return Answer(Verdict.DONE)
    return Answer(Verdict.AGAIN, f"HTTP {got.status}")
