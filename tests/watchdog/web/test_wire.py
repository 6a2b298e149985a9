from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchdog.web.wire import ACTING, READING, BadRequest, Code, bad, good, parse_request


def test_a_request_names_a_verb_and_its_arguments() -> None:
    request = parse_request(b'{"verb": "hold", "args": {"service": "scraper", "for": 1200, "reason": "deploy"}}\n')
    assert (request.verb, request.args["for"], request.acts) == ("hold", 1200, True)
    assert not parse_request(b'{"verb": "ping"}').acts


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 60_000, "not JSON"),
        (b'{"verb": "ping", "args": {"x": NaN}}', "not JSON"),
        (b'{"verb": "start", "args": {"service": "\\ud800"}}', "not JSON"),
        (b'{"verb": "ack", "args": {"id": ' + b"9" * 5000 + b"}}", "not JSON"),
        (b"[]", "a request is"),
        (b'{"verb": 1}', "a request is"),
        (b'{"verb": "ping", "args": []}', "a request is"),
        (b'{"verb": "ping", "more": 1}', "a request is"),
        (b'{"verb": "format_disk"}', "unknown verb 'format_disk'"),
        (b'{"verb": "start"}', "start: service is missing"),
        (b'{"verb": "start", "args": {"service": 5}}', "service must be a service name"),
        (b'{"verb": "start", "args": {"service": "a", "sudo": true}}', "unknown argument 'sudo'"),
        (b'{"verb": "hold", "args": {"for": -1}}', "for must be seconds above zero"),
        (b'{"verb": "hold", "args": {"for": 1e308}}', "for must be seconds above zero, ten years at most"),
        (b'{"verb": "hold", "args": {"for": true}}', "for must be seconds above zero"),
        (b'{"verb": "hold", "args": {"for": 1e999}}', "for must be seconds above zero"),
        (b'{"verb": "approve", "args": {"run": 1.5}}', "run must be a number"),
        (b'{"verb": "rows"}', "rows: query is missing"),
        (b'{"verb": "rows", "args": {"query": "holds", "limit": 100001}}', "limit must be a number of at most 100000"),
        (b'{"verb": "rows", "args": {"query": "holds", "limit": 0}}', "limit must be a number"),
        (b'{"verb": "rows", "args": {"query": "holds", "skip": -1}}', "skip must be how many"),
        (b'{"verb": "rows", "args": {"query": "holds", "skip": 0.0}}', "skip must be how many"),
        (b'{"verb": "rows", "args": {"query": "holds", "skip": false}}', "skip must be how many"),
        (b'{"verb": "rows", "args": {"query": "holds", "since": 1e300}}', "since must be seconds since 1970"),
        (b'{"verb": "rows", "args": {"query": "holds", "incident": "1"}}', "incident must be a number, or null"),
    ],
)
def test_what_is_no_request_is_answered_in_words(line: bytes, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        parse_request(line)


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_garbage_is_never_more_than_a_bad_request(line: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_request(line)


def test_reading_and_acting_verbs_are_apart() -> None:
    assert not ACTING.keys() & READING.keys()


def test_an_answer_is_one_line_whatever_is_in_it() -> None:
    line = good({"text": "two\nlines \u2028 \ud800"})
    assert line.count(b"\n") == 1
    assert json.loads(line)["ok"] is True
    assert json.loads(bad(Code.REFUSED, "no")) == {"ok": False, "error": "no", "code": "refused"}
