"""Docker's engine behind one unix socket, blocking: each method belongs into a thread, and ends by its own read timeout.

Every failure is one of ours: EngineAway when the engine cannot be asked, StepFailed with its own words when it refuses,
OutcomeUnknown when something was sent and no answer came.
"""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from recovery.adapters.docker_rows import HISTORY, History, event
from recovery.errors import EngineAway, OutcomeUnknown, StepError, StepFailed

if TYPE_CHECKING:
    from docker import APIClient
    from requests import Response

READ = 5.0
"""Seconds without a byte of an answer; 1.4 ms is usual."""

START = 20.0
"""Seconds for a start, which may have to mount volumes and wait for a network."""

LOG_BYTES = 8 << 20
"""Of a log that are read at most: 500 of Docker's lines, which it cuts at 16 KiB."""

_CONNECTIONS = 16
"""Kept open for each kind of question; 10 would do for most hosts."""

_NOT_SENT = frozenset({errno.ENOENT, errno.ECONNREFUSED, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EMFILE, errno.ENFILE})
"""With these errors nobody was connected to."""

_BROKEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What an answer that is no JSON, or not of the shape it should have, ends in."""


class EngineClient:
    """One connection pool to one engine. The first word is said at once: raises EngineAway."""

    def __init__(self, url: str, read: float = READ, start: float = START) -> None:
        from docker import APIClient  # noqa: PLC0415  90 ms and 13 MB that a host without containers does not pay

        self._url = url
        self._read = read
        self._start = start
        with self._asking():
            _knock(url, read)
            self._api: APIClient = APIClient(base_url=url, timeout=read, max_pool_size=_CONNECTIONS)  # type: ignore[arg-type]
        self._api.trust_env = False  # no proxy and no .netrc is meant for a unix socket

    def close(self) -> None:
        with suppress(OSError):
            self._api.close()

    def ping(self) -> None:
        """Over a new connection: an engine that is ending closes its door first, and goes on answering those who are inside."""
        with self._asking():
            _ping(self._url, self._read)

    def info(self) -> Mapping[str, Any]:
        with self._asking():
            return _mapping(self._json("/info"))

    def inspect(self, name: str) -> dict[str, Any] | None:
        """None: no container has that name. The engine also takes the beginning of an id for a name; such an answer is none."""
        with self._asking():
            answer = self._json(f"/containers/{quote(name, safe='')}/json", absent=True)
            return dict(answer) if answer is not None and _mapping(answer)["Name"] == f"/{name}" else None

    def containers(self) -> Sequence[Mapping[str, Any]]:
        """All of them, whatever their state: one call, where docker-py's own `list` would inspect each."""
        with self._asking():
            rows = self._json("/containers/json", {"all": "1"})
            if not isinstance(rows, list):
                raise ValueError("no list")
            return [_mapping(row) for row in rows]

    def start(self, name: str) -> None:
        """One that runs is no error. Raises StepFailed with the engine's words."""
        with self._acting(f"start {name}"):
            response = self._api.post(self._path(f"/containers/{quote(name, safe='')}/start"), timeout=self._start)
        if response.status_code >= 400:
            raise StepFailed(f"Docker does not start {name}: {_words(response)}")

    def logs(self, name: str, lines: int) -> bytes:
        """The end of stdout and stderr, in the engine's own framing. StepFailed: no such container."""
        query = {"stdout": "1", "stderr": "1", "tail": str(lines)}
        with self._asking():
            response = self._get(f"/containers/{quote(name, safe='')}/logs", query, stream=True)
            with response:
                self._check(response, absent=True)
                if response.status_code == 404:
                    raise StepFailed(f"there is no container '{name}'")
                read = bytearray()
                for piece in response.iter_content(1 << 16):
                    read += piece
                    if len(read) >= LOG_BYTES:
                        break
                return bytes(read)

    def history(self, since: float, until: float) -> History:
        """What the engine remembers of that time, and whether that is all."""
        with self._asking():
            # From the beginning of time and of all types: only so does it show how far back its memory reaches.
            text = self._text("/events", {"since": "1", "until": f"{until:.9f}"})
            raw = [json.loads(line) for line in text.splitlines() if line.strip()]
            times = [int(row["timeNano"]) for row in raw]
        told = (event(row) for row, at in zip(raw, times, strict=True) if at >= since * 1e9)
        complete = len(raw) < HISTORY or min(times) < since * 1e9
        return History(tuple(row for row in told if row is not None), complete)

    def stream(self, since: float | None) -> Response:
        """An open stream of events that may be silent for ever from now on."""
        query = {"filters": '{"type":["container"]}'} | ({} if since is None else {"since": f"{since:.9f}"})
        with self._asking():
            response = self._get("/events", query, stream=True)
            self._check(response)
            response.raw.connection.sock.settimeout(None)  # type: ignore[union-attr]  # a stream keeps its connection
            return response

    def _json(self, path: str, query: Mapping[str, str] | None = None, *, absent: bool = False) -> Any:
        response = self._get(path, query)
        self._check(response, absent=absent)
        return None if response.status_code == 404 else response.json()

    def _text(self, path: str, query: Mapping[str, str] | None = None) -> str:
        response = self._get(path, query)
        self._check(response)
        return response.content.decode("utf-8", "replace")

    def _get(self, path: str, query: Mapping[str, str] | None = None, *, stream: bool = False) -> Response:
        # docker-py's own methods take no deadline of their own, and read whole logs; its transport is used as it is.
        return self._api.get(self._path(path), params=query, timeout=self._read, stream=stream)

    def _path(self, path: str) -> str:
        return f"{self._api.base_url}/v{self._api.api_version}{path}"

    def _check(self, response: Response, *, absent: bool = False) -> None:
        """To a look every error but `no such container` says that the engine is not itself."""
        if response.status_code >= 400 and not (absent and response.status_code == 404):
            raise EngineAway(f"Docker answers HTTP {response.status_code}: {_words(response)}")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with self._translated(lambda error: EngineAway(self._trouble(error))):
            yield

    @contextmanager
    def _acting(self, what: str) -> Iterator[None]:
        def told(error: Exception) -> StepError:
            if _not_sent(error):
                return EngineAway(self._trouble(error))
            return OutcomeUnknown(f"{what}: {self._trouble(error)}; what became of it is not known")

        with self._translated(told):
            yield

    @contextmanager
    def _translated(self, told: Callable[[Exception], StepError]) -> Iterator[None]:
        from docker.errors import DockerException  # noqa: PLC0415  with docker-py
        from requests import RequestException  # noqa: PLC0415
        from urllib3.exceptions import HTTPError  # noqa: PLC0415

        try:
            yield
        except StepError:
            raise
        except (DockerException, RequestException, HTTPError, HTTPException, OSError, *_BROKEN) as error:
            raise told(error) from error

    def _trouble(self, error: Exception) -> str:
        """One line in our words; the library's own nest three exceptions."""
        where = self._url.removeprefix("unix://")
        number = _number(error)
        if number == errno.ENOENT:
            return f"Docker is not there: {where} does not exist"
        if number in (errno.EACCES, errno.EPERM):
            return f"Docker may not be asked: no permission for {where}"
        if number == errno.ECONNREFUSED:
            return f"Docker is not there: nobody listens at {where}"
        names = {type(each).__name__ for each in _chain(error)}
        if names & {"ReadTimeout", "ReadTimeoutError", "TimeoutError", "ConnectTimeout"}:
            return "Docker gave no answer in time"
        if any(isinstance(each, _BROKEN) for each in _chain(error)):
            return "Docker's answer is broken"
        return f"Docker's answer was cut off ({type(error).__name__})"


