from __future__ import annotations

from tests.fakes.records import T, decision, incident, notice
from watchdog.model.records import Evidence, Rollup
from watchdog.state.store.buffer import Buffer
from watchdog.state.store.rows import Record


def rollup(at: int) -> Rollup:
    return Rollup("a", at, 1, 0, 0.0, 0.0)


def test_records_come_out_in_the_order_in_which_they_were_put() -> None:
    buffer = Buffer()
    records: list[Record] = [incident(1), rollup(300), notice()]
    for record in records:
        buffer.put(record)
    assert buffer.take() == records
    assert len(buffer) == 0


def test_what_could_not_be_written_goes_before_what_came_meanwhile() -> None:
    buffer = Buffer()
    buffer.put(incident(1))
    taken = buffer.take()
    buffer.put(incident(2))
    buffer.give_back(taken)
    assert buffer.take() == [incident(1), incident(2)]


def test_a_full_buffer_gives_up_the_oldest_rollups_first_and_counts_them() -> None:
    buffer = Buffer(limit=100)
    buffer.put(incident(1))
    for number in range(100):
        buffer.put(rollup(number * 300))
    kept = buffer.take()
    assert buffer.dropped == 11
    assert kept[0] == incident(1)
    assert kept[1] == rollup(11 * 300)


def test_incidents_outlive_rollups_decisions_and_evidence() -> None:
    buffer = Buffer(limit=100)
    for number in range(30):
        buffer.put(decision(at=T + number))
        buffer.put(rollup(number))
    for number in range(95):
        buffer.put(incident(number))
    assert [record for record in buffer.take() if not isinstance(record, Rollup)][-95:] == [incident(n) for n in range(95)]


def test_a_pile_of_evidence_weighs_what_it_is() -> None:
    buffer = Buffer(limit=100)
    for number in range(10):
        buffer.put(Evidence(number, "a", None, T, "evidence", "x" * 30_000))
    assert sum(len(record.text) for record in buffer.take() if isinstance(record, Evidence)) <= 100_000


def test_nothing_grows_without_end_even_when_all_of_it_matters() -> None:
    buffer = Buffer(limit=100)
    for number in range(1000):
        buffer.put(notice(number))
    kept = buffer.take()
    assert len(kept) <= 100
    assert kept[-1] == notice(999)
    assert buffer.dropped + len(kept) == 1000
