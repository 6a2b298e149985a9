from __future__ import annotations

from dataclasses import fields

import pytest

from recovery.model import Run, StepRecord
from tests.fakes.records import one_of_each
from watchdog.state.store.shapes import INCIDENT, MEMORY, RUN, SIMPLE, STEP, Shape
from watchdog.state.store.text import plain

SHAPES = (*SIMPLE.values(), RUN, STEP)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.table)
def test_no_field_of_a_record_is_forgotten(shape: Shape) -> None:
    kept = {column.field for column in shape.columns} | ({"steps"} if shape.record is Run else set())
    assert kept == {field.name for field in fields(shape.record)}


@pytest.mark.parametrize("record", [r for r in one_of_each() if type(r) in SIMPLE], ids=lambda r: type(r).__name__)
def test_a_record_survives_the_way_to_a_row_and_back(record: object) -> None:
    shape = SIMPLE[type(record)]
    assert shape.record(**shape.fields(tuple(shape.row(record, plain)))) == record


def test_a_second_put_replaces_what_has_the_same_key() -> None:
    assert 'ON CONFLICT(id) DO UPDATE SET "service" = excluded."service"' in INCIDENT.upsert
    assert MEMORY.upsert.endswith('ON CONFLICT(name) DO UPDATE SET "doc" = excluded."doc"')
    assert StepRecord is STEP.record
