"""Readings become a load: rates, since when it is too much, and memory over an hour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from watchdog.config.service import Spinning, Swollen, Thresholds
from watchdog.state.load import CURVE, LONGEST, STEP, UNLOADED, Load, Reading, drawn, measured, reborn, shifted, tells
from watchdog.state.pace import STILL, Counter, Pace, Queue

LIMITS = Thresholds(cpu=Spinning(above=90.0, for_=300.0), memory=Swollen(above=500, for_=300.0))
BEGIN = 1_000_000.0


class Meter:
    """Reads each so many seconds what a bot with so much CPU and memory shows."""

    def __init__(self) -> None:
        self.load, self.limits, self.pace = UNLOADED, LIMITS, STILL
        self.last: Reading | None = None
        self.mono = self.seconds = 0.0
        self.step = 0.0

    def read(self, cpu: float = 1.0, memory: int = 100, after: float = 10.0, lost: float = 0.0) -> Load:
        """lost: seconds of CPU of a child that ended."""
        self.mono += after
        self.seconds += cpu / 100 * after - lost
        now = Reading(BEGIN + self.mono + self.step, self.mono, self.seconds, memory)
        self.load = measured(self.load, self.last, now, self.limits, self.pace)
        self.last = now
        return self.load


def test_cpu_is_the_rate_between_two_readings_and_one_alone_tells_none() -> None:
    meter = Meter()
    assert meter.read(99).cpu is None
    assert meter.read(99).cpu == 99.0
    assert round(meter.read(250, after=1.0).cpu or 0) == 250


def test_since_is_the_begin_of_the_first_stretch_that_was_above_and_one_below_ends_it() -> None:
    meter = Meter()
    meter.read(1)
    assert meter.read(95).cpu_since == BEGIN + 10
    assert meter.read(99).cpu_since == BEGIN + 10
    assert meter.read(90).cpu_since is None, "at the limit is not above it"
    assert meter.read(91).cpu_since == BEGIN + 40


def test_what_nobody_saw_for_long_is_not_taken_for_more_of_the_same() -> None:
    meter = Meter()
    meter.read(99, 900)
    meter.read(99, 900)
    gap = meter.read(99, 900, after=LONGEST + 1)
    assert (gap.cpu, gap.cpu_since) == (None, None)
    assert gap.memory_since == gap.at
    assert meter.read(99, 900).cpu_since == gap.at


def test_the_end_of_a_child_takes_its_cpu_away_and_tells_nothing() -> None:
    meter = Meter()
    meter.read(99)
    meter.read(99)
    assert meter.read(99, lost=200).cpu is None
    assert meter.read(99).cpu == pytest.approx(99.0)


def test_a_clock_that_is_set_changes_no_rate() -> None:
    meter = Meter()
    meter.read(99)
    meter.read(99)
    meter.step = -3600.0
    meter.load = shifted(meter.load, -3600.0)
    load = meter.read(99)
    assert load.cpu == pytest.approx(99.0)
    assert load.at - (load.cpu_since or 0.0) == 20.0


def test_memory_is_above_since_the_reading_that_said_so() -> None:
    meter = Meter()
    meter.read(memory=500)
    assert meter.load.memory_since is None
    meter.read(memory=501)
    assert meter.read(memory=900).memory_since == BEGIN + 20
    assert meter.read(memory=400).memory_since is None


def test_without_a_limit_nothing_is_above_it() -> None:
    meter = Meter()
    meter.limits = replace(LIMITS, cpu=None, memory=None)
    meter.read(400, 10**12)
    assert meter.read(400, 10**12).calm


def test_a_counter_that_moves_or_a_queue_that_falls_begins_the_flat_stretch_anew() -> None:
    meter = Meter()
    meter.pace = Pace(Counter(BEGIN, 7.0), Queue(5.0, 5.0, BEGIN, BEGIN))
    meter.read(99)
    assert meter.read(99).flat_since == BEGIN
    meter.pace = Pace(Counter(BEGIN + 30, 7.0), Queue(9.0, 5.0, BEGIN, BEGIN))
    assert meter.read(99).flat_since == BEGIN, "more to do is no work done"
    meter.pace = Pace(Counter(BEGIN + 60, 7.0), Queue(8.0, 8.0, BEGIN, BEGIN))
    assert meter.read(99).flat_since == BEGIN + 60
    meter.pace = Pace(Counter(BEGIN + 90, 8.0))
    assert meter.read(99).flat_since == BEGIN + 90
    assert meter.read(1).flat_since is None
    meter.pace = STILL
    assert meter.read(99).flat_since is None


def test_the_curve_holds_an_hour_in_few_points() -> None:
    meter = Meter()
    for number in range(800):
        meter.read(memory=number)
    curve = meter.load.curve
    assert len(curve) == CURVE / STEP
    assert curve[-1][0] - curve[0][0] < CURVE
    assert curve[-1] == (BEGIN + 7810, 780)


def test_the_curve_is_one_line_for_people() -> None:
    meter = Meter()
    assert drawn(meter.load, BEGIN) == ""
    meter.read(memory=100 * 10**6)
    meter.read(memory=300 * 10**6, after=STEP)
    meter.read(memory=900 * 10**6, after=60)
    assert drawn(meter.load, BEGIN + 370) == "memory: 100 MB 6 min ago, 300 MB 1 min ago, 900 MB now"
    assert drawn(reborn(meter.load), BEGIN + 370) == "memory: 100 MB 6 min ago, 300 MB 1 min ago"


def test_a_new_instance_keeps_the_curve_and_nothing_else() -> None:
    meter = Meter()
    meter.read(99, 900)
    meter.read(99, 900)
    assert reborn(meter.load) == Load(curve=((BEGIN + 10, 900),))
    assert reborn(UNLOADED) is UNLOADED
    assert shifted(UNLOADED, 3600.0) == UNLOADED


def test_a_calm_reading_is_worth_a_new_load_only_now_and_then() -> None:
    meter = Meter()
    meter.read()
    calm = meter.read()
    before = meter.last
    assert before is not None

    def after(seconds: float, cpu: float = 1.0, memory: int = 100) -> Reading:
        return Reading(before.at + seconds, before.mono + seconds, before.seconds + cpu / 100 * seconds, memory)

    assert not tells(calm, before, after(30), LIMITS)
    assert tells(calm, None, after(30), LIMITS)
    assert tells(calm, before, after(STEP), LIMITS)
    assert tells(calm, before, after(30, cpu=95), LIMITS)
    assert tells(calm, before, after(30, memory=501), LIMITS)
    assert tells(calm._replace(memory_since=1.0), before, after(30), LIMITS), "that it is over must be told too"
