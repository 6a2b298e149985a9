"""What waits for the next commit, in order and bounded, so that a dead disk never eats the memory."""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.model.decision import Decision
from watchdog.model.records import Evidence, Rollup
from watchdog.state.store.rows import Record

LIMIT = 50_000
"""Weight kept at most: about this many records, about 50 MB of evidence."""
_SHARE = 10
_EXPENDABLE: tuple[type, ...] = (Rollup, Decision, Evidence)
"""Given up in this order, oldest first, before anything else: the rest is needed to act and to alert rightly."""


def _weight(record: Record) -> int:
    return 1 + len(record.text) // 1000 if type(record) is Evidence else 1


class Buffer:
    """dropped: records given up since the start."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._records: list[Record] = []
        self._weight = 0
        self._limit = limit
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._records)

    def put(self, record: Record) -> None:
        self._records.append(record)
        self._weight += _weight(record)
        if self._weight > self._limit:
            self._shed()

    def take(self) -> list[Record]:
        """All of it; the buffer is empty afterwards."""
        taken, self._records, self._weight = self._records, [], 0
        return taken

    def give_back(self, records: Sequence[Record]) -> None:
        """What could not be written, in front of what came meanwhile."""
        self._records[:0] = records
        self._weight += sum(map(_weight, records))
        if self._weight > self._limit:
            self._shed()

    def _shed(self) -> None:
        """A tenth at once, so that a full buffer does not shed at every `put`."""
        surplus = self._weight - self._limit + self._limit // _SHARE
        for kind in (*_EXPENDABLE, object):
            kept: list[Record] = []
            for record in self._records:
                if surplus > 0 and isinstance(record, kind):
                    surplus -= _weight(record)
                    self._weight -= _weight(record)
                    self.dropped += 1
                else:
                    kept.append(record)
            self._records = kept
            if surplus <= 0:
                return
