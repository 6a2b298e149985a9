"""A bot that overwrites its environment, as programs do that show a title in `ps`. Arguments: a file for its pid."""

import ctypes
import os
import signal
import sys
from pathlib import Path

fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
start, end = int(fields[47]), int(fields[48])  # env_start, env_end
ctypes.memset(start, 0, end - start)
Path(sys.argv[1]).write_text(f"{os.getpid()}\n")
while True:
    signal.pause()
