"""The table of SPEC 2 row by row, then real answers of libraries and servers (`data/health-bodies.yaml`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from watchdog.model.observation import Kind, Observation
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.verdict import FORM_UNKNOWN, judge

JSON = "application/json"
RECORDS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "data" / "health-bodies.yaml").read_text("utf-8"))


def seen(
    body: object = b"",
    code: int = 200,
    media: str | None = JSON,
    declared: tuple[str, ...] = (),
    mapping: dict[str, str] | None = None,
    **headers: str,
) -> Observation:
    """body: bytes as they are, anything else as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if media is not None:
        fields["content-type"] = media
    return judge(HttpAnswer(code, fields, raw, latency=0.01), frozenset(declared), mapping or {}, 1000.0)


def may_restart(observation: Observation) -> bool:
    """May this answer alone, repeated for ever, lead to a restart of this service?"""
    return observation.kind in (Kind.NO_ANSWER, Kind.BAD_ANSWER, Kind.CRITICAL, Kind.DEGRADED) and not observation.excused


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_real_answer_is_judged_as_it_says(record: dict[str, Any]) -> None:
    named = record.get("given", {})
    declared = frozenset([*named.get("depends_on", []), *named.get("apis", [])])
    answer = HttpAnswer(record["http"], record.get("headers", {}), record["body"].encode(), latency=0.01)
    observation = judge(answer, declared, {}, now=1000.0)
    assert observation.kind == record["expect"], record["why"]
    assert may_restart(observation) is record["restart_allowed"], record["why"]


def test_all_of_the_real_answers_are_here() -> None:
    assert len(RECORDS) == 121


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble.COULD_NOT_ASK, Kind.UNKNOWN),
        (Trouble.TIMEOUT, Kind.NO_ANSWER),
        (Trouble.REFUSED, Kind.NO_ANSWER),
        (Trouble.RESET, Kind.NO_ANSWER),
        (Trouble.CLOSED, Kind.NO_ANSWER),
        (Trouble.UNREACHABLE, Kind.NO_ANSWER),
        (Trouble.DNS, Kind.MISCONFIGURED),
        (Trouble.TLS, Kind.MISCONFIGURED),
        (Trouble.BLOCKED, Kind.MISCONFIGURED),
        (Trouble.OVERSIZED, Kind.MISCONFIGURED),
        (Trouble.COMPRESSED, Kind.MISCONFIGURED),
        (Trouble.NOT_HTTP, Kind.BAD_ANSWER),
        (Trouble.CUT, Kind.BAD_ANSWER),
    ],
)
def test_each_trouble_has_its_kind(trouble: Trouble, kind: Kind) -> None:
    observation = judge(HttpAnswer(trouble=trouble), frozenset(), {}, 5.0)
    assert (observation.kind, observation.at) == (kind, 5.0)
    assert observation.detail == trouble.value


def test_a_timeout_is_called_a_timeout_and_has_no_latency() -> None:
    observation = judge(HttpAnswer(200, trouble=Trouble.TIMEOUT, latency=30.0), frozenset(), {}, 5.0)
    assert (observation.detail, observation.latency) == ("timeout", None)


def test_what_is_no_health_endpoint_is_misconfigured_whatever_it_says() -> None:
    assert seen({"status": "down"}, 404).detail == "not found (404)"
    assert seen({"status": "ok"}, 401).kind is Kind.MISCONFIGURED
    assert seen(code=307, location="/login?next=%2Fhealth").detail == "redirect to /login"
    page = b"<html><form><input name=p type='password'></form></html>"
    assert seen(page, media="text/html").detail == "login page"
    assert seen(page, 500, media=None).kind is Kind.MISCONFIGURED
    assert seen({"help": page.decode()}).kind is Kind.OK
    assert seen(b"\x1f\x8b\x08\x00").detail == "compressed"
    assert seen({"status": "ok"}, content_encoding="br").detail == "compressed"


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *((word, Kind.OK) for word in ("ok", " OK ", "Pass", "passed", "UP", "healthy", "success", "online", "true", True)),
        *((word, Kind.DEGRADED) for word in ("degraded", "WARN", "warning", "warning: slow")),
        *((word, Kind.CRITICAL) for word in ("critical", "FAIL", "failed", "failure", "error", "down", "unhealthy", "bad")),
        *((word, Kind.CRITICAL) for word in ("OUT_OF_SERVICE", "out-of-service", "Out of  Service", "ko", "offline", False)),
    ],
)
def test_a_status_word_counts_in_any_spelling(word: object, kind: Kind) -> None:
    assert seen({"status": word}).kind is kind
    assert seen({"isHealthy": word}).kind is kind
    assert seen({"State": word}).kind is kind
    if isinstance(word, bool) or ":" not in str(word):
        assert seen(word).kind is kind


