"""A bot that ignores SIGTERM. Arguments: a file to which its pid is appended when it is ready."""

import os
import signal
import sys
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with Path(sys.argv[1]).open("a") as ready:
    ready.write(f"{os.getpid()}\n")
print("ready", flush=True)
while True:
    signal.pause()
