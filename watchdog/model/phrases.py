"""The words for symptoms, runs and moments. Pure; no message is composed here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from itertools import groupby

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from recovery.units import format_duration
from watchdog.model.oneline import one_line

VALUE = 160
"""Characters of one foreign value in a message."""

STATE_WORDS = {
    "unresponsive": "not answering",
    "exited": "down",
    "oom": "killed for memory",
    "docker": "not answering",
    "crash_loop": "keeps dying",
    "flapping": "flapping",
    "cpu_spin": "spinning",
    "memory": "over its memory",
    "critical": "critical",
    "degraded": "degraded",
    "storm": "storm",
    "network": "no network",
}
"""How a service is called that has the symptom."""

_OUTCOMES = {RunOutcome.NEEDS_PERSON: "a person is needed"}

_DAY = 86400.0


HEALED_BY = "healed by "
"""How the reason of a healed incident begins; the name of the playbook follows."""

WATCHED_ONLY = "no runtime is declared"
"""How the reason begins of what the daemon can look at and not touch."""

TITLES = {"host": "This host", "docker": "Docker"}
"""What is a service of its own and stands in no configuration (SPEC 4)."""


def state_word(symptom: str | None) -> str:
    return STATE_WORDS.get(symptom or "", (symptom or "not well").replace("_", " "))


def short_word(symptom: str | None) -> str:
    """For a first line, of which a lock screen shows 40 characters."""
    return "down" if symptom == "unresponsive" else state_word(symptom)


def hour(wall: float, tz: tzinfo) -> str:
    """03:47."""
    return datetime.fromtimestamp(wall, tz).strftime("%H:%M")


def moment(wall: float, now: float, tz: tzinfo, *, zone: bool = False) -> str:
    """A recent moment as clock time, an older one with its day: `03:32 +05`, `Sat 15 Aug 03:32 +05`."""
    local = datetime.fromtimestamp(wall, tz)
    day = "" if abs(now - wall) < 0.8 * _DAY else f"{local:%a} {local.day} {local:%b} "
    return f"{day}{local:%H:%M}" + (f" {offset(local)}" if zone else "")


def offset(local: datetime) -> str:
    """The zone as people write it: `+05`, `+05:30`, `UTC`."""
    text = local.strftime("%z")
    if text in {"", "+0000"}:
        return "UTC"
    return text[:3] if text.endswith("00") else f"{text[:3]}:{text[3:]}"


def counted(lines: Sequence[str]) -> str:
    """Repeats told as a number: `timeout ×4, then refused`; at most the first two and the last three stretches."""
    stretches = [(one_line(text, 60), sum(1 for _ in group)) for text, group in groupby(lines)]
    if len(stretches) > 5:
        between = sum(count for _, count in stretches[2:-3])
        stretches = [*stretches[:2], (f"{between} others", 1), *stretches[-3:]]
    return ", then ".join(text if count == 1 else f"{text} ×{count}" for text, count in stretches if text)


def done(run: Run) -> str:
    """What a run did to the bot, in one word or two: restarted, started, reloaded."""
    acted = [step for step in run.steps if step.effect is not Effect.NONE and step.outcome is StepOutcome.OK]
    names = [step.action for step in acted]
    if "restart" in names or ("stop_process" in names and {"start", "ensure_running"} & set(names)):
        return "restarted"
    if {"start", "ensure_running"} & set(names):
        return "started"
    if {"reload", "signal"} & set(names):
        return "reloaded"
    if "stop_process" in names:
        return "stopped"
    return f"{run.playbook} run"


def tried(run: Run, tz: tzinfo, times: int = 1, last_at: float | None = None) -> str:
    """A line of `Tried`: when, which playbook, what its steps said, how it ended.

    times: that many in a row went alike. last_at: wall seconds of the last of them.
    """
    who, _, how = tried_text(run).partition(": ")
    until = f"–{hour(last_at, tz)}" if last_at is not None and times > 1 else ""
    return f"{hour(run.started_at, tz)}{until} {who}{f' {times} ×' if times > 1 else ''}: {how}"


def tried_text(run: Run) -> str:
    """The same without its time: two runs with equal texts went alike."""
    told = [text for step in run.steps if (text := step_line(step))]
    end = _ending(run)
    by = "" if run.by == "watchdog" else f" (by {one_line(run.by, 24)})"
    parts = ", ".join([*told, *([end] if end else [])])
    return f"{run.playbook}{by}: {parts or 'begun'}"


def step_line(step: StepRecord) -> str:
    """A step in a few words; what only looked is told when it failed."""
    detail = one_line(step.detail, 60 if step.outcome is StepOutcome.OK else 100)
    name = step.action.replace("_", " ")
    if step.outcome is None:
        return f"{name} …"
    if step.outcome is StepOutcome.OK and step.action == "capture_stacks":
        return _caught(step.detail)
    if step.outcome is StepOutcome.OK:
        return "" if step.effect is Effect.NONE else detail or name
    if step.outcome is StepOutcome.SKIPPED:
        return ""
    return f"✗ {name}: {detail}" if detail else f"✗ {name} {step.outcome.replace('_', ' ')}"


def _caught(detail: str) -> str:
    """`active in parse (bot.py:41)`: the one thing that a person wants to know of the stacks; "" when nobody was caught."""
    found = [part for part in detail.split("; ") if part.startswith(("active in ", "idle in "))]
    return one_line(found[0], 80) if found else ""


def _ending(run: Run) -> str:
    if run.outcome is None:
        return "proof runs" if run.proving_at is not None else ""
    if run.outcome is RunOutcome.HEALED:
        return "healthy again"
    if run.detail and not any(_told_by(step, run.detail) for step in run.steps):
        return one_line(run.detail, 80)
    return "" if run.outcome is RunOutcome.FAILED and run.steps else _OUTCOMES.get(run.outcome, str(run.outcome))


def _told_by(step: StepRecord, detail: str) -> bool:
    """The end of the run is what this step said of itself, or that it failed."""
    return step.outcome is StepOutcome.FAILED or detail == f"{step.action}: {step.detail}"


def lasted(seconds: float) -> str:
    return format_duration(max(0.0, seconds))
