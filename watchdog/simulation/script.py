"""Reads `world`: what happens around the product, line by line (docs/scenarios.md)."""

from __future__ import annotations

import json
from typing import Any

from recovery.problem import Path, did_you_mean, quoted
from recovery.registry import discover
from watchdog.alerts.answers import Answer
from watchdog.config.schema import Mode
from watchdog.simulation.reading import Reading
from watchdog.simulation.scenario import Change, Does, Event, Operator, Process, Reply, Verb
from watchdog.simulation.telegram import DOWN, UP, answering

_WHEN = ("at", "every", "after")
_TIMING = (*_WHEN, "of", "until", "times", "takes", "delay", "fail")
_BOT = ("health", "http", "does", "cycle", "exit", "runtime", "log", "cpu", "memory", "zombies")
_WORLD = ("host", "store", "docker", "daemon", "back_after", "mode", "clock", "telegram", "operator", "for")
_LATER = ("api", "is", "files", "vault", "session", "pool", "lock")
_POLICIES = ("no", "on-failure", "unless-stopped", "always")
_SECONDS_VERBS = (Verb.HOLD,)


def events(reading: Reading, value: object, path: Path) -> tuple[Event, ...]:
    """Every line that could be read; the others are among the problems."""
    found = (_event(reading, item, (*path, number)) for number, item in enumerate(reading.items(value, path)))
    return tuple(each for each in found if each is not None)


def _event(reading: Reading, value: object, path: Path) -> Event | None:
    line = reading.mapping(value, path, (*_TIMING, "service", *_BOT, *_WORLD), _LATER)
    timed = {key for key in _WHEN if key in line}
    if not timed or ("after" in timed and len(timed) > 1):
        reading.wrong(path, "needs one of at, every, after")
        return None
    for key in ("of", "takes", "delay", "fail"):
        if key in line and "after" not in line:
            reading.wrong((*path, key), f"{quoted(key)} belongs to 'after: ACTION'", key=True)
    change = _change(reading, line, path)
    if change == Change(services=change.services) and not {"takes", "fail"} & set(line):
        reading.wrong(path, "says when, but not what happens")
    return Event(
        change=change,
        at=_seconds(reading, line, "at", path),
        every=_seconds(reading, line, "every", path) or None,
        until=_seconds(reading, line, "until", path),
        after=_action(reading, line["after"], (*path, "after")) if "after" in line else None,
        of=reading.text(line["of"], (*path, "of")) if "of" in line else "",
        times=_times(reading, line, path),
        takes=_seconds(reading, line, "takes", path) or 0.0,
        delay=_seconds(reading, line, "delay", path) or 0.0,
        fail=reading.text(line["fail"], (*path, "fail")) if "fail" in line else None,
        where=reading.where(path),
    )


def _seconds(reading: Reading, line: dict[str, Any], key: str, path: Path) -> float | None:
    return reading.seconds(line[key], (*path, key)) if key in line else None


def _times(reading: Reading, line: dict[str, Any], path: Path) -> int | None:
    """Of an `every` or `after`; with `at` it repeats log lines and is read there."""
    repeats = "times" in line and ("every" in line or "after" in line)
    return reading.whole(line["times"], (*path, "times"), 1) if repeats else None


def _action(reading: Reading, value: object, path: Path) -> str | None:
    actions = discover()
    if value == "any" or value in actions:
        return str(value)
    reading.wrong(path, f"unknown action {quoted(value)}{did_you_mean(str(value), actions)}")
    return None