def test_f21_the_worse_of_code_and_status_counts() -> None:
    assert seen({"status": "error"}).kind is Kind.CRITICAL
    assert seen({"status": "ok"}, 503).detail == "HTTP 503 with status ok"
    assert seen({"status": "ok"}, 503).kind is Kind.CRITICAL
    assert seen({"status": "degraded"}, 500).kind is Kind.CRITICAL
    assert seen({"status": "ok"}, 429).kind is Kind.OK
    assert seen({"status": "down"}, 408).kind is Kind.CRITICAL


def test_the_first_field_that_says_something_is_the_status() -> None:
    assert seen({"state": "down", "status": "ok"}).kind is Kind.OK
    assert seen({"status": None, "healthy": False}).kind is Kind.CRITICAL
    assert seen({"status": {"state": "down"}, "ok": True}).kind is Kind.OK
    assert seen({"status": "", "health": "down"}).kind is Kind.CRITICAL


def test_a_number_that_is_the_code_says_nothing() -> None:
    assert seen({"status": 200, "ok": False}).kind is Kind.CRITICAL
    assert seen({"status": "200"}).remark == FORM_UNKNOWN
    assert seen({"status": 503}, 503).kind is Kind.BAD_ANSWER
    assert seen({"status": 500}).remark == "unknown status word '500'"


def test_starting_is_known_by_its_words_whatever_the_code() -> None:
    for word in ("starting", "INITIALIZING", "not ready", "SERVER_IS_NOT_READY"):
        assert seen({"status": word}, 503).kind is Kind.STARTING
        assert seen(word.encode(), 500, "text/plain").kind is Kind.STARTING


def test_a_5xx_that_names_ill_parts_is_critical_and_a_2xx_degraded() -> None:
    body = {"checks": {"db": {"ok": True}, "disk": {"ok": False, "error": "full"}}}
    broken, well = seen(body, 500), seen(body)
    assert (broken.kind, broken.detail) == (Kind.CRITICAL, "HTTP 500: disk")
    assert (well.kind, well.detail) == (Kind.DEGRADED, "degraded: disk")
    assert [(part.name, part.status, part.message) for part in well.parts] == [("disk", Kind.CRITICAL, "full")]
    assert seen({"checks": {"db": {"ok": True}}}, 500).kind is Kind.BAD_ANSWER


def test_a_known_status_goes_before_its_parts() -> None:
    assert seen({"status": "ok", "checks": {"db": {"ok": False}}}).kind is Kind.OK


def test_come_back_later_is_degraded_and_too_often_is_ours() -> None:
    assert seen(b"busy", 503, "text/plain", retry_after="5").kind is Kind.DEGRADED
    assert seen(b"busy", 429, "text/plain", retry_after="5").kind is Kind.DEGRADED
    assert seen(b"busy", 429, "text/plain").kind is Kind.MISCONFIGURED
    assert seen(b"busy", 500, "text/plain", retry_after="5").kind is Kind.BAD_ANSWER


def test_other_5xx_and_408_are_bad_answers() -> None:
    for code in (408, 500, 502, 599):
        assert seen(b"", code, None).detail == f"HTTP {code}"
        assert seen(b"", code, None).kind is Kind.BAD_ANSWER


