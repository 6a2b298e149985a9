from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchdog.probing.answer import BODY_LIMIT, Trouble
from watchdog.probing.wire import HEAD_LIMIT, Response, whole

OK = b"HTTP/1.1 200 OK\r\n"


def fed(*pieces: bytes, closed: bool = False) -> tuple[Response, bool]:
    response, done = Response(), False
    for piece in pieces:
        done = response.feed(piece)
        if done:
            break
    return response, response.end() if closed and not done else done


def test_an_answer_is_known_before_the_peer_closes() -> None:
    response, done = fed(OK + b"Content-Length: 2\r\n\r\nok")
    assert done
    assert (response.code, response.body, response.trouble) == (200, b"ok", None)


def test_what_follows_the_promised_length_is_left_alone() -> None:
    response, done = fed(OK + b"Content-Length: 2\r\n\r\nokHTTP/1.1 500")
    assert done
    assert response.body == b"ok"


def test_no_body_is_waited_for_where_none_comes_or_none_is_wanted() -> None:
    for line in (b"204 No Content", b"304 Not Modified", b"302 Found", b"404 Not Found"):
        response, done = fed(b"HTTP/1.1 " + line + b"\r\nServer: x\r\n\r\n")
        assert done
        assert (response.body, response.trouble) == (b"", None)
    for code in (408, 429, 500):
        assert not fed(b"HTTP/1.1 %d Whatever\r\n\r\n" % code)[1]


def test_equal_headers_are_joined_and_their_names_are_lower_case() -> None:
    response, _ = fed(OK + b"RETRY-After:  3 \r\nX-A: 1\r\nx-a: 2\r\nnonsense\r\n\r\n", closed=True)
    assert response.headers == {"retry-after": "3", "x-a": "1, 2"}


def test_a_length_given_twice_must_be_the_same() -> None:
    assert fed(OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok")[0].body == b"ok"
    for lengths in (b"2\r\nContent-Length: 3", b"-1", b"two", b"0x2"):
        assert fed(OK + b"Content-Length: " + lengths + b"\r\n\r\nok")[0].trouble is Trouble.NOT_HTTP


def test_the_end_says_what_was_missing() -> None:
    assert fed(closed=True)[0].trouble is Trouble.CLOSED
    assert fed(b"HTTP/1.1 20", closed=True)[0].trouble is Trouble.CLOSED
    assert fed(OK + b"Content-Length: 5\r\n\r\nok", closed=True)[0].trouble is Trouble.CUT
    assert fed(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", closed=True)[0].trouble is Trouble.CUT
    assert fed(OK + b"\r\nok", closed=True)[0].trouble is None


def test_what_is_no_http_is_known_at_the_first_bytes() -> None:
    for says in (b"SSH-2.0", b"\x15\x03\x01", b"H", b"HTTP/1.1 xyz OK\r\n\r\n", b"HTTP/1.1\r\n\r\n"):
        response, done = fed(says)
        assert done is (says != b"H")
        assert response.trouble is (Trouble.NOT_HTTP if done else None)


def test_interim_answers_come_to_an_end() -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    assert fed(interim * 3 + OK + b"Content-Length: 2\r\n\r\nok")[0].body == b"ok"
    assert fed(interim * 5000)[0].trouble is Trouble.NOT_HTTP


def test_a_header_without_end_is_oversized() -> None:
    response, done = fed(OK + b"X: " + b"x" * HEAD_LIMIT)
    assert done
    assert response.trouble is Trouble.OVERSIZED


def test_chunks_that_are_none_are_cut() -> None:
    for chunks in (b"zz\r\n", b"-2\r\nok\r\n", b"\r\n", b"+2\r\nok\r\n", b"1" * 2000):
        response, done = fed(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        assert done
        assert response.trouble is Trouble.CUT


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.binary(max_size=200).map(lambda body: OK + b"Transfer-Encoding: chunked\r\n\r\n" + body),
        st.binary(max_size=200).map(lambda body: b"HTTP/1.1 " + body),
    ),
    st.integers(1, 40),
)
def test_no_bytes_raise_and_the_pieces_they_come_in_make_no_difference(data: bytes, size: int) -> None:
    whole, _ = fed(data, closed=True)
    pieces, _ = fed(*(data[place : place + size] for place in range(0, len(data), size)), closed=True)
    assert (whole.code, whole.headers, whole.body, whole.trouble) == (pieces.code, pieces.headers, pieces.body, pieces.trouble)
    assert len(whole.body) <= BODY_LIMIT


PLAIN = (
    OK + b"Server: x\r\nVary: Accept-Encoding\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.0 200 Fine\r\ncontent-length:2\r\nLocation: /A\r\n\r\nok and more",
    b"HTTP/1.1 200\r\nCONTENT-LENGTH:  02 \r\n\r\nok",
    OK + b"Content-Length: 0\r\n\r\n",
)
UNUSUAL = (
    b"",
    OK,
    OK + b"Content-Length: 3\r\n\r\nok",
    OK + b"Server: x\r\n\r\nok",
    OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok",
    OK + b"Content-Length: 2\r\nX: y\nContent-Length : 1\r\n\r\nok",
    OK + b"X: y\nContent-Length: 2\r\n\r\nok",
    OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
    OK + b"Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\nok",
    OK + b"Content-Length: +2\r\n\r\nok",
    OK + b"Content-Length: 2\r5\r\n\r\nok",
    OK + b"Content-Length: 70000\r\n\r\n" + b"x" * 70_000,
    OK + b"X: " + b"y" * HEAD_LIMIT + b"\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok\r\n\r\n",
    b"HTTP/1.1 2000\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
)


def agree(data: bytes) -> bool:
    """Was it read at a glance, and then as the long way reads it?"""
    quick = whole(data)
    if quick is None:
        return False
    response, done = fed(data)
    assert done
    assert (response.code, response.trouble, response.body) == (200, None, quick[1])
    assert dict(quick[0]) == response.headers
    assert all(name in quick[0] for name in response.headers)
    assert "retry-after" not in quick[0] or "retry-after" in response.headers
    return True


@pytest.mark.parametrize("data", PLAIN)
def test_what_nearly_every_bot_says_is_read_at_a_glance(data: bytes) -> None:
    assert agree(data)


@pytest.mark.parametrize("data", UNUSUAL)
def test_a_closer_look_is_taken_at_everything_else(data: bytes) -> None:
    assert not agree(data)


@given(st.lists(st.sampled_from(
    [b"Content-Length: 2", b"content-length:2", b"Content-Length : 2", b"Transfer-Encoding: chunked", b"X: Content-Length: 2",
     b"Content-Encoding: identity", b"\r\n", b"\n", b"\r", b" ", b"ok", b"X-A: \xe9", OK]
), max_size=9))  # fmt: skip
def test_the_glance_never_sees_anything_else_than_the_closer_look(pieces: list[bytes]) -> None:
    agree(OK + b"\r\n".join(pieces) + b"\r\n\r\nok")
    agree(OK + b"".join(pieces))
