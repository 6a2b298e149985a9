"""What the daemon reads out of its store for those who may not open the file (SPEC 15: the group reads).

One page of rows for one question, each row a document of what differs from the defaults of its record. A page has a size in bytes
and a question a number of rows, so that no question can cost the daemon its memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from recovery.model import Run
from watchdog.errors import Refused
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Entry, Evidence, Exit, Hold, Notice, Rollup, Segment
from watchdog.state.store.reader import Reader

PAGE = 512 * 1024
"""Bytes of JSON on one page; one row alone may be longer."""

MOST = 20_000
"""Rows of one answer, all pages together."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question of `Reader`, by its own name. takes, needs: its arguments; `skip` is always taken.

    evidence: what bots printed and what was seen inside them, for those who may act.
    """

    record: type
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    evidence: bool = False


QUERIES: Mapping[str, Query] = {
    "incidents": Query(Incident, takes=("since", "limit", "service")),
    "incident": Query(Incident, needs=("number",)),
    "members": Query(Incident, needs=("incident",)),
    "timeline": Query(Entry, needs=("incident",)),
    "runs": Query(Run, takes=("incident", "service", "since")),
    "decisions": Query(Decision, takes=("limit",), needs=("service",)),
    "segments": Query(Segment, takes=("service", "since")),
    "rollups": Query(Rollup, takes=("since",), needs=("service",)),
    "notices": Query(Notice, takes=("incident", "since")),
    "letters": Query(Letter, takes=("since",)),
    "chats": Query(Chat),
    "exits": Query(Exit, takes=("service", "since")),
    "holds": Query(Hold, takes=("ended",)),
    "evidence": Query(Evidence, needs=("incident",), evidence=True),
}


class Rows:
    """path: the state file. Each question opens it anew, so that any thread may ask."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """`{"rows": [...], "more": bool}`; the next page begins at `skip` plus the rows of this one. Refused says why not."""
        query = QUERIES[name]
        given = {key: value for key, value in args.items() if key != "skip" and value is not None}
        _check(name, query, given)
        try:
            with Reader.open(self._path, most=MOST + 1) as reader:
                found = getattr(reader, name)(**given)
        except (OSError, sqlite3.Error) as error:
            raise Refused(f"the daemon cannot read its store now: {error}") from error
        rows = found if isinstance(found, tuple) else () if found is None else (found,)
        if len(rows) > MOST:
            raise Refused(f"that is more than {MOST} {name}; ask for a shorter time or for one service")
        return _page(query, rows, args.get("skip", 0))


@cache
def form(record: type) -> TypeAdapter[Any]:
    """Between a record and its document."""
    return TypeAdapter(record)


def _check(name: str, query: Query, given: Mapping[str, Any]) -> None:
    for key in given:
        if key not in query.takes and key not in query.needs:
            raise Refused(f"{name} takes no {key}")
    for key in query.needs:
        if key not in given:
            raise Refused(f"{name} needs: {key}")


def _page(query: Query, rows: tuple[Any, ...], skip: int) -> dict[str, Any]:
    page: list[Any] = []
    size = 0
    for row in rows[skip:]:
        # The text of a playbook is stored with each of its runs and shown by nobody.
        lean = replace(row, source="") if isinstance(row, Run) else row
        doc = form(query.record).dump_python(lean, mode="json", exclude_defaults=True)
        size += len(json.dumps(doc))
        if page and size > PAGE:
            return {"rows": page, "more": True}
        page.append(doc)
    return {"rows": page, "more": False}
