"""The engine's events as values, a stream that can be let go, and its own record of stops by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from recovery.adapters.docker_rows import History, event
from recovery.errors import EngineAway
from watchdog.facts.dock import EngineDock, happening
from watchdog.model.container import Act, Happening

NANO = 1_772_390_400_123_456_789
CID = "4f" * 32


def raw(action: str, **attributes: str) -> dict[str, Any]:
    """As an engine writes it, labels included."""
    told = {"image": "bots/ezee:1.4", "name": "bot", "com.example.token": "s3cret", **attributes}
    return {
        "Type": "container",
        "Action": action,
        "Actor": {"ID": CID, "Attributes": told},
        "scope": "local",
        "time": NANO // 10**9,
        "timeNano": NANO,
    }


def seen(action: str, **attributes: str) -> Happening | None:
    told = event(raw(action, **attributes))
    assert told is not None
    return happening(told)


@pytest.mark.parametrize("act", list(Act))
def test_every_event_that_matters_has_its_name(act: Act) -> None:
    found = seen(act.value)
    assert found is not None
    assert (found.act, found.container, found.name, found.nano) == (act, CID, "bot", NANO)
    assert found.at == pytest.approx(NANO / 1e9)


def test_what_belongs_to_an_event_is_read_from_texts() -> None:
    kill, die = seen("kill", signal="15"), seen("die", exitCode="137")
    assert kill is not None
    assert die is not None
    assert (kill.signal, kill.code) == (15, None)
    assert (die.signal, die.code) == (None, 137)
    renamed = seen("rename", name="bot", oldName="/tmp-bot")
    assert renamed is not None
    assert (renamed.name, renamed.old) == ("bot", "tmp-bot")


def test_a_health_status_bears_its_value_in_its_name() -> None:
    found = seen("health_status: unhealthy")
    assert found is not None
    assert found.act is Act.HEALTH


@pytest.mark.parametrize("action", ["exec_create: sh -c stop", "exec_start: kill", "attach", "resize", "update", "top", ""])
def test_the_rest_does_not_matter(action: str) -> None:
    assert seen(action) is None


@pytest.mark.parametrize("nano", [None, "soon", 0, -1])
def test_an_event_without_its_moment_is_none(nano: object) -> None:
    assert happening({"Action": "stop", "ID": CID, "name": "bot", "timeNano": nano}) is None


@pytest.mark.parametrize("text", ["", "TERM", "-1", "1.5", None])
def test_a_number_that_is_none_is_left_out(text: str | None) -> None:
    found = happening({"Action": "kill", "ID": CID, "name": "bot", "timeNano": NANO, "signal": text, "exitCode": text})
    assert found is not None
    assert (found.signal, found.code) == (None, None)


class Engine:
    """`DockerHost` as far as a dock needs it. ends: what the stream does after its events."""

    def __init__(self, *rows: Mapping[str, Any], ends: Exception | str | None = "stays") -> None:
        self.rows, self.ends = rows, ends
        self.open = 0
        self.since: list[float | None] = []
        self.inspected: dict[str, Any] | None = {"Id": CID, "HostConfig": {"RestartPolicy": {"Name": "no"}}}
        self.manually: bool | None = None
        self.remembers = History((), complete=True)

    async def recent(self, since: float, until: float) -> History:
        return self.remembers

    async def ping(self) -> None:
        raise EngineAway("not here")

    async def inspect(self, name: str) -> dict[str, Any] | None:
        return self.inspected

    async def manually_stopped(self, container_id: str) -> bool | None:
        assert container_id == CID
        return self.manually

    async def events(self, since: float | None = None) -> AsyncIterator[Mapping[str, Any]]:
        self.since.append(since)
        self.open += 1
        try:
            for row in self.rows:
                told = event(row)
                if told is not None:
                    yield told
            if isinstance(self.ends, Exception):
                raise self.ends
            if self.ends == "stays":
                await asyncio.Event().wait()
        finally:
            self.open -= 1


async def heard(dock: EngineDock, since: float | None = None) -> list[Act]:
    return [each.act async for each in dock.happenings(since)]


async def test_a_stream_that_the_engine_ends_has_ended() -> None:
    engine = Engine(raw("kill", signal="15"), raw("attach"), raw("die", exitCode="0"), ends=None)
    assert await heard(EngineDock(engine), 12.5) == [Act.KILL, Act.DIE]
    assert (engine.since, engine.open) == ([12.5], 0)


async def test_a_stream_that_cannot_be_had_says_so() -> None:
    engine = Engine(raw("start"), ends=EngineAway("gone"))
    with pytest.raises(EngineAway):
        await heard(EngineDock(engine))
    assert engine.open == 0


async def test_a_silent_stream_ends_when_it_is_dropped_and_the_next_one_stays() -> None:
    engine = Engine(raw("start"))
    dock = EngineDock(engine)
    for _ in range(2):
        listening = asyncio.create_task(heard(dock))
        await asyncio.sleep(0.01)
        assert (engine.open, listening.done()) == (1, False)
        dock.drop()
        assert await asyncio.wait_for(listening, 1) == [Act.START]
        assert engine.open == 0


async def test_a_follower_that_is_cancelled_leaves_nothing_open() -> None:
    engine = Engine(raw("start"))
    listening = asyncio.create_task(heard(EngineDock(engine)))
    await asyncio.sleep(0.01)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    await asyncio.sleep(0)
    assert engine.open == 0
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


async def test_a_follower_that_goes_away_in_the_midst_leaves_nothing_open() -> None:
    engine = Engine(raw("start"), raw("die", exitCode="0"))
    stream = EngineDock(engine).happenings(None)
    assert (await anext(stream)).act is Act.START
    await stream.aclose()  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    assert engine.open == 0


@pytest.mark.parametrize(
    ("manually", "policy", "stopped"),
    [
        (True, "no", True),
        (False, "always", False),
        (None, "always", True),
        (None, "unless-stopped", True),
        (None, "on-failure", None),
        (None, "no", None),
        (None, None, None),
    ],
)
async def test_docker_s_own_record_comes_first_then_what_its_policy_makes_of_it(
    manually: bool | None, policy: str | None, stopped: bool | None
) -> None:
    engine = Engine()
    engine.manually = manually
    engine.inspected = {"Id": CID, "HostConfig": {"RestartPolicy": {"Name": policy}} if policy else None}
    assert await EngineDock(engine).stopped_by_hand("bot") is stopped


@pytest.mark.parametrize(
    ("finished", "stopped"),
    [
        ("2026-08-16T06:30:00.5Z", True),
        ("2026-08-16T06:30:02Z", False),
        ("0001-01-01T00:00:00Z", True),
        ("rubbish", True),
        (7, True),
    ],
)
async def test_what_ended_later_was_stopped_by_nobody(finished: object, stopped: bool) -> None:
    engine = Engine()
    engine.manually = True
    engine.inspected = {"Id": CID, "State": {"FinishedAt": finished}}
    assert await EngineDock(engine).stopped_by_hand("bot", before=1_786_861_801.0) is stopped


async def test_of_a_container_that_is_gone_nothing_is_recorded() -> None:
    engine = Engine()
    engine.inspected = None
    assert await EngineDock(engine).stopped_by_hand("bot") is None


async def test_an_engine_that_is_away_says_so() -> None:
    with pytest.raises(EngineAway):
        await EngineDock(Engine()).ping()


async def test_an_engine_that_remembers_nothing_from_before_was_started_anew() -> None:
    engine = Engine()
    assert await EngineDock(engine).forgot(1000.0)
    engine.remembers = History(({"Action": "start"},), complete=False)
    assert not await EngineDock(engine).forgot(1000.0)
