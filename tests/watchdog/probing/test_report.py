from __future__ import annotations

from watchdog.probing.report import read_report

OWN = {
    "status": "ok",
    "reason": "disk_full",
    "message": "one line",
    "uptime_s": 5400,
    "instance": "b1f0",
    "version": "1.4.2",
    "progress": {"counter": 5512, "age_s": 12.5},
    "queue": 3,
    "errors": [{"type": "ConnectionResetError", "api": "whatsapp", "count_1h": 3, "code": 515, "message": "reset\nby peer"}],
    "metrics": {"requests_today": 812},
}


def test_every_field_of_our_own_form_is_read() -> None:
    report = read_report(OWN)
    assert report is not None
    assert (report.reason, report.message, report.uptime_s, report.instance, report.version) == (
        *("disk_full", "one line", 5400.0, "b1f0", "1.4.2"),
    )
    assert (report.progress, report.progress_age_s, report.queue, report.metrics) == (
        5512.0,
        12.5,
        3.0,
        {"requests_today": 812.0},
    )
    (error,) = report.errors
    assert (error.type, error.api, error.count_1h, error.code, error.message) == (
        *("ConnectionResetError", "whatsapp", 3.0, "515", "reset by peer"),
    )


def test_a_document_without_any_of_them_has_no_report() -> None:
    assert read_report({"status": "UP", "components": {}}) is None


def test_wrong_types_and_endless_numbers_are_left_out() -> None:
    report = read_report(
        {
            "reason": 5,
            "uptime_s": "long",
            "queue": True,
            "progress": [1],
            "errors": [{"type": "", "count_1h": 1}, "x", {"type": "A", "count_1h": float("nan"), "api": []}],
            "metrics": {"nan": float("nan"), "huge": 10**400, "text": "5", "flag": True, "fine": 1},
            "instance": {"a": 1},
            "version": 2,
        }
    )
    assert report is not None
    assert (report.reason, report.uptime_s, report.queue, report.progress, report.instance, report.version) == (
        *(None, None, None, None, None, "2"),
    )
    assert report.metrics == {"fine": 1.0}
    assert [(error.type, error.count_1h, error.api) for error in report.errors] == [("A", None, None)]


def test_lists_are_bounded() -> None:
    report = read_report({"errors": [{"type": str(n)} for n in range(1000)], "metrics": {str(n): n for n in range(1000)}})
    assert report is not None
    assert len(report.errors) == 50
    assert len(report.metrics) == 50


def test_a_reason_that_is_a_sentence_is_a_message() -> None:
    report = read_report({"reason": "the disk is full"})
    assert report is not None
    assert (report.reason, report.message) == (None, "the disk is full")


def test_a_progress_may_be_a_bare_counter() -> None:
    report = read_report({"progress": 7})
    assert report is not None
    assert report.progress == 7.0