def test_broken_json_is_bad_only_where_json_was_promised() -> None:
    for media in (JSON, "application/health+json; charset=utf-8", None):
        assert seen(b'{"status": "ok"', media=media).detail == "broken JSON"
    assert seen(b"[1, 2", media=None).kind is Kind.OK
    assert seen(b'{"status": "ok"', media="text/plain").kind is Kind.OK
    assert seen(b"not json at all").kind is Kind.BAD_ANSWER
    cut = judge(HttpAnswer(200, {}, b"ok", Trouble.CUT), frozenset(), {}, 1.0)
    assert cut.kind is Kind.BAD_ANSWER


def test_json_is_read_whatever_its_media_type_says() -> None:
    assert seen({"status": "down"}, media="text/html").kind is Kind.CRITICAL
    assert seen({"status": "down"}, media="text/plain").kind is Kind.CRITICAL
    assert seen("down", media=None).kind is Kind.CRITICAL


def test_anything_else_that_is_2xx_is_ok_with_a_remark() -> None:
    for body, media in (
        (b"", None),
        (b"  ", JSON),
        (b"hello world", "text/plain"),
        (b"{}", JSON),
        (b"[]", JSON),
        (b"null", JSON),
    ):
        assert (seen(body, media=media).kind, seen(body, media=media).remark) == (Kind.OK, FORM_UNKNOWN)
    assert seen({"status": "yellow"}).remark == "unknown status word 'yellow'"
    assert seen({"status": "ok"}).remark == ""
    assert seen(b"", 204, None).kind is Kind.OK


def test_only_declared_names_excuse() -> None:
    body = {"status": "error", "error": {"redis": {"status": "down"}}}
    assert seen(body, 503, declared=("redis",)).excused
    assert not seen(body, 503, declared=("postgres",)).excused
    assert not seen(body, 503).excused
    both = {"status": "error", "error": {"redis": {"status": "down"}, "disk": {"status": "down"}}}
    assert not seen(both, 503, declared=("redis",)).excused
    assert seen({"status": "critical", "reason": "redis_down"}, 503, declared=("redis",)).excused
    assert not seen({"status": "critical", "reason": "disk_full"}, 503, declared=("redis",)).excused
    blamed = {"status": "critical", "checks": {"redis": {"ok": False}}}
    assert not seen({**blamed, "reason": "disk_full"}, 503, declared=("redis",)).excused
    assert seen({**blamed, "reason": "dependency_down"}, 503, declared=("redis",)).excused
    assert not seen({"status": "critical"}, 503, declared=("redis",)).excused


def test_an_open_breaker_of_a_declared_api_excuses() -> None:
    body = {"status": "degraded", "apis": {"google-sheets": {"state": "open"}, "ezee": {"state": "closed"}}}
    assert seen(body, declared=("google-sheets",)).excused
    assert not seen(body, declared=("ezee",)).excused


def test_the_map_finds_what_stands_elsewhere() -> None:
    body = {"service": {"status": {"state": "WARN", "why": "disk_full", "n": 7}}}
    mapping = {"status": "service.status.state", "reason": "service.status.why", "progress.counter": "service.status.n"}
    observation = seen(body, mapping=mapping)
    assert (observation.kind, observation.reason) == (Kind.DEGRADED, "disk_full")
    assert observation.report is not None
    assert observation.report.progress == 7
    assert seen([{"state": "down"}], mapping={"status": "[0].state"}).kind is Kind.CRITICAL
    assert seen({"status": "ok"}, mapping={"status": "nowhere.at.all"}).kind is Kind.OK


