from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.film import Film, bot
from watchdog.state.history import begin, left, muted
from watchdog.state.memory import dump, restore
from watchdog.symptoms.diagnose import diagnose


def test_exits_and_grace_survive_the_daemon() -> None:
    """I5, F32: a crash loop is seen although the daemon was killed in its midst."""
    film = Film()
    for number in range(4):
        film.starts(f"{number}").wait(2).exits(1).wait(3)
    again = restore(json.loads(json.dumps(dump(film.history))))
    assert again.life == film.history.life
    assert again.seen == film.history.seen
    assert "crash_loop" in [symptom.name for symptom in diagnose(again, film.service, film.at)]
    film.starts("x")
    assert muted(restore(dump(film.history)), film.at + 1)


def test_what_is_usual_survives_and_the_counts_over_health_start_anew() -> None:
    film = Film(bot()).ok(30, progress=5.0, queue=1).fails(3)
    again = restore(dump(film.history))
    assert again.latency == film.history.latency
    assert again.streaks.failing == 0
    assert again.pace.counter is not None
    assert again.pace.counter.usual == film.history.pace.counter.usual if film.history.pace.counter else False


def test_what_the_counter_did_while_nobody_looked_tells_no_rate() -> None:
    film = Film()
    for value in (60.0, 120.0, 180.0):
        film.ok(progress=value)
    film.history = restore(dump(film.history))
    film.wait(3600).ok(progress=181.0)
    counter = film.history.pace.counter
    assert counter is not None
    assert counter.usual == pytest.approx(2.0)


def test_a_new_history_goes_through_json_unchanged() -> None:
    history = begin("bot", 12.5)
    assert restore(json.loads(json.dumps(dump(history)))) == history


@pytest.mark.parametrize(
    "change",
    [
        {"form": 99},
        {"state": "splendid"},
        {"since": "yesterday"},
        {"since": float("nan")},
        {"exits": [[1]]},
        {"exits": 5},
        {"latency": []},
        {"progress": [1, 2]},
        {"grace": [1]},
    ],
)
def test_what_is_no_history_is_refused_in_one_way(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words differ
        restore({**dump(begin("bot", 0.0)), **change})
    with pytest.raises(ValueError, match="not a history"):
        restore({"form": 1})


def test_whose_it_is_and_what_was_killed_for_memory_survive() -> None:
    film = Film().starts().ok().exits(0)
    life = replace(film.history.life, ooms=(film.at - 60, film.at))
    film.history = left(replace(film.history, life=life), film.at, "stopped by hand (docker stop)")
    again = restore(json.loads(json.dumps(dump(film.history))))
    assert again.life.theirs == "stopped by hand (docker stop)"
    assert again.life.ooms == (film.at - 60, film.at)
    assert again.seen == film.history.seen


def test_a_memory_from_before_containers_is_read() -> None:
    old = dump(Film().starts().ok().history)
    del old["theirs"], old["ooms"]
    assert (restore(old).life.theirs, restore(old).life.ooms) == ("", ())
