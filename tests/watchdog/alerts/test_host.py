"""What people read about this host itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

from watchdog.alerts.host import storm
from watchdog.alerts.messages import close, message
from watchdog.alerts.story import Storm, Story
from watchdog.model.incident import Incident, Outcome, Stage, Tier

TZ = timezone(timedelta(hours=5))
T0 = 1_786_833_120.0
"""03:32 in TZ."""

NETWORK = Incident(
    7,
    "host",
    Stage.WAITING,
    T0,
    reason="our own network is down: none of connectivity.targets answers",
    symptom="network",
    confirmed_at=T0,
    tier=Tier.SOFT,
)
STORY = Story("This host", NETWORK, T0 + 180, TZ)
CLOSED = replace(NETWORK, stage=Stage.CLOSED, outcome=Outcome.SELF_RECOVERED, closed_at=T0 + 570)


def test_a_storm_says_that_nothing_is_restarted_and_what_all_have_in_common() -> None:
    told = Storm(31, 42, 40, T0, 231, TZ, T0 + 60, ("31 of 31: refused", "30 of 31: kind scraper"), "this host's DNS")
    assert storm(told).splitlines() == [
        "🔴 31 of 42 services went bad within 40 s. Nothing is being restarted.",
        "since 03:32 +05 · incident 231",
        "",
        "Common  31 of 31: refused",
        "        30 of 31: kind scraper",
        "Likely  this host's DNS",
        "Next    I look again every minute and heal what is left when it is over",
        "Act     watchdogctl incident 231",
        "        watchdogctl resume # nothing common is wrong: heal now",
    ]


def test_a_storm_without_traits_has_its_moment() -> None:
    assert "Common  the moment only" in storm(Storm(4, 8, 60, T0, 9, TZ, T0 + 60))


def test_the_end_of_a_storm_is_no_bot_that_is_back() -> None:
    gone = replace(
        CLOSED, symptom="storm", reason="the storm is over: fewer than half of its members are bad", tier=Tier.CRITICAL
    )
    assert close(replace(STORY, incident=gone)) == (
        "✅ The storm is over after 9 min 30 s (fewer than half of its members are bad). "
        "What is still bad is healed now. Incident 7."
    )


def test_a_closed_way_out_is_told_soft_then_loud_then_over() -> None:
    soft = message(STORY)
    assert soft.startswith("🟡 No network on this host for 3 min: none of connectivity.targets answers;")
    assert soft.endswith("· incident 7")
    assert "\n" not in soft
    loud = message(replace(STORY, now=T0 + 900, incident=replace(NETWORK, tier=Tier.CRITICAL)))
    assert loud.splitlines()[:2] == ["🔴 No network on this host for 15 min", "since 03:32 +05 · incident 7"]
    assert "watchdogctl hold" not in loud
    assert close(replace(STORY, incident=CLOSED)) == "🟡 The network of this host is back after 9 min 30 s. Incident 7."


DOCKER = replace(
    NETWORK,
    service="docker",
    symptom="docker",
    reason="Docker does not answer: timed out; its containers are watched, nothing is done to them",
)


def test_an_engine_that_does_not_answer_speaks_in_its_own_name() -> None:
    story = Story("Docker", DOCKER, T0 + 180, TZ)
    assert message(story) == (
        "🟡 Docker does not answer for 3 min: timed out; its containers are watched, nothing is done to them · incident 7"
    )
    loud = message(replace(story, incident=replace(DOCKER, tier=Tier.CRITICAL), now=T0 + 900))
    assert loud.splitlines() == [
        "🔴 Docker does not answer for 15 min",
        "since 03:32 +05 · incident 7",
        "",
        "Saw     timed out; its containers are watched, nothing is done to them",
        "Next    I look again with every check; it closes by itself when it is over",
        "Act     watchdogctl incident 7",
        "        systemctl status docker",
    ]


def test_its_return_is_no_bot_that_is_back() -> None:
    back = replace(CLOSED, service="docker", symptom="docker", reason="it answers again")
    assert close(Story("Docker", back, T0 + 600, TZ)) == "🟡 Docker: it answers again after 9 min 30 s. Incident 7."
