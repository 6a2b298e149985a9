"""Real answers of libraries and servers are judged as they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from watchdog.model.observation import Kind, Observation
from watchdog.probing.answer import HttpAnswer
from watchdog.probing.verdict import judge

RECORDS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "data" / "health-bodies.yaml").read_text("utf-8"))


def may_restart(seen: Observation) -> bool:
    """May this answer alone, repeated for ever, lead to a restart of this service?"""
    return seen.kind in (Kind.NO_ANSWER, Kind.BAD_ANSWER, Kind.CRITICAL, Kind.DEGRADED) and not seen.excused


def test_all_of_the_real_answers_are_here() -> None:
    assert len(RECORDS) == 121


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_real_answer_is_judged_as_it_says(record: dict[str, Any]) -> None:
    given = record.get("given", {})
    declared = frozenset([*given.get("depends_on", []), *given.get("apis", [])])
    answer = HttpAnswer(record["http"], record.get("headers", {}), record["body"].encode(), latency=0.01)

    seen = judge(answer, declared, {}, now=1000.0)

    assert seen.kind == record["expect"], record["why"]
    assert may_restart(seen) is record["restart_allowed"], record["why"]
