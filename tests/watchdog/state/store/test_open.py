from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.records import T, incident, run
from watchdog.errors import StoreUnavailable
from watchdog.state.store.open import NAME, Opened, open_store, set_aside
from watchdog.state.store.writer import SqliteStore

SIZE = 64 * 1024


def opened(folder: Path) -> Opened:
    return open_store(folder, now=lambda: T, reserve_size=SIZE)


async def with_rows(folder: Path, count: int = 50) -> Path:
    found = opened(folder)
    for number in range(1, count + 1):
        found.store.put(incident(number))
        found.store.put(run(number, of=number))
    await found.store.commit()
    await found.store.close()
    return folder / NAME


async def test_a_first_start_begins_a_store_for_us_alone(tmp_path: Path) -> None:
    found = opened(tmp_path / "state")
    assert (found.fresh, found.set_aside, found.why) == (True, None, "")
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "state").iterdir()} == {NAME: 0o600, "reserve": 0o600}
    await found.store.close()


async def test_the_next_start_remembers(tmp_path: Path) -> None:
    await with_rows(tmp_path)
    found = opened(tmp_path)
    assert (found.fresh, found.set_aside, found.why) == (False, None, "")
    assert len(list(found.loaded.incidents)) == 50
    assert found.loaded.next_run == 51
    await found.store.close()


async def test_a_folder_that_others_may_enter_is_left_as_it_is_but_the_file_is_closed_to_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    path = await with_rows(tmp_path)
    path.chmod(0o644)
    await opened(tmp_path).store.close()
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert path.stat().st_mode & 0o777 == 0o600


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"\xa5" * 9000)


def half(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def head_only(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(60)


def last_page_cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 4096)


def spoiled_inside(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))


def one_table_spoiled(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)


