"""The engine ends or hangs in the middle of a step: nothing is repeated blindly, and the bot is healed with one restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

WAYS: dict[str, tuple[Callable[[Engine], None], Callable[[Engine], None]]] = {
    "in order": (Engine.stop, Engine.start),
    "by kill": (Engine.kill, Engine.start),
    "hanging": (Engine.hang, Engine.go_on),
}
STEPS = ("stop_process", "ensure_running")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", WAYS)
def test_an_engine_that_goes_away_in_the_middle_of_a_step(engine: Engine, tmp_path: Path, way: str, step: str) -> None:
    away, back = WAYS[way]
    with house(engine, tmp_path / "house") as here:
        here.container("hung", "stubborn", policy="no", flags=("--stop-timeout", "2"), term_grace="2s")
        here.container("neighbour", policy="unless-stopped")
        here.container("stopped", policy="unless-stopped")
        here.bot("plain")
        here.start()
        here.until(here.ok, 20, "everybody is well")
        here.person("stop", name="stopped")
        pause(2.5)
        here.mood("hung", "hang")
        here.until(lambda: here.stepping("hung", step), 30, f"{step} has begun")
        away(engine)
        pause(4)
        back(engine)
        here.until(lambda: here.ok("hung", "neighbour", "plain") and here.idle(), 40, "everybody is well")
        pause(3)
        # An engine that ends in order may stop what was started a moment before; then one more start is due.
        deaths = [event for event in here.events("hung") if event.startswith("die")]
        assert here.count_of("hung") == (1 + len(deaths) if way == "in order" else 2), here.report()
        assert len(deaths) <= 2
        assert here.count_of("neighbour") == (1 if way == "hanging" else 2)
        assert (here.count_of("stopped"), engine.status("stopped")) == (1, "exited")
        assert len(here.starts("plain")) == 1
        assert here.rows("SELECT * FROM notices WHERE tier = 'critical'") == []
        here.others["neighbour"] += 1
        assert here.breaches() == []
