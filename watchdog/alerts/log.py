"""Delivers messages to the log: the channel that is always there."""

from __future__ import annotations

import structlog

from watchdog.model.incident import Tier
from watchdog.model.records import Notice

_log = structlog.get_logger("notice")


class LogSender:
    """`decisions/ports.Sender`: one line per message, louder with its tier."""

    async def send(self, notice: Notice) -> bool:
        say = {Tier.CRITICAL: _log.critical, Tier.SOFT: _log.warning, Tier.SILENT: _log.info}[notice.tier]
        say(
            "notice",
            tier=notice.tier.value,
            service=notice.service,
            incident=notice.incident,
            kind=notice.kind.value,
            text=notice.text,
        )
        return True
