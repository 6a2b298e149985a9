"""The daemon is killed at one write after the other of a recovery with alerts: nothing is lost, nothing is said three times.

F01, F02 and I1 to I8 with people in the picture. strace counts the writes of the store; whoever was not killed has ended the
story before it, and then there is no later write to kill at.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.bot_api import TOKEN, Telegram, served
from tests.fakes.tools import need
from tests.stories.harness import CLOCK, Town, town
from tests.stories.test_live_telegram import Doors, configured, waiting

pytestmark = [pytest.mark.sweep, pytest.mark.timeout(900)]

STEP = 7
"""Writes between two deaths; a prime, so that all places of a commit, which makes several, have their turn."""

AT_ONCE = 6
FARTHEST = 800
"""More writes than the story ever makes."""


@dataclass
class Tale:
    """One town, its doors and its people."""

    here: Town
    doors: Doors
    telegram: Telegram
    write: int
    died: bool = False

    def gone(self) -> bool:
        daemon = self.here.daemon
        return daemon is not None and daemon.poll() is not None

    def born_again(self) -> None:
        """The next life, when this one was killed; nobody kills that one."""
        if self.gone():
            self.died = True
            assert self.here.daemon is not None
            assert self.here.daemon.wait() in (-signal.SIGKILL, 128 + signal.SIGKILL), self.here.report()
            self.here.daemon = None
            self.here.start(ready=False)

    def over(self) -> bool:
        """The bot is healed, the door has been told of to everybody."""
        return self.here.healed("hung") and waiting(self.here) == 0 and self.pages(1) > 0 and self.pages(2) > 0

    def pages(self, chat: int) -> int:
        return sum(1 for text in self.telegram.seen(chat) if text.startswith("🔴 door needs you"))


@contextmanager
def tale(folder: Path, write: int) -> Iterator[Tale]:
    telegram = Telegram(CLOCK.monotonic, chats=(1, 2))
    with served(telegram) as url, town(folder) as here:
        configured(here, url)
        here.bot("hung", "stubborn")
        doors = Doors(here, ["door"])
        try:
            yield Tale(here, doors, telegram, write)
        finally:
            doors.shut()


def strike(tales: list[Tale]) -> None:
    for each in tales:
        fault = f"inject=pwrite64:signal=KILL:when={each.write}"
        # -b: the bots are let go, so that strace ends with the daemon
        traced = ("strace", "-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", fault)
        each.here.start(ready=False, argv=traced)
    for each in tales:
        each.here.until(lambda: each.gone() or each.here.ok(), 60, "everybody is well, or it died")  # noqa: B023 - asked at once
        each.born_again()
        each.here.until(each.here.ok, 60, "everybody is well")
        each.doors.shut()
        each.here.mood("hung", "hang")
    for each in tales:
        each.here.until(lambda: each.gone() or each.over(), 90, "the story is over, or it died")  # noqa: B023 - asked at once
        each.born_again()
    for each in tales:
        each.here.until(each.over, 90, "the story is over")
        each.here.kill()


def judge(each: Tale) -> None:
    here, why = each.here, f"killed at write {each.write}\n{each.here.report()}"
    assert len(here.starts("hung")) == 2, why
    assert here.breaches() == [], why
    assert here.count("SELECT count(*) FROM notices WHERE tier = 'critical' AND delivered_at IS NULL") == 0, why
    for chat in (1, 2):
        told = Counter(text.split("\n")[0] for text in each.telegram.seen(chat))
        assert all(count <= 1 + each.died for count in told.values()), f"{told}\n{why}"
    for file in (*here.folder.glob("daemon-*.log"), *here.state.glob("state.db*")):
        assert TOKEN.split(":")[1].encode() not in file.read_bytes(), file


def test_f01_killed_at_one_write_after_the_other_of_a_recovery_with_alerts(tmp_path: Path) -> None:
    need("strace")
    deaths = 0
    for first in range(1, FARTHEST, STEP * AT_ONCE):
        with ExitStack() as stack:
            writes = range(first, first + STEP * AT_ONCE, STEP)
            tales = [stack.enter_context(tale(tmp_path / f"at-{write}", write)) for write in writes]
            strike(tales)
            for each in tales:
                judge(each)
            deaths += sum(each.died for each in tales)
            if not any(each.died for each in tales):
                break
    else:
        pytest.fail("the sweep never came to its end")
    assert deaths >= 20
