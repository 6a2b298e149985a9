"""What came back over the wire, before any judgement: a value that the verdict reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

BODY_LIMIT = 65_536
"""Bytes of body that are ever read (SPEC 2)."""


class Trouble(StrEnum):
    """Why there is no whole answer to judge."""

    TIMEOUT = "timeout"
    REFUSED = "refused"
    RESET = "reset"
    CLOSED = "closed without an answer"
    UNREACHABLE = "unreachable"
    CUT = "cut"
    NOT_HTTP = "not HTTP"
    OVERSIZED = "oversized"
    COMPRESSED = "compressed"
    DNS = "DNS failure"
    TLS = "TLS failure"
    BLOCKED = "address not allowed"
    COULD_NOT_ASK = "could not ask"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One answer to one GET.

    code: None when no status line came. headers: lower-case names, equal ones joined by `, `. body: raw bytes, at most
    BODY_LIMIT. trouble: None for a whole answer. note: one line more about it. latency: seconds until the outcome was known.
    """

    code: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    trouble: Trouble | None = None
    note: str = ""
    latency: float | None = None
