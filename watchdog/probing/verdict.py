"""The verdict on one answer: the table of SPEC 2, row by row; the first row that matches counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from watchdog.model.observation import Kind, Observation, Part, Report
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.document import Document, mapped, quick_object, read, status_field
from watchdog.probing.lines import one_line
from watchdog.probing.naming import GENERIC, declared_name
from watchdog.probing.parts import in_document, in_text
from watchdog.probing.report import read_report
from watchdog.probing.words import STATUS, body_status, part_status, status_of, worse

FORM_UNKNOWN = "form unknown"

_TROUBLE = {
    Trouble.TIMEOUT: Kind.NO_ANSWER,
    Trouble.REFUSED: Kind.NO_ANSWER,
    Trouble.RESET: Kind.NO_ANSWER,
    Trouble.CLOSED: Kind.NO_ANSWER,
    Trouble.UNREACHABLE: Kind.NO_ANSWER,
    Trouble.NOT_HTTP: Kind.BAD_ANSWER,
    Trouble.CUT: Kind.BAD_ANSWER,
    Trouble.OVERSIZED: Kind.MISCONFIGURED,
    Trouble.COMPRESSED: Kind.MISCONFIGURED,
    Trouble.DNS: Kind.MISCONFIGURED,
    Trouble.TLS: Kind.MISCONFIGURED,
    Trouble.BLOCKED: Kind.MISCONFIGURED,
    Trouble.COULD_NOT_ASK: Kind.UNKNOWN,
}
_CLIENT_ERRORS = {400: "bad request", 401: "password wanted", 403: "forbidden", 404: "not found", 405: "GET not allowed"}
_GZIP = b"\x1f\x8b"
_OK = Kind.OK
_WELL = frozenset(spelt for word, kind in STATUS.items() if kind is _OK for spelt in (word, word.upper(), word.capitalize()))


def judge(answer: HttpAnswer, declared: frozenset[str], mapping: Mapping[str, str], now: float) -> Observation:
    """The observation that `answer` is.

    declared: names of the dependencies and APIs of the service. mapping: its `probe.map`. now: wall seconds, when the outcome was
    known. How long `starting` is believed is a matter of the history. Never raises for any answer.
    """
    well = None if mapping else _plainly_well(answer, now)
    if well is not None:
        return well
    if answer.trouble is not None and answer.trouble is not Trouble.CUT:
        return troubled(answer, now)
    code = answer.code or 0
    content_type = answer.headers.get("content-type", "")
    document = read(answer.body, content_type)
    astray = _astray(answer, code, document)
    if astray:
        return Observation(now, Kind.MISCONFIGURED, one_line(astray), answer.latency, code)
    if answer.trouble is Trouble.CUT:
        return Observation(now, Kind.BAD_ANSWER, "cut", answer.latency, code)
    return _told(answer, document, declared=declared, mapping=mapping, now=now)


def _plainly_well(answer: HttpAnswer, now: float) -> Observation | None:
    """What nearly every check of a healthy fleet finds, judged at a third of the cost: a whole 2xx whose status says ok.

    None for anything else. The rows below come to the same verdict.
    """
    code, body = answer.code, answer.body
    if (
        answer.trouble is not None
        or code is None
        or not 200 <= code < 300
        or body[:1] != b"{"
        or "content-encoding" in answer.headers
    ):
        return None
    data = quick_object(body)
    if data is None:
        return None
    status = data.get("status")
    if type(status) is not str or status not in _WELL:
        return None
    return Observation(now, _OK, "", answer.latency, code, (), read_report(data))


def troubled(answer: HttpAnswer, now: float) -> Observation:
    """The observation of an answer that did not come (`trouble`, and not CUT)."""
    trouble = answer.trouble or Trouble.COULD_NOT_ASK
    detail = f"{trouble}: {answer.note}" if answer.note else trouble.value
    return Observation(now, _TROUBLE[trouble], one_line(detail), None, answer.code)


def connected(now: float, latency: float) -> Observation:
    """A connection was taken: all that `tcp` asks for."""
    return Observation(now, Kind.OK, latency=latency)


def _astray(answer: HttpAnswer, code: int, document: Document) -> str:
    """Why this is no answer of a health endpoint; "" when it may be one."""
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity") or answer.body[:2] == _GZIP:
        return "compressed"
    if 300 <= code < 400:
        target = answer.headers.get("location", "").partition("?")[0]
        return f"redirect to {target}" if target else f"redirect ({code})"
    if 400 <= code < 500 and code not in (408, 429):
        return f"{_CLIENT_ERRORS.get(code, 'refused')} ({code})"
    return "login page" if document.login else ""


@dataclass(frozen=True, slots=True)
class _Status:
    """The status word: what it means (None: nobody knows), how it was written, and whether a field of JSON holds it."""

    kind: Kind | None = None
    word: str = ""
    field: str | None = None

    @property
    def known(self) -> bool:
        return self.kind in (Kind.OK, Kind.DEGRADED, Kind.CRITICAL)


def _told(
    answer: HttpAnswer,
    document: Document,
    *,
    declared: frozenset[str],
    mapping: Mapping[str, str],
    now: float,
) -> Observation:
    """The rows from the status word on."""
    code = answer.code or 0
    data: Any = mapped(document.data, mapping) if mapping else document.data
    if isinstance(data, dict):
        status = _status_in(data, code)
        parts = in_document(data, status.field, own=status.known, declared=declared)
        report = read_report(data)
    else:
        status, parts, report = _status_of_body(data, document), in_text(document.text, declared), None
    kind, detail, remark = _row(answer, status, parts, broken_json=document.broken)
    excused = False
    if kind is _OK:
        parts = ()  # whoever says ok is believed, and his parts blame nobody
    if kind in (Kind.CRITICAL, Kind.DEGRADED):
        excused = _excused(parts, report, declared)
        detail = one_line(_why(detail or kind.value, parts, report))
    return Observation(now, kind, detail, answer.latency, code, parts, report, remark, excused)


def _status_in(data: Mapping[str, Any], code: int) -> _Status:
    found = status_field(data, code)
    if found is None:
        return _Status()
    field, value = found
    if isinstance(value, bool):
        return _Status(part_status(value), str(value).lower(), field)
    return _Status(status_of(value), one_line(value, 40), field)


def _status_of_body(data: Any, document: Document) -> _Status:
    """A body that is one word: a JSON boolean, a JSON text, or plain text."""
    if isinstance(data, bool):
        return _Status(part_status(data), str(data).lower())
    text = data.strip() if isinstance(data, str) else "" if document.parsed else document.text
    kind = body_status(text)
    return _Status(kind, one_line(text, 40)) if kind else _Status()


def _row(answer: HttpAnswer, status: _Status, ill: tuple[Part, ...], *, broken_json: str) -> tuple[Kind, str, str]:
    """Kind, detail and remark of the first row that matches."""
    code = answer.code or 0
    well, broken = 200 <= code < 300, code >= 500
    if status.kind is not None and status.known:
        kind = worse(status.kind, Kind.CRITICAL) if broken else status.kind
        return kind, "" if kind is status.kind else f"HTTP {code} with status {status.word}", ""
    if status.kind is Kind.STARTING:
        return Kind.STARTING, status.word, ""
    if ill and (well or broken):
        return (Kind.CRITICAL, f"HTTP {code}", "") if broken else (Kind.DEGRADED, "", "")
    if code in (429, 503) and answer.headers.get("retry-after", "").strip():
        return Kind.DEGRADED, f"HTTP {code}, asks to come back later", ""
    if code == 429:
        return Kind.MISCONFIGURED, "asked too often (429)", ""
    if not well:
        return Kind.BAD_ANSWER, f"HTTP {code}", ""
    if broken_json:
        return Kind.BAD_ANSWER, broken_json, ""
    return Kind.OK, "", f"unknown status word '{status.word}'" if status.field else FORM_UNKNOWN


def _excused(ill: tuple[Part, ...], report: Report | None, declared: frozenset[str]) -> bool:
    """Are declared dependencies or APIs, and nothing else, blamed? They are judged there (SPEC 4)."""
    if not declared or any(part.declared is None for part in ill):
        return False
    reason = report.reason if report else None
    named = declared_name((reason,), declared) if reason else None
    if reason and not named and not GENERIC.search(reason):
        return False
    return bool(ill) or named is not None


def _why(what: str, ill: tuple[Part, ...], report: Report | None) -> str:
    """`critical: disk_full`, `critical: redis, db`, `critical: what the bot said`."""
    told = report.reason if report and report.reason else ", ".join(part.name for part in ill[:3])
    if len(ill) > 3 and not (report and report.reason):
        told += f" and {len(ill) - 3} more"
    told = told or (report.message if report else "")
    return f"{what}: {told}" if told else what
