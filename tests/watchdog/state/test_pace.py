from __future__ import annotations

import pytest

from tests.fakes.film import Film, bot
from watchdog.state.pace import NOTHING, learn


def test_the_usual_latency_is_a_mean_at_first_and_moves_slowly_later() -> None:
    usual = NOTHING
    for latency in (0.1, 0.2, 0.3):
        usual = learn(usual, latency)
    assert usual.latency == pytest.approx(0.2)
    for _ in range(50):
        usual = learn(usual, 0.2)
    assert learn(usual, 30.0).latency < 0.21


def test_a_counter_that_was_reset_tells_no_rate() -> None:
    film = Film(bot(interval=30))
    for value in (100.0, 160.0, 220.0, 5.0, 65.0):
        film.ok(progress=value)
    counter = film.history.pace.counter
    assert counter is not None
    assert counter.usual == pytest.approx(2.0)
    assert counter.learnt == 90.0


def test_a_start_keeps_what_is_usual_and_counts_anew() -> None:
    film = Film(bot(interval=30))
    for value in (100.0, 160.0, 220.0):
        film.ok(progress=value)
    film.starts("new").ok(progress=1000.0)
    counter = film.history.pace.counter
    assert counter is not None
    assert counter.usual == pytest.approx(2.0)
    assert counter.learnt == 60.0
