"""The schemas for editors that lie in the repository are those that the code makes."""

from __future__ import annotations

import json
from pathlib import Path

from recovery.playbook_schema import schema as playbook_schema
from recovery.registry import discover
from watchdog.config.jsonschema import config_schema

ROOM = Path("schemas")


def test_no_schema_has_drifted() -> None:
    made = {"watchdog.schema.json": config_schema(), "playbook.schema.json": playbook_schema(discover())}
    assert {path.name: json.loads(path.read_text()) for path in ROOM.glob("*.json")} == made
