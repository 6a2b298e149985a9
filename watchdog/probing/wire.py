"""Reads one HTTP/1 response, piece by piece, within fixed bounds. Pure: bytes in, an answer out; no byte is ever trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from watchdog.probing.answer import BODY_LIMIT, Trouble

HEAD_LIMIT = 16_384
"""Bytes of status line and header fields; no health endpoint needs more."""

_CHUNKED_LIMIT = 4 * BODY_LIMIT
"""Raw bytes of a chunked body: tiny chunks cost more than they carry."""

_NO_BODY = (204, 304)

_WELL = (b"HTTP/1.1 200 ", b"HTTP/1.0 200 ", b"HTTP/1.1 200\r")
_LENGTH = b"\r\ncontent-length:"

_INTERIM = 8
"""Interim answers (1xx) before the real one."""


class Headers(Mapping[str, str]):
    """The header fields of a head in lower case, taken apart only when somebody wants one that is there."""

    __slots__ = ("_fields", "_head")

    def __init__(self, head: bytes) -> None:
        self._head = head
        self._fields: dict[str, str] | None = None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.encode() in self._head.lower() and name in self._read()

    def __getitem__(self, name: str) -> str:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def _read(self) -> dict[str, str]:
        if self._fields is None:
            self._fields = fields(self._head.decode("latin-1").split("\n")[1:])
        return self._fields


def whole(data: bytes) -> tuple[Mapping[str, str], bytes] | None:
    """Headers and body of what nearly every bot answers: 200 with a length, plainly spelt, all of it in the first piece.

    None where a closer look is needed. `Response` comes to the same headers and body.
    """
    end = data.find(b"\r\n\r\n")
    if not 0 < end <= HEAD_LIMIT or not data.startswith(_WELL):
        return None
    head = data[:end]
    low = head.lower()
    place = low.find(_LENGTH)
    if place < 0 or low.count(_LENGTH[2:-1]) > 1 or b"content-encoding" in low or b"transfer-encoding" in low:
        return None
    if low.count(b"\n") != low.count(b"\r\n"):
        return None
    line_end = low.find(b"\r\n", place + 2)
    length = low[place + len(_LENGTH) : line_end if line_end > 0 else end].strip()
    if not length.isdigit() or len(length) > 5:
        return None
    size = int(length)
    body = data[end + 4 : end + 4 + size]
    return (Headers(head), body) if len(body) == size <= BODY_LIMIT else None


def fields(lines: list[str]) -> dict[str, str]:
    """Header fields by their names in lower case; equal ones are joined."""
    found: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            name = name.strip().lower()
            value = value.strip()
            found[name] = f"{found[name]}, {value}" if name in found else value
    return found


class Response:
    """`feed` what arrives, `end` when the peer closes; both say whether the outcome is known: code, headers, body, trouble.

    The body of a redirect and of a client error other than 408 and 429 is not waited for: nobody reads it.
    """

    __slots__ = ("_chunks", "_head", "_interim", "_left", "_parts", "_size", "code", "headers", "note", "trouble")

    def __init__(self) -> None:
        self.code: int | None = None
        self.headers: dict[str, str] = {}
        self.trouble: Trouble | None = None
        self.note = ""
        self._head = b""
        self._interim = 0
        self._parts: list[bytes] = []
        self._size = 0
        self._left: int | None = None
        self._chunks: Chunks | None = None

    @property
    def body(self) -> bytes:
        """Nothing of an oversized one: nobody judges it."""
        if self.trouble is Trouble.OVERSIZED:
            return b""
        if self._chunks is not None:
            return bytes(self._chunks.body)
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    def feed(self, data: bytes) -> bool:
        if self.code is not None:
            return self._take(data)
        if self._head:
            data = self._head + data
        if not b"HTTP/".startswith(data[:5]):
            return self._fail(Trouble.NOT_HTTP)
        line = data.find(b"\n")
        blank = (b"\r\n\r\n" if data[line - 1 : line] == b"\r" else b"\n\n") if line > 0 else b"\r\n\r\n"
        end = data.find(blank, max(0, len(self._head) - 3))
        if end < 0 or end > HEAD_LIMIT:
            self._head = data
            return len(data) > HEAD_LIMIT and self._fail(Trouble.OVERSIZED, "endless header")
        self._head = b""
        rest = data[end + len(blank) :]
        interim = self._read_head(data[:end])
        if self.trouble is not None:
            return True
        if interim:  # the real answer follows
            self._interim += 1
            if self._interim > _INTERIM:
                return self._fail(Trouble.NOT_HTTP, "interim answers only")
            return bool(rest) and self.feed(rest)
        return self._expect() or self._take(rest)

    def end(self) -> bool:
        """The peer closed the connection."""
        if self.code is None:
            return self._fail(Trouble.CLOSED, "in the middle of its header" if self._head else "")
        if self._left is not None or self._chunks is not None:
            return self._fail(Trouble.CUT)
        return True

    def _read_head(self, head: bytes) -> bool:
        """Fills code and headers; True for an interim answer (1xx), of which nothing is kept."""
        lines = head.decode("latin-1").split("\n")
        words = lines[0].split(None, 2)
        if len(words) < 2 or len(words[1]) != 3 or not (words[1].isascii() and words[1].isdecimal()):
            return not self._fail(Trouble.NOT_HTTP)
        code = int(words[1])
        if 100 <= code < 200 and code != 101:
            return True
        self.code, self.headers = code, fields(lines[1:])
        return False

    def _expect(self) -> bool:
        """How much body comes; True when none does or none is wanted."""
        headers, code = self.headers, self.code or 0
        if code in _NO_BODY or (300 <= code < 500 and code not in (408, 429)):
            return True
        encoding = headers.get("content-encoding")
        if encoding and encoding.lower() != "identity":
            return self._fail(Trouble.COMPRESSED)
        transfer = headers.get("transfer-encoding")
        if transfer is not None:
            codings = {coding.strip() for coding in transfer.lower().split(",")}
            if codings - {"chunked", "identity", ""}:
                return self._fail(Trouble.COMPRESSED)
            if "chunked" in codings:
                self._chunks = Chunks()
                return False
        length = headers.get("content-length")
        if length is None:
            return False
        if "," in length and len({one.strip() for one in length.split(",")}) == 1:
            length = length.partition(",")[0]
        if not (length.isascii() and length.isdecimal()):
            return self._fail(Trouble.NOT_HTTP, "no usable length")
        if len(length) > 9 or int(length) > BODY_LIMIT:
            return self._fail(Trouble.OVERSIZED)
        self._left = int(length)
        return self._left == 0

    def _take(self, data: bytes) -> bool:
        if self._chunks is not None:
            return self._take_chunks(self._chunks, data)
        if self._left is not None and len(data) >= self._left:
            self._parts.append(data[: self._left])
            return True
        if data:
            self._parts.append(data)
            self._size += len(data)
        if self._left is not None:
            self._left -= len(data)
        return self._size > BODY_LIMIT and self._fail(Trouble.OVERSIZED)

    def _take_chunks(self, chunks: Chunks, data: bytes) -> bool:
        self._size += len(data)
        try:
            done = chunks.feed(data)
        except ValueError:
            return self._fail(Trouble.CUT, "broken chunks")
        if len(chunks.body) > BODY_LIMIT or self._size > _CHUNKED_LIMIT:
            return self._fail(Trouble.OVERSIZED)
        return done

    def _fail(self, trouble: Trouble, note: str = "") -> bool:
        self.trouble, self.note = trouble, note
        return True


class Chunks:
    """Takes a chunked body apart as it arrives. `feed` is True after the last chunk, and raises ValueError for what is none."""

    __slots__ = ("_left", "_line", "body")

    def __init__(self) -> None:
        self.body = bytearray()
        self._line = b""
        self._left = 0
        """Bytes of the chunk still to come, its line end (2) among them; 0: a size line is due."""

    def feed(self, data: bytes) -> bool:
        place = 0
        while place < len(data):
            if self._left:
                place = self._data(data, place)
                continue
            end = data.find(b"\n", place)
            self._line += data[place : end if end >= 0 else len(data)]
            if len(self._line) > 1024:
                raise ValueError("a size line without end")
            if end < 0:
                return False
            place = end + 1
            line, self._line = self._line, b""
            digits = line.partition(b";")[0].strip()
            if not digits or len(digits) > 8 or digits.strip(b"0123456789abcdefABCDEF"):
                raise ValueError("no chunk size")
            size = int(digits, 16)
            if size == 0:
                return True
            self._left = size + 2
        return False

    def _data(self, data: bytes, place: int) -> int:
        """Moves bytes of the present chunk into the body, without the line end behind it. Returns the next place."""
        take = min(self._left, len(data) - place)
        wanted = max(0, min(take, self._left - 2))
        room = BODY_LIMIT + 1 - len(self.body)
        self.body += data[place : place + min(wanted, max(0, room))]
        self._left -= take
        return place + take
