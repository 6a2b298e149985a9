"""A small bot on one port of loopback. It writes down what becomes of it, and is as ill as its mood says.

Arguments: FOLDER NAME PORT [OPTION...]. What it leaves in FOLDER:

- `starts/NAME.starts`: a line `pid wall_time` for each of its starts;
- `doubles/NAME`: a line for each start while another instance of it was alive;
- `logs/NAME.jsonl`: the signals that it got;
- `asked/NAME`: a line `accepted answered` for each question, wall seconds; `answered` is `-` while it has said nothing.

`moods/NAME` is read at every question: `hang`, `spin` (in `count_rows`), `critical` or `degraded`, and `reason=WORD` for a
reason; else it is well. A start cures: it removes the file, unless it says `for ever`.

Options: `stubborn` ignores SIGTERM; `dies=S` ends S seconds after each start; `boots=S` takes S seconds before it answers;
`needs=PORT` answers critical while nothing that is well answers there; `reconnects=S` and for S seconds more;
`family` has children and grandchildren, in sessions of their own too, that ignore every signal they can; `zombie` has a child
that ended and is never reaped; `pidfile=PATH` writes its pid there.
"""

import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

FOLDER, NAME, PORT = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
OPTIONS = dict((word + "=").split("=")[:2] for word in sys.argv[4:])
LOOK = 0.2
"""Seconds between two looks at what it needs."""


def note(folder: str, name: str, line: str) -> None:
    (FOLDER / folder).mkdir(exist_ok=True)
    fd = os.open(FOLDER / folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    os.write(fd, (line + "\n").encode())
    os.close(fd)


def told(number: int, _frame: object) -> None:
    said = {"kind": "signal", "service": NAME, "at": time.time(), "pid": os.getpid(), "signal": signal.Signals(number).name[3:]}
    note("logs", f"{NAME}.jsonl", json.dumps(said))
    if number == signal.SIGTERM and "stubborn" not in OPTIONS:
        os._exit(0)


def relatives() -> None:
    """A child, a grandchild, and one that forked away twice into a session of its own."""
    if os.fork() == 0:
        endure("child")
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            endure("grandchild")
        endure("parent")
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            endure("orphan")
        os._exit(0)
    os.waitpid(middle, 0)


def endure(role: str) -> None:
    for number in range(1, signal.NSIG):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
    os.closerange(3, 256)
    note("family", NAME, f"{os.getpid()} {role}")
    while True:
        time.sleep(60)


def mood() -> tuple[str, str]:
    """The state and its reason, if it gives one."""
    try:
        words = (FOLDER / "moods" / NAME).read_text().split()
    except OSError:
        return "ok", ""
    reasons = [word.partition("=")[2] for word in words if word.startswith("reason=")]
    return (words or ["ok"])[0], "".join(reasons)


def count_rows(rows: int = 0) -> None:
    """The bug of a bot that spins."""
    while True:
        rows += 1


def cured() -> None:
    file = FOLDER / "moods" / NAME
    if file.exists() and "for ever" not in file.read_text():
        file.unlink()


def answers(port: int) -> bool:
    """Somebody is well there."""
    try:
        with socket.create_connection(("127.0.0.1", port), 0.1) as other:
            other.settimeout(0.1)
            other.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            return b" 200 " in other.recv(64)
    except OSError:
        return False


def answer(state: str, reason: str) -> bytes:
    code = "503 Ill" if state == "critical" else "200 OK"
    document = {"status": state, "message": f"{NAME} says {state}"} | ({"reason": reason} if reason else {})
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {code}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def alone() -> int:
    """A lock that its relatives do not inherit past their start; whoever finds it taken is a second instance."""
    (FOLDER / "locks").mkdir(exist_ok=True)
    fd = os.open(FOLDER / "locks" / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        note("doubles", NAME, f"{os.getpid()} {time.time()}")
    return fd


def main() -> None:
    born = time.monotonic()
    note("starts", f"{NAME}.starts", f"{os.getpid()} {time.time():.6f}")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, told)
    lock = alone()
    cured()
    if "pidfile" in OPTIONS:
        Path(OPTIONS["pidfile"]).write_text(f"{os.getpid()}\n")
    if "family" in OPTIONS:
        relatives()
    if "zombie" in OPTIONS:
        subprocess.Popen(["true"])
    time.sleep(float(OPTIONS.get("boots", 0)))
    server = socket.create_server(("127.0.0.1", PORT), backlog=64)
    server.setblocking(False)
    ends = born + float(OPTIONS["dies"]) if "dies" in OPTIONS else float("inf")
    needs, reconnects = int(OPTIONS.get("needs", 0)), float(OPTIONS.get("reconnects", 0))
    look_at, well_from, served = 0.0, 0.0, True
    hanging: list[socket.socket] = []
    while (now := time.monotonic()) < ends:
        if needs and now >= look_at:
            served = answers(needs)
            if not served:
                well_from = time.monotonic() + reconnects
            look_at = time.monotonic() + LOOK
        until = min(ends, look_at if needs else ends) - time.monotonic()
        ready, _, _ = select.select([server], [], [], max(0.0, min(until, 5.0)))
        if not ready:
            continue
        try:
            asker, _ = server.accept()
        except OSError:
            continue
        state, reason = mood()
        if state == "ok" and needs and (not served or time.monotonic() < well_from):
            state = "critical"
        at = time.time()
        if state == "spin":
            count_rows()
        if state == "hang":
            hanging = [*hanging[-20:], asker]
            note("asked", NAME, f"{at:.4f} -")
            continue
        try:
            asker.settimeout(0.2)
            asker.recv(4096)
            asker.sendall(answer(state, reason))
            asker.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        asker.close()
        note("asked", NAME, f"{at:.4f} {time.time():.4f}")
    os.close(lock)
    os._exit(3)


main()
