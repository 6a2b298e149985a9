from __future__ import annotations

import pytest

from watchdog.model.observation import Kind
from watchdog.probing.parts import in_document, in_text


def ill(data: dict[str, object], *, own: bool = False, declared: tuple[str, ...] = ()) -> list[str]:
    return [part.name for part in in_document(data, None, own=own, declared=frozenset(declared))]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"checks": {"polling": {"ok": False}, "db": {"ok": True}}}, ["polling"]),
        ({"checks": {"redis": "down", "db": "up"}}, ["redis"]),
        ({"checks": {"redis": False}}, ["redis"]),
        ({"checks": [{"name": "redis", "status": "DOWN"}, {"name": "db", "status": "UP"}]}, ["redis"]),
        ({"checks": {"redis:responseTime": [{"status": "pass"}, {"status": "fail"}]}}, ["redis:responseTime"]),
        ({"components": {"db": {"status": "DOWN", "details": {"error": "x"}}}}, ["db"]),
        (
            {"components": {"db": {"status": "DOWN", "components": {"main": {"status": "DOWN"}, "ro": {"status": "UP"}}}}},
            ["db/main"],
        ),
        ({"details": {"redis": {"status": "warn"}}, "info": {}, "error": {}}, ["redis"]),
        ({"error": [{"redis": "connection refused"}]}, ["redis"]),
        ({"error": {"redis": {"message": "ECONNREFUSED"}}}, ["redis"]),
        ({"connections": {"redis": "disconnected", "db": "connected"}}, ["redis"]),
        ({"results": [{"checker": "redis_gone", "passed": False, "output": "x"}]}, ["redis_gone"]),
        ({"results": [{"Name": "x", "name": "redis", "Healthy": False}]}, ["redis"]),
        ({"database": "Unavailable: unable to open database file", "cache": "OK"}, ["database"]),
        ({"database": False, "cache": True}, ["database"]),
        ({"db": {"status": "DOWN"}, "disk": {"status": "UP"}}, ["db"]),
    ],
)
def test_ill_parts_are_found_in_every_form(data: dict[str, object], names: list[str]) -> None:
    assert ill(data) == names


@pytest.mark.parametrize(
    "data",
    [
        {"message": "error", "level": "warning", "log_level": "ERROR", "mode": "offline"},
        {"error": "Internal Server Error", "statusCode": 500},
        {"error": {"code": 500, "message": "broken", "type": "server_error", "status": "UNAVAILABLE"}},
        {"error": [{"name": "TypeError", "message": "x is undefined"}]},
        {"error": False, "debug": False, "maintenance": False, "sealed": False},
        {"checks": {"startup": {"state": "STARTING"}, "cache": {"status": "UNKNOWN"}}},
        {"errors": [{"type": "ConnectionResetError", "count_1h": 3}]},
        {"service": {"status": {"state": "BAD"}}},
        {"info": {"version": "1.4", "queue": 3}},
        {"checks": None, "results": "none", "components": 5},
    ],
)
def test_what_names_no_ill_part(data: dict[str, object]) -> None:
    assert ill(data) == []


def test_an_open_breaker_is_a_part_of_our_own_form_only() -> None:
    data: dict[str, object] = {"apis": {"sheets": {"state": "open"}, "ezee": {"state": "closed"}, "odd": {"state": []}}}
    assert ill(data, own=True) == ["sheets"]
    assert ill(data) == []


def test_a_part_says_which_dependency_it_names_and_why_it_is_ill() -> None:
    data = {"components": {"db": {"status": "DOWN", "components": {"pg": {"status": "DOWN", "details": {"error": "refused"}}}}}}
    (part,) = in_document(data, None, own=False, declared=frozenset({"postgres"}))
    assert (part.name, part.status, part.message, part.declared) == ("db/pg", Kind.CRITICAL, "refused", "postgres")


def test_a_part_named_twice_is_told_once_at_its_worst() -> None:
    data = {"error": {"redis": {"status": "down"}}, "details": {"redis": {"status": "degraded"}}}
    (part,) = in_document(data, None, own=False, declared=frozenset())
    assert part.status is Kind.CRITICAL


def test_of_very_many_parts_fifty_are_kept_and_an_undeclared_one_is_among_them() -> None:
    checks: dict[str, object] = {f"redis-{number}x": False for number in range(200)}
    checks["disk"] = False
    parts = in_document({"checks": checks}, None, own=False, declared=frozenset({f"redis-{number}x" for number in range(200)}))
    assert len(parts) == 50
    assert parts[0].name == "disk"


def test_kubernetes_names_the_ill_ones() -> None:
    text = "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nlivez check failed"
    (part,) = in_text(text, frozenset({"etcd"}))
    assert (part.name, part.message, part.declared) == ("etcd", "failed: reason withheld", "etcd")
    assert in_text("all [-] well", frozenset()) == ()
