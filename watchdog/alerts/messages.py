"""What people read: one function per message, in the tone of few words. Pure text; who, what, since when come first."""

from __future__ import annotations

from itertools import groupby

from recovery.model import Run, RunOutcome
from watchdog.alerts import host
from watchdog.alerts.layout import column, lines
from watchdog.alerts.story import Question, Story
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.oneline import one_line
from watchdog.model.phrases import VALUE, counted, done, hour, lasted, moment, short_word, state_word, tried, tried_text

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
    incident = story.incident
    acts = [f"watchdogctl incident {incident.id}"]
    acts.append(
        f"watchdogctl {f'recover {story.service}' if incident.stage is Stage.PARKED else f'hold {story.service} --for 1h'}"
    )
    return lines(f"🔴 {_headline(story)}", _since(story), "", *_body(story), *column("Act", acts))


def person(story: Story) -> str:
    """Nothing that the daemon may do helps: it says so, and how this ends."""
    incident = story.incident
    head = f"🔴 {_title(story)} needs you: {_need(story)}"
    again = hour(incident.reminded_at if incident.reminded_at is not None else story.now, story.tz)
    follow = story.next or f"I ask again tomorrow at {again}; it closes by itself when {_title(story)} is well"
    acts = [f"watchdogctl incident {incident.id}", f"watchdogctl recover {story.service}"]
    body = _body(story, follow, untried="")
    return lines(head, _since(story), "Nothing more is tried by me.", "", *body, *column("Act", acts))


def reminder(story: Story) -> str:
    """Once a day for what still waits for a person."""
    incident = story.incident
    return lines(
        f"🔴 {_title(story)} still needs you: {_need(story)}",
        f"for {lasted(incident.duration(story.now))} · incident {incident.id}",
        *column("Act", [f"watchdogctl incident {incident.id}", f"watchdogctl recover {story.service}"]),
    )


def soft(story: Story) -> str:
    """One line: what happened, what is or was done, how long."""
    incident = story.incident
    if not incident.open:
        return _soft_close(story)
    span = lasted(incident.duration(story.now))
    return f"🟡 {_title(story)}: {state_word(incident.symptom)} for {span}, {_under_way(story)} · incident {incident.id}"


def silent(story: Story) -> str:
    """A line for the log: `eZee Scraper: auto-recovered at 03:47`."""
    incident = story.incident
    at = hour(incident.closed_at if incident.closed_at is not None else story.now, story.tz)
    if incident.outcome is Outcome.HEALED:
        return f"{_title(story)}: auto-recovered at {at}"
    if incident.outcome is Outcome.SELF_RECOVERED:
        return f"{_title(story)}: recovered by itself at {at}"
    return f"{_title(story)}: over at {at}, {_ended(story)}"


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
        return f"☑ {_title(story)}: closed after {span}, {_ended(story)}. Incident {incident.id}.{alarm}"
    return f"✅ {_title(story)} is back after {span} ({_ended(story)}). Incident {incident.id}.{alarm}"


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


def _headline(story: Story) -> str:
    incident = story.incident
    word, span = short_word(incident.symptom), lasted(incident.duration(story.now))
    tries = _failures(story)
    if incident.stage is Stage.PARKED:
        return f"{_title(story)} {word} {span}, " + (f"{tries} tries failed" if tries > 1 else "parked")
    if story.why.endswith("times in an hour"):
        return f"{_title(story)} {word} again, {story.why}"
    return f"{_title(story)} {word} {span}, not healed"


def _runs(story: Story) -> list[Run]:
    """Those since it last came back: what was done before that has healed it once, and says nothing of now."""
    begun = story.incident.reopened_at
    return [run for run in story.runs if begun is None or run.started_at >= begun]


def _failures(story: Story) -> int:
    """Tries that did not help; one that was called back, by a hold for example, is none."""
    return sum(1 for run in _runs(story) if run.outcome is RunOutcome.FAILED and run.touched)


def _need(story: Story) -> str:
    """Why a person is needed: the reason as it was found, or that the last try did not help."""
    incident, last = story.incident, next(reversed(_runs(story)), None)
    if last is not None and last.outcome is RunOutcome.FAILED and incident.reason.startswith(f"{last.playbook}:"):
        tries = _failures(story)
        helped = f"{tries} tries did not help" if tries > 1 else f"{last.playbook} did not help"
        return f"{short_word(incident.symptom)} {lasted(incident.duration(story.now))}, {helped}"
    return one_line(incident.reason, 60) or state_word(incident.symptom)


def _since(story: Story) -> str:
    incident = story.incident
    start = incident.reopened_at if incident.reopened_at is not None else incident.opened_at
    again = f" · came back {incident.relapses} ×" if incident.relapses else ""
    seen = " · seen" if incident.acked else ""
    return f"since {moment(start, story.now, story.tz, zone=True)} · incident {incident.id}{again}{seen}"


def _body(story: Story, follow: str = "", untried: str = "nothing yet") -> list[str]:
    runs = _tries(story)
    cause = story.incident.cause if story.incident.cause != story.service else ""
    return [
        *column("Saw", [counted(story.saw) or _unseen(story.incident)], 2 * VALUE),
        *column("Tried", runs or [untried], 2 * VALUE),
        *column("Cause", [cause]),
        *column("Likely", story.likely[:LIKELY_SHOWN]),
        *column("Needs", [", ".join(story.needs)]),
        *column("Blocks", [", ".join(story.blocked)]),
        *column("Log", story.log[-LOGS_SHOWN:]),
        *column("Host", [story.host]),
        *column("Proof", [f"evidence kept with incident {story.incident.id}" if story.evidence else ""]),
        *column("Before", [story.before]),
        *column("Next", [follow or _follow(story)]),
    ]


def _tries(story: Story) -> list[str]:
    """A line for each run; equal ones in a row are told once, the middle of many as a number."""
    told: list[tuple[str, int]] = []
    for _, same in groupby(_runs(story), key=tried_text):
        stretch = list(same)
        told.append((tried(stretch[0], story.tz) + (f" ×{len(stretch)}" if len(stretch) > 1 else ""), len(stretch)))
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
    return _follow(story) or one_line(incident.reason, 60)


def _follow(story: Story) -> str:
    """What happens next: what is being done comes before what a clock would bring."""
    incident = story.incident
    if incident.stage is Stage.HEALING:
        run = next((run for run in reversed(story.runs) if run.open), None)
        return f"{run.playbook} is running" if run else "being healed"
    if incident.stage is Stage.OPEN:
        return one_line(incident.reason, 60)
    if incident.stage is Stage.WAITING:
        return story.next or f"I wait: {incident.reason}"
    return story.next


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
    return f"🟡 {_title(story)}: {what} · incident {incident.id}"


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


def _title(story: Story) -> str:
    return one_line(story.title, 40) or story.service