def _knock(url: str, seconds: float) -> None:
    """Raises OSError when nobody opens: docker-py would forget a socket that it could not connect, and bury the reason."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(seconds)
        door.connect(url.removeprefix("unix://"))


def _ping(url: str, seconds: float) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(seconds)
        door.connect(url.removeprefix("unix://"))
        talk = HTTPConnection("docker", timeout=seconds)
        talk.sock = door
        talk.request("GET", "/_ping", headers={"Connection": "close"})
        answer = talk.getresponse()
        body = answer.read(1 << 16).decode("utf-8", "replace")
        if answer.status >= 400:
            raise EngineAway(f"Docker answers HTTP {answer.status}: {_told(body) or 'no reason given'}")


def shut(response: Response) -> None:
    """Wake a thread that reads from it: to that thread the stream ends."""
    connection = response.raw.connection
    sock = connection.sock if connection is not None else None
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _mapping(answer: Any) -> Mapping[str, Any]:
    if not isinstance(answer, dict):
        raise ValueError("no object")
    return answer


def _words(response: Response) -> str:
    """The engine's own explanation as one line."""
    return _told(response.text) or f"HTTP {response.status_code}"


def _told(body: str) -> str:
    try:
        said = str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        said = body
    return " ".join(said.split())[:500]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and whatever it wraps: as its cause, its context or its arguments, as urllib3 and requests do."""
    seen: set[int] = set()
    todo = [error]
    while todo:
        one = todo.pop()
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            yield one
            reason = getattr(one, "reason", None)
            todo += [one.__cause__, one.__context__, *(each for each in (*one.args, reason) if isinstance(each, BaseException))]


def _number(error: Exception) -> int | None:
    """Of the first system error in it."""
    return next((one.errno for one in _chain(error) if isinstance(one, OSError) and isinstance(one.errno, int)), None)


def _not_sent(error: Exception) -> bool:
    return _number(error) in _NOT_SENT
