"""What the engine makes of its containers when it ends itself, in order or by kill -9, and comes back; without any product.

The product tells Docker's own stops from a person's by these answers: a row that fails is an engine that answers differently.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.lodging import lodge, starts

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

CALM = 2.5
"""Seconds in which the engine has done whatever it does."""


@dataclass(frozen=True)
class Row:
    """events: while it ends and comes back, in this order. after: state, and `by hand` where it says that a person stopped it."""

    policy: str
    stopped: bool
    after: str
    events: str
    bot: tuple[str, ...] = ()


STOP, KILL = "kill 15, die 0, stop", "kill 15, kill 9, die 137, stop"
STUBBORN = ("stubborn",)

IN_ORDER = (
    Row("always", False, "running", f"{STOP}, start"),
    Row("always", True, "running", "start"),
    Row("unless-stopped", False, "running", f"{STOP}, start"),
    Row("unless-stopped", True, "exited by hand", ""),
    Row("on-failure", False, "exited", STOP),
    Row("on-failure", False, "running", f"{KILL}, start", STUBBORN),
    Row("no", False, "exited", STOP),
    Row("no", True, "exited by hand", ""),
)
BY_KILL = (
    Row("always", False, "running", f"{STOP}, start"),
    Row("always", True, "running", "start"),
    Row("unless-stopped", False, "exited by hand", STOP),
    Row("unless-stopped", True, "exited by hand", ""),
    Row("on-failure", False, "exited by hand", STOP),
    Row("on-failure", False, "running", f"{KILL}, start", STUBBORN),
    Row("no", False, "exited by hand", STOP),
    Row("no", True, "exited by hand", ""),
)


def in_order(engine: Engine) -> None:
    engine.restart()


def by_kill(engine: Engine) -> None:
    engine.kill()
    engine.start()


WAYS: dict[str, tuple[Callable[[Engine], None], tuple[Row, ...]]] = {
    "in order": (in_order, IN_ORDER),
    "by kill -9": (by_kill, BY_KILL),
}
CASES = [(way, number) for way, (_, rows) in WAYS.items() for number in range(len(rows))]


def title(row: Row) -> str:
    return " ".join([row.policy, *row.bot, *["stopped by a person"] * row.stopped])


@pytest.fixture(scope="module")
def answers(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], str]:
    found = {}
    for way, (end, rows) in WAYS.items():
        folder = tmp_path_factory.mktemp("ends")
        names = [f"row-{number}" for number in range(len(rows))]

        def settle_in(name: str, row: Row, folder: Path = folder) -> None:
            lodge(engine, folder, name, *row.bot, flags=("--stop-timeout", "1"), policy=row.policy)
            if row.stopped:
                engine.docker("stop", name)

        with ThreadPoolExecutor(4) as hands:
            list(hands.map(settle_in, names, rows))
        before = {name: len(engine.events(name)) for name in names}
        end(engine)
        pause(CALM)
        for number, name in enumerate(names):
            events = ", ".join(str(event) for event in engine.events(name)[before[name] :])
            hand = " by hand" * engine.by_hand(name)
            found[way, number] = f"{engine.status(name)}{hand}: {events}"
            ran = events.count("start") + 1
            assert starts(folder, name) == ran, f"{name} started {starts(folder, name)} times, and the engine told of {ran}"
        engine.clear()
    return found


@pytest.mark.parametrize(
    ("way", "number"), CASES, ids=[f"{way}-{title(WAYS[way][1][number])}".replace(" ", "_") for way, number in CASES]
)
def test_the_engine_answers_as_the_product_relies_on(answers: dict[tuple[str, int], str], way: str, number: int) -> None:
    row = WAYS[way][1][number]
    wanted = f"{row.after}: {row.events}"
    assert answers[way, number] == wanted, f"{title(row)}, dockerd ends {way}: this engine answers {answers[way, number]!r}"
