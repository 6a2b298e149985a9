"""A test message to every place where people read, and what came of each."""

from __future__ import annotations

from typing import Any

from watchdog.alerts.advice import advice
from watchdog.alerts.answers import Verdict
from watchdog.alerts.channel import Channels
from watchdog.alerts.mailing import probe
from watchdog.errors import Refused

NOBODY = "no channel for alerts is configured: set alerts.telegram"


async def trial(channels: Channels, clock: str) -> dict[str, Any]:
    """`{"text", "chats": [{"to", "ok", "said"}]}`. clock: the time that the message tells. Raises Refused without any channel."""
    if not channels.all:
        raise Refused(NOBODY)
    found = []
    for channel in channels.all:
        answer = await channel.deliver(channel.draft(probe(clock), None, topicless=False))
        found.append({"to": channel.address, "ok": answer.verdict is Verdict.DONE, "said": advice(answer)})
    return {"text": "\n".join(f"{'✓' if each['ok'] else '✗'} {each['to']}: {each['said']}" for each in found), "chats": found}
