"""The daemon of the demo is not taken for the unit that the demo may run in."""

from __future__ import annotations

from watchdog.demo.keeper import environment


def test_what_belongs_to_a_unit_around_us_is_left_out() -> None:
    around = {"NOTIFY_SOCKET": "/run/x", "INVOCATION_ID": "1", "SYSTEMD_EXEC_PID": "7", "WATCHDOG_USEC": "1", "PATH": "/bin"}
    assert environment(around) == {"PATH": "/bin"}
