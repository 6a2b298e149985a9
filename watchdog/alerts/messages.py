"""What people read: one function per message, in the tone of few words. Pure text; who, what, since when come first."""

from __future__ import annotations

from itertools import groupby

from recovery.model import Run, RunOutcome, StepOutcome
from watchdog.alerts import host
from watchdog.alerts.headline import grounds, headline, lately, need, title
from watchdog.alerts.layout import column, lines
from watchdog.alerts.next_step import acts, follow, until_mended, untried
from watchdog.alerts.reminding import next_reminder
from watchdog.alerts.story import Question, Story
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.oneline import one_line
from watchdog.model.phrases import VALUE, counted, done, hour, lasted, moment, state_word, tried, tried_text

RUNS_SHOWN = 4
LOGS_SHOWN = 3
LIKELY_SHOWN = 2


def message(story: Story) -> str:
    """The message of an incident as it stands now: the form follows its tier and state."""
    if not story.incident.open:
        return close(story)
    if story.service in host.HOSTS:
        return host.trouble(story)
    if story.incident.tier is Tier.CRITICAL:
        return person(story) if story.incident.stage is Stage.PERSON else critical(story)
    return soft(story)


storm = host.storm

edit = message
"""A message is edited to what would be written now (SPEC 11: one incident is one message)."""


def critical(story: Story) -> str:
    """A page: what was seen and tried, what is blocked, what happens next, what to type."""
    return lines(f"🔴 {headline(story)}", _since(story), "", *_body(story), *column("Act", acts(story)))


def person(story: Story) -> str:
    """Nothing that the daemon may do helps: it says so, and how this ends."""
    incident = story.incident
    head = f"🔴 {title(story)} needs you: {need(story)}"
    asked = incident.reminded_at if incident.reminded_at is not None else story.now
    again = hour(next_reminder(asked, story.tz), story.tz)
    ends = story.next or until_mended(story, again)
    mine = "I try nothing more." if lately(story) else "I can do nothing about it."
    return lines(head, _since(story), mine, "", *_body(story, ends), *column("Act", acts(story)))


def reminder(story: Story) -> str:
    """Once a day for what still waits for a person."""
    incident = story.incident
    return lines(
        f"🔴 {title(story)} still needs you: {need(story)}",
        f"for {lasted(incident.duration(story.now))} · incident {incident.id}",
        *column("Act", acts(story)),
    )


def soft(story: Story) -> str:
    """One line: what happened, what is or was done, how long."""
    incident = story.incident
    if not incident.open:
        return _soft_close(story)
    span = lasted(story.now - incident.began)
    return f"🟡 {title(story)}: {state_word(incident.symptom)} for {span}, {_under_way(story)} · incident {incident.id}"


def silent(story: Story) -> str:
    """A line for the log: `eZee Scraper: auto-recovered at 03:47`."""
    incident = story.incident
    at = hour(incident.closed_at if incident.closed_at is not None else story.now, story.tz)
    if incident.outcome is Outcome.HEALED:
        return f"{title(story)}: auto-recovered at {at}"
    if incident.outcome is Outcome.SELF_RECOVERED:
        return f"{title(story)}: recovered by itself at {at}"
    return f"{title(story)}: over at {at}, {_ended(story)}"


def close(story: Story) -> str:
    """The one close of an incident, in the form that its tier had."""
    if story.service in host.HOSTS:
        return host.over(story)
    if story.incident.tier is Tier.SILENT:
        return silent(story)
    if story.incident.tier is Tier.SOFT:
        return _soft_close(story)
    incident = story.incident
    span = lasted(incident.duration(story.now))
    alarm = " It was marked a false alarm." if incident.false_alarm else ""
    if incident.outcome in {Outcome.IGNORED, Outcome.REMOVED}:
        return f"☑ {title(story)}: closed after {span}, {_ended(story)}. Incident {incident.id}.{alarm}"
    return f"✅ {title(story)} is back after {span} ({_ended(story)}). Incident {incident.id}.{alarm}"


def approval(question: Question) -> str:
    """A question with its two answers, and what happens without one."""
    until = moment(question.expires_at, question.now, question.tz, zone=True)
    summary = one_line(question.summary, VALUE)
    return lines(
        f"🟡 {one_line(question.title, 40)}: may I run {question.playbook}?",
        f"open until {until} · incident {question.incident}",
        *column("Why", [one_line(question.reason, VALUE)]),
        *column("Would", [summary]),
        *column("Act", [f"watchdogctl approve {question.run}", f"watchdogctl reject {question.run}"]),
        "Without an answer by then nothing is done, and it is yours.",
    )


