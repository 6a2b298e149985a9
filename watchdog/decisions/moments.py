"""Wall clocks step. What lies a little in the future counts as recent; what lies far in it is no reason to wait (SPEC 5, F07)."""

from __future__ import annotations


def near(at: float, now: float, seconds: float) -> bool:
    """Less than `seconds` away from now, in either direction; exactly so far in the past is still near."""
    return -seconds < now - at <= seconds


def ends(at: float, seconds: float, now: float) -> float | None:
    """When `seconds` that began at `at` will be over. None: it is, or it lies so far ahead that the clock stepped."""
    if at - now >= seconds or now - at >= seconds:
        return None
    return min(at, now) + seconds
