"""The commands and URLs of the configuration, run for a step: capped output, a hard end, one line as the result (SPEC 6)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recovery.adapters.children import Child, account, clean_environment, program, start_child
from recovery.adapters.ending import Choice, End
from recovery.adapters.processes import ProcessTable, Row, Snapshot
from recovery.adapters.procfs import Identity, read_stat
from recovery.breaker import Breakers
from recovery.errors import StepFailed, StepImpossible
from recovery.ports import Clock
from recovery.units import format_duration

if TYPE_CHECKING:
    import httpx

HALF = 32 << 10
"""Bytes kept of the begin and of the end of an output; 64 KiB together."""

_FLOOD = 1 << 20
_FLOOD_PAUSE = 0.01
"""After 1 MiB an output is read slowly (6 MB/s at most), so that it is the command that waits and not the daemon."""

_AFTER_EXIT = 0.2
"""Seconds for the rest of the output once the program itself has ended; a child it left may hold the pipe for ever."""

_REAPED = 1.0
"""Seconds for the kernel and the loop to hand over what was killed; one that waits for a disk is not waited for."""


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of `commands` (SPEC 3)."""

    argv: tuple[str, ...]
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """code: exit code, -N after signal N. output: stdout and stderr together, 64 KiB at most and what was left out."""

    code: int | None
    output: str
    seconds: float

    @property
    def last_line(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return "".join(c if c.isprintable() else " " for c in lines[-1])[:200] if lines else ""


class _Output:
    """Reads a pipe as it fills, and keeps its begin and its end. half: bytes of each."""

    def __init__(self, fd: int, half: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._half = half
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._later: asyncio.TimerHandle | None = None
        self.closed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(fd, self._read)

    def text(self) -> str:
        left_out = self._total - len(self._head) - len(self._tail)
        middle = f"\n[{left_out} bytes left out]\n".encode() if left_out > 0 else b""
        return bytes(self._head + middle + self._tail).decode("utf-8", "replace")

    def close(self) -> None:
        if self._fd < 0:
            return
        if self._later is not None:
            self._later.cancel()
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._fd = -1
        self.closed.set()

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        self._keep(data)
        if self._total > _FLOOD:
            self._loop.remove_reader(self._fd)
            self._later = self._loop.call_later(_FLOOD_PAUSE, self._again)

    def _again(self) -> None:
        self._later = None
        self._loop.add_reader(self._fd, self._read)

    def _keep(self, data: bytes) -> None:
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        del self._tail[: max(0, len(self._tail) - self._half)]


async def run(
    command: Command, timeout: float, table: ProcessTable, clock: Clock, env: Mapping[str, str], keep: int = HALF
) -> Finished:
    """Run it to its end in `/`, with a clean environment and `env` in it. keep: bytes of the begin and of the end of its output.

    After `timeout` seconds, or when cancelled, its whole tree is killed. Raises StepFailed, or StepImpossible if it never starts.
    """
    began = clock.monotonic()
    who = account(command.user)
    environ = clean_environment(who, env, os.environ)
    argv = (program(command.argv, "/", environ), *command.argv[1:])
    ours, theirs = os.pipe2(os.O_CLOEXEC)
    output = _Output(ours, keep)
    try:
        try:
            child = start_child(argv, cwd="/", env=environ, who=who, output=theirs)
        finally:
            os.close(theirs)
        await _to_its_end(child, timeout, table, clock)
        try:
            async with asyncio.timeout(_AFTER_EXIT):
                await output.closed.wait()
        except TimeoutError:
            pass
        return Finished(child.exit_code, output.text(), clock.monotonic() - began)
    finally:
        output.close()


async def _to_its_end(child: Child, timeout: float, table: ProcessTable, clock: Clock) -> None:
    stat = read_stat(child.pid)
    whole = None if stat is None else Identity(child.pid, stat.start_ticks, table.boot_id)
    try:
        async with asyncio.timeout(timeout):
            await child.wait()
    except BaseException as error:
        if whole is not None and not child.dead:
            await End(table, clock, _below(whole)).run(0)
        # Dead is not yet reaped: that is for the loop, which may be slow. Nothing of it is left when we return.
        with suppress(TimeoutError):
            async with asyncio.timeout(_REAPED):
                await child.wait()
        if isinstance(error, TimeoutError):
            raise StepFailed(f"not done after {format_duration(timeout)}, killed") from error
        raise


def _below(leader: Identity) -> Choice:
    """A command and everything it started."""
    numbers: set[int] = set()

    def choose(snapshot: Snapshot, known: Iterable[Row]) -> Iterable[Row]:
        main = snapshot.row(leader)
        return snapshot.tree([*known, *([main] if main else [])], None, numbers)

    return choose


class OutsideWorld:
    """The port `Outside`. commands: those of the configuration, by name. A reload makes a new one; breakers outlive it."""

    def __init__(self, commands: Mapping[str, Command], table: ProcessTable, clock: Clock, breakers: Breakers) -> None:
        self._commands = commands
        self._table = table
        self._clock = clock
        self._breakers = breakers

    async def run_command(self, name: str, service: str, timeout: float) -> str:
        """The command sees the service it runs for as BOT_WATCHDOG_FOR. Exit code 0 is success, any other StepFailed."""
        command = self._commands.get(name)
        if command is None:
            raise StepImpossible(f"there is no command '{name}' in the configuration")
        finished = await run(command, timeout, self._table, self._clock, {"BOT_WATCHDOG_FOR": service})
        said = f": {finished.last_line}" if finished.last_line else ""
        if finished.code != 0:
            raise StepFailed(f"{name}: {_ending(finished.code)}{said}")
        return f"{name}: done in {finished.seconds:.1f} s{said}"

    async def http_call(self, url: str, timeout: float) -> str:
        """POST to `url` behind a breaker of its host. Any 2xx is success; a 4xx cannot be cured by trying again."""
        where = urlsplit(url).netloc.rpartition("@")[2]
        return await self._breakers.call(where, lambda: self._post(url, where, timeout))

    async def _post(self, url: str, where: str, timeout: float) -> str:
        import httpx  # noqa: PLC0415  70 ms and 10 MB that a host without calls does not pay

        began = self._clock.monotonic()
        try:
            # httpx's own timeouts count each read anew; only a deadline around the whole call ends a slow trickle.
            async with (
                asyncio.timeout(timeout),
                httpx.AsyncClient(trust_env=False, timeout=None) as client,  # noqa: S113
                client.stream("POST", url, headers={"Accept-Encoding": "identity"}) as response,
            ):
                code = response.status_code
        except TimeoutError as error:
            raise StepFailed(f"{where}: no answer in {format_duration(timeout)}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StepFailed(f"{where}: {_trouble(error)}") from error
        if 200 <= code < 300:
            return f"{where} answered HTTP {code} in {self._clock.monotonic() - began:.1f} s"
        if 300 <= code < 500 and code not in (408, 425, 429):
            raise StepImpossible(f"{where} answered HTTP {code}")
        raise StepFailed(f"{where} answered HTTP {code}")


def _ending(code: int | None) -> str:
    if code is None:
        return "ended, its exit code is not known"
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def _trouble(error: httpx.HTTPError | httpx.InvalidURL) -> str:
    """In our words: httpx's own hold the whole URL."""
    name = type(error).__name__
    return "refused or not reachable" if name == "ConnectError" else f"no usable answer ({name})"
