"""A small bot for containers: it answers on one port of loopback, writes down what becomes of it, and is as ill as its mood says.

Arguments: FOLDER NAME PORT [OPTION...]; port 0: it answers nobody. What it leaves in FOLDER, which the host lends it:

- `starts/NAME.starts`: a line `pid wall_time` for each of its starts; the pid is the one that it sees itself;
- `doubles/NAME`: a line for each start while another instance of it was alive;
- `signals/NAME`: a line `number wall_time` for each signal that it handles;
- `ends/NAME`: a line `wall_time` for each end after SIGTERM for which it had the time that it needs.

`moods/NAME` is looked at ten times a second: `hang`, `critical`, `exit N`, `spin`, `eat MB`, `child eats MB`. A start cures: it
removes the file, unless it says `for ever`.

Options: `stubborn` ignores SIGTERM; `bare` has no handlers at all, so that the kernel keeps SIGTERM from it where it is PID 1;
`saves=S` needs S seconds after SIGTERM; `family` has a child and a grandchild in a session of its own, deaf to all but SIGKILL;
`boots=S` takes S seconds before it answers; `dies=S` ends with 3 after S seconds.
"""

import fcntl
import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

FOLDER, NAME, PORT = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
OPTIONS = dict((word + "=").split("=")[:2] for word in sys.argv[4:])
LOOK = 0.1
"""Seconds between two looks at its mood."""
CHUNK = 4
"""MB that it takes at once, so that its memory is seen to rise."""
HELD: list[bytearray] = []


def note(folder: str, line: str, name: str = NAME) -> None:
    (FOLDER / folder).mkdir(exist_ok=True)
    fd = os.open(FOLDER / folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    os.write(fd, f"{line}\n".encode())
    os.close(fd)


def told(number: int, _frame: object) -> None:
    note("signals", f"{number} {time.time():.4f}")
    if number == signal.SIGTERM and "stubborn" not in OPTIONS:
        time.sleep(float(OPTIONS.get("saves", 0)))
        note("ends", f"{time.time():.4f}")
        os._exit(0)


def relatives() -> None:
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
        for number in range(1, signal.NSIG):
            if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
                signal.signal(number, signal.SIG_IGN)
        os.closerange(3, 256)
        while True:
            time.sleep(60)


def mood() -> list[str]:
    try:
        return (FOLDER / "moods" / NAME).read_text().split() or ["ok"]
    except OSError:
        return ["ok"]


def cured() -> None:
    file = FOLDER / "moods" / NAME
    if file.exists() and "for ever" not in file.read_text():
        file.unlink()


def fall_ill(words: list[str]) -> None:
    match words:
        case ["exit", code, *_]:
            os._exit(int(code))
        case ["spin", *_]:
            turn_in_circles()
        case ["eat", megabytes, *_]:
            eat(int(megabytes))
        case ["child", "eats", megabytes, *_]:
            if os.fork() == 0:
                eat(int(megabytes))
                os._exit(0)
            os.wait()
            (FOLDER / "moods" / NAME).unlink()


def turn_in_circles() -> None:
    """What a dump of its stack must name."""
    count = 0
    while True:
        count = (count + 1) % 1_000_003


def eat(megabytes: int) -> None:
    """Within two seconds, so that whoever looks on sees it rise."""
    steps = max(megabytes // CHUNK, 1)
    for _ in range(steps):
        HELD.append(bytearray(b"x" * (CHUNK << 20)))
        time.sleep(2 / steps)


def answer(state: str) -> bytes:
    code = "503 Ill" if state == "critical" else "200 OK"
    body = json.dumps({"status": state, "message": f"{NAME} says {state}"}).encode()
    head = f"HTTP/1.1 {code}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def alone() -> int:
    """Whoever finds the lock taken is a second instance. Its relatives give it away at their start."""
    (FOLDER / "locks").mkdir(exist_ok=True)
    fd = os.open(FOLDER / "locks" / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        note("doubles", f"{os.getpid()} {time.time()}")
    return fd


def main() -> None:
    ends = time.monotonic() + float(OPTIONS.get("dies", "inf"))
    if "bare" not in OPTIONS:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, told)
    lock = alone()
    cured()
    # Whoever sees this line may already make it ill, or signal it.
    note("starts", f"{os.getpid()} {time.time():.6f}", f"{NAME}.starts")
    if "family" in OPTIONS:
        relatives()
    time.sleep(float(OPTIONS.get("boots", 0)))
    doors = [socket.create_server(("127.0.0.1", PORT), backlog=64)] if PORT else []
    hanging: list[socket.socket] = []
    while time.monotonic() < ends:
        words = mood()
        fall_ill(words)
        for door in select.select(doors, [], [], LOOK)[0]:
            asker, _ = door.accept()
            if words[0] == "hang":
                hanging = [*hanging[-20:], asker]
                continue
            try:
                asker.settimeout(0.2)
                asker.recv(4096)
                asker.sendall(answer("critical" if words[0] == "critical" else "ok"))
                asker.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            asker.close()
    os.close(lock)
    os._exit(3)


main()
