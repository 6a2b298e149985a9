"""Telegram is away while much goes wrong and the daemon is killed: nothing is lost, nothing is said twice, no token is seen."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bot_api import NO_WAY, TOKEN, Telegram, served
from tests.stories.harness import CLOCK, Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(240)]

CHATS = (1, 2)
STAYS, RECOVERS = [f"stays-{n}" for n in range(8)], [f"comes-back-{n}" for n in range(14)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Town]:
    with town(tmp_path / "town") as made:
        yield made


class Doors:
    """Services of which only a port is watched; nobody but a person can mend them."""

    def __init__(self, here: Town, names: list[str]) -> None:
        self.open: dict[str, socket.socket] = {}
        self.ports: dict[str, int] = {}
        for name in names:
            self.let(name)
            here.services[name] = {"probe": {"tcp": f"127.0.0.1:{self.ports[name]}"}}

    def let(self, name: str) -> None:
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(("127.0.0.1", self.ports.get(name, 0)))
        door.listen(512)
        self.open[name], self.ports[name] = door, door.getsockname()[1]

    def shut(self, *names: str) -> None:
        for name in names or tuple(self.open):
            self.open.pop(name).close()


def configured(here: Town, url: str) -> None:
    here.folder.mkdir(exist_ok=True)
    (here.folder / "token").write_text(TOKEN + "\n")
    (here.folder / "token").chmod(0o600)
    here.more = {"alerts": {"telegram": {"token": {"file": "token"}, "chats": list(CHATS), "api": url}}}
    here.guards |= {"storm": {"share": "100%", "at_least": 1000, "or": 1000, "within": "60s"}}


def waiting(here: Town) -> int:
    return here.count("SELECT count(*) FROM outbox WHERE state = 'waiting'")


def closed(here: Town) -> int:
    return here.count("SELECT count(*) FROM incidents WHERE stage = 'closed' AND confirmed_at IS NOT NULL")


def seen_everywhere(here: Town, telegram: Telegram) -> str:
    """All that leaves the daemon: log, store, answers of the command line, messages."""
    files = [path.read_bytes() for path in (*here.folder.glob("daemon-*.log"), *here.state.glob("state.db*"))]
    said = [here.text(*words, code=None) for words in (("outbox",), ("outbox", "-o", "json"), ("status",), ("notify", "test"))]
    return "\n".join([*(each.decode("utf-8", "replace") for each in files), *said, *telegram.seen()])


def test_an_outage_with_two_deaths_of_the_daemon_loses_nothing_and_repeats_nothing(here: Town) -> None:
    telegram = Telegram(CLOCK.monotonic, chats=CHATS)
    with served(telegram) as url:
        configured(here, url)
        doors = Doors(here, [*STAYS, *RECOVERS])
        here.start()
        here.until(here.ok, 20, "everybody is well")
        telegram.always = NO_WAY
        doors.shut()
        here.until(lambda: waiting(here) >= 2 * 22, 30, "everything waits")
        here.kill()
        here.start()
        for name in RECOVERS:
            doors.let(name)
        here.until(lambda: closed(here) >= len(RECOVERS), 30, "some are well again")
        here.kill()
        here.start()
        pause(2)
        telegram.always = None
        here.until(lambda: waiting(here) == 0, 120, "everything was delivered")
        pause(3)
        order = [row["service"] for row in here.rows("SELECT service FROM notices WHERE kind = 'new' ORDER BY id")]
        for chat in CHATS:
            told = telegram.seen(chat)
            assert len(told) == len(STAYS) + 1, told
            assert [text.split(" needs you")[0] for text in told[:-1]] == [f"🔴 {name}" for name in order if name in STAYS]
            assert all(told[-1].count(f"{name} is back") == 1 for name in RECOVERS)
        assert here.count("SELECT count(*) FROM notices WHERE delivered_at IS NULL") == 0
        before = len(telegram.messages)
        here.kill()
        here.start()
        pause(4)
        assert len(telegram.messages) == before, "a restart repeats none"
        assert TOKEN not in seen_everywhere(here, telegram)
        assert TOKEN.split(":")[1] not in seen_everywhere(here, telegram)
        doors.shut()


def test_a_token_stays_out_of_the_log_when_everything_goes_wrong(here: Town) -> None:
    telegram = Telegram(CLOCK.monotonic, chats=CHATS, token="1:another")
    with served(telegram) as url:
        configured(here, url)
        doors = Doors(here, ["a", "b", "c", "d"])
        here.start()
        here.until(here.ok, 20, "everybody is well")
        doors.shut()
        here.until(lambda: waiting(here) >= 8, 20, "everything waits")
        here.until(lambda: "401" in here.text("outbox"), 20, "it says why")
        assert TOKEN.split(":")[1] not in seen_everywhere(here, telegram)
