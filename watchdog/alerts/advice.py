"""What an answer of Telegram means for whoever set the bot up, and what to do about it. Pure."""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.alerts.answers import Answer, Verdict

_KNOWN: tuple[tuple[str, str], ...] = (
    ("bot was blocked", "this person blocked the bot: unblock it there and write /start to it"),
    ("user is deactivated", "this account is deleted: take its id out of alerts.telegram.chats"),
    ("was kicked", "the bot was removed from this group: add it again"),
    ("is not a member", "the bot is not in this group: add it"),
    ("group chat was deleted", "this group is deleted: take its id out of alerts.telegram.chats"),
    ("can't initiate conversation", "this person has never written to the bot: open it in Telegram and press Start"),
    ("chat not found", "Telegram does not know this chat: write /start to the bot (or add it to the group), and check the id"),
    ("not enough rights", "the bot may not write in this group: give it the right to send messages"),
    ("message thread not found", "this topic does not exist: check `topic`, or leave it out for the General topic"),
    ("topic_closed", "this topic is closed: open it, or leave `topic` out for the General topic"),
)
"""Words of Telegram, and what to do."""


def advice(answer: Answer) -> str:
    """One line; it ends with Telegram's own words where they may help."""
    words = answer.text.casefold()
    known = next((told for part, told in _KNOWN if part in words), None)
    if known is not None:
        return f"{known} ({answer.text})"
    match answer.verdict:
        case Verdict.DONE:
            return "arrived"
        case Verdict.BOT_OFF:
            return f"Telegram does not accept the token: take a new one from @BotFather, then watchdogctl reload ({answer.text})"
        case Verdict.MOVED:
            return f"this group is a supergroup now: write {answer.moved_to} into alerts.telegram.chats"
        case Verdict.WAIT:
            return f"too many messages: Telegram wants to be left alone for {format_duration(answer.wait)}"
        case Verdict.AGAIN | Verdict.DOUBT:
            return f"Telegram was not reached: {answer.text}"
    return f"Telegram refuses it: {answer.text}"
