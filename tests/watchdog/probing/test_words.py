from __future__ import annotations

import pytest

from watchdog.model.observation import Kind
from watchdog.probing.words import body_status, normal, part_status, status_of, worse


def test_spelling_makes_no_difference() -> None:
    assert normal("  Server-Is_NOT   ready: since 5 s") == "server is not ready"


@pytest.mark.parametrize("word", ["unknown", "GOOD", "green", "", ":", "unavailable", "okay then"])
def test_a_word_that_is_not_in_the_table_says_nothing(word: str) -> None:
    assert status_of(word) is None


def test_a_body_is_a_word_or_it_is_prose() -> None:
    assert body_status("BAD") is Kind.CRITICAL
    assert body_status("out of service") is Kind.CRITICAL
    assert body_status("SERVER_IS_NOT_READY") is Kind.STARTING
    assert body_status("SERVER_IS_NOT_SHUTTING_DOWN") is None
    assert body_status("error: all is lost") is None
    assert body_status("DOWN:redis") is Kind.CRITICAL
    assert body_status("down " * 50) is None


def test_a_part_may_say_more_than_its_word() -> None:
    assert part_status("Unavailable: unable to open database file") is Kind.CRITICAL
    assert part_status("connection refused") is Kind.CRITICAL
    assert part_status("connected") is Kind.OK
    assert part_status(True) is Kind.OK
    assert part_status(0) is None
    assert part_status("1.4.2") is None


def test_the_worse_of_two() -> None:
    assert worse(Kind.OK, Kind.DEGRADED) is Kind.DEGRADED
    assert worse(Kind.CRITICAL, Kind.DEGRADED) is Kind.CRITICAL
