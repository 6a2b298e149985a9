"""A Bot API server: validates as Telegram does, answers as a script says, and remembers what people would see.

`Telegram` is the rules without a network. `MockApi` puts them behind httpx in the film's own time; `served` behind a real socket.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs

import httpx

TAGS = frozenset({"b", "strong", "i", "em", "u", "s", "code", "pre", "a", "blockquote", "tg-spoiler", "span"})
OFFSET = "byte offset"

TOKEN = "123456789:AAExampleExampleExampleExample_Example"


@dataclass(frozen=True)
class Fault:
    """One scripted answer. body: JSON document, or bytes as they are. drop: accept (or not) and close without an answer.

    hang: read and never answer. accepted: the call takes effect all the same.
    """

    status: int = 200
    body: Any = None
    accepted: bool = False
    drop: bool = False
    hang: bool = False
    refuse: bool = False


def error(code: int, description: str, **parameters: Any) -> Fault:
    """As the Bot API itself says it."""
    document: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    return Fault(code, document | ({"parameters": parameters} if parameters else {}))


FLOOD = error(429, "Too Many Requests: retry after 34", retry_after=34)
BLOCKED = error(403, "Forbidden: bot was blocked by the user")
GATEWAY = Fault(502, b"<html><head><title>502 Bad Gateway</title></head></html>")
RESTART = error(500, "Internal Server Error: restart")
CUT = Fault(200, b'{"ok":true,"result":{"message_id":4', accepted=True)
DROPPED = Fault(drop=True, accepted=True)
HANGS = Fault(hang=True, accepted=True)
NO_WAY = Fault(refuse=True)


@dataclass
class Message:
    """What people see. texts: every text it had, newest last."""

    id: int
    chat: int
    at: float
    texts: list[str]
    quiet: bool
    topic: int | None = None
    answers: int | None = None
    raw: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.texts[-1]


class Parsed(HTMLParser):
    """The text after its entities are read, and how many there are. Raises ValueError as the server words it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.entities, self._open = "", 0, list[str]()
        self.feed(text)
        self.close()
        if self._open:
            raise ValueError(f'Can\'t find end tag corresponding to start tag "{self._open[-1]}"')

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            raise ValueError(f'Unsupported start tag "{tag}" at {OFFSET} {self.getpos()[1]}')
        self._open.append(tag)
        self.entities += 1

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            raise ValueError(f"Unexpected end tag at {OFFSET} {self.getpos()[1]}")

    def handle_data(self, data: str) -> None:
        self.text += data


