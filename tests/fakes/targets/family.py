"""A bot with a family that ignores SIGTERM: a child, a grandchild, an orphan in a session of its own, and one without our marker.

Arguments: a file to which each appends its pid when it is ready.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__)
KEYS = ("BOT_WATCHDOG_SERVICE", "BOT_WATCHDOG_STATE", "BOT_WATCHDOG_PID")


def spawn(role: str, *, session: bool = False, env: dict[str, str] | None = None) -> None:
    subprocess.Popen([sys.executable, "-S", "-E", str(HERE), sys.argv[1], role], start_new_session=session, env=env)


role = sys.argv[2] if len(sys.argv) > 2 else "bot"
if role != "bot":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if role == "bot":
    spawn("child")
    spawn("middle")
    spawn("unmarked", env={k: v for k, v in os.environ.items() if k not in KEYS})
if role == "child":
    spawn("grandchild")
if role == "middle":
    spawn("orphan", session=True)
    os._exit(0)
with Path(sys.argv[1]).open("a") as ready:
    ready.write(f"{os.getpid()}\n")
while True:
    signal.pause()
