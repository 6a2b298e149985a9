"""Makes the reports that the scheduler asks for: reads the store beside the loop, and has the digest put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from watchdog.decisions.fleet import Fleet
from watchdog.decisions.ports import Archive
from watchdog.reports.digest import Digest, day, digest
from watchdog.reports.digest_text import text
from watchdog.reports.gather import Records, gather
from watchdog.reports.slow import slow_of
from watchdog.scheduler.loop import Occasion
from watchdog.scheduler.periods import Kind, Rule


class Reporter:
    """archive: answers a question out of what is on disk. status: of the fleet now, as `watchdogctl status -o json`."""

    def __init__(self, fleet: Fleet, archive: Archive, status: Callable[[], dict[str, Any]]) -> None:
        self._fleet, self._archive, self._status = fleet, archive, status

    def rules(self) -> Sequence[Rule]:
        """What is to be made when, by the configuration of today."""
        return (Rule(Kind.DIGEST, self._fleet.settings.reports.digest),)

    async def digest(self, occasion: Occasion) -> str:
        """Everything since the digest before. Raises what reading raises."""
        settings, zone, now = self._fleet.settings, self._fleet.zone, occasion.now
        reports = settings.reports
        since = occasion.since if occasion.since is not None else day(now, zone, reports.digest)[0]
        titles = {name: service.title for name, service in settings.services.items()}
        services = tuple(settings.services.values())
        slow = slow_of(self._status())
        night = (reports.night.start, reports.night.end)
        due = occasion.due.at if occasion.due.late(now) else None

        def made(records: Records) -> Digest:
            material = gather(records, titles, services, (since, now), zone, slow)
            return replace(digest(material, (since, now), zone, night, reports.manual_recovery), due=due)

        return text(await self._archive(made), zone, phone=True)
