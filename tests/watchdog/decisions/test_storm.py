from __future__ import annotations

import pytest

from tests.fakes.film import RUNTIME, bot
from watchdog.config.schema import Probe
from watchdog.config.schema import Storm as Rule
from watchdog.decisions.storm import Storm, gathering, grown, likely, over, threshold, traits

RULE = Rule()
NOW = 1_000_000.0


def turned(number: int, at: float = NOW, name: str = "s") -> dict[str, float]:
    return {f"{name}{n}": at for n in range(number)}


@pytest.mark.parametrize(("total", "limit"), [(1, 4), (5, 4), (8, 4), (9, 5), (10, 5), (38, 19), (42, 20), (500, 20)])
def test_half_of_all_and_at_least_four_or_twenty(total: int, limit: int) -> None:
    assert threshold(total, RULE) == limit


def test_three_of_fifty_are_healed_normally_and_twenty_are_a_storm() -> None:
    """P4."""
    assert gathering(turned(3), 50, set(), RULE, NOW) is None
    assert gathering(turned(19), 50, set(), RULE, NOW) is None
    storm = gathering(turned(20, NOW - 12), 50, set(), RULE, NOW)
    assert storm is not None
    assert (len(storm.members), storm.since) == (20, NOW - 12)


def test_those_explained_by_a_dependency_reconnecting_or_held_do_not_count() -> None:
    bad = turned(25)
    assert gathering(bad, 50, {f"s{n}" for n in range(6)}, RULE, NOW) is None
    storm = gathering(bad, 50, {"s0"}, RULE, NOW)
    assert storm is not None
    assert "s0" not in storm.members


def test_going_bad_one_after_the_other_over_minutes_is_no_storm() -> None:
    slowly = {f"s{n}": NOW - 10.0 * n for n in range(30)}
    assert gathering(slowly, 50, set(), RULE, NOW) is None
    assert gathering(turned(30, NOW - 61), 50, set(), RULE, NOW) is None, "what stood then has been dealt with"


def test_those_who_turn_bad_while_it_goes_on_join_it() -> None:
    bad = turned(20, NOW)
    storm = gathering(bad, 500, set(), RULE, NOW)
    assert storm is not None
    bad |= {"late": NOW + 55, "later": NOW + 110, "other": NOW + 300, "explained": NOW + 5, "before": NOW - 500}
    storm = grown(storm, bad, {"explained"}, RULE)
    assert {"late", "later"} <= storm.members
    assert not {"other", "explained", "before"} & storm.members
    assert (storm.since, storm.newest) == (NOW, NOW + 110)
    assert grown(storm, bad, {"explained"}, RULE) is storm


def test_it_is_over_when_fewer_than_half_of_its_members_are_bad() -> None:
    storm = gathering(turned(20), 30, set(), RULE, NOW)
    assert storm is not None
    assert not over(storm, {f"s{n}" for n in range(10)})
    assert over(storm, {f"s{n}" for n in range(9)} | {"stranger"})


def test_a_storm_without_members_is_over() -> None:
    assert over(Storm(frozenset(), NOW, NOW), set())


def test_the_members_are_listed_in_one_order() -> None:
    storm = gathering({"b": NOW, "a": NOW, "d": NOW, "c": NOW}, 5, set(), RULE, NOW)
    assert storm is not None
    assert storm.listed == ("a", "b", "c", "d")


def test_common_traits_are_counted_the_most_common_first() -> None:
    services = {
        f"s{n}": bot(f"s{n}", labels={"kind": "scraper"} if n else {}, apis=("sheets",) if n < 2 else ()) for n in range(4)
    }
    details = dict.fromkeys(services, "connection refused")
    told = traits(services, details, dict.fromkeys(services, NOW))
    assert told[:2] == ("4 of 4: connection refused", "4 of 4: asked at the address 127.0.0.1")
    assert "4 of 4: run run" in told
    assert "3 of 4: kind scraper" in told
    assert "2 of 4: API sheets" in told
    assert told[-1] == "4 of 4: turned bad within 5 s"


def test_what_only_a_few_share_is_no_trait() -> None:
    services = {f"s{n}": bot(f"s{n}", probe=Probe(tcp=f"10.0.0.{n}:80"), runtime=None if n else RUNTIME) for n in range(4)}
    assert traits(services, {}, {f"s{n}": NOW + 100.0 * n for n in range(4)}) == ()
    assert traits({}, {}) == ()


def test_what_sets_the_members_apart_is_the_likely_cause_with_its_grounds() -> None:
    """P4: a common cause is named, not what everybody has."""
    here = [bot(f"here-{n}", labels={"zone": "a"}) for n in range(10)]
    there = [bot(f"there-{n}", labels={"zone": "b"}) for n in range(10)]
    struck = {each.name for each in here}
    assert likely([*here, *there], struck, 4) == "zone a: all 10 with it went bad, none of 10 without"
    assert likely([*here, *there], struck - {"here-0"} | {"there-0"}, 4) == "zone a: 9 of 10 with it went bad, 1 of 10 without"


def test_nothing_is_likely_where_nothing_sets_the_members_apart() -> None:
    here = [bot(f"here-{n}", labels={"zone": "a"}) for n in range(10)]
    there = [bot(f"there-{n}", labels={"zone": "b"}) for n in range(10)]
    everybody = {each.name for each in (*here, *there)}
    assert likely([*here, *there], everybody, 4) == ""
    assert likely([*here, *there[:3]], {each.name for each in here}, 4) == "", "three others say nothing"
    assert likely([*here, *there], {f"here-{n}" for n in range(7)}, 4) == "", "too many who have it are well"
