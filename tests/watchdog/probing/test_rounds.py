from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from watchdog.probing.rounds import TICK, Rounds


@dataclass(frozen=True)
class Every:
    interval: float


def fleet(count: int, interval: float = 30.0) -> dict[str, Every]:
    return {f"bot-{number}": Every(interval) for number in range(count)}


def asked(rounds: Rounds, start: float, until: float, tick: float = TICK) -> dict[str, list[float]]:
    """Every time at which each service was asked."""
    times: dict[str, list[float]] = {}
    for number in range(int((until - start) / tick + 0.5)):
        now = start + number * tick
        for name in rounds.due(now):
            times.setdefault(name, []).append(now)
    return times


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


def test_the_first_round_has_begun_within_a_second() -> None:
    rounds = Rounds()
    rounds.set(fleet(500), 100.0)
    times = asked(rounds, 100.0, 101.0)
    assert len(times) == 500
    assert all(len(each) == 1 for each in times.values())


def test_a_large_fleet_is_begun_with_at_most_a_few_hundred_per_tick() -> None:
    rounds = Rounds()
    rounds.set(fleet(10_000), 100.0)
    ticks = Counter(round(each[0] * 10) for each in asked(rounds, 100.0, 111.0).values())
    assert sum(ticks.values()) == 10_000
    assert max(ticks.values()) < 200


def test_no_gap_is_longer_than_the_interval_and_the_round_spreads_over_it() -> None:
    rounds = Rounds()
    rounds.set(fleet(300), 0.0)
    times = asked(rounds, 0.0, 600.0)
    every_gap = [gap for each in times.values() for gap in gaps(each)]
    assert max(every_gap) < 30.0 + TICK / 2
    assert min(every_gap) > 26.9
    last_round = Counter(round(each[-1] * 10) for each in times.values())
    assert max(last_round.values()) < 10  # 300 services in 300 ticks


def test_a_slot_is_the_same_in_every_life_of_the_daemon() -> None:
    def phase(rounds: Rounds) -> dict[str, int]:
        rounds.set(fleet(50), 0.0)
        return {name: round(each[-1] * 10) % 300 for name, each in asked(rounds, 0.0, 600.0).items()}

    assert phase(Rounds()) == phase(Rounds())


def test_a_reload_keeps_the_slots_of_those_that_stay() -> None:
    rounds, still = Rounds(), Rounds()
    rounds.set(fleet(20), 0.0)
    still.set(fleet(20), 0.0)
    before = asked(rounds, 0.0, 45.0)
    assert before == asked(still, 0.0, 45.0)
    rounds.set({name: each for name, each in fleet(40).items() if name != "bot-3"}, 45.0)
    after, untouched = asked(rounds, 45.0, 120.0), asked(still, 45.0, 120.0)
    assert "bot-3" not in after
    assert all(after[name] == untouched[name] for name in untouched if name != "bot-3")
    assert len(after) == 39


def test_a_shorter_interval_counts_from_now() -> None:
    rounds = Rounds()
    rounds.set({"bot": Every(60.0)}, 0.0)
    assert asked(rounds, 0.0, 2.0)["bot"]
    rounds.set({"bot": Every(1.0)}, 2.0)
    assert len(asked(rounds, 2.0, 12.0)["bot"]) >= 9


def test_after_a_suspended_host_each_is_asked_once() -> None:
    rounds = Rounds()
    rounds.set(fleet(50), 0.0)
    asked(rounds, 0.0, 60.0)
    woken = rounds.due(60.0 + 7200.0)
    assert sorted(woken) == sorted(fleet(50))
    assert not rounds.due(60.0 + 7200.0 + TICK)


def test_a_service_is_asked_sooner_once_and_keeps_its_slot() -> None:
    rounds = Rounds(spread=False)
    rounds.set({"bot": Every(30.0)}, 0.0)
    assert asked(rounds, 0.0, 1.0) == {"bot": [0.0]}
    rounds.soon("bot", 6.0)
    assert rounds.next_due() == 6.0
    later = asked(rounds, 1.0, 100.0)["bot"]
    assert [round(at) for at in later] == [6, 30, 60, 90]


def test_a_question_later_than_the_next_check_is_no_extra_one() -> None:
    rounds = Rounds(spread=False)
    rounds.set({"bot": Every(2.0)}, 0.0)
    rounds.due(0.0)
    rounds.soon("bot", 5.0)
    rounds.soon("stranger", 1.0)
    assert [round(at, 1) for at in asked(rounds, 0.1, 7.0)["bot"]] == [2.0, 4.0, 6.0]


def test_without_spread_the_first_check_is_at_once_and_then_each_interval_exactly() -> None:
    rounds = Rounds(spread=False)
    rounds.set(fleet(50), 1000.0)
    for at in (1000.0, 1030.0, 1060.0):
        assert rounds.next_due() == at
        assert len(rounds.due(at)) == 50


def test_nothing_is_due_without_services() -> None:
    rounds = Rounds()
    rounds.set({}, 5.0)
    assert rounds.due(6.0) == []
    assert rounds.next_due() == inf