class Telegram:
    """now: seconds; any clock. chats: known ids. faults: answers of the next calls, for all or by chat.

    always: answers everything while it is set. moved: old id to new. topics: by chat, those that are open.
    """

    def __init__(self, now: Callable[[], float], chats: tuple[int, ...] = (1, 2, -100), token: str = TOKEN) -> None:
        self.now, self.chats, self.token = now, set(chats), token
        self.faults: deque[Fault] = deque()
        self.by_chat: dict[int, deque[Fault]] = {}
        self.always: Fault | None = None
        self.blocked: set[int] = set()
        self.moved: dict[int, int] = {}
        self.topics: dict[int, set[int]] = {}
        self.messages: list[Message] = []
        self.files: list[tuple[int, bytes]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.limited = True
        self._sent: dict[int, deque[float]] = {}
        self._poller = 0

    # --- what a test looks at ---

    def seen(self, chat: int | None = None) -> list[str]:
        """The newest text of each message, oldest message first."""
        return [each.text for each in self.messages if chat is None or each.chat == chat]

    def methods(self) -> list[str]:
        return [method for method, _ in self.calls]

    # --- the server ---

    def answer(self, token: str, method: str, given: dict[str, Any], file: bytes | None = None) -> Fault:
        """The answer to one call; its effect has happened then."""
        chat = int(given.get("chat_id", 0))
        queue = self.by_chat.get(chat)
        fault = self.always or (queue.popleft() if queue else None) or (self.faults.popleft() if self.faults else None)
        if fault is not None and fault.refuse:
            return fault
        self.calls.append((method, given))
        if fault is None:
            return self._plain(token, method, given, file)
        if fault.accepted:
            good = self._plain(token, method, given, file)
            return fault if fault.body is not None or fault.drop or fault.hang else good
        return fault

    def _plain(self, token: str, method: str, given: dict[str, Any], file: bytes | None) -> Fault:
        if token != self.token:
            return error(401, "Unauthorized")
        if method == "getMe":
            return good({"id": 123456789, "is_bot": True, "first_name": "Watchdog", "username": "watchdog_bot"})
        if method == "getWebhookInfo":
            return good({"url": "", "has_custom_certificate": False, "pending_update_count": 0})
        if method == "getUpdates":
            self._poller += 1
            twice = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
            return good([]) if self._poller == 1 else error(409, twice)
        act = {"sendMessage": self._send, "editMessageText": self._edit, "sendDocument": self._document}.get(method)
        if act is None:
            return error(404, "Not Found: method not found")
        return self._to_chat(given) or act(given, file)

    def _to_chat(self, given: dict[str, Any]) -> Fault | None:
        chat = int(given["chat_id"])
        if chat in self.moved:
            text = "Bad Request: group chat was upgraded to a supergroup chat"
            return error(400, text, migrate_to_chat_id=self.moved[chat])
        if chat not in self.chats:
            return error(400, "Bad Request: chat not found")
        if chat in self.blocked:
            return BLOCKED
        topic = given.get("message_thread_id")
        if topic is not None and int(topic) not in self.topics.get(chat, set()):
            return error(400, "Bad Request: message thread not found")
        return self._flood(chat)

    def _flood(self, chat: int) -> Fault | None:
        """20 a minute for a group; bursts of a private chat are borne for a while."""
        taken = self._sent.setdefault(chat, deque(maxlen=60))
        now, limit = self.now(), 20 if chat < 0 else 30
        if self.limited and sum(1 for at in taken if now - at < 60) >= limit:
            return error(429, "Too Many Requests: retry after 9", retry_after=9)
        taken.append(now)
        return None

    def _text(self, given: dict[str, Any]) -> str | Fault:
        text = str(given.get("text", ""))
        if given.get("parse_mode") == "HTML":
            try:
                text = Parsed(text).text
            except ValueError as wrong:
                return error(400, f"Bad Request: can't parse entities: {wrong}")
        if not text.strip():
            return error(400, "Bad Request: message text is empty")
        if len(text.encode("utf-16-le")) // 2 > 4096:
            return error(400, "Bad Request: message is too long")
        return text

    def _send(self, given: dict[str, Any], _file: bytes | None) -> Fault:
        text = self._text(given)
        if isinstance(text, Fault):
            return text
        reply = given.get("reply_parameters") or {}
        target = reply.get("message_id")
        if target is not None and not self._found(target):
            if not reply.get("allow_sending_without_reply"):
                return error(400, "Bad Request: message to be replied not found")
            target = None
        made = Message(
            len(self.messages) + 1, int(given["chat_id"]), self.now(), [text], bool(given.get("disable_notification")),
            given.get("message_thread_id"), target, [given],
        )  # fmt: skip
        self.messages.append(made)
        return good(self._shown(made))

    def _edit(self, given: dict[str, Any], _file: bytes | None) -> Fault:
        found = self._found(int(given["message_id"]))
        if found is None or found.chat != int(given["chat_id"]):
            return error(400, "Bad Request: message to edit not found")
        text = self._text(given)
        if isinstance(text, Fault):
            return text
        if text == found.text:
            return error(400, "Bad Request: message is not modified: specified new message content is exactly the same")
        found.texts.append(text)
        found.raw.append(given)
        return good(self._shown(found))

    def _document(self, given: dict[str, Any], file: bytes | None) -> Fault:
        self.files.append((int(given["chat_id"]), file or b""))
        made = Message(len(self.messages) + 1, int(given["chat_id"]), self.now(), ["(file)"], True)
        return good(self._shown(made))

    def _found(self, number: int) -> Message | None:
        return next((each for each in self.messages if each.id == number), None)

    def forget(self, number: int) -> None:
        """Somebody deletes a message."""
        self.messages = [each for each in self.messages if each.id != number]

    def _shown(self, made: Message) -> dict[str, Any]:
        """As a Message of the Bot API."""
        kind = "supergroup" if made.chat < 0 else "private"
        chat = {"id": made.chat, "type": kind, **({"title": "Ops"} if made.chat < 0 else {"first_name": "Anna"})}
        return {"message_id": made.id, "date": int(made.at), "chat": chat, "text": made.text}


def good(result: Any) -> Fault:
    return Fault(200, {"ok": True, "result": result})


class MockApi(httpx.AsyncBaseTransport):
    """The transport of a film: no socket, the film's own time."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        token, method = split(request.url.path)
        body = await request.aread()
        given, file = read(request.headers.get("content-type", ""), body)
        fault = self.telegram.answer(token, method, given, file)
        if fault.refuse:
            raise httpx.ConnectError("All connection attempts failed", request=request)
        if trace := request.extensions.get("trace"):
            await trace("http11.send_request_headers.started", {})
        if fault.hang:
            await asyncio.sleep(3600)
        if fault.drop:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.", request=request)
        return httpx.Response(fault.status, stream=httpx.ByteStream(encoded(fault)), request=request)


def encoded(fault: Fault) -> bytes:
    return fault.body if isinstance(fault.body, bytes) else json.dumps(fault.body).encode()


def split(path: str) -> tuple[str, str]:
    found = re.fullmatch(r"/bot([^/]+)/(\w+)", path)
    return (found[1], found[2]) if found else ("", path)


def read(kind: str, body: bytes) -> tuple[dict[str, Any], bytes | None]:
    """Parameters in either of their forms, and the file of a multipart one."""
    if kind.startswith("application/json"):
        return json.loads(body), None
    if kind.startswith("multipart/form-data"):
        parts = body.split(b"--" + kind.partition("boundary=")[2].encode())
        given: dict[str, Any] = {}
        file = None
        for part in parts:
            head, _, content = part.partition(b"\r\n\r\n")
            if name := re.search(rb'name="(\w+)"', head):
                content = content.removesuffix(b"\r\n")
                if b"filename=" in head:
                    file = content
                else:
                    given[name[1].decode()] = content.decode()
        return given, file
    return {key: values[0] for key, values in parse_qs(body.decode()).items()}, None


@contextmanager
def served(telegram: Telegram) -> Iterator[str]:
    """The same behind a real socket, in a thread of its own: the URL for `alerts.telegram.api`."""
    loop, ready, where, servers = asyncio.new_event_loop(), threading.Event(), list[int](), list[asyncio.Server]()

    async def serve() -> None:
        server = await asyncio.start_server(lambda r, w: _converse(telegram, r, w), "127.0.0.1", 0)
        where.append(server.sockets[0].getsockname()[1])
        servers.append(server)
        ready.set()

    def life() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()
        servers[0].close()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(asyncio.sleep(0))  # transports close one turn of the loop later
        loop.close()

    thread = threading.Thread(target=life, name="fake Bot API")
    thread.start()
    assert ready.wait(5)
    try:
        yield f"http://127.0.0.1:{where[0]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _converse(telegram: Telegram, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.splitlines()[1:])}
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                token, method = split(head.split()[1])
                given, file = read(fields.get("content-type", ""), body)
                fault = telegram.answer(token, method, given, file)
                if fault.hang:
                    await asyncio.sleep(3600)
                if fault.drop or fault.refuse:
                    return
                content = encoded(fault)
                writer.write(f"HTTP/1.1 {fault.status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
                await writer.drain()
    finally:
        writer.close()
