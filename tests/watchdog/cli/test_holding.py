from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.errors import Refused


def test_a_hold_is_asked_for_in_seconds_and_its_answer_told(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"hold": {"text": "postgres is on hold until 12:20"}})) as desk:
        result = here.ctl("hold", "postgres", "--for", "20m", "--reason", "deploy")
    assert result.stdout == "postgres is on hold until 12:20\n"
    assert desk.asked == [("hold", {"service": "postgres", "for": 1200.0, "reason": "deploy"}, desk.asked[0][2])]


def test_all_is_a_hold_without_a_name(here: Installation) -> None:
    with answering(here.socket, FakeDesk()) as desk:
        assert here.ctl("hold", "--all", "--for", "1h").exit_code == 0
        assert here.ctl("hold", "--all", "--end").exit_code == 0
    assert [(verb, args["service"]) for verb, args, _ in desk.asked] == [("hold", None), ("hold_end", None)]


@pytest.mark.parametrize(
    "args",
    [
        ["hold", "--for", "20m"],
        ["hold", "postgres", "--all", "--for", "20m"],
        ["hold", "postgres"],
        ["hold", "postgres", "--for", "20"],
        ["hold", "postgres", "--for", "0s"],
        ["hold", "postgres", "--end", "--for", "20m"],
        ["hold", "postgres", "report-bot", "--for", "20m"],
        ["hold", "nobody", "--for", "20m"],
        ["stop", "postgres"],
    ],
)
def test_a_hold_that_says_too_little_or_too_much_is_a_usage_error(here: Installation, args: list[str]) -> None:
    with answering(here.socket, FakeDesk()) as desk:
        assert here.ctl(*args).exit_code == 2
    assert desk.asked == []


def test_a_command_runs_under_the_hold_and_its_exit_code_is_ours(here: Installation, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"import pathlib, sys; pathlib.Path({str(mark)!r}).write_text('x'); sys.exit(7)"
    with answering(here.socket, FakeDesk()) as desk:
        result = here.ctl("hold", "postgres", "--for", "20m", "--", sys.executable, "-c", code)
    assert result.exit_code == 7
    assert mark.exists()
    assert [verb for verb, *_ in desk.asked] == ["hold", "hold_end"]
    assert desk.asked[0][1]["reason"].startswith("runs ")


def test_a_command_that_does_not_exist_is_127_and_the_hold_ends(here: Installation) -> None:
    with answering(here.socket, FakeDesk()) as desk:
        result = here.ctl("hold", "--all", "--for", "20m", "--", "no-such-command-here")
    assert result.exit_code == 127
    assert [verb for verb, *_ in desk.asked] == ["hold", "hold_end"]


def test_a_refused_hold_runs_no_command(here: Installation, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with answering(here.socket, FakeDesk({"hold": Refused("you may not hold")})):
        result = here.ctl("hold", "postgres", "--for", "20m", "--", "touch", str(mark))
    assert result.exit_code == 1
    assert "you may not hold" in result.stderr
    assert not mark.exists()


def test_a_command_outlives_a_daemon_that_cannot_end_the_hold(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"hold_end": Refused("not now")})):
        result = here.ctl("hold", "postgres", "--for", "20m", "--", "true")
    assert result.exit_code == 0
    assert "ends by itself: not now" in result.stderr


def test_stop_and_start_are_acts_too(here: Installation) -> None:
    with answering(here.socket, FakeDesk()) as desk:
        here.ctl("stop", "postgres", "--for", "2h")
        here.ctl("start", "postgres")
    assert [(verb, args) for verb, args, _ in desk.asked] == [
        ("stop", {"service": "postgres", "for": 7200.0, "reason": ""}),
        ("start", {"service": "postgres"}),
    ]