def sql(*statements: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            for statement in statements:
                conn.execute(statement)

    return spoil


FORMS = {
    "zero length": (empty, "was empty"),
    "garbage": (garbage, "not an SQLite file"),
    "half": (half, "damaged"),
    "head only": (head_only, "damaged"),
    "last page cut": (last_page_cut, "damaged"),
    "spoiled inside": (spoiled_inside, "damaged"),
    "one table spoiled": (one_table_spoiled, "damaged"),
    "future schema": (sql("PRAGMA user_version = 99"), "newer version"),
    "no version": (sql("PRAGMA user_version = 0"), "half made"),
    "other program": (sql("PRAGMA application_id = 7"), "another program"),
    "no sentinel": (sql("DELETE FROM meta"), "no sentinel"),
    "no table": (sql("DROP TABLE steps"), "no table steps"),
    "unknown word": (sql("UPDATE incidents SET stage = 'martian'"), "cannot be read"),
}


@pytest.mark.parametrize("form", FORMS)
async def test_f04_an_unusable_file_is_kept_aside_and_a_fresh_one_begun(tmp_path: Path, form: str) -> None:
    path = await with_rows(tmp_path)
    spoil, why = FORMS[form]
    spoil(path)
    before, size = path.read_bytes(), path.stat().st_size

    found = opened(tmp_path)
    assert found.fresh
    assert found.loaded.next_incident == 1
    assert re.search(why, found.why)
    assert found.set_aside is not None
    assert found.set_aside.name == "state.aside-20260921T141320Z.db"
    assert found.set_aside.stat().st_size == size
    assert found.set_aside.read_bytes()[100:] == before[100:], "only SQLite's own counters in the head may have moved"

    found.store.put(incident(1))
    await found.store.commit()
    await found.store.close()
    again = opened(tmp_path)
    assert not again.fresh
    assert [one.id for one in again.loaded.incidents] == [1]
    await again.store.close()


async def test_f04_a_log_left_without_its_file_never_reaches_the_new_one(tmp_path: Path) -> None:
    path = await with_rows(tmp_path)
    store = SqliteStore.open(path, inline=True)
    store.put(incident(77))
    await store.commit()
    log = path.with_name(NAME + "-wal").read_bytes()
    await store.close()
    path.unlink()
    path.with_name(NAME + "-wal").write_bytes(log)

    found = opened(tmp_path)
    assert found.fresh
    assert "gone" in found.why
    assert found.set_aside is not None
    assert found.set_aside.read_bytes() == log
    assert list(found.loaded.incidents) == []
    await found.store.close()


def test_copies_put_aside_in_one_second_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        (tmp_path / NAME).write_text(text)
        (tmp_path / f"{NAME}-wal").write_text(text)
        set_aside(tmp_path / NAME, T)
    kept = sorted(file.name for file in tmp_path.iterdir())
    assert len(kept) == 6
    assert {file.read_text() for file in tmp_path.iterdir()} == {"one", "two", "three"}


async def test_f04_where_nothing_can_be_written_the_daemon_goes_on_and_the_store_comes_back_by_itself(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    found = opened(tmp_path / "state")
    assert found.fresh
    assert "cannot be written" in found.why
    assert found.store.trouble == found.why
    found.store.put(incident(1))
    with pytest.raises(StoreUnavailable):
        await found.store.commit()

    (tmp_path / "state").unlink()
    (tmp_path / "state").mkdir()
    found.store.put(incident(2))
    await found.store.commit()
    assert found.store.healthy
    await found.store.close()
    later = opened(tmp_path / "state")
    assert [one.id for one in later.loaded.incidents] == [1, 2]
    await later.store.close()


async def test_a_passing_trouble_of_sqlite_is_no_reason_to_put_a_good_file_aside(tmp_path: Path) -> None:
    path = await with_rows(tmp_path, count=3)
    log = path.with_name(NAME + "-wal")
    log.mkdir()  # SQLite then says what it says without a free descriptor: unable to open database file
    found = opened(tmp_path)
    log.rmdir()
    assert found.set_aside is None
    assert "unable to open" in found.why
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT count(*) FROM incidents").fetchone() == (3,)
    await found.store.close()


async def test_f42_a_file_that_cannot_be_read_now_is_not_put_aside_before_it_can(tmp_path: Path) -> None:
    path = await with_rows(tmp_path, count=3)
    path.rename(tmp_path / "kept.db")
    path.mkdir()  # opening it fails as it does without a free descriptor: an OSError that says nothing about the file
    found = opened(tmp_path)
    assert found.set_aside is None
    assert "cannot be written" in found.why
    path.rmdir()
    (tmp_path / "kept.db").rename(path)

    found.store.put(incident(1, "new"))
    await found.store.commit()
    assert found.store.renewal is not None, "its ids were never loaded, so it must not be written into"
    assert found.store.renewal.set_aside is not None
    with closing(sqlite3.connect(found.store.renewal.set_aside)) as kept:
        assert kept.execute("SELECT count(*) FROM incidents").fetchone() == (3,)
    await found.store.close()


async def test_damage_found_while_running_is_put_aside_and_told(tmp_path: Path) -> None:
    path = await with_rows(tmp_path)
    found = opened(tmp_path)
    found.store.put(incident(51))
    await found.store.commit()
    for file in (path, path.with_name(NAME + "-wal")):
        file.unlink()
    found.store.put(incident(52))
    await found.store.commit()
    assert found.store.renewal is not None
    await found.store.close()
    later = opened(tmp_path)
    assert [one.id for one in later.loaded.incidents] == [52]
    await later.store.close()


async def test_a_folder_that_is_removed_while_running_is_made_anew(tmp_path: Path) -> None:
    found = opened(tmp_path / "state")
    found.store.put(incident(1))
    await found.store.commit()
    shutil.rmtree(tmp_path / "state")
    found.store.put(incident(2))
    await found.store.commit()
    assert found.store.lost
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    await found.store.close()


async def test_f03_a_lost_tail_of_the_log_loses_a_suffix_only(tmp_path: Path) -> None:
    """Power cut: the log is cut, zeroed or filled with rubbish from an offset on; every commit that lies before it is whole."""
    path = await with_rows(tmp_path / "first", count=2)
    store = SqliteStore.open(path, inline=True)
    log = path.with_name(NAME + "-wal")
    ends = []
    for number in range(3, 13):
        store.put(incident(number))
        store.put(run(number, of=number))
        await store.commit()
        ends.append(log.stat().st_size)
    whole, tail = path.read_bytes(), log.read_bytes()
    await store.close()

    for number, offset in enumerate(range(0, len(tail), 3001)):
        spoil = ("cut", "zero", "a5")[number % 3]
        folder = tmp_path / f"{spoil}-{offset}"
        folder.mkdir()
        (folder / NAME).write_bytes(whole)
        rest = {"cut": b"", "zero": bytes(len(tail) - offset), "a5": b"\xa5" * (len(tail) - offset)}[spoil]
        (folder / f"{NAME}-wal").write_bytes(tail[:offset] + rest)
        found = opened(folder)
        assert (found.fresh, found.set_aside, found.why) == (False, None, "")
        ids = sorted(one.id for one in found.loaded.incidents)
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) >= 2 + sum(end <= offset for end in ends), f"{spoil} at {offset}"
        assert [one.id for one in found.loaded.runs] == ids, "a transaction is whole or not there"
        await found.store.close()
        shutil.rmtree(folder)
