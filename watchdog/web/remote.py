"""The store as the daemon reads it out: `Reader` for those who may not open the file (SPEC 15: the group reads)."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from recovery.model import Run
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Entry, Evidence, Exit, Hold, Notice, Rollup, Segment
from watchdog.web.client import Broken, Client
from watchdog.web.rows import QUERIES, form

PATIENCE = 30.0
"""Seconds for one page: others may be asking too, and the daemon reads for one of them at a time."""


class RemoteReader:
    """The same questions as those of `Reader`, in its order and its records; a run comes without the text of its playbook.

    Each raises what `Client.call` does; Refused for evidence, when the one who asks may not act.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def incidents(self, since: float | None = None, limit: int = 1000, service: str | None = None) -> tuple[Incident, ...]:
        return self._rows("incidents", since=since, limit=limit, service=service)

    def incident(self, number: int) -> Incident | None:
        return next(iter(self._rows("incident", number=number)), None)

    def members(self, incident: int) -> tuple[Incident, ...]:
        return self._rows("members", incident=incident)

    def timeline(self, incident: int) -> tuple[Entry, ...]:
        return self._rows("timeline", incident=incident)

    def runs(self, incident: int | None = None, service: str | None = None, since: float | None = None) -> tuple[Run, ...]:
        return self._rows("runs", incident=incident, service=service, since=since)

    def decisions(self, service: str, limit: int = 50) -> tuple[Decision, ...]:
        return self._rows("decisions", service=service, limit=limit)

    def segments(self, service: str | None = None, since: float | None = None) -> tuple[Segment, ...]:
        return self._rows("segments", service=service, since=since)

    def rollups(self, service: str, since: float | None = None) -> tuple[Rollup, ...]:
        """Of one service only: those of all are too many to be handed through a socket."""
        return self._rows("rollups", service=service, since=since)

    def notices(self, incident: int | None = None, since: float | None = None) -> tuple[Notice, ...]:
        return self._rows("notices", incident=incident, since=since)

    def letters(self, since: float | None = None) -> tuple[Letter, ...]:
        return self._rows("letters", since=since)

    def chats(self) -> tuple[Chat, ...]:
        return self._rows("chats")

    def evidence(self, incident: int) -> tuple[Evidence, ...]:
        return self._rows("evidence", incident=incident)

    def exits(self, service: str | None = None, since: float | None = None) -> tuple[Exit, ...]:
        return self._rows("exits", service=service, since=since)

    def holds(self, *, ended: bool = False) -> tuple[Hold, ...]:
        return self._rows("holds", ended=ended)

    def _rows(self, query: str, **args: Any) -> tuple[Any, ...]:
        record = form(QUERIES[query].record)
        rows: list[Any] = []
        more = True
        while more:
            answer = self._client.call("rows", {"query": query, "skip": len(rows), **args}, PATIENCE)
            try:
                page = [record.validate_python(row) for row in answer["rows"]]
                more = bool(answer["more"]) and bool(page)
            except (ValidationError, KeyError, TypeError) as error:
                raise Broken(f"the daemon answers with {query} that I cannot read; is it of another version?") from error
            rows += page
        return tuple(rows)
