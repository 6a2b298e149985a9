"""Our own network is down: one incident on `host`; what leaves the host is not believed meanwhile (SPEC 5, step 1)."""

from __future__ import annotations

from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import NETWORK, Fleet
from watchdog.decisions.speaker import Speaker
from watchdog.model.incident import Outcome
from watchdog.model.symptom import Symptom
from watchdog.state import incidents


class Isolation:
    """Told whenever somebody asked whether `connectivity.targets` answer."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, speaker: Speaker) -> None:
        self._fleet, self._chronicle, self._speaker = fleet, chronicle, speaker

    def told(self, *, up: bool, now: float) -> None:
        """Begins or ends the incident."""
        fleet = self._fleet
        if up and fleet.network_down is not None:
            fleet.network_down = None
            if NETWORK in fleet.host:
                after = incidents.closed(fleet.host[NETWORK], Outcome.SELF_RECOVERED, "our own network is back", now)
                self._chronicle.host(after, now)
                self._speaker.host_closed(after, now)
        elif not up and fleet.network_down is None:
            fleet.network_down = now
            words = "our own network is down: none of connectivity.targets answers; checks that leave the host are not believed"
            self._chronicle.host_opened(Symptom(NETWORK, now, words), now)
