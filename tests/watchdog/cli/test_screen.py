from __future__ import annotations

import pytest

from watchdog.cli import screen


def test_a_pipe_gets_100_columns_and_no_colour() -> None:
    frame = screen.frame()
    assert (frame.width, frame.colour) == (100, False)


def test_json_stays_readable_and_printable(capsys: pytest.CaptureFixture[str]) -> None:
    screen.document({"title": "бот", "broken": "\ud800"})
    assert capsys.readouterr().out == '{\n  "title": "бот",\n  "broken": "\\ud800"\n}\n'
