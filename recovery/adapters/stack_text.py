"""What py-spy printed, read and reduced to what a person wants to know. Text in, text out; nothing here looks at a process.

The command line in py-spy's header is left out: it may hold secrets (SPEC 6).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

FRAMES = 12
"""Of one thread, the innermost first."""

THREADS = 40
"""Of one process; what is at work comes first."""

WIDEST = 160
"""Characters of one line."""

SELECT = "idle in select: nothing blocks this thread; the await chain is not visible"
WORKER = "idle, waits for work"

_THREAD = re.compile(r'Thread (\S+) \(([^)]*)\)(?:: "(.*)")?')
_FRAME = re.compile(r" {4}(.+) \((.+?)(?::(\d+))?\)")
_VERSION = re.compile(r"Python v(\d+\.\d+(?:\.\w+)?)")
_LIBRARY = re.compile(r"^.*?/(?:site-packages|dist-packages)/|^.*/lib/(?:python|pypy)\d[^/]*/|^(?=<)")
_BEGIN = frozenset({"Thread.run", "Thread._bootstrap_inner", "Thread._bootstrap", "run", "_bootstrap_inner", "_bootstrap"})
_ASKS = frozenset({"select", "poll", "_poll", "_run_once"})


class Why(StrEnum):
    """Why there is no stack."""

    NOT_PYTHON = "not a Python process that py-spy knows"
    NOT_PERMITTED = "not permitted to look into it: that needs CAP_SYS_PTRACE"
    GONE = "it has ended meanwhile"
    HUNG = "py-spy did not end in time"
    MISSING = "py-spy is not installed beside the watchdog"
    UNSUPPORTED = "py-spy does not know this version of Python"
    NO_TIME = "no time was left for it"
    FAILED = "py-spy failed"


@dataclass(frozen=True, slots=True)
class Frame:
    """function: as Python names it. file: shortened for people. line: 0 when it is not known. own: not of a library."""

    function: str
    file: str
    line: int
    own: bool

    def __str__(self) -> str:
        return f"{self.function} ({self.file}:{self.line})" if self.line else f"{self.function} ({self.file})"


@dataclass(frozen=True, slots=True)
class Thread:
    """frames: the innermost first. active: it runs, and waits for nothing. gil: it holds the lock of the interpreter."""

    name: str
    active: bool
    gil: bool
    frames: tuple[Frame, ...]

    @property
    def waits(self) -> str:
        """In words, for a thread that waits for whatever comes next; "" for all others."""
        if self.active or not self.frames:
            return ""
        top, file = self.frames[0].function.rpartition(".")[2], self.frames[0].file
        # uvloop and other loops in C leave only the Python function that started them.
        if file == "selectors.py" and top in _ASKS:
            return SELECT
        if file.startswith(("asyncio/", "uvloop/")) and top in {*_ASKS, "run", "run_forever", "run_until_complete"}:
            return SELECT
        return WORKER if top == "_worker" and file == "concurrent/futures/thread.py" else ""

    @property
    def where(self) -> str:
        """`match (re/__init__.py:166), called by parse (bot.py:41)`: the innermost function, and the bot's own one."""
        if not self.frames:
            return "code that is not Python's"
        top = self.frames[0]
        own = next((frame for frame in self.frames if frame.own), None)
        return str(top) if top.own or own is None else f"{top}, called by {own}"


@dataclass(frozen=True, slots=True)
class Dump:
    """One process. why: set when there are no threads to tell of; said: py-spy's own words for it. note: how it was looked at."""

    pid: int
    name: str
    version: str = ""
    threads: tuple[Thread, ...] = ()
    why: Why | None = None
    said: str = ""
    note: str = ""

    @property
    def reason(self) -> str:
        return f"{self.why}: {self.said}" if self.said else str(self.why or "")


def read(pid: int, name: str, output: str) -> Dump:
    """What a successful `py-spy dump --full-filenames` printed."""
    version = _VERSION.search(output)
    threads: list[tuple[str, str, list[Frame]]] = []
    for line in output.splitlines():
        if found := _THREAD.fullmatch(line):
            threads.append((found[3] or f"thread {found[1]}", found[2], []))
        elif threads and (found := _FRAME.fullmatch(line)):
            threads[-1][2].append(_frame(found[1], found[2], int(found[3] or 0)))
    made = tuple(Thread(label, "active" in state, "gil" in state, tuple(frames)) for label, state, frames in threads)
    why = None if made else Why.FAILED
    return Dump(pid, name, version[1] if version else "", made, why, "" if made else "it named no thread")


