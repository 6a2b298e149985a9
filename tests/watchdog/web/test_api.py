"""F38: the control socket against everyone who may come to it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from tests.fakes.desk import FakeDesk
from watchdog.clock import Clock
from watchdog.errors import Refused
from watchdog.model.records import Audit
from watchdog.redaction import Redactor
from watchdog.state.store.text import plain
from watchdog.web.api import MAX_CLIENTS, ControlServer, Rows
from watchdog.web.peers import Peer, Peered, peer_of
from watchdog.web.wire import MAX_LINE

STRANGER = Peer(pid=4242, uid=54_321, gid=54_321)


class Door:
    """A running server with what it did."""

    def __init__(self, path: Path, desk: FakeDesk, audits: list[Audit]) -> None:
        self.path = path
        self.desk = desk
        self.audits = audits

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(str(self.path))

    async def send(self, raw: bytes) -> Any:
        """Sends bytes and reads one answer; None when the server closed without one."""
        reader, writer = await self.open()
        try:
            writer.write(raw)
            line = await reader.readline()
            return json.loads(line) if line else None
        finally:
            writer.close()

    async def ask(self, verb: str, **args: Any) -> Any:
        return await self.send(json.dumps({"verb": verb, "args": args}).encode() + b"\n")


@asynccontextmanager
async def door(
    folder: Path,
    desk: FakeDesk | None = None,
    *,
    idle: float = 10.0,
    admins: tuple[str | int, ...] = (),
    credentials: Callable[[Peered], Peer] = peer_of,
    group: str = "bot-watchdog",
    rows: Rows | None = None,
    redact: Callable[[str], str] = plain,
) -> AsyncIterator[Door]:
    desk, audits = desk or FakeDesk(), list[Audit]()
    server = ControlServer(
        folder / "s",
        desk,
        audits.append,
        Clock(),
        rows=rows,
        redact=redact,
        idle=idle,
        admins=admins,
        credentials=credentials,
        group=group,
    )
    await server.start()
    try:
        yield Door(server.path, desk, audits)
    finally:
        await server.stop()


async def test_a_reading_verb_is_answered_and_leaves_no_audit(tmp_path: Path) -> None:
    async with door(tmp_path, FakeDesk({"status": {"services": []}})) as at:
        assert await at.ask("status") == {"ok": True, "result": {"services": []}}
        assert at.audits == []


async def test_what_bots_say_is_told_without_their_secrets(tmp_path: Path) -> None:
    """An answer from memory holds the words of a bot as they came, and is as public as the store."""
    said = {"services": [{"name": "bot", "reason": 'critical: token=c4n4ry-c4n4ry "quoted"', "latency_ms": 1.5, "hold": None}]}
    desk = FakeDesk({"status": said, "recover": said, "hold": Refused("its token=c4n4ry-c4n4ry is wrong")})
    async with door(tmp_path, desk, redact=Redactor(["quoted"])) as at:
        clean = {"services": [{"name": "bot", "reason": 'critical: token=*** "***"', "latency_ms": 1.5, "hold": None}]}
        assert await at.ask("status") == {"ok": True, "result": clean}
        assert (await at.ask("recover", service="bot"))["result"] == clean
        assert (await at.ask("hold", **{"service": "bot", "for": 60}))["error"] == "its token=*** is wrong"


class Shelf:
    """Rows that remember who asked for what, and how many did at a time."""

    def __init__(self, wait: float = 0.0) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.busy = self.most = 0
        self._wait = wait

    def __call__(self, name: str, args: Mapping[str, Any]) -> Any:
        self.busy += 1
        self.most = max(self.most, self.busy)
        sleep(self._wait)
        self.busy -= 1
        self.asked.append((name, dict(args)))
        if name == "members":
            raise Refused("members needs: incident")
        return {"rows": [], "more": False}


async def test_a_stranger_reads_the_store_but_no_evidence(tmp_path: Path) -> None:
    shelf = Shelf()
    async with door(tmp_path, rows=shelf, credentials=lambda _: STRANGER) as at:
        assert (await at.ask("rows", query="segments", since=5))["result"] == {"rows": [], "more": False}
        answer = await at.ask("rows", query="evidence", incident=1)
        assert answer["code"] == "refused"
        assert answer["error"] == "uid 54321 may not read evidence: only root and control.admins may"
        assert shelf.asked == [("segments", {"since": 5})]
        assert at.audits == []


async def test_an_admin_reads_evidence_too(tmp_path: Path) -> None:
    shelf = Shelf()
    async with door(tmp_path, rows=shelf, admins=(54_321,), credentials=lambda _: STRANGER) as at:
        assert (await at.ask("rows", query="evidence", incident=1))["ok"] is True
        assert shelf.asked == [("evidence", {"incident": 1})]


async def test_a_question_that_nobody_answers_is_told_so(tmp_path: Path) -> None:
    async with door(tmp_path, rows=Shelf()) as at:
        assert (await at.ask("rows", query="audit"))["code"] == "usage"
        assert (await at.ask("rows", query="members")) == {"ok": False, "error": "members needs: incident", "code": "refused"}
    async with door(tmp_path) as at:
        assert (await at.ask("rows", query="holds"))["code"] == "usage"


async def test_the_store_is_read_for_one_client_at_a_time_and_the_daemon_goes_on_meanwhile(tmp_path: Path) -> None:
    shelf = Shelf(wait=0.05)
    async with door(tmp_path, rows=shelf) as at:
        asking = [asyncio.create_task(at.ask("rows", query="holds")) for _ in range(4)]
        while not shelf.busy:
            await asyncio.sleep(0.001)
        assert (await at.ask("ping"))["ok"] is True
        assert shelf.asked == [], "the ping did not wait for it"
        assert all(answer["ok"] for answer in await asyncio.gather(*asking))
        assert shelf.most == 1


async def test_an_act_is_done_and_written_down_with_its_author(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        assert (await at.ask("stop", service="scraper", **{"for": 60}))["ok"] is True
        (audit,) = at.audits
        assert (audit.verb, audit.granted, audit.uid, audit.pid) == ("stop", True, os.getuid(), os.getpid())
        assert '"service": "scraper"' in audit.text
        assert at.desk.asked[0][0] == "stop"


async def test_a_stranger_reads_but_does_not_act(tmp_path: Path) -> None:
    async with door(tmp_path, credentials=lambda _: STRANGER) as at:
        assert (await at.ask("ping"))["ok"] is True
        answer = await at.ask("start", service="scraper")
        assert answer == {
            "ok": False,
            "error": "uid 54321 may not start: only root and control.admins may act",
            "code": "refused",
        }
        assert [verb for verb, *_ in at.desk.asked] == ["ping"]
        (audit,) = at.audits
        assert (audit.granted, audit.uid, audit.verb) == (False, 54_321, "start")


async def test_an_admin_acts_under_his_own_name(tmp_path: Path) -> None:
    async with door(tmp_path, admins=(54_321,), credentials=lambda _: STRANGER) as at:
        assert (await at.ask("start", service="scraper"))["ok"] is True
        assert at.desk.asked == [("start", {"service": "scraper"}, "uid 54321")]


async def test_a_refusal_of_the_desk_is_told_in_its_words(tmp_path: Path) -> None:
    async with door(tmp_path, FakeDesk({"approve": Refused("run 7 waits for nobody")})) as at:
        assert await at.ask("approve", run=7) == {"ok": False, "error": "run 7 waits for nobody", "code": "refused"}


async def test_a_failing_wish_costs_nobody_else_anything(tmp_path: Path) -> None:
    async with door(tmp_path, FakeDesk({"reload": ZeroDivisionError("secret")})) as at:
        answer = await at.ask("reload")
        assert answer["code"] == "internal"
        assert "secret" not in answer["error"]
        assert (await at.ask("ping"))["ok"] is True


async def test_a_long_act_keeps_its_connection_and_others_are_served_meanwhile(tmp_path: Path) -> None:
    async with door(tmp_path, idle=0.05) as at:
        at.desk.hold_back = asyncio.Event()
        waiting = asyncio.create_task(at.ask("hold", service="a", **{"for": 60}))
        await asyncio.sleep(0.15)
        assert not waiting.done()
        assert (await at.ask("ping"))["ok"] is True
        at.desk.hold_back.set()
        assert (await waiting)["ok"] is True


async def test_an_act_goes_on_when_its_client_leaves(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        at.desk.hold_back = asyncio.Event()
        _, writer = await at.open()
        writer.write(b'{"verb": "reload"}\n')
        while not at.desk.asked:
            await asyncio.sleep(0.01)
        writer.close()
        at.desk.hold_back.set()
        assert (await at.ask("ping"))["ok"] is True


async def test_several_requests_fit_on_one_connection(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        reader, writer = await at.open()
        for _ in range(3):
            writer.write(b'{"verb": "ping"}\n')
            assert json.loads(await reader.readline())["ok"] is True
        writer.close()


async def test_a_line_without_end_is_cut_off_and_the_daemon_lives(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        answer = await at.send(b"x" * (MAX_LINE + 1))
        assert answer["code"] == "usage"
        _, writer = await at.open()
        with pytest.raises(ConnectionError):
            await _pour(writer, lines=1024)
        writer.close()
        assert (await at.ask("ping"))["ok"] is True


async def test_a_silent_client_is_dropped_in_time(tmp_path: Path) -> None:
    async with door(tmp_path, idle=0.05) as at:
        reader, writer = await at.open()
        writer.write(b'{"verb"')
        assert await reader.read() == b""
        writer.close()


async def test_a_client_that_never_takes_its_answers_is_dropped(tmp_path: Path) -> None:
    async with door(tmp_path, FakeDesk({"status": {"text": "x" * 4_000_000}}), idle=0.1) as at:
        reader, writer = await at.open()
        writer.write(b'{"verb": "status"}\n')
        await asyncio.sleep(0.3)
        assert (await at.ask("ping"))["ok"] is True
        assert not (await reader.read()).endswith(b"\n")
        writer.close()


async def test_garbage_is_answered_and_the_connection_ends(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        assert (await at.send(b"GET / HTTP/1.1\r\n\r\n"))["code"] == "usage"
        assert (await at.send(b"[" * 50_000 + b"\n"))["code"] == "usage"
        assert (await at.send(os.urandom(2000) + b"\n"))["code"] == "usage"
        assert at.desk.asked == []


async def test_one_client_too_many_is_told_so(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        crowd = [await at.open() for _ in range(MAX_CLIENTS)]
        answer = await at.send(b"")
        assert "32 clients are connected already" in answer["error"]
        for _, writer in crowd:
            writer.close()
        for _ in range(50):
            if (await at.ask("ping"))["ok"]:
                break
            await asyncio.sleep(0.01)
        assert (await at.ask("ping"))["ok"] is True


async def test_stopping_cuts_what_is_open_and_removes_the_file(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        reader, writer = await at.open()
        await at.ask("ping")
        assert at.path.exists()
    assert not at.path.exists()
    assert await reader.read() == b""
    writer.close()


async def _pour(writer: asyncio.StreamWriter, lines: int) -> None:
    for _ in range(lines):
        writer.write(b"x" * MAX_LINE)
        await writer.drain()


CLIENT = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
except PermissionError:
    sys.exit("kept out")
for verb in ({"verb": "ping"}, {"verb": "start", "args": {"service": "a"}}):
    s.sendall(json.dumps(verb).encode() + b"\\n")
    print(s.makefile().readline().strip())
"""


@pytest.mark.live
@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody else")
async def test_another_user_of_the_group_reads_and_is_refused_by_the_kernels_word(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o001 == 0:
            folder.chmod(folder.stat().st_mode | 0o011)
    async with door(tmp_path, group="nogroup") as at:
        inside = await _as_other(at.path, group=65_534)
        first, second = (json.loads(line) for line in inside[1].splitlines())
        assert first["ok"] is True
        assert second["code"] == "refused"
        assert [(audit.uid, audit.granted) for audit in at.audits] == [(54_321, False)]
        outside = await _as_other(at.path, group=54_321)
        assert outside == (1, "", "kept out\n")
        assert (await at.ask("ping"))["ok"] is True


async def _as_other(path: Path, group: int) -> tuple[int, str, str]:
    argv = ["setpriv", "--reuid", "54321", "--regid", str(group), "--clear-groups", "/usr/bin/python3", "-c", CLIENT, str(path)]
    done = await asyncio.to_thread(subprocess.run, argv, capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout, done.stderr
