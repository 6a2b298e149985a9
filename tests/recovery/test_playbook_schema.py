"""The shipped JSON Schema says what the loader says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from recovery.language import parse
from recovery.load import BUILT_IN
from recovery.playbook_schema import schema
from recovery.reader import Known
from recovery.yaml import load_file, load_text
from tests.fakes.scene import ACTIONS

SHIPPED = Path("schemas/playbook.schema.json")
HEAD = "name: x\nsummary: y\nverify: {}\n"


def test_the_shipped_file_has_not_drifted() -> None:
    now = json.dumps(schema(ACTIONS), indent=2, ensure_ascii=False) + "\n"
    assert SHIPPED.read_text() == now, "write it anew: json.dumps(schema(discover()), indent=2, ensure_ascii=False)"


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema(ACTIONS))


@pytest.mark.parametrize("path", sorted(BUILT_IN.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_built_in_playbook_is_valid_by_it(path: Path) -> None:
    assert list(Draft202012Validator(schema(ACTIONS)).iter_errors(load_file(path).value)) == []


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "steps: [{wait: {for: 5}}]\n",
        HEAD + "steps: [{wait: {}}]\n",
        HEAD + "steps: [{restrat: {}}]\n",
        HEAD + "steps: [{signal: {name: KILL}}]\n",
        HEAD + "steps: [{stop_process: {}, start: {}}]\n",
        HEAD + "steps: [{start: {}, on_failure: ignore}]\n",
        HEAD + "steps: [{start: {}}]\nwhen: {symptom: x, any: [{symptom: y}]}\n",
        HEAD + "steps: [{start: {}}]\nlimits: {cooldown: 1 hour}\n",
        HEAD + "steps: []\n",
        "name: x\nsummary: y\nsteps: [{start: {}}]\n",
    ],
)
def test_what_the_loader_refuses_it_refuses_too(text: str) -> None:
    document = load_text(text, "x.yaml")
    assert parse(document, Known(ACTIONS))[0] is None
    assert list(Draft202012Validator(schema(ACTIONS)).iter_errors(document.value))