@pytest.mark.parametrize(
    ("body", "media", "kind"),
    [
        (b"{", JSON, Kind.BAD_ANSWER),
        (b'\xef\xbb\xbf{"status": "degraded"}', JSON, Kind.DEGRADED),
        ('{"status": "degraded"}'.encode("utf-16"), JSON, Kind.DEGRADED),
        ('{"status": "degraded"}'.encode("utf-32-le"), JSON, Kind.DEGRADED),
        (b"[" * 60_000, JSON, Kind.BAD_ANSWER),
        (b'{"status": "ok", "x": ' + b'{"x":' * 10_000, JSON, Kind.BAD_ANSWER),
        (b'{"status": NaN, "queue": Infinity}', JSON, Kind.OK),
        (b'{"status": "warn", "queue": ' + b"9" * 5000 + b"}", JSON, Kind.DEGRADED),
        (b'{"status": "warn", "queue": 1e999}', JSON, Kind.DEGRADED),
        (b'{"status": "ok", "status": "down"}', JSON, Kind.CRITICAL),
        (b'[{"status": "down"}]', JSON, Kind.OK),
        (b'{"status": "warn", "message": "\\ud800"}', JSON, Kind.DEGRADED),
        ('{"status": "warn", "message": "caf\xe9"}'.encode("latin-1"), JSON, Kind.DEGRADED),
        ('{"status": "warn", "message": "привет"}'.encode("cp1251"), JSON + "; charset=windows-1251", Kind.DEGRADED),
        (b'{"status": "warn"}', JSON + "; charset=rot13", Kind.DEGRADED),
        (b"<html>ok</html>", "text/html", Kind.OK),
        (b'{"status": "OK "}', JSON, Kind.OK),
        (b'{"status": true}', JSON, Kind.OK),
        (b'{"status": null}', JSON, Kind.OK),
        (b"\xff\xfe\xfa\x00\x01", None, Kind.OK),
        (b'{"status": "warn", "reason": "a\nb\x1b[31m"}', JSON, Kind.DEGRADED),
    ],
)
def test_f20_a_body_is_never_trusted(body: bytes, media: str | None, kind: Kind) -> None:
    observation = seen(body, media=media)
    assert observation.kind is kind
    json.dumps([observation.detail, observation.remark, repr(observation.report)]).encode()


def test_f22_texts_of_a_bot_are_one_bounded_printable_line() -> None:
    nasty = "\x1b[31mred\x1b[0m\nMESSAGE_ID=1\r\n\u202ebidi\ud800 <b>*bold*</b> " + "x" * 100_000
    observation = seen({"status": "critical", "message": nasty, "checks": {nasty: {"ok": False, "error": nasty}}})
    assert observation.report is not None
    texts = [observation.detail, observation.report.message, observation.parts[0].name, observation.parts[0].message]
    for text in texts:
        assert len(text) <= 300
        assert text.isprintable()
        text.encode()
    assert observation.report.message.startswith("red MESSAGE_ID=1 bidi\ufffd <b>*bold*</b>")


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(["ok", "down", "starting"])
)
NAMES = ["status", "checks", "error", "apis", "results", "details", "errors", "metrics", "progress", "name", "reason"]
KEYS = st.one_of(st.text(max_size=8), st.sampled_from(NAMES))
TREES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25)


@settings(max_examples=300, deadline=None)
@given(TREES, st.sampled_from([200, 204, 302, 404, 408, 429, 500, 503, 999]), st.booleans())
def test_f20_no_document_raises(tree: object, code: int, named: bool) -> None:
    observation = seen(tree, code, declared=("redis", "ok") if named else ())
    observation.detail.encode()
    assert isinstance(observation.kind, Kind)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([JSON, "text/html", "text/plain; charset=utf-16", None]))
def test_f20_no_bytes_raise(body: bytes, media: str | None) -> None:
    assert isinstance(seen(body, media=media).kind, Kind)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, TREES, max_size=6), st.sampled_from(["ok", "UP", "Pass", "ok ", "fine"]))
def test_the_quick_way_comes_to_the_same_verdict(document: dict[str, object], word: str) -> None:
    body = {**document, "status": word}
    quick, slow = seen(body), seen(body, mapping={"reason": "not.there.at.all"})
    assert repr(quick) == repr(slow)
