from __future__ import annotations

from tests.fakes.film import bot, error
from watchdog.model.observation import Report
from watchdog.state.checks import own_errors


def test_errors_of_declared_apis_and_dependencies_are_judged_there() -> None:
    service = bot(apis=("sheets",), depends_on=["postgres"])
    report = Report(
        errors=(error("A"), error("B", api="sheets"), error("C", api="postgres"), error("D", api="other"), error("A"))
    )
    assert own_errors(report, service) == ("A", "D")


def test_an_error_whose_hourly_count_is_zero_is_over() -> None:
    assert own_errors(Report(errors=(error("A", count_1h=0), error("B", count_1h=2))), bot()) == ("B",)
