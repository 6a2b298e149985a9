"""Which record lives in which table, column by column. Pure: values in, values out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.letter import Chat, Letter, LetterState
from watchdog.model.records import Audit, Entry, Evidence, Exit, Hold, Memory, Meta, Notice, NoticeKind
from watchdog.state.store.text import EVIDENCE, Redact, document, free, word

Encode = Callable[[Any, Redact], Any]
Decode = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a record and the name of its column. encode gets the value and the redaction, never None."""

    field: str
    name: str
    encode: Encode
    decode: Decode


@dataclass(frozen=True, slots=True)
class Shape:
    """A table and its columns. key: what makes a second `put` an update; empty: every `put` is a new row."""

    record: type
    table: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    @property
    def listed(self) -> str:
        """The columns for a SELECT, quoted."""
        return ", ".join(f'"{column.name}"' for column in self.columns)

    @property
    def upsert(self) -> str:
        marks = ", ".join("?" for _ in self.columns)
        text = f"INSERT INTO {self.table}({self.listed}) VALUES ({marks})"  # noqa: S608  (names of this file only)
        rest = ", ".join(f'"{c.name}" = excluded."{c.name}"' for c in self.columns if c.name not in self.key)
        return f"{text} ON CONFLICT({', '.join(self.key)}) DO UPDATE SET {rest}" if self.key else text

    def row(self, record: object, redact: Redact) -> list[Any]:
        """The values of the columns of one record, in their order."""
        values = ((column, getattr(record, column.field)) for column in self.columns)
        return [None if value is None else column.encode(value, redact) for column, value in values]

    def fields(self, row: tuple[Any, ...]) -> dict[str, Any]:
        """The arguments that build the record again."""
        pairs = zip(self.columns, row, strict=False)
        return {column.field: None if value is None else column.decode(value) for column, value in pairs}


def _same(value: Any, _redact: Redact) -> Any:
    return value


def _got(value: Any) -> Any:
    return value


def _word(value: str, _redact: Redact) -> str:
    return word(value)


def _value(value: StrEnum, _redact: Redact) -> str:
    return value.value


def _words(value: tuple[str, ...], _redact: Redact) -> str:
    return json.dumps([word(one) for one in value], ensure_ascii=False)


def _evidence(value: str, redact: Redact) -> str:
    return free(value, redact, EVIDENCE)


def column(field: str, name: str, encode: Encode, decode: Decode) -> tuple[Column, ...]:
    return (Column(field, name, encode, decode),)


def number(*fields: str) -> tuple[Column, ...]:
    return tuple(Column(field, field, _same, _got) for field in fields)


def flag(*fields: str) -> tuple[Column, ...]:
    return tuple(Column(field, field, _same, bool) for field in fields)


def name(*fields: str) -> tuple[Column, ...]:
    return tuple(Column(field, field, _word, _got) for field in fields)


def told(*fields: str) -> tuple[Column, ...]:
    return tuple(Column(field, field, free, _got) for field in fields)


def enum(field: str, kind: type[StrEnum]) -> tuple[Column, ...]:
    return column(field, field, _value, kind)


INCIDENT = Shape(
    Incident,
    "incidents",
    number("id")
    + name("service")
    + enum("stage", Stage)
    + number("opened_at")
    + told("reason")
    + name("symptom")
    + column("joined", "joined", _words, lambda text: tuple(json.loads(text)))
    + told("cause")
    + name("blocked_by")
    + number("parent", "confirmed_at", "closed_at")
    + enum("outcome", Outcome)
    + enum("tier", Tier)
    + number("clock_at", "run")
    + flag("routine", "acked", "false_alarm")
    + number("relapses", "reopened_at", "bad_before", "reminded_at"),
    ("id",),
)
RUN = Shape(
    Run,
    "runs",
    number("id")
    + name("service", "playbook")
    + number("incident", "started_at")
    + enum("effect", Effect)
    + name("digest", "source", "target", "by")
    + flag("charged", "refunded", "gentle")
    + number("proving_at", "ended_at")
    + enum("outcome", RunOutcome)
    + told("detail"),
    ("id",),
)
STEP = Shape(
    StepRecord,
    "steps",
    column("index", "idx", _same, _got)
    + name("id", "action")
    + enum("effect", Effect)
    + number("intent_at")
    + name("before")
    + number("ended_at")
    + enum("outcome", StepOutcome)
    + told("detail"),
)
ENTRY = Shape(Entry, "timeline", number("incident") + name("service") + number("at") + name("kind") + told("text"))
EXIT = Shape(
    Exit, "exits", name("service") + number("at", "code") + flag("ours") + name("instance"), ("service", "at", "instance")
)
HOLD = Shape(
    Hold,
    "holds",
    name("service") + number("since", "until") + name("by") + told("reason") + flag("stop") + number("ended_at"),
    ("service", "since"),
)
NOTICE = Shape(
    Notice,
    "notices",
    number("id", "incident")
    + name("service")
    + enum("tier", Tier)
    + enum("kind", NoticeKind)
    + number("at")
    + told("text")
    + number("delivered_at"),
    ("id",),
)
LETTER = Shape(
    Letter,
    "outbox",
    number("notice")
    + name("address")
    + number("incident")
    + enum("state", LetterState)
    + flag("muted")
    + number("attempts", "doubts", "not_before", "tried_at", "began_at", "done_at", "message_id")
    + name("digest")
    + told("detail"),
    ("notice", "address"),
)
CHAT = Shape(Chat, "chats", name("address") + number("moved_to") + flag("topicless") + told("off"), ("address",))
EVIDENCE_ROW = Shape(
    Evidence,
    "evidence",
    number("incident") + name("service") + number("run", "at") + name("kind") + column("text", "text", _evidence, _got),
)
AUDIT = Shape(Audit, "audit", number("at", "uid", "pid") + name("verb") + told("text") + flag("granted"))
META = Shape(Meta, "meta", name("key") + column("value", "value", document, _got), ("key",))
MEMORY = Shape(Memory, "services", column("service", "name", _word, _got) + column("doc", "doc", document, _got), ("name",))

SIMPLE: dict[type, Shape] = {
    shape.record: shape for shape in (INCIDENT, ENTRY, EXIT, HOLD, NOTICE, LETTER, CHAT, EVIDENCE_ROW, AUDIT, META, MEMORY)
}
"""Records that are one row in one table. Run, Decision, Segment and Rollup are not."""
