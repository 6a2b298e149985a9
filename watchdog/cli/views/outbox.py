"""`watchdogctl outbox`: what waits, for whom, why, and when it is tried next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.symbols import TIER_ROLE
from watchdog.cli.views.text import clean, cut, pad, plural
from watchdog.cli.views.times import clock, iso, length
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Notice


def outbox_lines(letters: Sequence[Letter], chats: Sequence[Chat], notices: Mapping[int, Notice], frame: Frame) -> list[str]:
    """letters: those that wait or were given up. notices: by id."""
    lines = [f"! {chat.address}: {clean(chat.off)}" for chat in chats if chat.off]
    lines += [f"! {chat.address} is {chat.moved_to} now: correct alerts.telegram.chats" for chat in chats if chat.moved_to]
    waiting = [letter for letter in letters if letter.waits]
    lost = [letter for letter in letters if not letter.waits]
    if waiting:
        lines += [f"{plural(len(waiting), 'message')} waiting", *_table(waiting, notices, frame)]
    else:
        lines.append("Nothing waits.")
    if lost:
        lines += ["", "Given up in the last 24 hours", *_table(lost, notices, frame)]
    return lines


def outbox_doc(letters: Sequence[Letter], notices: Mapping[int, Notice]) -> list[dict[str, Any]]:
    """The JSON: one entry for each letter, oldest first."""
    return [_entry(letter, notices.get(letter.notice)) for letter in letters]


def _entry(letter: Letter, notice: Notice | None) -> dict[str, Any]:
    return {
        "notice": letter.notice,
        "to": letter.address,
        "state": letter.state.value,
        "incident": letter.incident,
        "service": notice.service if notice else None,
        "tier": notice.tier.value if notice else None,
        "kind": notice.kind.value if notice else None,
        "at": iso(notice.at) if notice else None,
        "attempts": letter.attempts,
        "next_at": iso(letter.not_before) if letter.waits and letter.not_before else None,
        "reason": letter.detail,
        "text": notice.text if notice else None,
    }


def _table(letters: Sequence[Letter], notices: Mapping[int, Notice], frame: Frame) -> list[str]:
    name = min(max(2, *(len(letter.address) for letter in letters)), 26)
    head = f"{pad('TO', name)}  {'SINCE':<15}  {'TIER':<8}  {'NEXT':<10}  WHAT"
    left = max(frame.width - len(head) + 4, 20)
    rows = [frame.paint(cut(head, frame.width), "dim")]
    for letter in letters:
        notice = notices.get(letter.notice)
        tier = frame.paint(pad(notice.tier, 8), TIER_ROLE[notice.tier]) if notice else pad("", 8)
        since = clock(notice.at, frame) if notice else ""
        first = clean(notice.text.split("\n", 1)[0]) if notice else ""
        rows.append(f"{pad(letter.address, name)}  {since:<15}  {tier}  {_next(letter, frame):<10}  {cut(first, left)}")
        if letter.detail:
            tried = f", tried {plural(letter.attempts, 'time')}" if letter.attempts else ""
            rows.append(cut(f"{'':<{name}}  {clean(letter.detail)}{tried}", frame.width))
    return rows


def _next(letter: Letter, frame: Frame) -> str:
    if not letter.waits:
        return letter.state.value
    seconds = letter.not_before - frame.now
    return f"in {length(seconds)}" if seconds > 0 else "now"
