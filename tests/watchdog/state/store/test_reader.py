from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.records import T, closed, decision, ended, incident, notice, one_of_each, run
from watchdog.model.records import Exit, Hold, Rollup, Segment
from watchdog.model.service import State
from watchdog.state.store.reader import DAY, Reader, Snapshot
from watchdog.state.store.writer import SqliteStore


async def stored(path: Path, *records: object) -> SqliteStore:
    store = SqliteStore.open(path, inline=True)
    for record in records:
        store.put(record)  # type: ignore[arg-type]
    await store.commit()
    return store


async def test_every_record_comes_back_as_it_was_put() -> None:
    store = await stored(Path(":memory:"), *one_of_each())
    reader, loaded = store.reader(), store.reader().load(T + 900)
    assert (
        *reader.segments(),
        *reader.rollups(),
        *reader.incidents(),
        *reader.timeline(1),
        *reader.runs(),
        *reader.decisions("scraper"),
        *reader.exits(),
        *reader.holds(),
        *reader.notices(),
        *reader.letters(),
        *reader.chats(),
        *reader.evidence(1),
        *reader.audit(),
        *reader.services(),
    ) == one_of_each()[:-1]
    assert loaded.meta == {"boot_id": "b00t"}
    await store.close()


async def test_a_query_may_be_given_an_end(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = await stored(path, *(Segment("a", State.OK, T + number, T + number + 1) for number in range(9)))
    with Reader.open(path, most=4) as reader:
        assert [segment.since for segment in reader.segments()] == [T, T + 1, T + 2, T + 3]
    with Reader.open(path) as reader:
        assert len(reader.segments()) == 9
    await store.close()


async def test_at_start_the_open_and_the_recent_are_loaded_and_the_next_ids() -> None:
    now = T + 40 * DAY
    store = await stored(
        Path(":memory:"),
        incident(1, "a", T),
        closed(2, "b", T, T + 1),
        closed(3, "c", now - DAY - 60, now - DAY + 60),
        run(1, "a", T),
        ended(2, "b", T, of=2),
        ended(3, "c", now - 60, of=3),
        Exit("a", T, 1, False),
        Exit("a", now - 60, 1, False),
        Hold("a", T, T + 60, "me"),
        Hold("b", now - 60, now, "me", ended_at=now - 30),
        notice(1, at=T),
        replace(notice(2, at=T), delivered_at=T),
        replace(notice(5, at=now - 60), delivered_at=now),
    )
    loaded = store.reader().load(now)
    assert [one.id for one in loaded.incidents] == [1, 3]
    assert [one.id for one in loaded.runs] == [1, 3]
    assert [one.at for one in loaded.exits] == [now - 60]
    assert [one.service for one in loaded.holds] == ["a"]
    assert [one.id for one in loaded.notices] == [1, 5]
    assert (loaded.next_incident, loaded.next_run, loaded.next_notice) == (4, 4, 6)
    await store.close()


async def test_an_empty_store_remembers_nothing() -> None:
    store = await stored(Path(":memory:"))
    assert store.reader().load(T) == Snapshot()
    await store.close()


async def test_questions_narrow_by_service_time_and_number() -> None:
    store = await stored(
        Path(":memory:"),
        *(incident(number, "a" if number % 2 else "b", T + number) for number in range(1, 6)),
        replace(closed(6, "c", T - 900, T - 800), parent=1),
        *(ended(number, "a", T + number, of=number) for number in (1, 2)),
        *(decision("a", T + number) for number in range(5)),
        Segment("a", State.OK, T, T + 10),
        Segment("a", State.FAILING, T + 10),
        Segment("b", State.OK, T),
        Rollup("a", int(T), 1, 0, 0, 0),
        Rollup("b", int(T) + 300, 1, 0, 0, 0),
    )
    reader = store.reader()
    assert [one.id for one in reader.incidents(limit=2)] == [5, 4]
    assert [one.id for one in reader.incidents(service="a")] == [5, 3, 1]
    assert 6 not in [one.id for one in reader.incidents(since=T)]
    assert [one.id for one in reader.members(1)] == [6]
    assert reader.incident(99) is None
    assert [one.id for one in reader.runs(incident=2)] == [2]
    assert [one.id for one in reader.runs(service="a", since=T + 2)] == [2]
    assert [one.at for one in reader.decisions("a", limit=2)] == [T + 4, T + 3]
    assert [one.state for one in reader.segments("a", since=T + 11)] == [State.FAILING]
    assert [one.service for one in reader.rollups(since=T + 1)] == ["b"]
    await store.close()


async def test_it_reads_beside_the_writer_and_cannot_write(tmp_path: Path) -> None:
    store = await stored(tmp_path / "state.db", incident(1))
    with Reader.open(tmp_path / "state.db") as reader:
        assert [one.id for one in reader.incidents()] == [1]
        store.put(incident(2))
        await store.commit()
        assert [one.id for one in reader.incidents()] == [2, 1]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._conn.execute("DELETE FROM incidents")
    await store.close()


async def test_it_reads_after_a_clean_end(tmp_path: Path) -> None:
    store = await stored(tmp_path / "state.db", incident(1))
    await store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["state.db"]
    with Reader.open(tmp_path / "state.db") as reader:
        assert [one.id for one in reader.incidents()] == [1]


KILLED = """
import asyncio, os, sys
from pathlib import Path
from tests.fakes.records import incident
from watchdog.state.store.writer import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]), inline=True)
store.put(incident(1))
asyncio.run(store.commit())
os.kill(os.getpid(), 9)
"""


def test_it_reads_what_a_killed_daemon_left_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    died = subprocess.run([sys.executable, "-c", KILLED, path], check=False, env={**os.environ, "PYTHONPATH": "."})
    assert died.returncode == -signal.SIGKILL
    assert path.with_name("state.db-wal").stat().st_size > 0
    with Reader.open(path) as reader:
        assert [one.id for one in reader.incidents()] == [1]
    with Reader.open(path) as reader:
        assert [one.id for one in reader.incidents()] == [1]


def test_a_missing_file_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        Reader.open(tmp_path / "state.db")
    assert list(tmp_path.iterdir()) == []
