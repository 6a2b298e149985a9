"""F26: a step that hangs, floods its output, or leaves a grandchild that keeps the pipe."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from recovery.adapters.children import Child
from recovery.adapters.commands import HALF, Command, OutsideWorld, run
from recovery.adapters.processes import ProcessTable
from recovery.breaker import Breakers
from recovery.errors import StepFailed, StepImpossible
from tests.fakes.bots import alive, zombies_of_ours
from watchdog.clock import Clock

CLOCK = Clock()


def world(**commands: tuple[str, ...]) -> OutsideWorld:
    named = {name: Command(argv) for name, argv in commands.items()}
    return OutsideWorld(named, ProcessTable(CLOCK), CLOCK, Breakers(CLOCK.monotonic))


async def finish(*argv: str, timeout: float = 5) -> str:
    return (await run(Command(argv), timeout, ProcessTable(CLOCK), CLOCK, {})).output


async def test_the_result_is_one_line_with_the_last_line_of_the_output() -> None:
    line = await world(clean=("sh", "-c", "echo begun; echo 3 files removed; echo")).run_command("clean", "scraper", 5)
    assert line.startswith("clean: done in 0.")
    assert line.endswith(" s: 3 files removed")


async def test_the_command_knows_its_service_and_nothing_of_the_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_DAEMON", "canary")
    line = await world(env=("sh", "-c", "env | grep -c . ; env | sort | tr '\\n' ' '")).run_command("env", "scraper", 5)
    assert "BOT_WATCHDOG_FOR=scraper" in line
    assert "canary" not in line


async def test_an_exit_code_or_a_signal_is_a_failed_step() -> None:
    with pytest.raises(StepFailed, match=r"^bad: exit code 3: disk is full$"):
        await world(bad=("sh", "-c", "echo disk is full >&2; exit 3")).run_command("bad", "scraper", 5)
    with pytest.raises(StepFailed, match=r"^bad: ended by signal 9$"):
        await world(bad=("sh", "-c", "kill -9 $$")).run_command("bad", "scraper", 5)


async def test_what_is_not_in_the_configuration_or_not_on_the_host_is_impossible() -> None:
    with pytest.raises(StepImpossible, match="there is no command 'other'"):
        await world().run_command("other", "scraper", 5)
    with pytest.raises(StepImpossible, match="no-such-program is not found in PATH"):
        await world(x=("no-such-program",)).run_command("x", "scraper", 5)


async def test_at_its_timeout_the_whole_tree_is_killed(tmp_path: Path) -> None:
    script = f"trap '' TERM; sleep 61 & echo $! > {tmp_path}/pid; setsid sleep 62 & echo $! >> {tmp_path}/pid; wait"
    with pytest.raises(StepFailed, match="not done after 300 ms, killed"):
        await world(x=("sh", "-c", script)).run_command("x", "scraper", 0.3)
    pids = [int(line) for line in (tmp_path / "pid").read_text().split()]
    assert len(pids) == 2
    assert [pid for pid in pids if alive(pid)] == []
    assert zombies_of_ours() == []


async def test_what_was_killed_is_reaped_when_it_returns_also_by_a_slow_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    reap = Child._reap

    def later(child: Child) -> None:
        child._loop.remove_reader(child._fd)
        child._loop.call_later(0.1, reap, child)

    monkeypatch.setattr(Child, "_reap", later)
    with pytest.raises(StepFailed, match="killed"):
        await finish("sleep", "60", timeout=0.1)
    assert zombies_of_ours() == []


async def test_cancelled_it_leaves_nothing_behind(tmp_path: Path) -> None:
    task = asyncio.ensure_future(finish("sh", "-c", f"echo $$ > {tmp_path}/pid; exec sleep 60"))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await CLOCK.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(int((tmp_path / "pid").read_text()))


async def test_a_flood_is_capped_and_does_not_starve_the_loop() -> None:
    before = os.times()
    with pytest.raises(StepFailed, match="killed"):
        await finish("yes", timeout=0.4)
    assert os.times().user - before.user < 0.3


async def test_begin_and_end_of_a_long_output_are_kept() -> None:
    output = await finish("sh", "-c", "echo first; seq 1 100000; echo last")
    assert output.startswith("first\n1\n2\n")
    assert output.endswith("100000\nlast\n")
    assert "bytes left out]" in output
    assert len(output) < 2 * HALF + 100


async def test_a_grandchild_that_keeps_the_pipe_does_not_keep_the_step(tmp_path: Path) -> None:
    began = CLOCK.monotonic()
    output = await finish("sh", "-c", f"sleep 60 & echo $! > {tmp_path}/pid; echo done")
    assert output == "done\n"
    assert CLOCK.monotonic() - began < 2
    # The program ended by itself, and what it left running on purpose is not ours to kill.
    pid = int((tmp_path / "pid").read_text())
    assert alive(pid)
    os.kill(pid, 9)


async def test_output_that_is_no_text_gives_a_line_all_the_same() -> None:
    line = await world(x=("printf", "\\377\\033[31mred\\n")).run_command("x", "scraper", 5)
    assert line.endswith("\N{REPLACEMENT CHARACTER} [31mred")


Server = Callable[[str], Awaitable[str]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """Gives a URL of a server that answers each request with the same bytes; "" keeps it waiting."""
    servers: list[asyncio.Server] = []

    async def serve(answer: str) -> str:
        async def each(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                asked = await reader.readuntil(b"\r\n\r\n")
                assert asked.startswith(b"POST /reload?key=s3cret HTTP/1.1")
                if not answer:
                    await reader.read()
                writer.write(answer.encode())
                await writer.drain()
            finally:
                writer.close()

        running = await asyncio.start_server(each, "127.0.0.1", 0)
        servers.append(running)
        return f"http://127.0.0.1:{running.sockets[0].getsockname()[1]}/reload?key=s3cret"

    yield serve
    for one in servers:
        one.close()


def answer(status: str, *headers: str) -> str:
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "Content-Length: 0", "Connection: close", "", ""))


async def test_a_call_is_a_post_that_any_2xx_answers(server: Server) -> None:
    url = await server(answer("204 No Content"))
    assert "answered HTTP 204 in 0." in await world().http_call(url, 2)


async def test_a_redirect_is_not_followed(server: Server) -> None:
    url = await server(answer("302 Found", "Location: http://169.254.169.254/"))
    with pytest.raises(StepImpossible, match="answered HTTP 302"):
        await world().http_call(url, 2)


@pytest.mark.parametrize(("status", "kind"), [("404 Not Found", StepImpossible), ("503 No", StepFailed), ("429 No", StepFailed)])
async def test_a_refusal_says_whether_trying_again_helps(server: Server, status: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=f"answered HTTP {status[:3]}") as raised:
        await world().http_call(await server(answer(status)), 2)
    assert type(raised.value) is kind


async def test_no_answer_ends_at_the_deadline_and_no_secret_is_in_the_words(server: Server) -> None:
    url = await server("")
    with pytest.raises(StepFailed, match=r"^127\.0\.0\.1:\d+: no answer in 200 ms$"):
        await world().http_call(url, 0.2)
    url = await server("rubbish\r\n\r\n")
    with pytest.raises(StepFailed, match=r"^127\.0\.0\.1:\d+: no usable answer \(RemoteProtocolError\)$"):
        await world().http_call(url, 2)


async def test_five_refused_calls_open_the_breaker_of_that_host() -> None:
    outside = world()
    for _ in range(5):
        with pytest.raises(StepFailed, match=r"127\.0\.0\.1:1: refused or not reachable"):
            await outside.http_call("http://bot:pw@127.0.0.1:1/reload", 2)
    with pytest.raises(StepFailed, match=r"127\.0\.0\.1:1 is not called: too many errors"):
        await outside.http_call("http://bot:pw@127.0.0.1:1/reload", 2)
