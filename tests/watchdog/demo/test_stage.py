"""The folder of the stage and what is read from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from watchdog.clock import Clock
from watchdog.demo.keeper import ENDED, LOG
from watchdog.demo.ports import Ports
from watchdog.demo.stage import PREFIX, Stage, StageError


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(Clock())
    made.folder = tmp_path
    for name in ("orders", "starts"):
        (tmp_path / name).mkdir()
    return made


def test_a_daemon_that_ended_by_itself_is_told(stage: Stage) -> None:
    (stage.folder / ENDED).write_text("78")
    with pytest.raises(StageError, match="ended by itself with exit code 78"):
        stage.look()


def test_an_order_is_there_as_a_whole_or_not_at_all(stage: Stage) -> None:
    stage.order("menu-bot", "stale")
    assert [file.name for file in (stage.folder / "orders").iterdir()] == ["menu-bot"]
    assert (stage.folder / "orders" / "menu-bot").read_text() == "stale"


def test_the_last_words_of_the_daemon(stage: Stage) -> None:
    assert stage.last_words() == []
    (stage.folder / LOG).write_text("".join(f"line {number}\n" for number in range(9)))
    assert stage.last_words(2) == ["line 7", "line 8"]


def test_a_folder_that_the_daemon_would_not_trust_is_not_used(short: Path) -> None:
    loose, tight = short / "loose", short / "tight"
    loose.mkdir()
    tight.mkdir(mode=0o700)
    loose.chmod(0o777)
    stage = Stage(Clock(), (str(short / "missing"), str(loose), str(tight)), _no_ports)
    with pytest.raises(OSError, match="no port is free"):
        stage.set_up()
    assert stage.folder.name.startswith(PREFIX)
    assert stage.folder.parent == tight
    assert list(loose.iterdir()) == []
    assert stage.clear()
    assert list(tight.iterdir()) == [], "also a stage that was never finished is cleared away"


def test_without_a_folder_it_says_why(tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    loose.chmod(0o777)
    with pytest.raises(StageError, match="can be written by everybody"):
        Stage(Clock(), (str(loose),)).set_up()


def _no_ports(_names: Sequence[str]) -> Ports:
    raise OSError("no port is free")
