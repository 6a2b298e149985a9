"""What the daemon remembers is lost, or a host has booted: no bot runs twice, none stays dead, and a person is told."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.stories.harness import Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Town]:
    with town(tmp_path / "town") as made:
        yield made


def lose(here: Town) -> None:
    """The file, and what bots noted of signals that only its rows can explain."""
    for file in here.state.glob("state.db*"):
        file.unlink()
    for file in here.folder.glob("logs/*.jsonl"):
        file.unlink()


def at_rest(here: Town) -> bool:
    """Everybody is well and no run is open."""
    return here.ok() and here.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0


def forget_boot(here: Town) -> None:
    """As after a boot of the host: another boot id, and every bot is gone."""
    with closing(sqlite3.connect(here.db)) as conn, conn:
        (boot,) = conn.execute("SELECT value FROM meta WHERE key = 'boot_id'").fetchone()
        conn.execute("UPDATE meta SET value = 'an earlier boot' WHERE key = 'boot_id'")
        conn.execute("UPDATE services SET doc = replace(doc, ?, 'an earlier boot')", (boot,))
    for name in here.services:
        os.kill(here.pid(name), signal.SIGKILL)


def test_a_store_that_is_gone_at_the_start_starts_nothing_twice_and_leaves_nothing_dead(here: Town) -> None:
    for name in ("hung", "dead", "well"):
        here.bot(name, "stubborn")
    here.start()
    here.until(here.ok, 20, "everybody is well")
    here.mood("hung", "hang")
    here.until(lambda: here.runs("hung") != [], 20, "a run has begun")
    here.kill()
    os.kill(here.pid("dead"), signal.SIGKILL)
    lose(here)
    here.start()
    here.until(lambda: here.ok() and len(here.starts("dead")) == 2, 30, "everybody is well")
    here.until(lambda: len(here.starts("hung")) == 2, 20, "the hung one was restarted")
    here.until(here.ok, 20, "everybody is well")
    assert {name: len(here.starts(name)) for name in here.services} == {"hung": 2, "dead": 2, "well": 1}
    assert here.breaches(own_starts={"well": 1, "hung": 1, "dead": 1}) == []


def test_a_store_that_vanishes_under_the_daemon_is_begun_anew_and_told(here: Town) -> None:
    here.bot("hung", "stubborn")
    here.bot("well")
    here.start()
    here.until(here.ok, 20, "everybody is well")
    lose(here)
    here.mood("hung", "hang")
    here.until(lambda: here.healed("hung"), 30, "it is healed and written down")
    pause(2)
    assert {name: len(here.starts(name)) for name in here.services} == {"hung": 2, "well": 1}
    assert here.breaches(own_starts={"well": 1, "hung": 1}) == []
    told = here.rows("SELECT * FROM notices WHERE tier = 'critical'")
    assert len(told) == 1, [notice["text"] for notice in told]


def test_a_store_of_garbage_is_put_aside_and_told(here: Town) -> None:
    here.bot("well")
    here.start()
    here.until(here.ok, 20, "everybody is well")
    here.kill()
    lose(here)
    here.db.write_bytes(b"garbage" * 1000)
    here.start()
    here.until(here.ok, 20, "everybody is well")
    here.until(lambda: here.count("SELECT count(*) FROM notices WHERE tier = 'critical'") == 1, 5, "one critical message")
    assert len(here.starts("well")) == 1
    assert any(b"garbage" in file.read_bytes() for file in here.state.iterdir() if file.is_file() and file != here.db)


def test_after_a_boot_of_the_host_bots_are_brought_up_in_the_order_of_the_graph(here: Town) -> None:
    here.bot("db", "boots=1")
    here.bot("backend", needs="db")
    here.bot("worker", needs="backend")
    here.bot("other")
    here.start()
    here.until(lambda: at_rest(here), 20, "everybody is well")
    here.kill()
    forget_boot(here)
    here.start()
    here.until(lambda: at_rest(here) and len(here.starts("worker")) == 2, 20, "everybody is well")
    assert all(len(here.starts(name)) == 2 for name in here.services)
    order = sorted(("db", "backend", "worker"), key=lambda name: here.starts(name)[-1].at)
    assert order == ["db", "backend", "worker"]
    assert here.rows("SELECT * FROM incidents WHERE confirmed_at IS NOT NULL") == []
    assert here.count("SELECT count(*) FROM runs WHERE playbook = 'bring-up' AND charged") == 8
    assert here.breaches() == []


def test_a_daemon_that_dies_while_it_brings_up_a_host_after_its_boot_goes_on_with_it(here: Town) -> None:
    names = [f"bot-{number}" for number in range(24)]
    for name in names:
        here.bot(name, "boots=0.5")
    here.start()
    here.until(lambda: at_rest(here), 40, "everybody is well")
    here.kill()
    forget_boot(here)
    here.start(ready=False)
    here.until(lambda: sum(len(here.starts(name)) for name in names) >= 28, 20, "some are up")
    here.kill()
    here.start(ready=False)
    here.until(lambda: all(len(here.starts(name)) == 2 and alive(here.pid(name)) for name in names), 40, "everybody is up")
    here.until(here.ok, 20, "everybody is well")
    assert here.rows("SELECT * FROM incidents WHERE confirmed_at IS NOT NULL") == []
    assert here.breaches() == []