def _change(reading: Reading, line: dict[str, Any], path: Path) -> Change:
    bots = [key for key in _BOT if key in line]
    service = reading.text(line["service"], (*path, "service")) if "service" in line else ""
    if bots and not service and "after" not in line:
        reading.wrong(path, f"{quoted(bots[0])} needs a service")
    later = ("disk_free", "inodes_free", "readonly", "dns")
    host = reading.mapping(line.get("host", {}), (*path, "host"), ("network", "boot"), later)
    return Change(
        services=service or "*",
        replies=_replies(reading, line, path),
        exit=_exit(reading, line["exit"], (*path, "exit")) if "exit" in line else None,
        starved="exit" in line and _starved(reading, line["exit"], (*path, "exit")),
        docker=_up(reading, line, "docker", path),
        process=_process(reading, line["runtime"], (*path, "runtime")) if "runtime" in line else None,
        log=_log(reading, line, path),
        cpu=reading.percent(line["cpu"], (*path, "cpu")) if "cpu" in line else None,
        zombies=reading.whole(line["zombies"], (*path, "zombies")) if "zombies" in line else None,
        memory=reading.size(line["memory"], (*path, "memory")) if "memory" in line else None,
        network=_up(reading, host, "network", (*path, "host")),
        store=_up(reading, line, "store", path),
        crash=_crash(reading, line, path),
        mode=_mode(reading, line, path),
        boot=_boot(reading, host, line, path),
        clock=reading.shift(line["clock"], (*path, "clock")) if "clock" in line else None,
        telegram=_telegram(reading, line["telegram"], (*path, "telegram")) if "telegram" in line else None,
        operator=_operator(reading, line, path),
    )


def _replies(reading: Reading, line: dict[str, Any], path: Path) -> tuple[Reply, ...]:
    if "cycle" in line:
        for key in ("health", "does", "http"):
            if key in line:
                reading.wrong((*path, key), f"{quoted(key)} and 'cycle' exclude each other", key=True)
        turns = enumerate(reading.items(line["cycle"], (*path, "cycle")))
        return tuple(_turn(reading, item, (*path, "cycle", number)) for number, item in turns)
    return (_reply(reading, line, path),) if {"health", "does", "http"} & set(line) else ()


def _turn(reading: Reading, value: object, path: Path) -> Reply:
    if isinstance(value, str):
        does = reading.choice(value, path, [each.value for each in Does])
        return Reply(Does(does)) if does else Reply()
    line = reading.mapping(value, path, ("health", "does", "http"))
    if not line:
        reading.wrong(path, "needs one of health, does, http")
    return _reply(reading, line, path)


def _reply(reading: Reading, line: dict[str, Any], path: Path) -> Reply:
    if "does" in line:
        if "health" in line or "http" in line:
            reading.wrong((*path, "does"), "'does' has no document beside it", key=True)
        does = reading.choice(line["does"], (*path, "does"), [each.value for each in Does])
        return Reply(Does(does)) if does else Reply()
    code, body = _http(reading, line.get("http"), (*path, "http"))
    if "health" not in line:
        return Reply(code=code or 200, body=(body or "").encode(), media="text/plain")
    if body is not None:
        reading.wrong((*path, "http", "body"), "the body is given by 'health' already", key=True)
    document = line["health"]
    if not isinstance(document, dict):
        reading.wrong((*path, "health"), "must be the document, for example {status: ok}")
        return Reply()
    # Our own form says 503 when critical (SPEC 2).
    return Reply(code=code or (503 if document.get("status") == "critical" else 200), body=json.dumps(document).encode())


def _http(reading: Reading, value: object, path: Path) -> tuple[int | None, str | None]:
    if value is None:
        return None, None
    if isinstance(value, int):
        return _code(reading, value, path), None
    answer = reading.mapping(value, path, ("code", "body"))
    code = _code(reading, answer["code"], (*path, "code")) if "code" in answer else None
    body = answer.get("body")
    if body is not None and not isinstance(body, str):
        return code, json.dumps(body)
    return code, body


def _code(reading: Reading, value: object, path: Path) -> int:
    code = reading.whole(value, path, 100)
    if code > 599:
        reading.wrong(path, f"{code} is no HTTP code")
    return code


def _exit(reading: Reading, value: object, path: Path) -> int:
    ended = reading.mapping(value, path, ("code", "oom"))
    if "code" not in ended and ended.get("oom") is True:
        return -9
    return reading.whole(ended["code"], (*path, "code"), -64) if "code" in ended else 0


