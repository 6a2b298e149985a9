from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from watchdog.config.check import check

KEYS = ["services", "defaults", "apis", "commands", "timezone", "a", "b", "probe", "runtime", "depends_on", "interval", "timeout"]
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["a", "b", "30s", "x", "UTC"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=20,
)


def texts(raw: dict[str, Any]) -> list[str]:
    return [text for _, text, _ in check(raw)]


def test_a_diamond_of_dependencies_is_fine() -> None:
    """F28."""
    probe = {"probe": {"tcp": "h:1"}}
    services = {
        "top": {**probe, "depends_on": ["l", "r"]},
        "l": {**probe, "depends_on": ["base"]},
        "r": {**probe, "depends_on": {"base": "needs"}},
        "base": probe,
    }
    assert texts({"services": services}) == []


def test_a_timeout_is_measured_against_the_interval_that_holds() -> None:
    short = {"defaults": {"interval": "10s"}}
    assert texts({"services": {"a": {"timeout": "20s"}}, **short}) == ["'20s' is longer than the interval (10s)"]
    assert texts({"services": {"a": {"timeout": "20s", "interval": "30s"}}, **short}) == []
    assert texts({"services": {"a": {"interval": "5s"}}, "defaults": {"timeout": "20s"}}) == [], "an inherited one is cut"
    assert texts({"services": {"a": {"timeout": "30s"}}}) == [], "equal is not above"


def test_a_thousand_unknown_names_do_not_take_long_to_tell() -> None:
    services: dict[str, Any] = {f"bot-{n}": {"depends_on": [f"bto-{n}"]} for n in range(1000)}
    found = texts({"services": services})
    assert len(found) == 1000
    assert sum("did you mean" in text for text in found) == 20


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_values_of_wrong_types_are_left_to_the_schema(raw: dict[str, Any]) -> None:
    for path, text, _ in check(raw):
        assert text
        assert path
