"""What people read about this host itself: a storm, our own way out of it, its Docker."""

from __future__ import annotations

from watchdog.alerts.layout import column, lines
from watchdog.alerts.story import Storm, Story
from watchdog.model.incident import Tier
from watchdog.model.phrases import lasted, moment, state_word

HOSTS = frozenset({"host", "docker"})
"""The services of their own that stand for this host and its Docker (SPEC 4)."""

DOCKER = "docker"
"""The symptom of an engine that does not answer."""


def storm(story: Storm) -> str:
    """Many at once: nothing is restarted, and why that is right."""
    since = moment(story.since, story.now, story.tz, zone=True)
    return lines(
        f"🔴 {story.bad} of {story.total} services went bad within {lasted(story.within)}. Nothing is being restarted.",
        f"since {since} · incident {story.incident}",
        "",
        *column("Common", story.common or ("the moment only",)),
        *column("Likely", [story.likely]),
        *column("Next", [f"I look again every {_pace(story.every)} and heal what is left when it is over"]),
        *column("Act", [f"watchdogctl incident {story.incident}", "watchdogctl resume   # nothing common is wrong: heal now"]),
    )


def trouble(story: Story) -> str:
    """Our own network is down, or anything else of the host; soft in one line, critical with what follows from it."""
    incident = story.incident
    span = lasted(incident.duration(story.now))
    if incident.tier is not Tier.CRITICAL:
        return f"🟡 {_headline(story)} for {span}: {_means(story)} · incident {incident.id}"
    return lines(
        f"🔴 {_headline(story)} for {span}",
        f"since {moment(incident.opened_at, story.now, story.tz, zone=True)} · incident {incident.id}",
        "",
        *column("Saw", [_means(story)]),
        *column("Next", ["I look again with every check; it closes by itself when it is over"]),
        *column(
            "Act", [f"watchdogctl incident {incident.id}", *(["systemctl status docker"] if incident.symptom == DOCKER else [])]
        ),
    )


def over(story: Story) -> str:
    """The close of what was told about this host."""
    incident = story.incident
    mark = "✅" if incident.tier is Tier.CRITICAL else "🟡"
    span = lasted(incident.duration(story.now))
    if incident.symptom == "storm":
        why = incident.reason.removeprefix("the storm is over: ")
        return f"{mark} The storm is over after {span} ({why}). What is still bad is healed now. Incident {incident.id}."
    if incident.symptom == "network":
        return f"{mark} The network of this host is back after {span}. Incident {incident.id}."
    if incident.symptom == DOCKER:
        return f"{mark} Docker: {incident.reason} after {span}. Incident {incident.id}."
    return f"{mark} This host: {state_word(incident.symptom)} is over after {span}. Incident {incident.id}."


def _headline(story: Story) -> str:
    heads = {"network": "No network on this host", DOCKER: "Docker does not answer"}
    symptom = story.incident.symptom
    return heads.get(symptom or "", f"This host: {state_word(symptom)}")


def _means(story: Story) -> str:
    if story.incident.symptom == "network":
        return "none of connectivity.targets answers; checks that leave the host are not believed, nothing is restarted for them"
    return story.incident.reason.removeprefix("Docker does not answer: ")


def _pace(seconds: float) -> str:
    return "minute" if seconds == 60 else lasted(seconds)
