"""Text to seconds, bytes and shares, and seconds back to words (SPEC 3: durations and shares carry their unit)."""

from __future__ import annotations

import re
from functools import lru_cache

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
BYTES = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}

DURATION_PATTERN = r"^([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?h)?([0-9]+(\.[0-9]+)?m)?([0-9]+(\.[0-9]+)?s)?([0-9]+(\.[0-9]+)?ms)?$"
SHARE_PATTERN = r"^[0-9]+(\.[0-9]+)?%$"
SIZE_PATTERN = rf"^[0-9]+(\.[0-9]+)?({'|'.join(BYTES)})$"
RATE_PATTERN = r"^[1-9][0-9]*/([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$"
"""The same rules as regular expressions, for JSON Schemas."""

LONGEST = 3660 * 86400.0
"""Ten years: longer durations are a slip of the pen."""

_DURATION = re.compile(DURATION_PATTERN, re.ASCII)
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|[smhd])", re.ASCII)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z]+)", re.ASCII)
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)%", re.ASCII)
_RATE = re.compile(r"([0-9]{1,6})/(.+)", re.ASCII)
_SPOKEN = re.compile(r"([0-9.]+)\s*([a-z]+)", re.ASCII)
_LONG = 40


class UnitError(ValueError):
    """The text is no duration, share, size or rate; says what to write instead."""


def parse_duration(value: object, likely: tuple[str, str] = ("s", "m")) -> float:
    """`30s`, `2m`, `1h`, `7d`, `100ms`, `1h30m` as seconds. Raises UnitError with a suggestion; never negative.

    likely: the units that a bare number is likely to be meant in, the likelier first.
    """
    if not isinstance(value, str):
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            raise UnitError(_bare(str(value), likely))
        raise UnitError(f"{_shown(value)} is no duration, write for example '30s' or '2m'")
    return _duration(value, likely)


@lru_cache(maxsize=1024)
def _duration(text: str, likely: tuple[str, str]) -> float:
    if not 0 < len(text) <= _LONG:
        raise UnitError(f"{_shown(text)} is no duration, write for example '30s' or '2m'")
    if _NUMBER.fullmatch(text):
        raise UnitError(_bare(text, likely))
    if text.startswith("-"):
        raise UnitError(f"{_shown(text)}: a duration cannot be negative")
    if not _DURATION.fullmatch(text):
        raise UnitError(f"{_shown(text)} is no duration, write {_better(text)}")
    seconds = sum(float(number) * SECONDS[unit] for number, unit in _PART.findall(text))
    if seconds > LONGEST:
        raise UnitError(f"{_shown(text)} is longer than ten years")
    return seconds


def _bare(text: str, likely: tuple[str, str]) -> str:
    first, second = likely
    return f"'{text}' has no unit, write '{text}{first}' or '{text}{second}'"


def _better(text: str) -> str:
    """A suggestion for spoken forms: `30 sec`, `2 Min`, `1h 30m`."""
    parts: dict[str, str] = {}
    for number, word in _SPOKEN.findall(text.lower()):
        unit = "ms" if word in ("ms", "msec", "milliseconds") else word[0]
        if unit not in SECONDS or not _NUMBER.fullmatch(number):
            break
        parts[unit] = number
    else:
        better = "".join(parts[unit] + unit for unit in ("d", "h", "m", "s", "ms") if unit in parts)
        if better and better != text:
            return f"'{better}'"
    return "for example '30s', '2m' or '1h30m'"


def parse_share(value: object) -> float:
    """`50%` as 0.5. Raises UnitError; 0 to 100 % only."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        percent = value if value > 1 or isinstance(value, int) else round(value * 100, 6)
        raise UnitError(f"'{value}' has no unit, write '{percent:g}%'")
    found = _SHARE.fullmatch(value) if isinstance(value, str) and len(value) <= _LONG else None
    if found is None:
        if isinstance(value, str) and _NUMBER.fullmatch(value) and len(value) <= _LONG:
            raise UnitError(f"'{value}' has no unit, write '{value}%'")
        raise UnitError(f"{_shown(value)} is no share, write for example '50%'")
    share = float(found[1]) / 100
    if share > 1:
        raise UnitError(f"{_shown(value)} is more than 100%")
    return share


def parse_size(value: object) -> int:
    """`800MB` as bytes; kB, MB, GB, TB count by 1000, KiB, MiB, GiB, TiB by 1024. Raises UnitError."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise UnitError(f"'{value}' has no unit, write '{value}MB' or '{value}GB'")
    if not isinstance(value, str) or len(value) > _LONG:
        raise UnitError(f"{_shown(value)} is no size, write for example '800MB'")
    if _NUMBER.fullmatch(value):
        raise UnitError(f"'{value}' has no unit, write '{value}MB' or '{value}GB'")
    found = _SIZE.fullmatch(value)
    if found is None or found[2] not in BYTES:
        raise UnitError(f"{_shown(value)} is no size, write for example '800MB' or '2GiB'")
    return round(float(found[1]) * BYTES[found[2]])


def compact_size(size: int) -> str:
    """Bytes in the form of configuration files, without a loss: `800MB`, `2GiB`, `1234B`."""
    fits = [(unit, count) for unit, count in BYTES.items() if unit != "KB" and size and size % count == 0]
    unit, count = max(fits, key=lambda each: each[1], default=("B", 1))
    return f"{size // count}{unit}"


def parse_rate(value: object) -> tuple[int, float]:
    """`3/1h` as (3, 3600.0): a count and its window in seconds. Raises UnitError."""
    found = _RATE.fullmatch(value) if isinstance(value, str) and len(value) <= _LONG else None
    if found is None:
        raise UnitError(f"{_shown(value)} is no count per time, write for example '3/1h'")
    count, window = int(found[1]), found[2]
    if window in SECONDS:
        raise UnitError(f"{_shown(value)} lacks a number before the unit, write '{count}/1{window}'")
    seconds = parse_duration(window)
    if count < 1 or seconds <= 0:
        raise UnitError(f"{_shown(value)}: count and time must be above zero")
    return count, seconds


def format_duration(seconds: float) -> str:
    """Seconds in words for people: `350 ms`, `21 s`, `2 min 24 s`, `31 min`, `3 h 20 min`, `1 day 4 h`, `3 days`."""
    if seconds < 0:
        return "0 s"
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms" if seconds >= 0.0005 else "0 s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return _two(whole, 60, "min", "s")
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return _two(minutes, 60, "h", "min")
    hours = round(seconds / 3600)
    if hours < 48:
        return _two(hours, 24, "day", "h")
    return f"{round(seconds / 86400)} days"


def compact_duration(seconds: float) -> str:
    """Seconds in the form of configuration files: `1h30m`, `100ms`, `0s`."""
    left, text = round(seconds * 1000), ""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, left = divmod(left, size)
        if count:
            text += f"{count}{unit}"
    return text or "0s"


def format_size(size: float) -> str:
    """Bytes in words for people: `812 B`, `64 kB`, `1.4 GB` (by 1000)."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _two(value: int, size: int, big: str, small: str) -> str:
    count, rest = divmod(value, size)
    return f"{count} {big} {rest} {small}" if rest else f"{count} {big}"


def _shown(value: object) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text[:_LONG]}…'" if len(text) > _LONG else f"'{text}'"
