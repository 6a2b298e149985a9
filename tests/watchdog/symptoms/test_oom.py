from __future__ import annotations

from dataclasses import replace

from tests.fakes.film import Film
from watchdog.state.life import OOMS, starved


class Starving(Film):
    def starves(self, times: int = 1, every: float = 600.0) -> Starving:
        for _ in range(times):
            self.wait(every)
            self.history = replace(self.history, life=starved(self.history.life, self.at))
        return self


def test_three_in_an_hour_are_noted_and_the_fourth_is_a_person_s() -> None:
    film = Starving().starves(3)
    assert film.names() == ()
    (symptom,) = film.starves().symptoms()
    assert (symptom.name, symptom.person) == ("oom", True)
    assert symptom.text == "killed for memory 4 times in 30 min"
    assert symptom.since == film.at - 1800


def test_four_in_a_little_more_than_an_hour_are_noted_only() -> None:
    assert Starving().starves(4, every=1201.0).names() == ()
    assert Starving().starves(4, every=1199.0).names() == ("oom",)


def test_the_window_slides() -> None:
    film = Starving().starves(4)
    film.wait(1799)
    assert film.names() == ("oom",)
    film.wait(2)
    assert film.names() == ()


def test_good_answers_and_starts_do_not_hide_it() -> None:
    film = Starving().starves(4)
    film.starts("2:2:boot").ok(3)
    assert film.names() == ("oom",)


def test_a_clock_set_back_does_not_hide_it() -> None:
    film = Starving().starves(4, every=60.0)
    film.wait(-1800)
    assert film.names() == ("oom",)


def test_no_more_are_kept_than_are_needed() -> None:
    assert len(Starving().starves(OOMS + 5, every=1.0).history.life.ooms) == OOMS
