"""Small bots in containers of a private engine; their folder is lent to them, so that they leave their own evidence in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from time import sleep as pause

from tests.live.engine import PYTHON, Engine

BOT = Path(__file__).parent / "bots" / "bot.py"


def argv(folder: Path, name: str, port: int = 0, *options: str) -> list[str]:
    return [PYTHON, "-S", "-E", str(BOT), str(folder), name, str(port), *options]


def lent(folder: Path) -> list[str]:
    """The flags that lend a container its program and its folder, at the places where the host has them."""
    folder.mkdir(parents=True, exist_ok=True)
    return ["-v", f"{folder}:{folder}", "-v", f"{BOT.parent}:{BOT.parent}:ro"]


def lodge(
    engine: Engine, folder: Path, name: str, *options: str, port: int = 0, flags: tuple[str, ...] = (), policy: str = "no"
) -> str:
    """A bot moves in; its container's id. It is up when this returns."""
    before = starts(folder, name)
    made = engine.run(name, argv(folder, name, port, *options), *lent(folder), *flags, policy=policy)
    until(lambda: starts(folder, name) > before, f"{name} is up")
    return made


def starts(folder: Path, name: str) -> int:
    """As the bot counts them itself."""
    return lines(folder / "starts" / f"{name}.starts")


def lines(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


def mood(folder: Path, name: str, words: str) -> None:
    """Seen whole or not at all: it is moved into its place."""
    (folder / "moods").mkdir(exist_ok=True)
    made = folder / f".{name}.mood"
    made.write_text(words)
    made.rename(folder / "moods" / name)


def until(true: Callable[[], bool], what: str, seconds: float = 20) -> None:
    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, f"not within {seconds:g} s: {what}"
        pause(0.05)
