"""The small bot: well, waiting for what it needs, ill on order. A real process where the illness is one of a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from watchdog.clock import Clock
from watchdog.demo import bot as program
from watchdog.demo.bot import RECONNECT, Bot, Need, asks
from watchdog.demo.ports import Ports


@pytest.fixture
def ports() -> Iterator[Ports]:
    kept = Ports(["it"])
    yield kept
    kept.close()


def body(bot: Bot) -> tuple[int, str, str]:
    head, _, text = bot.answer().partition(b"\r\n\r\n")
    said = json.loads(text)
    return int(head.split()[1]), said["status"], said["message"]


def need(*well: bool | None) -> Need:
    answers = list(well)
    return Need("postgres", 1, lambda _port: answers.pop(0))


def test_it_is_starting_until_what_it_needs_was_met(tmp_path: Path) -> None:
    needed = need(False, True)
    bot = Bot(tmp_path, "a", 1, [needed])
    needed.look(0)
    assert body(bot) == (503, "starting", "no connection to postgres yet")
    needed.look(1)
    assert body(bot) == (200, "ok", "")


def test_it_is_critical_when_it_lost_it_and_needs_time_to_come_back(tmp_path: Path) -> None:
    needed = need(True, False, None, True, True)
    bot = Bot(tmp_path, "a", 1, [needed])
    needed.look(0)
    needed.look(1)
    assert body(bot) == (503, "critical", "lost postgres")
    needed.look(2)
    assert body(bot)[1] == "critical", "no answer in time changes nothing"
    needed.look(10)
    assert body(bot) == (503, "critical", "reconnecting to postgres")
    needed.look(10 + RECONNECT)
    assert body(bot)[1] == "ok"


def test_an_old_price_list_is_degraded_until_it_reads_anew(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "a").write_text("stale")
    bot = Bot(tmp_path, "a", 1, [])
    assert body(bot)[:2] == (200, "degraded")
    bot.read_anew()
    assert body(bot)[:2] == (200, "ok")


async def until_well(port: int) -> None:
    for _ in range(200):
        if asks(port):
            return
        await Clock().sleep(0.02)
    raise AssertionError("the bot does not answer")


async def test_a_real_one_counts_its_start_answers_and_hangs_for_good(tmp_path: Path, ports: Ports) -> None:
    for name in ("orders", "starts"):
        (tmp_path / name).mkdir()
    port = ports.numbers["it"]
    words = [f"folder={tmp_path}", "name=it", f"port={port}"]
    process = subprocess.Popen([sys.executable, "-I", "-S", program.__file__, *words], stderr=subprocess.DEVNULL)
    try:
        await until_well(port)
        assert (tmp_path / "starts" / "it.starts").read_text().split()[0] == str(process.pid)
        (tmp_path / "orders" / "it").write_text("hang")
        while (tmp_path / "orders" / "it").exists():
            await Clock().sleep(0.02)
        await Clock().sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert asks(port) is None, "it takes the connection and says nothing"
        assert process.poll() is None, "it ignores SIGTERM"
    finally:
        process.kill()
        process.wait()
