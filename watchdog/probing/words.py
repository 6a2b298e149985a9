"""The words of health: what a status says, whatever its spelling (SPEC 2, "Status word")."""

from __future__ import annotations

from watchdog.model.observation import Kind

STATUS_KEYS = ("status", "healthy", "ishealthy", "health", "ok", "state")
"""Where a document says how it is, in this order; compared in lower case."""

PART_KEYS = (*STATUS_KEYS, "passed", "pass", "success", "up", "available", "result")
"""Where a part says how it is."""

_OK = ("ok", "pass", "passed", "up", "healthy", "success", "online", "true")
_DEGRADED = ("degraded", "warn", "warning")
_CRITICAL = (
    *("critical", "fail", "failed", "failure", "error", "down", "unhealthy"),
    *("out of service", "ko", "bad", "offline", "false"),
)
_STARTING = ("starting", "initializing", "initialising", "not ready", "server is not ready")

STATUS: dict[str, Kind] = {
    **dict.fromkeys(_OK, Kind.OK),
    **dict.fromkeys(_DEGRADED, Kind.DEGRADED),
    **dict.fromkeys(_CRITICAL, Kind.CRITICAL),
    **dict.fromkeys(_STARTING, Kind.STARTING),
}

_PART_OK = ("connected", "running", "ready", "alive", "available", "reachable", "active", "good")
_PART_CRITICAL = (
    *("unavailable", "not available", "unreachable", "not reachable", "disconnected", "not connected", "not ok", "not healthy"),
    *("failing", "connection refused", "refused", "connection error", "connection failed", "connection lost", "connection reset"),
    *("timeout", "timed out", "timed_out", "dead", "broken", "lost"),
)
_PART: dict[str, Kind] = {
    **STATUS,
    **dict.fromkeys(_PART_OK, Kind.OK),
    **dict.fromkeys((plain.replace("_", " ") for plain in _PART_CRITICAL), Kind.CRITICAL),
}
_LONGEST = 64


def normal(text: str) -> str:
    """Trimmed, lower case, cut at `:`, with `-`, `_` and runs of spaces alike."""
    return " ".join(text[: _LONGEST * 2].partition(":")[0].replace("_", " ").replace("-", " ").lower().split())


def status_of(text: str) -> Kind | None:
    """The meaning of a status word; None for a word that nobody knows."""
    return STATUS.get(text) or STATUS.get(normal(text))


def body_status(text: str) -> Kind | None:
    """The meaning of a whole body that is one word; None for prose, and for a word that nobody knows.

    `out of service`, `not ready` and `server is not ready` count as one word, for spaces, `-` and `_` are alike.
    """
    if len(text) > _LONGEST or (":" in text and len(text.split()) > 1):
        return None
    return status_of(text)


def part_status(value: object) -> Kind | None:
    """What the value of a part says by itself: a boolean or a text; None when it says nothing.

    A text may be longer than its word: `Unavailable: unable to open database file`.
    """
    if value is True:
        return Kind.OK
    if value is False:
        return Kind.CRITICAL
    if isinstance(value, str):
        return _PART.get(value) or (_PART.get(normal(value)) if value[:1].isalpha() or value[:1].isspace() else None)
    return None


def worse(one: Kind, other: Kind) -> Kind:
    """The worse of ok, degraded and critical."""
    return one if _RANK.get(one, 0) >= _RANK.get(other, 0) else other


_RANK = {Kind.OK: 0, Kind.DEGRADED: 1, Kind.CRITICAL: 2}
