"""Who did that? The orders of events that were measured on a real engine, one command each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from watchdog.model.container import Act, Deed, Happening
from watchdog.state.dealings import NOTHING, SLACK, Dealings, alive, ends, follow, judge, settled

GRACE = 10.0
AT = 1_000_000.0

Line = tuple[float, str]
"""Seconds since the beginning, and an event: `kill 15`, `die 137`, `start`, `rename bot-old`, `create #2` (another id)."""


def event(at: float, line: str, name: str = "bot") -> Happening:
    act, *words = line.split()
    number = next((int(word) for word in words if word.lstrip("-").isdigit()), None)
    cid = next((f"c{word[1:]}" for word in words if word.startswith("#")), "c1")
    old = next((word for word in words if word[0].isalpha()), "")
    what = Act(act)
    return Happening(
        AT + at,
        round((AT + at) * 1e9),
        what,
        cid,
        name if what is not Act.RENAME or not old.startswith("to:") else old[3:],
        signal=number if what is Act.KILL else None,
        code=number if what is Act.DIE else None,
        old=("" if what is not Act.RENAME else "bot" if old.startswith("to:") else old),
    )


def after(*lines: Line, before: Dealings = NOTHING) -> Dealings:
    for at, line in lines:
        before = follow(before, event(at, line), "bot")
    return before


def verdict(*lines: Line, before: Dealings = NOTHING) -> str:
    hand = judge(after(*lines, before=before), GRACE)
    return hand.words if hand is not None else "its own"


STOP = ((0.0, "kill 15"), (0.04, "die 0"), (0.05, "stop"))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (STOP, "stopped by hand (docker stop)"),
        (((0.0, "kill 15"), (10.0, "kill 9"), (10.04, "die 137"), (10.05, "stop")), "stopped by hand (docker stop)"),
        (((0.0, "kill 15"), (60.0, "kill 9"), (60.04, "die 137"), (60.05, "stop")), "stopped by hand (docker stop)"),
        (((0.0, "kill 2"), (0.04, "die 130"), (0.05, "stop")), "stopped by hand (docker stop)"),
        (((0.0, "kill 9"), (0.04, "die 137")), "stopped by hand (docker kill)"),
        (((0.0, "kill 15"), (0.04, "die 0")), "stopped by hand (docker kill -s TERM)"),
        (((0.0, "kill 15"), (8.0, "die 0")), "stopped by hand (docker kill -s TERM)"),
        (((0.0, "kill 15"), (1.0, "kill 9"), (1.04, "die 137")), "stopped by hand (docker kill -s TERM)"),
        (((0.0, "kill 1"), (0.04, "die 129")), "stopped by hand (docker kill -s HUP)"),
        (((0.0, "kill 34"), (0.04, "die 0")), "stopped by hand (docker kill -s RTMIN)"),
        (((0.0, "kill 99"), (0.04, "die 0")), "stopped by hand (docker kill -s 99)"),
        (((0.0, "kill 15"), (0.0, "die 0"), (0.0, "stop")), "stopped by hand (docker stop)"),
        ((*STOP, (0.15, "start"), (0.15, "restart")), "restarted by hand (docker restart)"),
        (((0.0, "start"), (0.0, "restart")), "restarted by hand (docker restart)"),
        ((*STOP, (0.6, "start")), "restarted by hand (docker stop, then started)"),
        (((0.0, "kill 9"), (0.04, "die 137"), (0.5, "start")), "restarted by hand (docker kill, then started)"),
        (((0.0, "kill 9"), (0.04, "die 137"), (0.06, "destroy")), "removed by hand (docker rm)"),
        ((*STOP, (0.1, "destroy")), "removed by hand (docker rm)"),
        (((0.0, "die 1"), (0.1, "destroy")), "removed by Docker (it ended by itself, made with --rm)"),
        (((0.0, "die 1"), (60.0, "destroy")), "removed by hand (docker rm)"),
        (
            (*STOP, (0.1, "destroy"), (0.2, "create #2"), (0.4, "start #2")),
            "re-created by hand (a new container under the same name)",
        ),
        (
            (*STOP, (0.1, "destroy"), (0.2, "rename #2 tmp"), (0.4, "start #2")),
            "re-created by hand (a new container under the same name)",
        ),
        (
            ((0.0, "rename to:bot-old"), (0.2, "create #2"), (0.4, "start #2")),
            "re-created by hand (a new container under the same name)",
        ),
        (((0.0, "rename to:elsewhere"),), "removed by hand (docker rm)"),
        (((0.0, "rename to:elsewhere"), (0.3, "rename elsewhere")), "its own"),
        (((0.0, "pause"),), "paused by hand (docker pause)"),
        (((0.0, "pause"), (0.5, "unpause")), "its own"),
        (((0.0, "kill 15"), (0.05, "unpause"), (0.1, "die 0"), (0.12, "stop")), "stopped by hand (docker stop)"),
        (((0.0, "start"), (0.5, "pause")), "paused by hand (docker pause)"),
        (((0.0, "die 137"),), "its own"),
        (((0.0, "die 0"), (0.2, "start")), "its own"),
        (((0.0, "die 1"), (0.2, "start"), (0.4, "die 1"), (0.7, "start"), (0.9, "die 1")), "its own"),
        (((0.0, "oom"), (0.1, "die 137")), "its own"),
        (((0.0, "oom"),), "its own"),
        (((0.0, "kill 1"),), "its own"),
        (((0.0, "kill 15"),), "its own"),
        (((0.0, "kill 1"), (60.0, "die 1")), "its own"),
        (((0.0, "health_status"),), "its own"),
        (((0.0, "start"),), "its own"),
    ],
    ids=lambda value: value if isinstance(value, str) else ", ".join(line for _, line in value),
)
def test_one_command(lines: tuple[Line, ...], words: str) -> None:
    assert verdict(*lines) == words


@pytest.mark.parametrize(("late", "theirs"), [(GRACE + SLACK - 0.1, True), (GRACE + SLACK + 0.1, False), (-SLACK - 0.1, False)])
def test_a_death_belongs_to_a_signal_for_the_grace_and_a_little_more(late: float, theirs: bool) -> None:
    lines = sorted([(20.0, "kill 15"), (20.0 + late, "die 0")])
    assert (verdict(*lines) != "its own") is theirs


def test_a_removal_of_another_container_of_that_name_is_no_removal() -> None:
    """Compose takes the old one away after the new one runs under its name."""
    assert verdict((0.0, "rename #2 tmp"), (0.1, "start #2"), (0.5, "destroy #1")) == "its own"
    assert verdict((0.0, "start #2"), (0.5, "destroy #2")) == "removed by hand (docker rm)"


def test_what_was_judged_is_not_judged_again() -> None:
    stopped = settled(after(*STOP))
    assert judge(stopped, GRACE) is None
    assert verdict((60.0, "start"), before=stopped) == "its own"
    assert verdict((60.0, "die 1"), before=settled(after((0.0, "start"), (0.0, "restart")))) == "its own"


def test_a_pause_and_a_removal_last_beyond_their_judgement() -> None:
    paused = settled(after((0.0, "pause")))
    assert judge(paused, GRACE) == judge(after((0.0, "pause")), GRACE)
    assert verdict((60.0, "unpause"), before=paused) == "its own"
    assert verdict((60.0, "die 137"), before=paused) == "its own"
    gone = settled(after((0.0, "start"), (5.0, "destroy")))
    assert judge(gone, GRACE) is not None
    words = verdict((60.0, "create #2"), (60.3, "start #2"), before=gone)
    assert words == "re-created by hand (a new container under the same name)"
    assert settled(after((60.3, "start #2"), before=gone)).gone is None


def test_only_what_lasts_leaves_it_to_them() -> None:
    assert {deed for deed in Deed if deed.lasts} == {Deed.STOPPED, Deed.PAUSED, Deed.REMOVED}


def test_alive_is_what_was_started_after_its_last_end() -> None:
    assert not alive(NOTHING)
    assert alive(after((0.0, "start")))
    assert not alive(after((0.0, "start"), (1.0, "die 1")))
    assert not alive(after((0.0, "start"), (1.0, "destroy")))
    assert alive(after((0.0, "die 1"), (0.0, "start")))


def test_only_the_last_kills_are_kept() -> None:
    assert len(after(*((float(at), "kill 1") for at in range(50))).kills) == 4


@pytest.mark.parametrize(
    ("line", "calls_back"),
    [
        ("kill 15", True),
        ("kill 9", True),
        ("kill 2", True),
        ("kill 19", True),
        ("kill 1", False),
        ("kill 10", False),
        ("kill 12", False),
        ("kill 28", False),
        ("stop", True),
        ("pause", True),
        ("destroy", True),
        ("rename to:elsewhere", True),
        ("die 1", False),
        ("start", False),
        ("restart", False),
        ("unpause", False),
        ("oom", False),
        ("create", False),
        ("health_status", False),
    ],
)
def test_which_events_take_it_out_of_our_hands_at_once(line: str, calls_back: bool) -> None:
    assert ends(event(0.0, line)) is calls_back


def test_a_kill_without_a_number_is_no_harmless_one() -> None:
    assert ends(replace(event(0.0, "kill 15"), signal=None))
