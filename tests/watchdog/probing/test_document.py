from __future__ import annotations

import pytest

from watchdog.probing.document import decode, lookup, mapped, read, status_field


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", 1),
        ("$.a.b", 1),
        ("list.1.x", "second"),
        ("list[1].x", "second"),
        ("dotted.key.z", 3),
        ("a", {"b": 1}),
    ],
)
def test_a_path_finds_its_value(path: str, found: object) -> None:
    data = {"a": {"b": 1}, "list": [{"x": "first"}, {"x": "second"}], "dotted.key": {"z": 3}}
    assert lookup(data, path) == (True, found)


@pytest.mark.parametrize("path", ["a.c", "list.5", "list.x", "a.b.c", "list.99999999999999999999"])
def test_a_path_that_leads_nowhere(path: str) -> None:
    assert lookup({"a": {"b": 1}, "list": [1]}, path) == (False, None)


def test_a_map_lays_what_it_finds_over_the_document() -> None:
    data = {"status": "odd", "deep": {"state": "up", "jobs": 4}, "metrics": {"kept": 1}}
    over = mapped(data, {"status": "deep.state", "metrics.jobs": "deep.jobs", "reason": "not.there"})
    assert over["status"] == "up"
    assert over["metrics"] == {"jobs": 4}
    assert mapped(data, {"reason": "not.there"}) is data


def test_the_status_field_is_found_in_any_case() -> None:
    assert status_field({"Status": "UP"}, 200) == ("Status", "UP")
    assert status_field({"ISHEALTHY": False}, 200) == ("ISHEALTHY", False)
    assert status_field({"status": float("nan"), "ok": 5}, 200) == ("ok", "5")
    assert status_field({"other": 1}, 200) is None


def test_any_bytes_become_text() -> None:
    assert decode("{привет".encode()) == "{привет"
    assert decode(b"{caf\xe9") == "{caf\xe9"
    assert decode("{привет".encode("koi8-r"), "text/plain; charset=KOI8-R") == "{привет"
    assert decode(b"\xef\xbb\xbfok", "text/plain; charset=utf-8") == "ok"
    assert decode(b"ok", "text/plain; charset=base64") == "ok"


def test_a_password_field_makes_a_login_page_of_html_only() -> None:
    page = b'<form><INPUT\n name="p" TYPE = "Password"></form>'
    assert read(page, "text/html; charset=utf-8").login
    assert read(page, "").login
    assert not read(page, "text/plain").login
    assert not read(b"<input type=text> password", "text/html").login
