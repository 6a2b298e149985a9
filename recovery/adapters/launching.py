"""Starts a bot so that it outlives the daemon and can be found again (SPEC 3, `process`).

Under systemd each start is a transient unit of its own: outside the daemon's cgroup, limits and sandbox. Elsewhere it is a
session of its own. Either way it carries BOT_WATCHDOG_SERVICE and BOT_WATCHDOG_STATE, and a shell adds BOT_WATCHDOG_PID and
becomes the bot.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.bot_log import BotLog
from recovery.adapters.children import Account, Child, account, clean_environment, program, start_child
from recovery.adapters.commands import Command, run
from recovery.adapters.descriptors import as_we_began
from recovery.adapters.processes import ProcessTable
from recovery.adapters.procfs import Identity
from recovery.errors import StepFailed, StepImpossible
from recovery.ports import Clock

BECOME = f'export {procfs.PID_KEY}=$$; exec "$@"'
"""The shell keeps its pid through exec; so the bot carries its own."""

_UNIT_TIMEOUT = 20.0
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """`runtime: {process: ...}` with its secrets resolved. cwd None: `/`. user None: the daemon's."""

    start: tuple[str, ...]
    pidfile: Path | None = None
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Launched:
    """identity: of the process that becomes the bot; None when it ended at once. child: when it is ours to reap."""

    identity: Identity | None
    child: Child | None


class Launcher:
    """environ: the daemon's. pid: its own."""

    def __init__(self, state: Path, table: ProcessTable, clock: Clock, environ: Mapping[str, str], pid: int) -> None:
        self._state = state
        self._table = table
        self._clock = clock
        self._environ = environ
        self._units = uses_units(environ, pid)

    async def start(self, service: str, spec: ProcessSpec, log: BotLog) -> Launched:
        """Raises StepImpossible when it can never start so, StepFailed when it may another time."""
        who = account(spec.user)
        for name in spec.env:
            if not _NAME.fullmatch(name):
                raise StepImpossible(f"'{name}' is no name of an environment variable")
        marks = {procfs.SERVICE_KEY: service, procfs.STATE_KEY: str(self._state)}
        env = clean_environment(who, {**spec.env, **marks}, self._environ)
        env.pop(procfs.PID_KEY, None)
        cwd = str(spec.cwd or "/")
        program(spec.start, cwd, env)
        await log.trim()
        if self._units:
            return await self._in_unit(service, ("/bin/sh", "-c", BECOME, "sh", *spec.start), cwd, env, who, log)
        return self._in_session(("/bin/sh", "-c", f"{as_we_began()}; {BECOME}", "sh", *spec.start), cwd, env, who, log)

    def _in_session(self, argv: Sequence[str], cwd: str, env: Mapping[str, str], who: Account, log: BotLog) -> Launched:
        output = log.open()
        try:
            child = start_child(argv, cwd=cwd, env=env, who=who, output=output)
        finally:
            os.close(output)
        return Launched(self._identity(child.pid), child)

    async def _in_unit(
        self, service: str, argv: Sequence[str], cwd: str, env: Mapping[str, str], who: Account, log: BotLog
    ) -> Launched:
        os.close(log.open())
        unit = f"{procfs.UNIT_PREFIX}{re.sub(r'[^a-z0-9_.-]', '_', service)}-{secrets.token_hex(4)}{procfs.UNIT_SUFFIX}"
        file = self._state / "run" / f"{unit}.env"
        try:
            write_private(file, environment_file(env))
        except OSError as error:
            raise StepFailed(f"{file} cannot be written: {error.strerror}") from error
        try:
            await self._ask(unit_command(service, unit, argv, cwd, file, who, log.path))
            pid = await self._ask(("systemctl", "show", "--property=MainPID", "--value", unit))
        finally:
            file.unlink(missing_ok=True)
        return Launched(self._identity(int(pid)) if pid.isdecimal() and int(pid) else None, None)

    async def _ask(self, argv: tuple[str, ...]) -> str:
        finished = await run(Command(argv), _UNIT_TIMEOUT, self._table, self._clock, {})
        if finished.code != 0:
            raise StepFailed(f"{argv[0]}: {finished.last_line or f'exit code {finished.code}'}")
        return finished.last_line

    def _identity(self, pid: int) -> Identity | None:
        stat = procfs.read_stat(pid)
        return None if stat is None else Identity(pid, stat.start_ticks, self._table.boot_id)


def uses_units(environ: Mapping[str, str], pid: int) -> bool:
    """The daemon itself is a unit of the system's systemd, and units can be made.

    INVOCATION_ID alone is not enough: every terminal of a desktop session has it too.
    """
    a_unit = environ.get("SYSTEMD_EXEC_PID") == str(pid) or "NOTIFY_SOCKET" in environ
    return (
        a_unit and "INVOCATION_ID" in environ and Path("/run/systemd/system").is_dir() and shutil.which("systemd-run") is not None
    )


def unit_command(
    service: str, unit: str, argv: Sequence[str], cwd: str, env_file: Path, who: Account, log: Path
) -> tuple[str, ...]:
    """In arguments systemd replaces `$NAME` in arguments and gives `$` for `$$`, so each dollar is written twice."""
    return (
        "systemd-run",
        "--quiet",
        "--collect",
        f"--unit={unit}",
        f"--description={service}, started by bot-watchdog",
        "--service-type=exec",
        f"--working-directory={cwd}",
        *((f"--uid={who.name}",) if who.name else ()),
        f"--property=EnvironmentFile={env_file}",
        "--property=StandardInput=null",
        f"--property=StandardOutput=append:{log}",
        f"--property=StandardError=append:{log}",
        "--",
        *(word.replace("$", "$$") for word in argv),
    )


def environment_file(env: Mapping[str, str]) -> str:
    """In the form of systemd's EnvironmentFile. As a property of the unit everybody could read the values."""
    lines = []
    for name, value in env.items():
        quoted = re.sub(r'(["\\`$])', r"\\\1", value)
        lines.append(f'{name}="{quoted}"\n')
    return "".join(lines)


def write_private(path: Path, text: str) -> None:
    """Replace the file in one step; only we may read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    fresh.rename(path)
