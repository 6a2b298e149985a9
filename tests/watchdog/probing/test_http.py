from __future__ import annotations

import httpx
import pytest

from watchdog.clock import Clock
from watchdog.probing.http import HttpProbe
from watchdog.probing.transport import Asked


def question(url: str) -> Asked | httpx.Request:
    return HttpProbe(Clock()).question(url, 5.0)


def test_a_plain_question_is_made_into_bytes_once() -> None:
    asked = question("http://127.0.0.1:8101/health?deep=1")
    assert isinstance(asked, Asked)
    assert (asked.host, asked.port, asked.address, asked.deadline) == ("127.0.0.1", 8101, "127.0.0.1", 5.0)
    assert asked.wire.startswith(b"GET /health?deep=1 HTTP/1.1\r\n")
    assert asked.wire.endswith(b"\r\n\r\n")


def test_a_name_and_an_ipv6_address_are_understood() -> None:
    by_name, by_six = question("http://bot.example/"), question("http://[::1]:81/")
    assert isinstance(by_name, Asked)
    assert isinstance(by_six, Asked)
    assert (by_name.host, by_name.port, by_name.address) == ("bot.example", 80, None)
    assert (by_six.host, by_six.port, by_six.address) == ("::1", 81, "::1")
    assert b"Host: [::1]:81\r\n" in by_six.wire


def test_no_path_smuggles_a_header_in() -> None:
    with pytest.raises(httpx.InvalidURL):
        question("http://127.0.0.1/health\r\nX-Evil: 1")
    asked = question("http://127.0.0.1/a b?c=d e")
    assert isinstance(asked, Asked)
    assert asked.wire.startswith(b"GET /a%20b?c=d%20e HTTP/1.1\r\n")


def test_an_https_question_is_left_to_the_stock_transport() -> None:
    assert isinstance(question("https://bot.example/health"), httpx.Request)
