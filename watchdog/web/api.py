"""The control socket of the daemon: reading verbs for its group, acting verbs for those who may act (SPEC 14, 15).

Every acting verb, granted or refused, becomes an audit row. No client can hurt the daemon: a request has a size and a time,
clients have a number, and whatever goes wrong with one of them is answered or dropped here.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import structlog

from watchdog.clock import Clock
from watchdog.errors import Misused, Refused
from watchdog.model.records import Audit
from watchdog.state.store.text import Redact, document, plain
from watchdog.web.listener import GROUP, listen, remove
from watchdog.web.peers import Peer, Peered, may_act, name_of, peer_of
from watchdog.web.rows import QUERIES
from watchdog.web.wire import MAX_LINE, BadRequest, Code, Request, bad, good, parse_request

MAX_CLIENTS = 32
IDLE = 10.0
"""Seconds that a client has for its request, and for taking its answer."""

AUDIT_TEXT = 500

_log = structlog.get_logger(__name__)


Rows = Callable[[str, Mapping[str, Any]], Any]
"""The name of a question and its arguments to its answer, see `web.rows`. Raises Refused."""


class Desk(Protocol):
    """Where wishes are granted. `act` may take long (a hold waits for its safe point, 90 s at most) and raises Refused.

    Arguments are checked by `wire`: known names, right types, durations in seconds.
    """

    async def act(self, verb: str, args: Mapping[str, Any], who: str) -> Any: ...
    def read(self, verb: str, args: Mapping[str, Any]) -> Any: ...


class ControlServer:
    """Listens from `start` to `stop`. audit: called for each acting verb before it is done.

    rows: answers the verb `rows`, in a thread and once at a time; None where no store can be read out. redact: for what is said
    from memory, where the words of bots stand as they came.
    """

    def __init__(
        self,
        path: Path,
        desk: Desk,
        audit: Callable[[Audit], None],
        clock: Clock,
        *,
        rows: Rows | None = None,
        redact: Redact = plain,
        admins: Sequence[str | int] = (),
        group: str = GROUP,
        idle: float = IDLE,
        credentials: Callable[[Peered], Peer] = peer_of,
    ) -> None:
        self.path = path
        self.admins = tuple(admins)
        self._desk = desk
        self._audit = audit
        self._clock = clock
        self._rows = rows
        self._redact = redact
        self._reading = asyncio.Lock()
        self._group = group
        self._idle = idle
        self._credentials = credentials
        self._clients: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._inode = 0

    async def start(self) -> None:
        """Binds and listens; StartError with a hint when that cannot be."""
        sock, self._inode = listen(self.path, self._group)
        self._server = await asyncio.start_unix_server(self._connected, sock=sock, limit=MAX_LINE)

    async def stop(self) -> None:
        """Closes the door, cuts what is still open and removes the socket file if it is ours."""
        if self._server is None:
            return
        self._server.close()
        tasks = tuple(self._clients)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        remove(self.path, self._inode)
        self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        # `drain` shall return only when everything was taken, so that nothing waits in a connection that we leave.
        writer.transport.set_write_buffer_limits(high=0)
        full = len(self._clients) >= MAX_CLIENTS
        self._clients.add(task)
        try:
            if full:
                await self._send(writer, bad(Code.REFUSED, f"{MAX_CLIENTS} clients are connected already, try again"))
            else:
                await self._converse(reader, writer)
        except (OSError, EOFError, TimeoutError):
            # The client went away, or was too slow: its loss. What it did not take is not kept for it.
            writer.transport.abort()
        finally:
            self._clients.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sock: socket.socket = writer.get_extra_info("socket")
        peer = self._credentials(sock)
        while True:
            try:
                async with asyncio.timeout(self._idle):
                    line = await reader.readuntil(b"\n")
                request = parse_request(line)
            except asyncio.LimitOverrunError:
                await self._send(writer, bad(Code.USAGE, f"a request has at most {MAX_LINE} bytes"))
                return
            except BadRequest as error:
                await self._send(writer, bad(Code.USAGE, str(error)))
                return
            await self._send(writer, await self._answer(request, peer))

    async def _send(self, writer: asyncio.StreamWriter, line: bytes) -> None:
        writer.write(line)
        async with asyncio.timeout(self._idle):
            await writer.drain()

    async def _answer(self, request: Request, peer: Peer) -> bytes:
        try:
            if request.verb == "rows":
                return await self._read(request.args, peer)
            if not request.acts:
                return await self._clean(good(self._desk.read(request.verb, request.args)))
            who, granted = await self._rights(peer)
            self._record(request, peer, who, granted=granted)
            if not granted:
                return bad(Code.REFUSED, f"{who} may not {request.verb.replace('_', ' ')}: only root and control.admins may act")
            return await self._clean(good(await self._desk.act(request.verb, request.args, who)))
        except Refused as error:
            return await self._clean(bad(Code.USAGE if isinstance(error, Misused) else Code.REFUSED, str(error)))
        except Exception as error:  # noqa: BLE001 - one wish that fails must not cost the daemon
            _log.exception("control.failed", verb=request.verb)
            return bad(Code.INTERNAL, f"{request.verb} failed inside the daemon ({type(error).__name__}), its log says more")

    async def _clean(self, line: bytes) -> bytes:
        """The same answer without secrets. In a thread: a fleet has thousands of texts, though most of them alike."""
        if self._redact is plain:
            return line
        redact = cache(self._redact)
        return await asyncio.to_thread(lambda: document(line.decode(), redact).encode().rstrip(b"\n") + b"\n")

    async def _rights(self, peer: Peer) -> tuple[str, bool]:
        """The name of the one who asks, and whether they may act."""
        # Names may come from the network (LDAP): the loop must not wait for them.
        who = await asyncio.to_thread(name_of, peer.uid)
        return who, may_act(peer, who, self.admins)

    async def _read(self, args: Mapping[str, Any], peer: Peer) -> bytes:
        """A page of the store. What bots printed is for those who may act."""
        rows, name = self._rows, args["query"]
        if rows is None or name not in QUERIES:
            return bad(Code.USAGE, f"this daemon answers no question {name[:60]!r}")
        if QUERIES[name].evidence:
            who, granted = await self._rights(peer)
            if not granted:
                return bad(Code.REFUSED, f"{who} may not read evidence: only root and control.admins may")
        rest = {key: value for key, value in args.items() if key != "query"}
        async with self._reading:
            return await asyncio.to_thread(lambda: good(rows(name, rest)))

    def _record(self, request: Request, peer: Peer, who: str, *, granted: bool) -> None:
        text = f"{who}: {json.dumps(dict(request.args), ensure_ascii=False)}"[:AUDIT_TEXT]
        self._audit(Audit(at=self._clock.now(), uid=peer.uid, pid=peer.pid, verb=request.verb, text=text, granted=granted))
        if not granted:
            _log.warning("control.refused", verb=request.verb, uid=peer.uid, pid=peer.pid, who=who)
