from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recovery.yaml import Document, load_text
from watchdog.config.build import build
from watchdog.config.sources import Sources

KEYS = [
    "services",
    "defaults",
    "apis",
    "commands",
    "timezone",
    "probe",
    "runtime",
    "process",
    "env",
    "depends_on",
    "interval",
    "logs",
]
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["a", "process", "30s", "x", "UTC", "${X}", "h:1"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=20,
)

FLEET = """
defaults: {interval: 10s, timeout: 10s, retry: 2s, healthy: 3}
services:
  a: {probe: {tcp: "h:1"}}
  b: {probe: {tcp: "h:2"}, interval: 1m, retry: null, term_grace: 20s}
"""


def test_timing_is_inherited_unless_the_service_says_otherwise() -> None:
    settings, problems = build(Sources(load_text(FLEET, "f")), None, {})
    assert problems == []
    assert settings is not None
    a, b = settings.services["a"], settings.services["b"]
    assert (a.interval, a.timeout, a.retry, a.healthy, a.term_grace) == (10, 10, 2, 3, 10)
    assert (b.interval, b.timeout, b.retry, b.healthy, b.term_grace) == (60, 10, None, 3, 20)


def test_a_wrong_default_is_told_once_and_not_for_every_service() -> None:
    _, problems = build(Sources(load_text(FLEET.replace("interval: 10s", "interval: 10"), "f")), None, {})
    assert [str(problem) for problem in problems] == ["f:2:22: defaults.interval: '10' has no unit, write '10s' or '10m'"]


def test_a_value_whose_variable_is_missing_is_not_judged_a_second_time() -> None:
    _, problems = build(Sources(load_text('services: {a: {probe: {tcp: "${X}"}}}\n', "f")), None, {})
    assert [str(problem) for problem in problems] == [
        "f:1:29: services.a.probe.tcp: variable 'X' is not set, set it or write ${X:-default}"
    ]


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_values_become_settings_or_problems(values: dict[str, Any]) -> None:
    document = Document("f", "")
    document.value = values
    settings, problems = build(Sources(document), None, {})
    assert settings is not None or problems
    assert all(str(problem).startswith("f:1:1: ") for problem in problems)
