"""The first line of a page, of which a lock screen shows 40 characters: who, what, for how long, and why it is yours. Pure."""

from __future__ import annotations

import re

from recovery.model import Run, RunOutcome
from watchdog.alerts.story import Story
from watchdog.model.incident import Stage
from watchdog.model.oneline import one_line
from watchdog.model.phrases import WATCHED_ONLY, lasted, short_word, state_word

USED_UP = "are used up"
"""How the reason ends of what was parked because its budget is spent."""

OBSERVE = "observe: "
"""How the reason begins of what the daemon would do if it might."""

_QUESTION = re.compile(r"watchdogctl approve (\d+)")
_ASKED = re.compile(r"approval of (?P<book>\S+): (?P<answer>\w+)")
_ANSWERS = {"expired": "nobody answered about {book}", "rejected": "a person said no to {book}"}


def headline(story: Story) -> str:
    """`eZee Scraper down 15 min, not healed`."""
    incident = story.incident
    word, span = short_word(incident.symptom), lasted(story.now - incident.began)
    tries = failures(story)
    ends, _, _ = incident.reason.partition(",")
    if incident.symptom == "crash_loop" and tries <= 1 and " exits in " in ends:
        return f"{title(story)} {word}, {ends}"
    if incident.stage is Stage.PARKED:
        if tries > 1:
            return f"{title(story)} {word} {span}, {tries} tries failed"
        # Healed again and again within the hour: how long it is down this time is not what matters.
        return f"{title(story)} {word} again, no restart left" if spent(story) else f"{title(story)} {word} {span}, parked"
    if incident.stage is Stage.WAITING and question(story) is not None:
        return f"{title(story)} {word} {span}, waits for your yes"
    if incident.reason.startswith(OBSERVE):
        return f"{title(story)} {word} {span}, observe mode"
    if story.why.endswith("times in an hour"):
        return f"{title(story)} {word} again, {story.why}"
    return f"{title(story)} {word} {span}, not healed"


def need(story: Story) -> str:
    """Why a person is needed: what only they can do, the answer they gave or did not, or that the last try did not help."""
    incident, last = story.incident, next(reversed(lately(story)), None)
    now = f"{short_word(incident.symptom)} {lasted(story.now - incident.began)}"
    if incident.reason.startswith(WATCHED_ONLY):
        return f"{now}, I can only watch it"
    if (asked := _ASKED.match(incident.reason)) is not None and asked["answer"] in _ANSWERS:
        return f"{now}, {_ANSWERS[asked['answer']].format(book=asked['book'])}"
    if last is None or not incident.reason.startswith(f"{last.playbook}:"):
        return one_line(incident.reason, 60) or state_word(incident.symptom)
    if last.outcome is RunOutcome.FAILED:
        tries = failures(story)
        return f"{now}, {f'{tries} tries' if tries > 1 else last.playbook} did not help"
    return one_line(_of_the_step(incident.reason, last).split("; ", 1)[0], 60)


def grounds(story: Story) -> str:
    """The reason in full, where the first line gives only its gist."""
    reason, stage = story.incident.reason, story.incident.stage
    if stage is Stage.PARKED:
        return "" if _told_by_the_run(story) else reason
    told = stage is not Stage.PERSON or one_line(reason, 60) in need(story) or _told_by_the_run(story)
    return "" if told else reason


def question(story: Story) -> int | None:
    """The number of the run that waits for an answer, if one does."""
    found = _QUESTION.search(f"{story.next} {story.incident.reason}")
    return int(found[1]) if found is not None else None


def failures(story: Story) -> int:
    """Tries that did not help; one that was called back, by a hold for example, is none."""
    return sum(1 for run in lately(story) if run.outcome is RunOutcome.FAILED and run.touched)


def lately(story: Story) -> list[Run]:
    """The runs since it last came back: what was done before that has healed it once, and says nothing of now."""
    begun = story.incident.reopened_at
    return [run for run in story.runs if begun is None or run.started_at >= begun]


def spent(story: Story) -> bool:
    """The budget went on recoveries before this one."""
    return story.incident.stage is Stage.PARKED and story.incident.reason.endswith(USED_UP)


def title(story: Story) -> str:
    return one_line(story.title, 40) or story.service


def _told_by_the_run(story: Story) -> bool:
    """It stands among the tries already."""
    return any(story.incident.reason.startswith(f"{run.playbook}:") for run in lately(story))


def _of_the_step(reason: str, run: Run) -> str:
    """Without the names of playbook and action in front: `port 8081 is taken by somebody else`."""
    text = reason.removeprefix(f"{run.playbook}:").strip()
    return next((text.removeprefix(f"{step.action}:").strip() for step in run.steps if text.startswith(f"{step.action}:")), text)
