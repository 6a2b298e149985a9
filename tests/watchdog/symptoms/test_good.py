from __future__ import annotations

import pytest

from tests.fakes.film import answer, error
from watchdog.model.observation import Kind
from watchdog.symptoms.good import good


@pytest.mark.parametrize("symptom", [None, "unresponsive", "flapping", "critical", "exited", "crash_loop"])
def test_degraded_is_good_unless_degraded_is_the_trouble(symptom: str | None) -> None:
    assert good(answer(1.0, Kind.OK), symptom)
    assert good(answer(1.0, Kind.DEGRADED), symptom)
    assert not good(answer(1.0, Kind.DEGRADED), "degraded")
    assert good(answer(1.0, Kind.OK), "degraded")


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.OK, Kind.DEGRADED)])
def test_failing_critical_and_what_counts_neither_way_is_never_good(kind: Kind) -> None:
    assert not good(answer(1.0, kind), "unresponsive")
    assert not good(answer(1.0, kind))


def test_an_answer_that_still_lists_the_error_type_of_the_incident_is_not_good() -> None:
    listed = answer(1.0, errors=(error("ValueError"),))
    assert good(listed, "degraded")
    assert not good(listed, "degraded", {"ValueError"})
    assert good(listed, "unresponsive", {"ValueError"})
    assert good(answer(1.0, errors=(error("ValueError", count_1h=0),)), "degraded", {"ValueError"})
