"""The cast: eleven small bots, who needs whom, and the configuration that a daemon is given for them. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

BOT = Path(__file__).with_name("bot.py")

TRIES = 3
"""Restarts that the bot without hope is given."""


@dataclass(frozen=True, slots=True)
class Part:
    """One bot. needs: names of others. extra: keys of its service beside probe, runtime and depends_on."""

    name: str
    title: str
    needs: tuple[str, ...] = ()
    tcp: bool = False
    browser: bool = False
    extra: tuple[tuple[str, Any], ...] = ()


DATABASE, HANGS, HOPELESS, STALE = "postgres", "wa-translator", "rates-bot", "menu-bot"

CAST: tuple[Part, ...] = (
    Part(DATABASE, "PostgreSQL", tcp=True),
    Part("booking-bot", "Booking Bot", (DATABASE,)),
    Part("ezee-scraper", "eZee Scraper", (DATABASE,)),
    Part("report-bot", "Report Bot", ("ezee-scraper",)),
    Part("sheets-sync", "Sheets Sync", (DATABASE,)),
    Part("owner-digest", "Owner Digest", ("sheets-sync",)),
    Part(HOPELESS, "Rates Bot", extra=(("thresholds", {"unresponsive": 3}),)),
    Part("invoice-bot", "Invoice Bot", (HOPELESS,)),
    Part(HANGS, "WhatsApp Translator", browser=True, extra=(("term_grace", "2s"),)),
    Part(STALE, "Menu Bot", extra=(("reload", {"signal": "HUP"}),)),
    Part("faq-bot", "FAQ Bot"),
)
"""In the order of the picture: who needs another stands below it."""

NAMES: tuple[str, ...] = tuple(part.name for part in CAST)
TITLES: Mapping[str, str] = {part.name: part.title for part in CAST}


def dependents(root: str) -> tuple[tuple[str, ...], ...]:
    """Who needs it, level by level: first those that need it directly."""
    levels: list[tuple[str, ...]] = []
    below: tuple[str, ...] = (root,)
    while below := tuple(part.name for part in CAST if set(part.needs) & set(below)):
        levels.append(below)
    return tuple(levels)


def configuration(folder: Path, ports: Mapping[str, int]) -> str:
    """The text of watchdog.yaml. folder: where the bots keep orders and starts. ports: of each bot."""
    document = {
        "state": {"dir": "state"},
        "control": {"socket": "control.sock"},
        "playbooks": [],
        "defaults": {"interval": "1s", "timeout": "900ms", "startup_grace": "1s", "term_grace": "3s"},
        "guards": {
            "settle": "0s",
            "reconnect": "10s",
            "cooldown": "1s",
            "proof": "5s",
            # The first start of a bot counts as well.
            "budget": f"{TRIES + 1}/1h",
            "storm": {"within": "10s"},
        },
        "services": {part.name: _service(part, folder, ports) for part in CAST},
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=200)


def _service(part: Part, folder: Path, ports: Mapping[str, int]) -> dict[str, Any]:
    address = f"127.0.0.1:{ports[part.name]}"
    words = [f"folder={folder}", f"name={part.name}", f"port={ports[part.name]}"]
    if part.needs:
        words.append("needs=" + ",".join(f"{name}:{ports[name]}" for name in part.needs))
    if part.browser:
        words.append("browser=yes")
    service: dict[str, Any] = {
        "title": part.title,
        "probe": {"tcp": address} if part.tcp else {"http": f"http://{address}/health"},
        "runtime": {"process": {"start": [sys.executable, "-I", "-S", str(BOT), *words]}},
        **dict(part.extra),
    }
    if part.needs:
        service["depends_on"] = list(part.needs)
    return service
