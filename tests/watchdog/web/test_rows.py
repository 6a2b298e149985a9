"""What is read out to those who may not open the file: everything that they may know, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.records import T, decision, ended, incident, one_of_each
from watchdog.decisions.ports import Record
from watchdog.errors import Refused
from watchdog.model.records import Entry, Segment
from watchdog.model.service import State
from watchdog.state.store.open import NAME
from watchdog.state.store.reader import Reader
from watchdog.state.store.writer import SqliteStore
from watchdog.web.rows import MOST, PAGE, QUERIES, Rows, form


async def rows(folder: Path, records: Iterable[Record]) -> Rows:
    """The reader of a store that holds these."""
    store = SqliteStore.open(folder / NAME, inline=True)
    for record in records:
        store.put(record)
    await store.commit()
    await store.close()
    return Rows(folder / NAME)


ASKED: dict[str, dict[str, Any]] = {
    "incidents": {"since": None, "limit": 5, "service": "scraper"},
    "incident": {"number": 1},
    "members": {"incident": 7},
    "timeline": {"incident": 1},
    "runs": {"incident": 1, "service": "scraper", "since": T},
    "decisions": {"service": "scraper", "limit": 5},
    "segments": {"service": "scraper", "since": T - 900},
    "rollups": {"service": "scraper", "since": 1.0},
    "notices": {"incident": 1, "since": T},
    "letters": {},
    "chats": {},
    "exits": {"service": "scraper", "since": T},
    "holds": {"ended": True},
    "evidence": {"incident": 1},
}


async def test_every_question_is_answered_with_what_makes_its_records_again(tmp_path: Path) -> None:
    member = replace(incident(), id=2, service="report", parent=7)
    asked = await rows(tmp_path, [*one_of_each(), member])
    assert ASKED.keys() == QUERIES.keys()
    known = {*(r for r in one_of_each() if not hasattr(r, "source")), member, replace(ended(), source="")}
    for name, args in ASKED.items():
        answer = json.loads(json.dumps(asked(name, args)))
        assert (len(answer["rows"]), answer["more"]) == (1, False), name
        assert form(QUERIES[name].record).validate_python(answer["rows"][0]) in known, name


def test_the_arguments_are_those_of_the_reader() -> None:
    for name, query in QUERIES.items():
        params = signature(getattr(Reader, name)).parameters
        assert set(query.takes + query.needs) == params.keys() - {"self"}, name
        assert {key for key, param in params.items() if param.default is param.empty} - {"self"} <= set(query.needs), name


async def test_a_document_holds_what_differs_from_the_defaults(tmp_path: Path) -> None:
    asked = await rows(tmp_path, [decision()])
    (row,) = asked("decisions", {"service": "scraper"})["rows"]
    assert row["trail"][0] == {"step": "host", "verdict": "pass", "reason": "network fine"}


async def test_the_text_of_a_playbook_does_not_travel_with_each_of_its_runs(tmp_path: Path) -> None:
    asked = await rows(tmp_path, [ended()])
    assert "source" not in asked("runs", {})["rows"][0]


@pytest.mark.parametrize(
    ("name", "args", "says"),
    [
        ("decisions", {}, "decisions needs: service"),
        ("rollups", {"since": 1.0}, "rollups needs: service"),
        ("timeline", {"incident": None}, "timeline needs: incident"),
        ("holds", {"service": "scraper"}, "holds takes no service"),
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(tmp_path: Path, name: str, args: dict[str, Any], says: str) -> None:
    asked = await rows(tmp_path, ())
    with pytest.raises(Refused, match=says):
        asked(name, args)


async def test_an_answer_comes_in_pages_of_a_bounded_size_and_none_of_it_is_lost(tmp_path: Path) -> None:
    entries = [Entry(1, "scraper", T + number, "note", f"{number} " + "x" * 15_000) for number in range(100)]
    asked = await rows(tmp_path, entries)
    got: list[Any] = []
    more = True
    while more:
        answer = asked("timeline", {"incident": 1, "skip": len(got)})
        assert len(json.dumps(answer)) < PAGE * 1.1
        got += answer["rows"]
        more = answer["more"]
    assert [form(Entry).validate_python(row) for row in got] == entries


async def test_one_row_that_is_longer_than_a_page_is_a_page(tmp_path: Path) -> None:
    asked = await rows(tmp_path, [*one_of_each()])
    asked_page = asked("evidence", {"incident": 1, "skip": 0})
    assert len(asked_page["rows"]) == 1
    assert asked("evidence", {"incident": 1, "skip": 1}) == {"rows": [], "more": False}


async def test_a_question_whose_answer_has_no_end_is_refused(tmp_path: Path) -> None:
    asked = await rows(tmp_path, (Segment("scraper", State.OK, T + number, T + number + 1) for number in range(MOST + 5)))
    with pytest.raises(Refused, match="more than 20000 segments; ask for a shorter time or for one service"):
        asked("segments", {})
    assert len(asked("segments", {"since": T + MOST})["rows"]) == 6


def test_a_store_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot read its store now"):
        Rows(tmp_path / "none.db")("holds", {})
