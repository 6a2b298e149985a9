"""A call that hangs costs its own lane and nothing else."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from recovery.adapters.lanes import Lanes, LaneTaken, Overdue, in_thread


async def test_a_lane_whose_call_hangs_refuses_at_once_until_that_call_is_back_and_others_go_on() -> None:
    lanes, hang = Lanes("Docker"), threading.Event()
    with pytest.raises(Overdue, match=r"Docker gave no answer about scraper within 100 ms"):
        await lanes.run("scraper", 0.1, hang.wait)
    began = time.monotonic()
    with pytest.raises(LaneTaken, match="an earlier call to Docker about scraper hangs"):
        await lanes.run("scraper", 5, lambda: 1)
    assert time.monotonic() - began < 0.5
    assert await lanes.run("database", 5, lambda: 2) == 2
    hang.set()
    await asyncio.sleep(0.05)
    assert await lanes.run("scraper", 5, lambda: 3) == 3


async def test_calls_of_one_lane_come_one_after_the_other_and_of_two_lanes_side_by_side() -> None:
    lanes, busy, most = Lanes("Docker"), [0], [0]

    def work() -> None:
        busy[0] += 1
        most[0] = max(most[0], busy[0])
        time.sleep(0.02)
        busy[0] -= 1

    await asyncio.gather(*(lanes.run("scraper", 5, work) for _ in range(5)))
    assert most == [1]
    meet = threading.Barrier(2, timeout=5)
    await asyncio.gather(lanes.run("a", 5, meet.wait), lanes.run("b", 5, meet.wait))


async def test_who_waits_behind_a_call_that_turns_out_to_hang_is_told_so() -> None:
    lanes, hang = Lanes("Docker"), threading.Event()
    first = asyncio.ensure_future(lanes.run("scraper", 0.1, hang.wait))
    await asyncio.sleep(0)
    with pytest.raises(LaneTaken, match="hangs"):
        await lanes.run("scraper", 5, lambda: 1)
    with pytest.raises(Overdue):
        await first
    hang.set()


async def test_the_call_of_somebody_who_gave_up_is_waited_for_and_not_taken_for_hung() -> None:
    lanes, go = Lanes("Docker"), threading.Event()
    first = asyncio.ensure_future(lanes.run("scraper", 5, go.wait))
    await asyncio.sleep(0.02)
    first.cancel()
    second = asyncio.ensure_future(lanes.run("scraper", 5, lambda: "mine"))
    await asyncio.sleep(0.05)
    assert not second.done()
    go.set()
    assert await second == "mine"


async def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(KeyError):
        await Lanes("Docker").run("scraper", 5, lambda: {"y": 1}["x"])


async def test_a_lane_at_rest_is_forgotten() -> None:
    lanes = Lanes("Docker")
    for number in range(50):
        await lanes.run(f"bot {number}", 5, lambda: None)
    assert lanes._lanes == {}


def test_a_thread_that_outlives_the_loop_harms_nobody() -> None:
    go = threading.Event()

    async def film() -> None:
        in_thread(go.wait, "late")

    asyncio.run(film())
    go.set()
    while any(thread.name == "late" for thread in threading.enumerate()):
        time.sleep(0.01)
