from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from watchdog.probing.answer import BODY_LIMIT, Trouble
from watchdog.probing.wire import HEAD_LIMIT, Response

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