def _starved(reading: Reading, value: object, path: Path) -> bool:
    return isinstance(value, dict) and "oom" in value and reading.flag(value["oom"], (*path, "oom"))


def _process(reading: Reading, value: object, path: Path) -> Process:
    seen = reading.mapping(value, path, ("status", "started_ago", "by", "policy"))
    alone = "" if "policy" in seen and "status" not in seen else "running"
    status = seen.get("status", alone)
    if status:
        status = reading.choice(status, (*path, "status"), ("running", "exited", "restarting", "paused")) or ""
    by = reading.choice(seen["by"], (*path, "by"), ("operator",)) if "by" in seen else None
    policy = reading.choice(seen["policy"], (*path, "policy"), _POLICIES) if "policy" in seen else None
    return Process(status, _seconds(reading, seen, "started_ago", path) or 0.0, by is not None, policy or "")


def _log(reading: Reading, line: dict[str, Any], path: Path) -> tuple[str, ...]:
    if "log" not in line:
        return ()
    times = reading.whole(line["times"], (*path, "times"), 1) if "times" in line and "at" in line and "every" not in line else 1
    return (reading.text(line["log"], (*path, "log")),) * times


def _up(reading: Reading, line: dict[str, Any], key: str, path: Path) -> bool | None:
    if key not in line:
        return None
    return reading.choice(line[key], (*path, key), ("up", "down")) == "up"


def _telegram(reading: Reading, value: object, path: Path) -> Answer | None:
    if not isinstance(value, dict):
        return {"up": UP, "down": DOWN}.get(reading.choice(value, path, ("up", "down")) or "")
    said = reading.mapping(value, path, ("status", "retry_after"))
    if "status" not in said:
        reading.wrong(path, "needs a status, for example {status: 429, retry_after: 34s}")
        return None
    wait = said.get("retry_after")
    if isinstance(wait, int) and not isinstance(wait, bool):
        seconds: float | None = float(wait)  # Telegram itself counts in seconds without a unit
    else:
        seconds = None if wait is None else reading.seconds(wait, (*path, "retry_after"))
    return answering(_code(reading, said["status"], (*path, "status")), seconds)


def _crash(reading: Reading, line: dict[str, Any], path: Path) -> float | None:
    if "daemon" not in line:
        if "back_after" in line:
            reading.wrong((*path, "back_after"), "'back_after' belongs to 'daemon: crash'", key=True)
        return None
    reading.choice(line["daemon"], (*path, "daemon"), ("crash",))
    return _seconds(reading, line, "back_after", path) or 0.0


def _mode(reading: Reading, line: dict[str, Any], path: Path) -> str | None:
    if "mode" not in line:
        return None
    if "daemon" not in line:
        reading.wrong((*path, "mode"), "'mode' belongs to 'daemon: crash'", key=True)
    return reading.choice(line["mode"], (*path, "mode"), [mode.value for mode in Mode]) or None


def _boot(reading: Reading, host: dict[str, Any], line: dict[str, Any], path: Path) -> bool:
    """A boot of the host ends the daemon too."""
    if "boot" not in host:
        return False
    reading.choice(host["boot"], (*path, "host", "boot"), ("new",))
    if "daemon" not in line:
        reading.wrong((*path, "host", "boot"), "a boot ends the daemon too: write 'daemon: crash' beside it", key=True)
    return True


def _operator(reading: Reading, line: dict[str, Any], path: Path) -> Operator | None:
    if "operator" not in line:
        if "for" in line:
            reading.wrong((*path, "for"), "'for' belongs to 'operator'", key=True)
        return None
    here = (*path, "operator")
    verbs = [verb.value for verb in Verb]
    asked = reading.mapping(line["operator"], here, verbs)
    name = reading.one(asked, here, verbs, "a verb") if asked else None
    if name is None:
        return None
    verb, seconds = Verb(name), _seconds(reading, line, "for", path)
    if seconds is None and verb in _SECONDS_VERBS:
        reading.wrong(here, f"'{verb}' needs 'for: 10m' beside it")
    return Operator(verb, reading.text(asked[name], (*here, name)), seconds)
