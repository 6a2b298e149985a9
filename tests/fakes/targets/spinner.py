"""Is at work in `parse` for ever, beside a thread that waits in select. It writes its pid into FILE when it is.

With `child` another process of it is at work in `translate`.
"""

import asyncio
import os
import sys
import threading
import time
from pathlib import Path


def parse(rows: int) -> None:
    while True:
        rows += 1


def ready() -> None:
    with Path(sys.argv[1]).open("a") as file:
        file.write(f"{os.getpid()}\n")


def waits() -> None:
    asyncio.run(asyncio.sleep(3600))


def main() -> None:
    secret = "local-canary"
    if "child" in sys.argv and os.fork() == 0:
        main_of_child()
    threading.Thread(target=waits, name="loop", daemon=True).start()
    time.sleep(0.2)
    ready()
    parse(len(secret))


def main_of_child() -> None:
    ready()
    translate()


def translate() -> None:
    while True:
        pass


main()
