"""The daemon's own log: one stable verb per event and key=value beside it, one line each, without secrets.

    logs.get("decisions").info("run_started", service="ezee-scraper", playbook="restart-unresponsive")

On a terminal the lines are for people; elsewhere each is a JSON object. For the journal the object follows its priority as `<6>`.
Libraries that log through `logging` come out the same way. Redaction is the last step, on the finished line, exceptions included.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TextIO

import structlog

Event = MutableMapping[str, Any]

QUIET = ("httpx", "httpcore", "urllib3", "docker", "asyncio")
"""Libraries whose INFO lines hold whole URLs, tokens included, or say nothing: heard from WARNING on."""

NOTICE = "notice"
"""The event of a message to people: the one whose `text` is ours and laid out in lines."""

_PRIORITY = {"critical": 2, "error": 3, "warning": 4, "info": 6, "debug": 7}


class Form(Enum):
    """How a line is written."""

    PEOPLE = "people"
    JSON = "json"
    JOURNAL = "journal"


def form_of(stream: TextIO, environ: Mapping[str, str]) -> Form:
    """A terminal is read by people; the journal says in JOURNAL_STREAM that it is the other end; anything else gets JSON."""
    if stream.isatty():
        return Form.PEOPLE
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return Form.JSON
    return Form.JOURNAL if environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}" else Form.JSON


def get(room: str) -> Any:
    """The logger of one room. Before `start` it says nothing below WARNING."""
    return structlog.stdlib.get_logger(room)


def start(
    stream: TextIO,
    form: Form,
    now: Callable[[], float],
    redact: Callable[[str], str],
    level: int = logging.INFO,
) -> None:
    """Set the chain up for this process. now: wall seconds. redact: takes the secrets out of a finished line."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.format_exc_info,
        _at(now),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        _Redacted(
            redact,
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _RENDER[form]],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


@contextmanager
def silent() -> Iterator[None]:
    """Nothing is logged inside: a simulation tells everything in its timeline, and its output is a document."""
    before = structlog.get_config()
    structlog.configure(processors=[_dropped])
    try:
        yield
    finally:
        structlog.configure(**before)


def _dropped(_logger: Any, _name: str, _event: Event) -> Event:
    raise structlog.DropEvent


class _Redacted(structlog.stdlib.ProcessorFormatter):
    """The finished line, whatever it was made of, without secrets and in one piece."""

    def __init__(self, redact: Callable[[str], str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        line = self._redact(super().format(record))
        return line.encode("utf-8", "backslashreplace").decode("utf-8")  # a lone surrogate cannot be written


def _at(now: Callable[[], float]) -> Callable[[Any, str, Event], Event]:
    def stamp(_logger: Any, _method: str, event: Event) -> Event:
        event["at"] = now()
        return event

    return stamp


def _json(_logger: Any, _method: str, event: Event) -> str:
    """One object per line; its first keys are always at, level, event, room."""
    at = datetime.fromtimestamp(event.pop("at"), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = {"at": at, "level": event.pop("level", "info"), "event": event.pop("event", ""), "room": event.pop("logger", None)}
    return _SPLITS.sub(lambda c: f"\\u{ord(c[0]):04x}", str(_encode(None, "", {**head, **event})))


_SPLITS = re.compile("[\x7f-\x9f\u2028\u2029]")
"""What JSON may hold raw, and a terminal or a reader of lines would take for more than text."""

_encode = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)


def _journal(logger: Any, method: str, event: Event) -> str:
    priority = _PRIORITY.get(str(event.get("level")), 6)
    return f"<{priority}>{_json(logger, method, event)}"


def _people(_logger: Any, _method: str, event: Event) -> str:
    """`03:34:10 run started   service=ezee-scraper playbook=...`, local time; control characters can paint nothing.

    A message of several lines stands under its line as it was laid out, like an exception.
    """
    at = datetime.fromtimestamp(event.pop("at")).astimezone()
    level = str(event.pop("level", "info"))
    name = str(event.pop("event", ""))
    event.pop("logger", None)
    below = [_lines(str(event.pop("text")))] if name == NOTICE and len(str(event.get("text", "")).splitlines()) > 1 else []
    if (exception := event.pop("exception", None)) is not None:
        below.append(_lines(str(exception)))
    mark = "" if level in ("info", "debug") else f"{level.upper()} "
    pairs = " ".join(f"{key}={value}" for key, value in event.items())
    line = _flat(f"{at:%H:%M:%S} {mark}{name.replace('_', ' '):<24} {pairs}".rstrip())
    return "\n".join([line, *below])


def _flat(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _lines(text: str) -> str:
    return "\n".join(f"    {_flat(line)}".rstrip() for line in text.splitlines())


_RENDER: dict[Form, Callable[[Any, str, Event], str]] = {Form.PEOPLE: _people, Form.JSON: _json, Form.JOURNAL: _journal}