def note(title: str, text: str, incident: int | None = None) -> str:
    """A soft line about something that needs no hurry."""
    return f"🟡 {one_line(title, 40)}: {one_line(text)}" + (f" · incident {incident}" if incident is not None else "")


def _since(story: Story) -> str:
    incident = story.incident
    again = f" · came back {incident.relapses} ×" if incident.relapses else ""
    seen = " · seen" if incident.acked else ""
    return f"since {moment(incident.began, story.now, story.tz, zone=True)} · incident {incident.id}{again}{seen}"


def _body(story: Story, ends: str = "") -> list[str]:
    runs = _tries(story)
    cause = story.incident.cause if story.incident.cause != story.service else ""
    return [
        *column("Saw", [counted(story.saw) or _unseen(story.incident)], 2 * VALUE),
        *column("Tried", runs or [untried(story)], 2 * VALUE),
        *column("Why", [grounds(story)]),
        *column("Cause", [cause]),
        *column("Likely", story.likely[:LIKELY_SHOWN]),
        *column("Needs", [", ".join(story.needs)]),
        *column("Blocks", [", ".join(story.blocked)]),
        *column("Log", _log(story)),
        *column("Host", [story.host]),
        *column("Kept", [_kept(story)]),
        *column("Before", [story.before]),
        *column("Next", [ends or follow(story)]),
    ]


def _log(story: Story) -> list[str]:
    """The last lines; the same line again and again is one."""
    told = [(text, sum(1 for _ in same)) for text, same in groupby(one_line(line, VALUE - 6) for line in story.log)]
    return [f"{text} ×{count}" if count > 1 else text for text, count in told[-LOGS_SHOWN:]]


def _kept(story: Story) -> str:
    """Where to look: what was seen before anything was changed."""
    if not story.evidence:
        return ""
    stacks = any(step.action == "capture_stacks" and step.outcome is StepOutcome.OK for run in story.runs for step in run.steps)
    return f"{'evidence and stacks' if stacks else 'evidence'}, in incident {story.incident.id}"


def _tries(story: Story) -> list[str]:
    """A line for each run; equal ones in a row are told once, the middle of many as a number."""
    told: list[tuple[str, int]] = []
    for _, same in groupby(lately(story), key=tried_text):
        stretch = list(same)
        told.append((tried(stretch[0], story.tz, len(stretch), stretch[-1].started_at), len(stretch)))
    if len(told) > RUNS_SHOWN:
        hidden = sum(count for _, count in told[1 : 2 - RUNS_SHOWN])
        told = [told[0], (f"… {hidden} more", hidden), *told[2 - RUNS_SHOWN :]]
    return [text for text, _ in told]


def _unseen(incident: Incident) -> str:
    """The checks are forgotten (a restart of the daemon): what the reason tells, unless it tells of a run or a wait."""
    tells = incident.stage in {Stage.OPEN, Stage.CONFIRMED, Stage.PERSON}
    return incident.reason if tells else state_word(incident.symptom)


def _under_way(story: Story) -> str:
    incident = story.incident
    if incident.stage is Stage.WAITING:
        return f"waiting: {one_line(incident.reason, 90)}"
    return follow(story) or one_line(incident.reason, 60)


def _soft_close(story: Story) -> str:
    incident = story.incident
    span = lasted(incident.duration(story.now))
    run = _healer(story)
    if run is not None:
        what = f"{done(run)}, healthy again after {span}"
    elif incident.outcome is Outcome.SELF_RECOVERED:
        what = f"healthy again by itself after {span}"
    else:
        what = f"over after {span}, {_ended(story)}"
    return f"🟡 {title(story)}: {what} · incident {incident.id}"


def _ended(story: Story) -> str:
    """Who or what ended it, for a close."""
    incident = story.incident
    run = _healer(story)
    if run is not None:
        at = hour(run.started_at, story.tz)
        return f"{done(run)} at {at}" if run.by == "watchdog" else f"{one_line(run.by, 24)} asked for {run.playbook} at {at}"
    words = {
        Outcome.SELF_RECOVERED: "by itself",
        Outcome.ESCALATED: "not by me",
        Outcome.REMOVED: "it left the configuration",
        Outcome.IGNORED: one_line(incident.cause, 80) or "a person had it in hand",
    }
    return words.get(incident.outcome, "healed") if incident.outcome is not None else "closed"


def _healer(story: Story) -> Run | None:
    if story.incident.outcome is not Outcome.HEALED:
        return None
    return next((run for run in reversed(story.runs) if run.outcome is RunOutcome.HEALED), None)
