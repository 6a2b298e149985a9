import asyncio
import os
import signal
import subprocess

import pytest

from recovery.adapters import procfs
from recovery.adapters.processes import ProcessTable, Row, Snapshot, hold
from recovery.adapters.procfs import Identity, Marker, Stat
from recovery.errors import StepImpossible
from watchdog.clock import Clock

BOOT = "b00t"
OWNER = ("scraper", "/state")


def row(pid: int, parent: int = 1, *, group: int = 0, session: int = 0, state: str = "S", marker: Marker | None = None) -> Row:
    return Row(Stat(pid, "bot", state, parent, group or pid, session or pid, 1, 1000 + pid, 0), marker)


def snapshot(*rows: Row) -> Snapshot:
    return Snapshot({one.stat.pid: one for one in rows}, BOOT)


def tree(of: Snapshot, *roots: int, numbers: set[int] | None = None) -> set[int]:
    return {one.stat.pid for one in of.tree([of.rows[pid] for pid in roots], OWNER, set() if numbers is None else numbers)}


def mine(pid: int = 500) -> Marker:
    return Marker(*OWNER, pid)


def test_a_tree_is_children_sessions_and_groups_transitively() -> None:
    host = snapshot(
        row(500),
        row(501, 500, group=500, session=500),
        row(502, 501),  # a session of its own
        row(503, 1, group=502, session=502),  # its orphan
        row(504, 1, group=504, session=500),  # an orphan in the bot's session
        row(600),
        row(601, 600, group=600, session=600),
    )
    assert tree(host, 500) == {500, 501, 502, 503, 504}


def test_a_session_number_is_good_after_its_leader_only_while_a_member_bears_it() -> None:
    numbers: set[int] = set()
    child, orphan = row(501, 500, group=500, session=500), row(504, 1, group=500, session=500)
    tree(snapshot(row(500), child), 500, numbers=numbers)
    assert tree(snapshot(row(501, 1, group=500, session=500), orphan), 501, numbers=numbers) == {501, 504}
    # the number went to a stranger's session; a member that has one of its own leads nowhere
    assert tree(snapshot(row(501, 1), orphan), 501, numbers=numbers) == {501}


def test_the_shell_of_a_person_who_started_the_bot_is_not_its_tree() -> None:
    host = snapshot(row(400), row(500, 400, group=500, session=400), row(501, 400, group=501, session=400))
    assert tree(host, 500) == {500}


def test_what_must_never_be_signalled_is_no_part_of_any_tree() -> None:
    me, parent = os.getpid(), os.getppid()
    kernel = Row(Stat(7, "kthread", "S", 2, 0, 0, 1, 5, 0), mine())
    other = row(502, 500, marker=Marker("database", "/state", 502))
    host = snapshot(row(1, 0), row(parent), row(me, parent, marker=mine()), kernel, row(500), other, row(503, 502))
    assert tree(host, 500, 1, me, parent, 7) == {500}


def test_a_zombie_leader_still_names_its_session() -> None:
    host = snapshot(row(500, state="Z"), row(501, 1, group=500, session=500))
    assert tree(host, 500) == {500, 501}


def test_an_identity_names_one_row_or_none() -> None:
    host = snapshot(row(500))
    assert host.row(Identity(500, 1500, BOOT)) is not None
    assert host.row(Identity(500, 1499, BOOT)) is None
    assert host.row(Identity(500, 1500, "other boot")) is None


def test_only_the_process_of_that_start_and_boot_is_taken_in_hand() -> None:
    boot = procfs.boot_id()
    with subprocess.Popen(["/bin/sleep", "30"]) as process:
        stat = procfs.read_stat(process.pid)
        assert stat is not None
        right = Identity(process.pid, stat.start_ticks, boot)
        assert hold(Identity(process.pid, stat.start_ticks - 1, boot), boot) is None
        assert hold(Identity(process.pid, stat.start_ticks, "other boot"), boot) is None
        held = hold(right, boot)
        assert held is not None
        with held:
            assert not held.dead
            held.signal(signal.SIGKILL)
            assert os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT) is not None
            assert all([held.dead])  # a zombie, not reaped yet
            assert hold(right, boot) is None
            process.wait()
            held.signal(signal.SIGKILL)  # gone: no error, and nobody else can be hit


async def test_one_scan_serves_all_who_look_within_a_second() -> None:
    table = ProcessTable(Clock())
    first, *others = await asyncio.gather(*(table.snapshot() for _ in range(500)))
    assert all(other is first for other in others)
    assert await table.snapshot(max_age=0) is not first


async def test_a_scan_lets_the_loop_go_on_and_finds_a_marker() -> None:
    table = ProcessTable(Clock())
    env = {"BOT_WATCHDOG_SERVICE": "scraper", "BOT_WATCHDOG_STATE": "/state", "BOT_WATCHDOG_PID": "1"}
    with subprocess.Popen(["/bin/sleep", "30"], env=env) as process:
        seen = await table.snapshot()
        while not seen.carriers("scraper", "/state"):  # the exec is not quite done
            seen = await table.snapshot(0)
        assert [one.stat.pid for one in seen.carriers("scraper", "/state")] == [process.pid]
        assert seen.carriers("scraper", "/other") == []
        process.kill()


def test_an_orphan_without_the_marker_is_found_by_one_with_it_in_the_session_of_the_dead_bot() -> None:
    marked, unmarked = row(501, 1, group=500, session=500, marker=mine()), row(502, 1, group=500, session=500)
    assert tree(snapshot(marked, unmarked), 501) == {501, 502}
    elsewhere = row(501, 1, group=499, session=499, marker=mine())
    assert tree(snapshot(elsewhere, row(502, 1, group=499, session=499)), 501) == {501}


async def test_children_that_nobody_collects_are_counted() -> None:
    parent = subprocess.Popen(["sh", "-c", "for each in 1 2 3; do true & done; exec sleep 60"])
    try:
        table, clock = ProcessTable(Clock()), Clock()
        for _ in range(100):
            count = (await table.snapshot(0)).uncollected([parent.pid])
            if count == 3:
                break
            await clock.sleep(0.02)
        assert count == 3
    finally:
        parent.kill()
        parent.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_f34_a_process_that_we_may_not_signal_is_said_and_never_tried_again() -> None:
    """Typed as impossible: the step is over, and a person is asked (SPEC 6)."""
    with subprocess.Popen(["sleep", "60"]) as bot:
        try:
            stat = procfs.read_stat(bot.pid)
            assert stat is not None
            held = hold(Identity(bot.pid, stat.start_ticks, procfs.boot_id()), procfs.boot_id())
            assert held is not None
            child = os.fork()
            if child == 0:  # the permission of whoever sends counts, not of whoever opened the descriptor
                code = 1
                try:
                    os.setgroups([])
                    os.setuid(54321)
                    held.signal(signal.SIGTERM)
                except StepImpossible as error:
                    code = 0 if str(error) == f"not permitted to signal pid {bot.pid} (sleep)" else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert bot.poll() is None
            held.close()
        finally:
            bot.kill()
