"""What may be forgotten, and in which order. Open incidents and runs, holds that last and notices not delivered never are."""

from __future__ import annotations

from dataclasses import dataclass

BATCH = 1000
"""Rows removed in one transaction, so that no commit of the loop waits long behind it."""
EVIDENCE_TOTAL = 32 * 1024 * 1024
"""Characters of evidence kept in all; the oldest goes first."""

_OPEN = "SELECT id FROM incidents WHERE stage <> 'closed'"
_ON_ITS_WAY = "SELECT notice FROM outbox WHERE state = 'waiting'"
_GIVEN_UP = "SELECT notice FROM outbox"
"""Of notices that were delivered to nobody: those whose letters are all done with."""


@dataclass(frozen=True, slots=True)
class Rule:
    """sql: one DELETE of at most :batch rows older than :cut (wall seconds)."""

    table: str
    sql: str

    def bind(self, cut: float) -> dict[str, float]:
        return {"cut": cut, "batch": BATCH, "total": EVIDENCE_TOTAL}


def _by_id(table: str, where: str, source: str | None = None) -> Rule:
    chosen = f"SELECT id FROM {source or table} WHERE {where} LIMIT :batch"  # noqa: S608  (names of this file only)
    return Rule(table, f"DELETE FROM {table} WHERE id IN ({chosen})")  # noqa: S608


def _by_key(table: str, key: str, where: str) -> Rule:
    chosen = f"SELECT {key} FROM {table} WHERE {where} LIMIT :batch"  # noqa: S608
    return Rule(table, f"DELETE FROM {table} WHERE ({key}) IN ({chosen})")  # noqa: S608


def _newest_stays(table: str) -> str:
    """Its id is where the next ids go on after a restart."""
    return f"id < (SELECT max(id) FROM {table})"  # noqa: S608


_SIZES = "(SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM evidence)"

RULES = (
    _by_key("rollups", "at, service_id", "at < :cut"),
    _by_key("segments", "service_id, since", "until < :cut"),
    _by_id("decisions", "at < :cut AND last_at < :cut"),
    _by_id("evidence", f"at < :cut AND incident NOT IN ({_OPEN})"),
    _by_id("evidence", "total > :total", _SIZES),
    _by_id("runs", f"ended_at < :cut AND coalesce(incident, 0) NOT IN ({_OPEN}) AND {_newest_stays('runs')}"),
    _by_key("steps", "run, idx", "run NOT IN (SELECT id FROM runs)"),
    _by_key("sources", "digest", "digest NOT IN (SELECT digest FROM runs)"),
    _by_id("incidents", f"stage = 'closed' AND closed_at < :cut AND {_newest_stays('incidents')}"),
    _by_id("timeline", "at < :cut AND incident NOT IN (SELECT id FROM incidents)"),
    _by_key("exits", "service, at, instance", "at < :cut"),
    _by_key("holds", "service, since", "ended_at < :cut"),
    _by_id(
        "notices",
        f"at < :cut AND (delivered_at IS NOT NULL OR id IN ({_GIVEN_UP})) AND id NOT IN ({_ON_ITS_WAY}) "
        f"AND {_newest_stays('notices')}",
    ),
    _by_key("outbox", "notice, address", "notice NOT IN (SELECT id FROM notices)"),
    _by_id("audit", "at < :cut"),
)
