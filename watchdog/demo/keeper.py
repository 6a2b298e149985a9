"""Keeps the daemon while the show runs, and clears everything away when it ends, in whatever way.

    python -m watchdog.demo.keeper FOLDER

The show holds the other end of its standard input. When that closes, by a good end, an error, Ctrl-C, a closed terminal or a
kill, the daemon is ended, then every process that carries the marker of its state folder, and the folder is removed.
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from recovery.adapters.ending import End
from recovery.adapters.processes import ProcessTable, Row, Snapshot
from watchdog.clock import Clock

CONFIG, LOG, ENDED, STATE = "watchdog.yaml", "daemon.log", "daemon.ended", "state"

GRACE = 15.0
"""Seconds for the daemon to end by itself."""

FOREIGN = ("NOTIFY_SOCKET", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "WATCHDOG_USEC", "WATCHDOG_PID")
"""What a systemd unit around us may have left in the environment; it is not about this daemon."""


def keep(folder: Path) -> int:
    """Returns when all is cleared away. 0: nothing is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Caught, not ignored: what is ignored would stay so in the daemon and in its bots.
        signal.signal(number, lambda *_: None)
    try:
        _hold(folder)
        asyncio.run(end_all(str((folder / STATE).resolve())))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if folder.exists() else 0


def _hold(folder: Path) -> None:
    """The daemon lives at most as long as somebody holds the other end."""
    with (folder / LOG).open("wb") as log:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "watchdog", "-c", str(folder / CONFIG), "run"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment(os.environ),
        )
    told = False
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        if not told and daemon.poll() is not None:
            (folder / ENDED).write_text(str(daemon.returncode))
            told = True
    daemon.terminate()
    try:
        daemon.wait(GRACE)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Of the daemon: ours, without what belongs to a unit that we run in."""
    return {key: value for key, value in environ.items() if key not in FOREIGN}


async def end_all(state: str) -> None:
    """Ends, by identity, every process that carries the marker of this state folder, with its whole tree."""
    clock = Clock()

    def choose(snapshot: Snapshot, known: Iterable[Row]) -> Iterable[Row]:
        names = {row.marker.service for row in snapshot.rows.values() if row.marker is not None and row.marker.state == state}
        chosen = {row.stat.pid: row for row in known}
        for name in sorted(names):
            tree = snapshot.tree(snapshot.carriers(name, state), (name, state), set())
            chosen |= {row.stat.pid: row for row in tree}
        return chosen.values()

    await End(ProcessTable(clock), clock, choose).run(0)


if __name__ == "__main__":
    sys.exit(keep(Path(sys.argv[1])))
