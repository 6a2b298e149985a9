from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.broken_sqlite import DAMAGED, FULL, IO, LOCKED, Disk
from tests.fakes.records import closed, incident
from watchdog.errors import StoreUnavailable
from watchdog.model.records import Rollup
from watchdog.state.store.connection import begin
from watchdog.state.store.pen import Pen, Renewal
from watchdog.state.store.reader import Reader
from watchdog.state.store.reserve import Reserve
from watchdog.state.store.text import plain

SIZE = 64 * 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    begin(tmp_path / "state.db")
    return tmp_path / "state.db"


@pytest.fixture
def reserve(path: Path) -> Reserve:
    return Reserve(path.with_name("reserve"), SIZE)


def incidents(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as conn:
        return [row[0] for row in conn.execute("SELECT id FROM incidents ORDER BY id")]


@pytest.fixture
def pens() -> Iterator[list[Pen]]:
    made: list[Pen] = []
    yield made
    for pen in made:
        pen.close()


@pytest.mark.parametrize("text", [FULL, IO])
def test_f05_on_a_full_disk_the_reserve_is_released_and_the_commit_tried_once_more(
    path: Path, reserve: Reserve, pens: list[Pen], text: str
) -> None:
    disk = Disk(path, text)
    reserve.hold()
    pens.append(pen := Pen(disk.connect, path, plain, reserve, None))
    assert pen.write([incident()]) == ()
    assert disk.commits == 2
    assert incidents(path) == [1]


def test_the_second_try_does_not_rely_on_what_the_first_one_rolled_back(path: Path, reserve: Reserve, pens: list[Pen]) -> None:
    reserve.hold()
    pens.append(pen := Pen(Disk(path, FULL).connect, path, plain, reserve, None))
    pen.write([Rollup("new-service", 300, 1, 0, 0.5, 0.5)])
    with Reader.open(path) as reader:
        assert reader.rollups() == (Rollup("new-service", 300, 1, 0, 0.5, 0.5),)


def test_f05_without_a_reserve_left_the_store_is_unavailable_and_nothing_is_half_written(
    path: Path, reserve: Reserve, pens: list[Pen]
) -> None:
    disk = Disk(path, FULL, FULL)
    reserve.hold()
    pens.append(pen := Pen(disk.connect, path, plain, reserve, None))
    with pytest.raises(StoreUnavailable, match="disk is full"):
        pen.write([incident(1), incident(2)])
    assert not reserve.held
    assert incidents(path) == []
    pen.write([incident(1), incident(2)])
    assert incidents(path) == [1, 2]
    assert reserve.held, "space is back, so it is held back again"


def test_a_lock_or_another_passing_trouble_releases_nothing(path: Path, reserve: Reserve, pens: list[Pen]) -> None:
    reserve.hold()
    disk = Disk(path, LOCKED)
    pens.append(pen := Pen(disk.connect, path, plain, reserve, None))
    with pytest.raises(StoreUnavailable, match="locked"):
        pen.write([incident()])
    assert reserve.held
    pen.write([incident()])
    assert disk.opened == 2, "after a failure the file is opened anew"


def test_damage_found_while_running_begins_a_new_file(path: Path, pens: list[Pen]) -> None:
    disk = Disk(path, DAMAGED)

    def renew(why: str) -> Renewal:
        path.rename(path.with_name("aside.db"))
        begin(path)
        return Renewal(path.with_name("aside.db"), why)

    pens.append(pen := Pen(disk.connect, path, plain, None, renew))
    pen.write([incident()])
    assert pen.renewal == Renewal(path.with_name("aside.db"), DAMAGED)
    assert incidents(path) == [1]


def test_a_file_removed_under_the_daemon_is_noticed_at_the_next_commit(path: Path, pens: list[Pen]) -> None:
    def renew(why: str) -> Renewal:
        begin(path)
        return Renewal(None, why)

    pens.append(pen := Pen(Disk(path).connect, path, plain, None, renew))
    pen.write([incident(1)])
    for file in path.parent.glob("state.db*"):
        file.unlink()
    pen.write([incident(2)])
    assert incidents(path) == [2]
    assert pen.renewal is not None


def test_one_record_that_can_never_be_saved_does_not_hold_up_the_others(path: Path, pens: list[Pen]) -> None:
    pens.append(pen := Pen(Disk(path).connect, path, plain, None, None))
    complaints = pen.write([incident(1), incident(2**70), closed(3, at=float("nan")), incident(4)])
    assert len(complaints) == 2
    assert all(line.startswith("Incident: ") for line in complaints)
    assert incidents(path) == [1, 4]
