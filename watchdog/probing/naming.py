"""Does this name mean that dependency? `redis_gone`, `Database(alias='default')` and `google-sheets:latency` do (SPEC 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORDS = re.compile(r"[^\W_]+")
_MOST = 12

_ALIASES = {"postgresql": "postgres", "psql": "postgres", "pg": "postgres", "mongodb": "mongo", "db": "database"}
"""Common second names of the same thing."""

OWN_WORK = frozenset(
    (
        *(
            "polling",
            "poller",
            "poll",
            "worker",
            "workers",
            "consumer",
            "consumers",
            "handler",
            "handlers",
            "loop",
            "task",
            "tasks",
        ),
        *("thread", "threads", "webhook", "updates", "session", "dispatcher", "listener", "subscriber"),
    )
)
"""A part called `telegram_polling` is the bot's own work and not the API telegram."""

GENERIC = re.compile(r"(?i)depend|upstream")
"""A reason like `dependency_down` blames others without naming them; the parts name them."""


def declared_name(names: Iterable[str], declared: frozenset[str]) -> str | None:
    """The declared dependency or API that one of `names` means; the longest match wins; None: none of them."""
    if not declared:
        return None
    best: str | None = None
    for name in names:
        if name in declared:
            return name
        runs = _runs(name[:128])
        for candidate in declared:
            if squeezed(candidate) in runs and (best is None or len(candidate) > len(best)):
                best = candidate
    return best


@lru_cache(maxsize=4096)
def squeezed(name: str) -> str:
    """The name without its separators, common aliases alike."""
    plain = "".join(_WORDS.findall(name.lower()))
    return _ALIASES.get(plain, plain)


@lru_cache(maxsize=256)
def _runs(name: str) -> frozenset[str]:
    """Every run of neighbouring words of `name`, written together. A run that a number follows is another instance."""
    words = [word.lower() for word in (_CAMEL if name.isascii() else _WORDS).findall(name)][:_MOST]
    if OWN_WORK.intersection(words):
        whole = "".join(words)
        return frozenset({_ALIASES.get(whole, whole)})
    runs = set()
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            if last < len(words) and words[last].isdigit() and last == first + 1:
                continue
            run = "".join(words[first:last])
            runs.add(_ALIASES.get(run, run))
    return frozenset(runs)
