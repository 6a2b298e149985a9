from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from watchdog.errors import Misused, Refused, Unreachable
from watchdog.web.client import Broken, Client


@contextmanager
def answering(path: Path, answer: bytes) -> Iterator[None]:
    """A server that says one thing to one client."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.recv(65_536)
                client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join(5)


def test_a_good_answer_is_its_result(tmp_path: Path) -> None:
    with answering(tmp_path / "s", b'{"ok": true, "result": {"text": "done"}}\n'):
        assert Client(tmp_path / "s").call("ping") == {"text": "done"}


@pytest.mark.parametrize(("code", "kind"), [("refused", Refused), ("usage", Misused), ("internal", Broken), ("?", Broken)])
def test_each_kind_of_no_is_an_error_of_its_own(tmp_path: Path, code: str, kind: type[Exception]) -> None:
    line = b'{"ok": false, "error": "because", "code": "%s"}\n' % code.encode()
    with answering(tmp_path / "s", line), pytest.raises(kind, match="because"):
        Client(tmp_path / "s").call("ping")


@pytest.mark.parametrize(
    ("answer", "says"), [(b"", "closed the connection"), (b"hello\n", "does not speak"), (b'{"ok"', "closed the connection")]
)
def test_an_answer_that_is_none_is_told(tmp_path: Path, answer: bytes, says: str) -> None:
    with answering(tmp_path / "s", answer), pytest.raises(Unreachable, match=says):
        Client(tmp_path / "s").call("ping")


def test_no_daemon_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="does not exist"):
        Client(tmp_path / "s").call("ping")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "s"))
    with pytest.raises(Unreachable, match="nobody listens"):
        Client(tmp_path / "s").call("ping")
    with pytest.raises(Unreachable, match="longer than a unix socket"):
        Client(tmp_path / ("x" * 120)).call("ping")


def test_a_daemon_that_gives_no_answer_is_not_waited_for(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(tmp_path / "s"))
        mute.listen()
        with pytest.raises(Unreachable, match="no answer within"):
            Client(tmp_path / "s").call("ping", timeout=0.05)


def test_a_request_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(Misused, match="longer than"):
        Client(Path(os.devnull)).call("hold", {"reason": "x" * 70_000})
