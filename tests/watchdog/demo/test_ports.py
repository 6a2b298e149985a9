"""A port that was taken stays ours, whoever comes and goes on it."""

from __future__ import annotations

import socket

import pytest

from watchdog.demo.bot import listen
from watchdog.demo.ports import Ports


def test_nobody_else_gets_it_and_the_bot_comes_and_goes() -> None:
    ports = Ports(["a", "b"])
    number = ports.numbers["a"]
    assert number != ports.numbers["b"]
    try:
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", number))
        for _ in range(2):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", number), 1)
            with listen(number), socket.create_connection(("127.0.0.1", number), 1):
                pass
    finally:
        ports.close()


def test_two_demos_share_none() -> None:
    first, second = Ports("abcde"), Ports("abcde")
    try:
        assert not {*first.numbers.values()} & {*second.numbers.values()}
    finally:
        first.close()
        second.close()
