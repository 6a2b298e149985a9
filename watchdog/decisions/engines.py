"""The service `docker`: an engine that does not answer is one incident, and nothing of its containers is acted on meanwhile."""

from __future__ import annotations

from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import DOCKER, Fleet
from watchdog.decisions.speaker import Speaker
from watchdog.model.incident import Outcome
from watchdog.model.symptom import Symptom
from watchdog.state import incidents

PULSE = 10.0
"""Seconds between two questions whether a silent engine is still there."""


class Engines:
    """Told by whoever speaks to an engine. pulse: seconds between two questions, shorter where the tempo is."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, speaker: Speaker) -> None:
        self._fleet, self._chronicle, self._speaker = fleet, chronicle, speaker

    @property
    def pulse(self) -> float:
        return min([PULSE, *(card.service.interval for card in self._fleet if card.container)])

    def away(self, host: str, why: str, now: float) -> None:
        """Begins the incident, or joins it."""
        fleet = self._fleet
        fleet.engines_down[host] = now
        if DOCKER not in fleet.host:
            words = f"Docker does not answer: {why}; its containers are watched, nothing is done to them"
            self._chronicle.host_opened(Symptom(DOCKER, now, words), now, DOCKER)

    def back(self, host: str, now: float, *, anew: bool) -> None:
        """Ends it. anew: it was started again, so that its restart policies have the word for a while (SPEC 5, settling)."""
        self._fleet.engines_down.pop(host, None)
        if anew:
            self._fleet.settle(now, "settling after Docker's restart")
        self.over(now)

    def dropped(self, host: str, now: float) -> None:
        """No service runs in it any more: how it is concerns nobody here."""
        if self._fleet.engines_down.pop(host, None) is not None:
            self.over(now, "no service needs it any more")

    def over(self, now: float, why: str = "it answers again") -> None:
        """Ends the incident, also one of an earlier life of the daemon, once every engine answers."""
        fleet = self._fleet
        incident = fleet.host.get(DOCKER)
        if incident is not None and not fleet.engines_down:
            after = incidents.closed(incident, Outcome.SELF_RECOVERED, why, now)
            self._chronicle.host(after, now)
            self._speaker.host_closed(after, now)
