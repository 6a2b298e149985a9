import io
import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from watchdog import logs
from watchdog.logs import Form
from watchdog.redaction import Redactor

TOKEN = "987654321:" + "AAE" + "y" * 33
CANARY = "canary-value-7"


@pytest.fixture
def started() -> Iterator[Callable[[Form], io.StringIO]]:
    """Starts the chain on a stream of its own and puts everything back."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    quiet = {name: logging.getLogger(name).level for name in logs.QUIET}

    def start(form: Form) -> io.StringIO:
        stream = io.StringIO()
        logs.start(stream, form, lambda: 1786851250.25, Redactor([CANARY]))
        return stream

    yield start
    root.handlers[:] = before
    root.setLevel(level)
    for name, old in quiet.items():
        logging.getLogger(name).setLevel(old)
    structlog.reset_defaults()


def only(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    doc: dict[str, Any] = json.loads(line)
    return doc


def test_an_event_is_one_json_line_with_its_time_and_room(started: Callable[[Form], io.StringIO]) -> None:
    stream = started(Form.JSON)
    logs.get("decisions").info("run_started", service="scraper", attempt=2)
    assert only(stream) == {
        "at": "2026-08-16T03:34:10.250Z",
        "level": "info",
        "event": "run_started",
        "room": "decisions",
        "service": "scraper",
        "attempt": 2,
    }


def test_the_journal_gets_the_priority_first(started: Callable[[Form], io.StringIO]) -> None:
    stream = started(Form.JOURNAL)
    logs.get("x").error("store_failed")
    logs.get("x").warning("late")
    first, second = stream.getvalue().splitlines()
    assert first.startswith('<3>{"at": ')
    assert second.startswith("<4>{")


def test_people_read_plain_lines(started: Callable[[Form], io.StringIO]) -> None:
    stream = started(Form.PEOPLE)
    logs.get("x").info("run_started", service="scraper")
    logs.get("x").warning("bot_said", text="\x1b[31mred\nSECOND LINE")
    first, second = stream.getvalue().splitlines()
    assert first.endswith("run started              service=scraper")
    assert "WARNING bot said" in second
    assert "\x1b" not in second


def test_text_from_outside_makes_no_second_line(started: Callable[[Form], io.StringIO]) -> None:
    stream = started(Form.JSON)
    nasty = 'a\nb\r\x1b[31m\u2028\x85\x9b{"event": "forged"} \ud800 конец'
    logs.get("x").info("bot_said", text=nasty)
    text = stream.getvalue()
    assert len(text.splitlines()) == 1
    assert "конец" in text
    assert "\x9b" not in text


@pytest.mark.parametrize("form", list(Form))
def test_no_secret_is_in_a_line_nor_in_an_exception_nor_in_its_cause(started: Callable[[Form], io.StringIO], form: Form) -> None:
    stream = started(form)
    try:
        try:
            raise OSError(f"GET https://api.telegram.org/bot{TOKEN}/getMe")
        except OSError as cause:
            raise RuntimeError(f"no {CANARY}") from cause
    except RuntimeError:
        logs.get("x").exception("send_failed", header=f"Bearer {CANARY}", doc={"password": "hunter22"})
        logging.getLogger("other.library").exception("failed with %s", CANARY)
    text = stream.getvalue()
    assert "RuntimeError" in text
    assert "OSError" in text
    assert TOKEN not in text
    assert CANARY not in text
    assert "hunter22" not in text


def test_libraries_that_log_urls_are_heard_from_warning_on(started: Callable[[Form], io.StringIO]) -> None:
    stream = started(Form.JSON)
    logging.getLogger("httpx").info("HTTP Request: POST https://api.example/bot1/x")
    logging.getLogger("docker.utils").info("looking")
    assert stream.getvalue() == ""
    logging.getLogger("httpx").warning("slow")
    assert only(stream)["room"] == "httpx"


def test_the_form_follows_what_is_at_the_other_end(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        status = os.fstat(stream.fileno())
        assert logs.form_of(stream, {}) is Form.JSON
        assert logs.form_of(stream, {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}) is Form.JOURNAL
        assert logs.form_of(stream, {"JOURNAL_STREAM": "1:2"}) is Form.JSON
    assert logs.form_of(io.StringIO(), {}) is Form.JSON
    main, other = os.openpty()
    with os.fdopen(main), os.fdopen(other, "w") as terminal:
        assert logs.form_of(terminal, {}) is Form.PEOPLE


def test_a_message_to_people_keeps_its_lines_under_its_own(started: Callable[[Form], io.StringIO]) -> None:
    text = "bot down 15 min\nTried   03:34 \x1b[31mrestart\n        03:41 restart"
    stream = started(Form.PEOPLE)
    logs.get("notice").warning("notice", service="bot", text=text)
    logs.get("notice").warning("notice", service="bot", text="one line")
    first, *below, last = stream.getvalue().splitlines()
    assert first.endswith("WARNING notice                   service=bot")
    assert below == ["    bot down 15 min", "    Tried   03:34 \ufffd[31mrestart", "            03:41 restart"]
    assert last.endswith("service=bot text=one line")
    stream = started(Form.JSON)
    logs.get("notice").warning("notice", text=text)
    assert only(stream)["text"] == text
