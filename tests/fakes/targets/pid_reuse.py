"""Run inside a pid namespace of its own: a bot dies between the decision and the signal, and a stranger gets its pid.

Prints `same pid`, then `stranger lives` or `stranger died`.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.ending import End, tree_of
from recovery.adapters.launching import ProcessSpec
from recovery.adapters.processes import ProcessTable, hold
from recovery.adapters.procfs import Identity
from recovery.errors import StepFailed, Superseded
from recovery.ports import Life, Sight
from recovery.runtimes.process import ProcessRuntime
from watchdog.clock import Clock


def sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


async def main() -> None:
    clock = Clock()
    bot = sleeper()
    stat = procfs.read_stat(bot.pid)
    assert stat is not None
    decided_on = Identity(bot.pid, stat.start_ticks, procfs.boot_id())
    bot.kill()
    bot.wait()
    await clock.sleep(0.05)
    Path("/proc/sys/kernel/ns_last_pid").write_text(str(bot.pid - 1))
    stranger = sleeper()
    print("same pid" if stranger.pid == bot.pid else "another pid")

    assert hold(decided_on, decided_on.boot_id) is None
    table = ProcessTable(clock)
    await End(table, clock, tree_of(decided_on, "scraper", "/state")).run(0)
    runtime = ProcessRuntime("scraper", ProcessSpec(("sleep", "60")), Path(tempfile.mkdtemp()), clock, table)
    sight = Sight(Life.RUNNING, str(decided_on), decided_on.pid)
    try:
        await runtime.signal(sight, "KILL")
    except (StepFailed, Superseded) as refused:
        print(f"refused: {refused}")
    await runtime.stop(sight, 0)
    await clock.sleep(0.1)
    print("stranger lives" if stranger.poll() is None else "stranger died")
    stranger.send_signal(signal.SIGKILL)
    stranger.wait()


if __name__ == "__main__":
    asyncio.run(main())
    sys.stdout.flush()
    os._exit(0)
