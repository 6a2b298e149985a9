"""The daemon around the core: readiness, its ping to systemd (F09), reloads (F30), and what it says at a bad start."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes.watched import BlockingClock, Home, at_home, listening, until
from watchdog.clock import Clock
from watchdog.daemon import BAD_START, Daemon, serve
from watchdog.decisions.fleet import Fleet
from watchdog.errors import ConfigurationError, Refused, StartError, WatchdogError
from watchdog.lock import InstanceLock
from watchdog.model.service import State

PERIOD = 0.25
"""Seconds within which this systemd wants to hear of the daemon."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    with at_home(tmp_path) as found:
        monkeypatch.setenv("NOTIFY_SOCKET", str(found.ear.path))
        monkeypatch.setenv("WATCHDOG_USEC", str(int(PERIOD * 1_000_000)))
        yield found


@asynccontextmanager
async def alive(home: Home, clock: Clock | None = None) -> AsyncIterator[Daemon]:
    """A daemon that is ready."""
    daemon = Daemon(home.config, clock or Clock())
    life = asyncio.create_task(heard(home, daemon))
    try:
        await until(lambda: home.ear.has("READY=1") or life.done())
        if life.done():
            life.result()
        yield daemon
        assert not life.done()
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)


async def heard(home: Home, daemon: Daemon) -> int:
    """Its log goes to stderr, which is ours while it lives."""
    with redirect_stderr(home.log):
        return await daemon.run()


def bot(port: int, name: str = "bot") -> str:
    return f'  {name}: {{probe: {{tcp: "127.0.0.1:{port}"}}, interval: 200ms, timeout: 100ms}}\n'


