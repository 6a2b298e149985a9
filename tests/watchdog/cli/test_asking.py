from __future__ import annotations

import socket

import pytest

from tests.fakes.installation import Installation
from watchdog.cli.asking import call, told
from watchdog.cli.options import Asked
from watchdog.cli.place import place
from watchdog.errors import Unreachable


def test_where_no_daemon_runs_the_way_to_start_it_is_told(here: Installation) -> None:
    with pytest.raises(Unreachable, match="Start it with: watchdogctl -c"):
        call(place(Asked(here.config)), "ping")


def test_a_daemon_that_runs_and_is_mute_is_not_to_be_started(here: Installation) -> None:
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(here.socket))
        mute.listen()
        with pytest.raises(Unreachable, match="no answer within") as caught:
            call(place(Asked(here.config)), "ping", timeout=0.05)
    assert "Start it" not in str(caught.value)


def test_what_a_person_reads_of_an_answer() -> None:
    assert told({"text": "done", "run": 7}) == ["done"]
    assert told("here") == ["here"]
