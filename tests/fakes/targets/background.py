"""A bot that goes into the background and then writes its pidfile. Arguments: the pidfile."""

import os
import signal
import sys
from pathlib import Path

if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
Path(sys.argv[1]).write_text(f"{os.getpid()}\n")
while True:
    signal.pause()
