import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from watchdog.systemd import Notifier


def monotonic() -> float:
    return 1234.5


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    """systemd's end of the notify socket."""
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.settimeout(1)
        yield path, listener


def heard(listener: socket.socket) -> list[str]:
    return listener.recv(4096).decode().split("\n")


def test_each_message_is_one_datagram_in_the_words_of_the_protocol(ear: tuple[str, socket.socket]) -> None:
    path, listener = ear
    notifier = Notifier({"NOTIFY_SOCKET": path}, 1, monotonic)
    assert notifier.speaks
    notifier.ready("2/2 up")
    assert heard(listener) == ["READY=1", "STATUS=2/2 up"]
    notifier.watchdog()
    assert heard(listener) == ["WATCHDOG=1"]
    notifier.reloading()
    assert heard(listener) == ["RELOADING=1", "MONOTONIC_USEC=1234500000"]
    notifier.extend(45)
    assert heard(listener) == ["EXTEND_TIMEOUT_USEC=45000000"]
    notifier.stopping()
    assert heard(listener) == ["STOPPING=1"]


def test_a_status_is_one_line_and_injects_no_field(ear: tuple[str, socket.socket]) -> None:
    path, listener = ear
    notifier = Notifier({"NOTIFY_SOCKET": path}, 1, monotonic)
    notifier.status("bot says\nREADY=1\x1b[31m" + "x" * 900)
    (line,) = heard(listener)
    assert line.startswith("STATUS=bot says READY=1 [31mxxx")
    assert len(line) == len("STATUS=") + 200


def test_an_empty_status_says_nothing(ear: tuple[str, socket.socket]) -> None:
    path, listener = ear
    Notifier({"NOTIFY_SOCKET": path}, 1, monotonic).status("\n")
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.recv(10)


def test_an_abstract_socket_is_heard_too() -> None:
    name = f"bot-watchdog-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0" + name)
        listener.settimeout(1)
        Notifier({"NOTIFY_SOCKET": "@" + name}, 1, monotonic).watchdog()
        assert heard(listener) == ["WATCHDOG=1"]


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "@"}, {"NOTIFY_SOCKET": "vsock:2:1"}])
def test_without_systemd_nothing_is_sent_and_nothing_breaks(environ: dict[str, str]) -> None:
    notifier = Notifier(environ, 1, monotonic)
    assert not notifier.speaks
    notifier.ready()
    notifier.watchdog()


def test_a_listener_that_is_gone_or_full_does_not_stop_the_daemon(tmp_path: Path, ear: tuple[str, socket.socket]) -> None:
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}, 1, monotonic).watchdog()
    path, _ = ear
    notifier = Notifier({"NOTIFY_SOCKET": path}, 1, monotonic)
    for _ in range(2000):
        notifier.watchdog()


@pytest.mark.parametrize(
    ("environ", "period"),
    [
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "77"}, 60.0),
        ({"WATCHDOG_USEC": "60000000"}, 60.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "78"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_period_is_meant_for_this_process_or_nobody(environ: dict[str, str], period: float | None) -> None:
    assert Notifier(environ, 77, monotonic).period == period
