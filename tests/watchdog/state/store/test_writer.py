from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.broken_sqlite import FULL, LOCKED, Disk
from tests.fakes.records import T, incident
from watchdog.errors import StoreUnavailable
from watchdog.model.records import Rollup
from watchdog.state.store.connection import begin
from watchdog.state.store.writer import SqliteStore


def incidents(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as conn:
        return [row[0] for row in conn.execute("SELECT id FROM incidents ORDER BY id")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    begin(tmp_path / "state.db")
    return tmp_path / "state.db"


async def test_what_was_put_is_on_disk_when_commit_returns(path: Path) -> None:
    store = SqliteStore.open(path)
    try:
        store.put(incident(1))
        assert incidents(path) == []
        await store.commit()
        assert incidents(path) == [1]
        assert store.healthy
    finally:
        await store.close()


async def test_many_who_wait_share_one_transaction(path: Path) -> None:
    disk = Disk(path)
    store = SqliteStore(disk.connect, path=path)

    async def act(number: int) -> None:
        store.put(incident(number))
        await store.commit()
        assert number in incidents(path)

    try:
        await asyncio.gather(*(act(number) for number in range(100)))
        assert len(incidents(path)) == 100
        assert disk.commits <= 3
    finally:
        await store.close()


async def test_a_commit_waits_for_the_transaction_that_already_took_its_record(path: Path) -> None:
    gate = threading.Event()
    disk = Disk(path)

    def slow() -> sqlite3.Connection:
        gate.wait(5)
        return disk.connect()

    store = SqliteStore(slow, path=path)
    try:
        store.put(incident(1))
        first = asyncio.create_task(store.commit())
        for _ in range(5):
            await asyncio.get_running_loop().run_in_executor(None, int)
        second = asyncio.create_task(store.commit())
        for _ in range(5):
            await asyncio.get_running_loop().run_in_executor(None, int)
        assert not second.done()
        gate.set()
        await second
        assert first.done()
        assert disk.commits == 1
        assert incidents(path) == [1]
    finally:
        gate.set()
        await store.close()


async def test_the_loop_goes_on_while_a_commit_waits_for_the_disk(path: Path) -> None:
    gate = threading.Event()
    disk = Disk(path)

    def slow() -> sqlite3.Connection:
        gate.wait(5)
        return disk.connect()

    store = SqliteStore(slow, path=path)
    try:
        store.put(incident(1))
        waiting = asyncio.create_task(store.commit())
        for _ in range(10):
            await asyncio.get_running_loop().run_in_executor(None, int)
        assert not waiting.done()
        gate.set()
        await waiting
    finally:
        gate.set()
        await store.close()


async def test_f05_a_commit_that_failed_keeps_what_was_put_for_the_next_one(path: Path) -> None:
    store = SqliteStore(Disk(path, FULL, LOCKED).connect, path=path)
    try:
        store.put(incident(1))
        with pytest.raises(StoreUnavailable, match="disk is full"):
            await store.commit()
        assert "disk is full" in store.trouble
        store.put(incident(2))
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.commit()
        await store.commit()
        assert (store.healthy, store.trouble) == (True, "")
        assert incidents(path) == [1, 2]
    finally:
        await store.close()


async def test_all_who_share_a_failed_transaction_are_told(path: Path) -> None:
    store = SqliteStore(Disk(path, LOCKED, LOCKED).connect, path=path)
    try:
        store.put(incident(1))
        told = await asyncio.gather(*(store.commit() for _ in range(5)), return_exceptions=True)
        assert all(isinstance(one, StoreUnavailable) for one in told)
    finally:
        await store.close()


async def test_one_who_gives_up_waiting_does_not_stop_the_transaction_of_the_others(path: Path) -> None:
    gate = threading.Event()
    disk = Disk(path)

    def slow() -> sqlite3.Connection:
        gate.wait(5)
        return disk.connect()

    store = SqliteStore(slow, path=path)
    try:
        store.put(incident(1))
        impatient, patient = asyncio.create_task(store.commit()), asyncio.create_task(store.commit())
        for _ in range(5):
            await asyncio.get_running_loop().run_in_executor(None, int)
        impatient.cancel()
        gate.set()
        await patient
        assert incidents(path) == [1]
    finally:
        gate.set()
        await store.close()


async def test_a_dead_disk_never_eats_the_memory(path: Path) -> None:
    store = SqliteStore(Disk(path, *[LOCKED] * 50).connect, path=path, limit=100)
    try:
        for number in range(1, 41):
            store.put(incident(number))
            for at in range(10):
                store.put(Rollup("a", number * 10 + at, 1, 0, 0, 0))
            with pytest.raises(StoreUnavailable):
                await store.commit()
        assert store.dropped > 0
        for _ in range(20):
            try:
                await store.commit()
            except StoreUnavailable:
                continue
        assert incidents(path) == list(range(1, 41)), "roll-ups were given up first"
    finally:
        await store.close()


async def test_a_record_that_can_never_be_saved_is_told_and_forgotten(path: Path) -> None:
    store = SqliteStore.open(path)
    try:
        store.put(incident(1))
        store.put(incident(2**70))
        with pytest.raises(StoreUnavailable, match="could not be saved: Incident"):
            await store.commit()
        assert incidents(path) == [1]
        store.put(incident(2))
        await store.commit()
        assert store.healthy
    finally:
        await store.close()


async def test_closing_writes_what_is_left_and_ends_the_thread(path: Path) -> None:
    store = SqliteStore.open(path)
    store.put(incident(1))
    await store.close()
    await store.close()
    assert incidents(path) == [1]
    assert [file.name for file in path.parent.iterdir()] == ["state.db"], "the log is folded in"
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.commit()
    for thread in threading.enumerate():
        if thread.name.startswith("store"):
            thread.join(5)
            assert not thread.is_alive()


async def test_closing_on_a_dead_disk_does_not_raise(path: Path) -> None:
    store = SqliteStore(Disk(path, LOCKED).connect, path=path)
    store.put(incident(1))
    await store.close()
    assert "locked" in store.trouble


def test_inline_no_thread_and_no_loop_is_needed() -> None:
    store = SqliteStore.open(":memory:", inline=True)
    store.put(incident(1))
    before = threading.active_count()
    step = store.commit()
    with pytest.raises(StopIteration):
        step.send(None)
    assert threading.active_count() == before
    assert [one.id for one in store.reader().incidents()] == [1]
    with pytest.raises(StopIteration):
        store.close().send(None)


async def test_pruning_goes_on_until_nothing_old_is_left(path: Path) -> None:
    store = SqliteStore.open(path)
    try:
        for number in range(2500):
            store.put(Rollup("a", number, 1, 0, 0, 0))
        store.put(Rollup("a", int(T), 1, 0, 0, 0))
        await store.commit()
        assert await store.prune(T, keep=3600) == 2500
        with store.reader() as reader:
            assert len(reader.rollups()) == 1
    finally:
        await store.close()