async def test_it_is_ready_after_its_first_round_pings_and_tells_its_state_in_one_line(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            await until(lambda: len(home.ear.pings()) >= 3)
            assert home.ear.status() == "1/1 ok, 0 being healed"
            assert (await home.ask("status"))["services"][0]["state"] == "ok"
            gaps = [b - a for a, b in zip(home.ear.pings(), home.ear.pings()[1:], strict=False)]
            assert max(gaps) < PERIOD
        assert home.events("stopped")


async def test_f09_while_the_loop_is_blocked_no_ping_goes_out(home: Home) -> None:
    clock = BlockingClock()
    async with listening() as port:
        home.write(bot(port))
        async with alive(home, clock):
            await until(lambda: len(home.ear.pings()) >= 2)
            clock.block = 3 * PERIOD
            await until(lambda: bool(clock.blocked))
            began, over = clock.blocked[0]
            await until(lambda: bool(home.ear.pings(over)))
            assert [at for at in home.ear.pings() if began + 0.02 < at < over] == []
            assert over - began >= 3 * PERIOD


async def test_f09_a_core_loop_that_does_not_beat_costs_the_ping_though_everything_else_lives(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home) as daemon:
            await until(lambda: len(home.ear.pings()) >= 2)
            fleet = daemon._app.fleet
            fleet.cards["poison"] = poison()
            fleet.rouse(fleet.cards["poison"])
            stirring = asyncio.create_task(stir(fleet))
            await until(lambda: "the core loop is late" in home.ear.status())
            quiet = Clock().monotonic()
            assert (await home.ask("ping")) == {"text": "here"}
            await asyncio.sleep(2 * PERIOD)
            assert home.ear.pings(quiet) == []
            stirring.cancel()
            del fleet.cards["poison"]
            fleet.let_sleep("poison")
            await until(lambda: bool(home.ear.pings(quiet)))
            assert home.events("loop_failed")


async def stir(fleet: Fleet) -> None:
    """Every tick of the core loop looks at everything."""
    while True:
        fleet.stir.set()
        await asyncio.sleep(0.01)


def poison() -> Any:
    """A card that nobody can look at: every look of the core loop fails."""

    return SimpleNamespace(name="poison", active=None, history=SimpleNamespace(state=State.OK), busy=True, haste=0.0)


BROKEN = {
    "not yaml": "services: [",
    "empty": "",
    "half written": "services:\n  bot: {probe: {tcp: ",
    "unknown key": "servces: {}\n",
    "binary": "\x00\x01\x02",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
async def test_f30_a_reload_to_a_bad_file_changes_nothing_and_says_so_once(home: Home, text: str) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            home.config.write_text(text)
            for _ in range(3):
                with pytest.raises(Refused, match="the old configuration stays in force"):
                    await home.ask("reload")
            status = await home.ask("status")
            assert status["daemon"]["config"]["errors"]
            assert [service["name"] for service in status["services"]] == ["bot"]
            await until(lambda: bool(home.events("notice")))
            pages = await home.pages()
            assert len(pages) == 1
            assert "the old one stays in force" in pages[0]
            home.write(bot(port) + bot(port, "another"))
            assert (await home.ask("reload"))["text"] == "reloaded: added another"
            assert (await home.ask("status"))["daemon"]["config"]["errors"] == []
            assert home.ear.has("RELOADING=1")


async def test_f30_a_file_that_is_gone_changes_nothing_either(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            home.config.unlink()
            with pytest.raises(Refused, match="the old configuration stays in force"):
                await home.ask("reload")
            assert len((await home.ask("status"))["services"]) == 1


async def test_f30_a_storm_of_hangups_loads_one_after_the_other_and_ends_with_the_last_file(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            for number in range(10):
                home.write("".join(bot(port, f"bot-{n}") for n in range(number + 1)))
                signal.raise_signal(signal.SIGHUP)
                await asyncio.sleep(0.005)
            await until(lambda: len(home.events("reloaded")) >= 1)
            await asyncio.sleep(0.2)
            signal.raise_signal(signal.SIGHUP)
            count = len(home.events("reloaded"))
            await until(lambda: len(home.events("reloaded")) > count)
            assert len((await home.ask("status"))["services"]) == 10


SLOW = "name: slow\nsummary: takes its time\nsteps: [{run_command: {name: slow}}]\nverify: {}\n"


async def test_f30_two_reloads_at_once_come_one_after_the_other(home: Home) -> None:
    """The first waits for the safe point of a run; the second must not find what the first is about to remove."""
    async with listening() as port:
        runs = (
            f'  runs: {{probe: {{tcp: "127.0.0.1:{port}"}}, '
            f"runtime: {{process: {{start: [sleep, '20'], pidfile: {home.folder / 'pid'}}}}}}}\n"
        )
        commands = 'commands: {slow: {argv: [sleep, "0.4"]}}\n'
        (home.folder / "playbooks").mkdir()
        (home.folder / "playbooks" / "slow.yaml").write_text(SLOW)
        home.write(bot(port) + runs, commands)
        with subprocess.Popen(["sleep", "20"]) as process:
            (home.folder / "pid").write_text(f"{process.pid}\n")
            try:
                async with alive(home):
                    await home.ask("recover", service="runs", playbook="slow")
                    home.write(bot(port), commands)
                    answers = await asyncio.gather(home.ask("reload"), home.ask("reload"))
                    assert sorted(answer["text"] for answer in answers) == [
                        "reloaded: nothing changed",
                        "reloaded: removed runs (it keeps running)",
                    ]
                    assert process.poll() is None
            finally:
                process.kill()


async def test_where_the_store_and_the_socket_lie_cannot_change_by_a_reload(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            text = home.config.read_text()
            home.config.write_text(text.replace(str(home.state), str(home.folder / "elsewhere")))
            with pytest.raises(Refused, match=r"state\.dir and control\.socket cannot change"):
                await home.ask("reload")


async def test_a_bad_playbook_is_refused_alone_and_told(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        folder = home.folder / "playbooks"
        folder.mkdir()
        (folder / "odd.yaml").write_text("name: odd\nsteps: [{dance: {}}]\n")
        async with alive(home):
            await until(lambda: bool(home.events("notice")))
            (page,) = await home.pages()
            assert "errors in playbooks, these are not used" in page
            assert home.events("playbook_refused")
            assert (await home.ask("status"))["daemon"]["playbooks"]


@pytest.mark.parametrize("left", [b"", b"garbage" * 1000], ids=["empty", "garbage"])
async def test_f04_an_unusable_store_is_put_aside_told_once_and_watching_goes_on(home: Home, left: bytes) -> None:
    async with listening() as port:
        home.write(bot(port))
        home.state.mkdir()
        (home.state / "state.db").write_bytes(left)
        async with alive(home):
            await until(lambda: bool(home.events("notice")))
            (page,) = await home.pages()
            assert "The watchdog lost its memory" in page
            assert [path for path in home.state.iterdir() if ".aside-" in path.name]
            assert (await home.ask("status"))["services"][0]["state"] == "ok"


async def test_f40_sigterm_ends_it_gracefully_and_a_second_one_too(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        daemon = Daemon(home.config, Clock())
        life = asyncio.create_task(heard(home, daemon))
        await until(lambda: home.ear.has("READY=1"))
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL, "it would be the end of the tests"
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert await asyncio.wait_for(life, 5) == 0
        assert home.ear.has("STOPPING=1")
        assert not home.client.path.exists()


@pytest.mark.timeout(10)
async def test_f31_a_second_daemon_on_the_same_state_does_nothing(home: Home) -> None:
    async with listening() as port:
        home.write(bot(port))
        async with alive(home):
            with pytest.raises(StartError, match="already runs"):
                await Daemon(home.config, Clock()).run()
            assert (await home.ask("ping")) == {"text": "here"}


def test_a_configuration_error_ends_with_78_and_every_problem_on_stderr(home: Home) -> None:
    home.config.write_text("services: {bot: {probe: {tcp: nowhere}}}\nmode: sleep\n")
    with redirect_stderr(home.log):
        assert serve(home.config) == BAD_START
    assert "mode" in home.log.getvalue()
    assert "bot.probe.tcp" in home.log.getvalue()


@pytest.mark.timeout(10)
def test_a_second_daemon_ends_with_78(home: Home) -> None:
    home.write(bot(1))
    home.state.mkdir()
    with InstanceLock(home.state, 1), redirect_stderr(home.log):
        assert serve(home.config) == BAD_START
    assert "already runs" in home.log.getvalue()


def test_both_are_errors_that_a_person_must_mend() -> None:
    assert issubclass(ConfigurationError, WatchdogError)
    assert issubclass(StartError, WatchdogError)
