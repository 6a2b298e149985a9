"""What happens next by itself, and the commands with which a person acts. Pure."""

from __future__ import annotations

import re

from watchdog.alerts.headline import OBSERVE, question
from watchdog.alerts.story import Story
from watchdog.model.incident import Stage
from watchdog.model.oneline import one_line
from watchdog.model.phrases import WATCHED_ONLY

_ACT = re.compile(r" \(watchdogctl approve \d+\)")
"""It stands among the commands."""


def untried(story: Story) -> str:
    """What stands where nothing was tried."""
    incident = story.incident
    if incident.reason.startswith(OBSERVE):
        return "nothing: the mode is observe"
    if incident.symptom == "crash_loop" and incident.stage is not Stage.PERSON:
        return "nothing: each new start ends again"
    return {Stage.PARKED: "nothing this time", Stage.PERSON: ""}.get(incident.stage, "nothing yet")


def follow(story: Story) -> str:
    """What happens next: what is being done comes before what a clock would bring."""
    incident = story.incident
    if incident.stage is Stage.HEALING:
        run = next((run for run in reversed(story.runs) if run.open), None)
        return f"{run.playbook} is running" if run else "being healed"
    if incident.stage is Stage.OPEN:
        return one_line(incident.reason, 60)
    if incident.stage is Stage.WAITING and incident.reason.startswith(OBSERVE):
        return f"nothing by me; without observe I {incident.reason.removeprefix(OBSERVE)}"
    if incident.stage is Stage.WAITING and question(story) is not None:
        return f"{_ACT.sub('', story.next or incident.reason).removeprefix('approval: ')}; nothing is done without it"
    if incident.stage is Stage.WAITING:
        return story.next or f"I wait: {incident.reason}"
    return story.next


def until_mended(story: Story, again: str) -> str:
    """What a person does, and how it ends. again: the hour of the reminder."""
    you = "bring it back yourself" if story.incident.reason.startswith(WATCHED_ONLY) else "fix it"
    return f"{you}, and this closes by itself; I ask again tomorrow at {again}"


def acts(story: Story) -> list[str]:
    """As they can be copied.

    Only what would be granted: nothing can be run on what is watched only, and a hold holds nothing where nothing is done.
    """
    incident = story.incident
    look = f"watchdogctl incident {incident.id}"
    asked = question(story)
    if incident.stage is Stage.WAITING and asked is not None:
        return [look, f"watchdogctl approve {asked}   # yes, run it", f"watchdogctl reject {asked}   # no, leave it"]
    if incident.reason.startswith((WATCHED_ONLY, OBSERVE)):
        return [look, f"watchdogctl ack {incident.id}   # seen, no more sound"]
    if incident.stage is Stage.PERSON:
        return [look, f"watchdogctl recover {story.service}   # once fixed: try again now"]
    if incident.stage is Stage.PARKED:
        return [look, f"watchdogctl recover {story.service}   # try again now"]
    return [look, f"watchdogctl hold {story.service} --for 1h"]
