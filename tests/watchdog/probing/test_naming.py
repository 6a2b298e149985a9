from __future__ import annotations

import pytest

from watchdog.probing.naming import declared_name


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("redis", "redis"),
        ("Redis", "redis"),
        ("redis_gone", "redis"),
        ("redis_available", "redis"),
        ("check-redis", "redis"),
        ("is_redis_ok", "redis"),
        ("RedisHealthIndicator", "redis"),
        ("redis:responseTime", "redis"),
        ("Database(alias='default')", "database"),
        ("db", "database"),
        ("PostgreSQL", "postgres"),
        ("postgresql:connections", "postgres"),
        ("MySQL", "mysql"),
        ("MongoDB", "mongo"),
        ("google_sheets", "google-sheets"),
        ("googleSheets", "google-sheets"),
        ("Google Sheets API", "google-sheets"),
        ("queue_worker", "queue-worker"),
        ("redis-2", "redis-2"),
        ("база", "база"),
    ],
)
def test_a_name_means_the_dependency(name: str, declared: str) -> None:
    assert declared_name((name,), frozenset({declared, "other"})) == declared


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("predis", "redis"),
        ("disk", "redis"),
        ("redis2", "redis"),
        ("redis-2", "redis"),
        ("telegram_polling", "telegram"),
        ("whatsapp.session", "whatsapp"),
        ("redis-worker", "redis"),
        ("", "redis"),
        ("<lambda>", "redis"),
    ],
)
def test_a_name_means_something_else(name: str, declared: str) -> None:
    assert declared_name((name,), frozenset({declared})) is None


def test_the_longest_declared_name_wins() -> None:
    assert declared_name(("redis_cache_down",), frozenset({"redis", "redis-cache"})) == "redis-cache"


def test_without_declared_names_none_is_meant() -> None:
    assert declared_name(("redis",), frozenset()) is None
