"""Whether one that came back is news again: 20 flaps in half an hour are one story and not 20 pages. Pure.

A message is new when its tier rises above what was told of this incident. One that is bad again within minutes, at a tier which
was told within the last hour, changes the message that is there, without sound; only when it then stays bad for as long as a page
takes is it news.
"""

from __future__ import annotations

from watchdog.model.incident import Incident, Tier

HOUR = 3600.0
"""Seconds for which what was told counts as known."""


FLAP = 300.0
"""Seconds from a close within which the same trouble is no new one for people."""


class News:
    """By incident: the tier of the last new message and its moment, when it closed, and which came back without a new message."""

    def __init__(self) -> None:
        self._told: dict[int, tuple[Tier, float]] = {}
        self._closed: dict[int, float] = {}
        self._owed: set[int] = set()

    def told(self, incident: int, tier: Tier, at: float) -> None:
        """A new message went out. at: wall seconds."""
        self._told[incident] = (tier, at)
        self._owed.discard(incident)

    def is_new(self, incident: Incident, now: float) -> bool:
        """Whether what is said of it now is a new message; remembered as said."""
        known, at = self._told.get(incident.id, (Tier.SILENT, float("-inf")))
        owed = incident.id in self._owed
        if self._flaps(incident) and not owed and known.rank >= incident.tier.rank and now - at < HOUR:
            if incident.tier is Tier.CRITICAL:
                self._owed.add(incident.id)
            return False
        self.told(incident.id, incident.tier, now)
        return True

    def owed_at(self, incident: Incident, patience: float) -> float | None:
        """Wall seconds at which one that came back silently becomes news; None when it is not owed. patience: seconds."""
        if incident.id not in self._owed or incident.reopened_at is None or incident.acked:
            return None
        return incident.reopened_at + patience

    def due(self, incident: Incident, patience: float, now: float) -> bool:
        at = self.owed_at(incident, patience)
        return at is not None and now >= at

    def over(self, incident: int, at: float) -> None:
        """It closed: nothing is owed any more. at: wall seconds."""
        self._closed[incident] = at
        self._owed.discard(incident)

    def _flaps(self, incident: Incident) -> bool:
        closed = self._closed.get(incident.id)
        return closed is not None and incident.reopened_at is not None and incident.reopened_at - closed < FLAP
