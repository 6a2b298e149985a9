"""A town whose bots live in containers of a private engine, with the real daemon over it and a person who types `docker`.

What the daemon did is read as in every town; beside it stand the engine's own events and what the bots wrote down themselves.
"""

from __future__ import annotations

import json
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.ports import free_port
from tests.invariants.checker import Terms, check
from tests.live import lodging
from tests.live.engine import Engine
from tests.stories.harness import CLOCK, Town

NO_STORM = {"share": "100%", "at_least": 500, "or": 500}
"""Stories that play side by side are no storm."""
SLACK = 0.5
"""Seconds between a signal, as its bot writes it down, and the engine's word about it."""


@dataclass(kw_only=True)
class House(Town):
    """others: starts of a container that are not the daemon's, by service: a person's, and Docker's own by its policy."""

    engine: Engine
    others: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.guards |= {"storm": NO_STORM, "concurrent": 50}

    def container(self, name: str, *options: str, policy: str = "no", flags: tuple[str, ...] = (), **keys: Any) -> None:
        """A service whose bot lives in a container of the same name, and is up."""
        self.ports[name] = free_port()
        self.services[name] = {
            "probe": {"http": f"http://127.0.0.1:{self.ports[name]}/health"},
            "runtime": {"docker": {"name": name, "host": self.engine.host}},
        } | keys
        self.move_in(name, *options, policy=policy, flags=flags)

    def move_in(self, name: str, *options: str, policy: str = "no", flags: tuple[str, ...] = ()) -> None:
        """A new container of that name for its service; by a person, too, who creates one anew."""
        self.others[name] += 1
        lodging.lodge(self.engine, self.folder, name, *options, port=self.ports[name], flags=flags, policy=policy)

    def mood(self, name: str, mood: str) -> None:
        lodging.mood(self.folder, name, mood)

    def person(self, *words: str, name: str) -> None:
        """Somebody types `docker WORDS NAME`."""
        self.others[name] += words[0] in ("start", "restart")
        self.engine.docker(*words, name)

    def crash(self, name: str, *, comes_back: bool) -> None:
        """SIGKILL past the engine. comes_back: its policy starts it again."""
        self.others[name] += comes_back
        self.engine.signal(name, signal.SIGKILL)

    def count_of(self, name: str) -> int:
        """Its starts, as it counts them itself."""
        return lodging.starts(self.folder, name)

    def events(self, name: str) -> list[str]:
        """As the engine tells them, as `kill 15` and `die 0`."""
        return [str(event) for event in self.engine.events(name)]

    def stepping(self, name: str, action: str) -> bool:
        """The intent is on disk, its outcome is not."""
        steps = "SELECT count(*) FROM steps s JOIN runs r ON r.id = s.run WHERE"
        return self.count(f"{steps} r.service = ? AND s.action = ? AND s.ended_at IS NULL", name, action) > 0

    def idle(self) -> bool:
        return self.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0

    def stage(self, name: str) -> str:
        """The state that `status` tells."""
        (found,) = [each for each in self.ctl("status")["services"] if each["name"] == name]
        return str(found["state"])

    def told(self, name: str, tier: str) -> list[str]:
        """The messages of that tier that are new ones; edits are none."""
        sql = "SELECT text FROM notices WHERE service = ? AND tier = ? AND kind = 'new' ORDER BY id"
        return [row["text"] for row in self.rows(sql, name, tier)]

    def reasons(self, name: str, step: str) -> list[str]:
        """What `why` says of one step of its decisions."""
        return [each["reason"] for each in self.ctl("why", name) if each["step"] == step]

    def breaches(self, **terms: Any) -> list[str]:
        """What the outside checker finds: starts beside the others', signals beside Docker's, bots that ever ran twice."""
        logs = [self._past_the_engine(file) for file in sorted((self.folder / "signals").glob("*"))]
        found = check(self.db, starts=self.folder / "starts", logs=logs, terms=Terms(**{"own_starts": self.others} | terms))
        return found + [f"{file.name} ran twice" for file in sorted((self.folder / "doubles").glob("*"))]

    def close(self) -> None:
        super().close()
        self.engine.clear()

    def report(self) -> str:
        """The engine's side of it, too."""
        lines = [
            f"{event.at - self.born:7.2f} {name} docker: {event}" for name in self.ports for event in self.engine.events(name)
        ]
        return "\n".join([*sorted(lines)[-60:], super().report()])

    def _past_the_engine(self, file: Path) -> Path:
        """The log of one bot's signals, for the checker, without those that the engine sent."""
        sent = [(event.at, event.signal) for event in self.engine.events(file.name) if event.action == "kill"]
        made = self.folder / f"{file.name}.checked"
        lines = [(number, float(at)) for number, at in (line.split() for line in file.read_text().splitlines())]
        made.write_text(
            "".join(
                json.dumps({"kind": "signal", "service": file.name, "at": at, "signal": number}) + "\n"
                for number, at in lines
                if not any(number == word and abs(at - when) < SLACK for when, word in sent)
            )
        )
        return made


@contextmanager
def house(engine: Engine, folder: Path) -> Iterator[House]:
    folder.mkdir(parents=True, exist_ok=True)
    made = House(folder=folder, sockets=Path(tempfile.mkdtemp(prefix="bw-")), engine=engine)
    try:
        yield made
    finally:
        made.close()


__all__ = ["CLOCK", "House", "house"]
