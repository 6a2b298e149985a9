from __future__ import annotations

from watchdog.state.phrases import by_number, counted, in_order


def test_rows_of_findings_read_like_a_sentence() -> None:
    assert counted(4, "timeout") == "4 timeouts"
    assert in_order(["timeout", "timeout", "refused"]) == "2 timeouts, then refused"
    assert (
        in_order(["reset", "timeout", "refused", "HTTP 500", "HTTP 500"]) == "…, then 1 timeout, then refused, then 2 × HTTP 500"
    )


def test_the_most_frequent_finding_comes_first() -> None:
    assert by_number(["refused", "timeout", "timeout"]) == "2 timeouts, refused"
    assert by_number(["a", "b", "c", "d"]).endswith("…")