def refused(pid: int, name: str, output: str) -> Dump:
    """What a failed one printed, in plain words."""
    why = next((why for sign, why in _SIGNS if sign in output), Why.FAILED)
    if why is not Why.FAILED:
        return Dump(pid, name, why=why)
    words = [line.strip() for line in output.partition("Stack backtrace:")[0].splitlines() if _tells(line)]
    return Dump(pid, name, why=Why.FAILED, said="; ".join(words[:3])[:WIDEST])


_SIGNS = (
    ("Failed to suspend process", Why.FAILED),  # stopped or traced by somebody; what follows is the kernel's EPERM all the same
    ("Permission Denied", Why.NOT_PERMITTED),
    ("Operation not permitted", Why.NOT_PERMITTED),
    ("Check that the process is running", Why.GONE),
    ("Unsupported version of Python", Why.UNSUPPORTED),
    ("Failed to find python version", Why.NOT_PYTHON),
)
"""py-spy's words for it, the more certain one first."""


def _tells(line: str) -> bool:
    """Not the header, which holds the command line of the process."""
    return bool(line.strip()) and not line.startswith(("Process ", "Python v", "Caused by"))


def _frame(function: str, path: str, line: int) -> Frame:
    library = _LIBRARY.sub("", path, count=1)
    if library != path or path.startswith("<"):
        return Frame(function, library, line, own=False)
    folder, _, name = path.rpartition("/")
    # A file by such a name says nothing without its folder.
    short = f"{folder.rpartition('/')[2]}/{name}" if name.startswith("__") and folder else name
    return Frame(function, short, line, own=True)


def summary(dumps: Sequence[Dump]) -> str:
    """`1 process, 3 threads; active in parse (bot.py:41)`: one line, which names what the busiest thread does."""
    seen = [dump for dump in dumps if dump.threads]
    threads = [thread for dump in seen for thread in dump.threads]
    counted = f"{_number(len(seen), 'process', 'processes')}, {_number(len(threads), 'thread', 'threads')}"
    dark = [dump for dump in dumps if not dump.threads]
    left = f"; {len(dark)} not seen: {dark[0].reason}" if dark else ""
    return f"{counted}; {_busiest(threads)}{left}"


def _busiest(threads: Sequence[Thread]) -> str:
    best = min(threads, key=_rank, default=None)
    if best is None:
        return "no thread"
    # Of equals, where most of them are: a hang collects threads in one place.
    equals = Counter(thread.where for thread in threads if _rank(thread) == _rank(best))
    where, count = equals.most_common(1)[0]
    many = f"{count} threads " if count > 1 else ""
    if best.active:
        return f"{many}active in {where}"
    return "all idle, nothing blocks a thread" if best.waits else f"{many}idle in {where}"


def _rank(thread: Thread) -> tuple[bool, bool, bool, bool]:
    """Who is at work; then who is held up in the bot's own code; then the rest."""
    return (not thread.gil, not thread.active, bool(thread.waits), not any(frame.own for frame in thread.frames))


def report(dumps: Sequence[Dump]) -> str:
    """Everything, for the evidence of an incident."""
    return "\n\n".join([summary(dumps), *("\n".join(_process(dump)) for dump in dumps)])


def _process(dump: Dump) -> list[str]:
    head = f"pid {dump.pid} ({dump.name})"
    if not dump.threads:
        return [f"{head}: {dump.reason}"[:WIDEST]]
    head += "".join(f", {part}" for part in (f"Python {dump.version}" if dump.version else "", dump.note) if part)
    ordered = sorted(dump.threads, key=_rank)
    lines = [head, *(line[:WIDEST] for thread in ordered[:THREADS] for line in _thread(thread))]
    if len(ordered) > THREADS:
        lines.append(f"  ... and {len(ordered) - THREADS} more threads")
    return lines


def _thread(thread: Thread) -> list[str]:
    if thread.waits:
        return [f"  {thread.name}: {thread.waits}"]
    state = "active, holds the GIL" if thread.gil else "active" if thread.active else "idle"
    frames = [frame for frame in thread.frames if frame.own or frame.function not in _BEGIN] or list(thread.frames)
    more = [f"    ... {len(frames) - FRAMES} more frames"] if len(frames) > FRAMES else []
    return [f"  {thread.name} ({state})", *(f"    {frame}" for frame in frames[:FRAMES]), *more]


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
