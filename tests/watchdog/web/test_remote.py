"""Whoever asks through the daemon gets the very records that the file holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from recovery.model import Run
from tests.fakes import past
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation, install
from watchdog.clock import Clock
from watchdog.errors import Refused, Unreachable
from watchdog.model.records import Entry
from watchdog.state.store.open import NAME
from watchdog.state.store.reader import Reader
from watchdog.web.client import Broken, Client
from watchdog.web.remote import RemoteReader
from watchdog.web.rows import QUERIES, Rows

STRANGER = 54_321


@contextmanager
def both(here: Installation) -> Iterator[tuple[Reader, RemoteReader]]:
    file = here.folder / "state" / NAME
    with answering(here.socket, FakeDesk(), rows=Rows(file)), Reader.open(file) as reader:
        yield reader, RemoteReader(Client(here.socket))


QUESTIONS: list[Callable[[Any], Any]] = [
    lambda reader: reader.incidents(),
    lambda reader: reader.incidents(since=Clock().now() - 3600, limit=2, service="ezee-scraper"),
    lambda reader: reader.incident(214),
    lambda reader: reader.incident(1),
    lambda reader: reader.members(214),
    lambda reader: reader.timeline(214),
    lambda reader: reader.runs(incident=214),
    lambda reader: reader.runs(service="nobody"),
    lambda reader: reader.decisions("ezee-scraper", limit=3),
    lambda reader: reader.segments(),
    lambda reader: reader.segments("ezee-scraper", since=Clock().now() - 60),
    lambda reader: reader.rollups("ezee-scraper"),
    lambda reader: reader.notices(),
    lambda reader: reader.notices(incident=214),
    lambda reader: reader.letters(),
    lambda reader: reader.chats(),
    lambda reader: reader.evidence(214),
    lambda reader: reader.exits(),
    lambda reader: reader.holds(ended=True),
]


def test_the_answers_are_those_of_the_file(tmp_path: Path) -> None:
    here = install(tmp_path)
    here.write(past.story(Clock().now()))
    with both(here) as (reader, remote):
        for question in QUESTIONS:
            assert question(remote) == lean(question(reader))


def lean(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return tuple(replace(row, source="") if isinstance(row, Run) else row for row in answer)
    return answer


def test_it_is_asked_as_the_reader_is() -> None:
    for name in QUERIES:
        own, theirs = (signature(getattr(kind, name)).parameters for kind in (RemoteReader, Reader))
        assert [*own] == [*theirs], name


def test_many_rows_come_over_several_pages(tmp_path: Path) -> None:
    here = install(tmp_path)
    here.write([Entry(1, "postgres", float(number), "note", "x" * 15_000) for number in range(80)])
    with both(here) as (reader, remote):
        assert remote.timeline(1) == reader.timeline(1)


def test_evidence_is_refused_to_those_who_may_not_act(tmp_path: Path) -> None:
    here = install(tmp_path)
    here.write(past.story(Clock().now()))
    with answering(here.socket, FakeDesk(), rows=Rows(here.folder / "state" / NAME), uid=STRANGER):
        remote = RemoteReader(Client(here.socket))
        assert len(remote.timeline(214)) == 2
        with pytest.raises(Refused, match=r"uid 54321 may not read evidence: only root and control\.admins may"):
            remote.evidence(214)


def test_an_answer_of_another_version_is_told_as_that(tmp_path: Path) -> None:
    strange = {"rows": [{"service": "a", "state": "levitating", "since": 1.0}], "more": False}
    remote = RemoteReader(Client(tmp_path / "s"))
    daemon = answering(tmp_path / "s", FakeDesk(), rows=lambda _name, _args: strange)
    with daemon, pytest.raises(Broken, match="is it of another version"):
        remote.segments()


def test_a_field_that_is_not_known_here_is_left_out(tmp_path: Path) -> None:
    newer = {"rows": [{"service": "a", "state": "ok", "since": 1.0, "mood": "new"}], "more": False}
    with answering(tmp_path / "s", FakeDesk(), rows=lambda _name, _args: newer):
        assert RemoteReader(Client(tmp_path / "s")).segments()[0].service == "a"


def test_without_a_daemon_there_is_nobody_to_ask(tmp_path: Path) -> None:
    with pytest.raises(Unreachable):
        RemoteReader(Client(tmp_path / "s")).holds()
