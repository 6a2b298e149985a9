from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from recovery.yaml import YamlError, load_file
from watchdog.config.jsonschema import config_schema
from watchdog.config.load import load

ROOT = Path(__file__).parents[3]
BAD = Path(__file__).parent / "bad"

ACROSS = {
    "timeout-above-interval", "timeout-above-interval-in-defaults", "unknown-service", "unknown-service-in-mapping",
    "unknown-api", "unknown-command", "cycle",
    "depends-on-a-found-one", "self-edge", "reserved-name", "process-without-runtime",
        "container-twice",
        "docker-probe-without-container",
    "reload-without-runtime", "wrong-zone", "wrong-port", "wrong-cron", "wrong-tiers", "missing-secret", "our-env",
    "fallback-alone", "missing-variable", "required-variable", "missing-playbooks", "too-fast", "zero-period", "secret-in-url",
}  # fmt: skip
"""Rules between parts, or about the world: beyond a JSON Schema."""


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = config_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_committed_schema_is_the_one_the_models_make() -> None:
    committed = json.loads((ROOT / "schemas" / "watchdog.schema.json").read_text())
    assert committed == json.loads(json.dumps(config_schema())), "write it anew with: watchdogctl schema config"


def test_the_example_loads_and_fits_the_schema(validator: Draft202012Validator) -> None:
    path = ROOT / "watchdog.yaml"
    assert len(load(path, check_trust=False, environ={}).services) == 6
    assert list(validator.iter_errors(load_file(path).value)) == []
    assert path.read_text().startswith("# yaml-language-server: $schema=schemas/watchdog.schema.json\n")


@pytest.mark.parametrize("path", sorted(BAD.glob("*.yaml")), ids=lambda path: path.stem)
def test_what_the_loader_refuses_the_schema_refuses_where_it_can(validator: Draft202012Validator, path: Path) -> None:
    try:
        value = load_file(path).value
    except YamlError:
        return
    assert bool(list(validator.iter_errors(value))) == (path.stem not in ACROSS)


def test_both_forms_of_dependencies_and_variables_are_welcome(validator: Draft202012Validator) -> None:
    example: dict[str, Any] = load_file(ROOT / "watchdog.yaml").value
    for dependencies in (["postgres"], {"postgres": "restart_with"}):
        value = copy.deepcopy(example)
        value["services"]["ezee-scraper"]["depends_on"] = dependencies
        value["defaults"]["interval"] = "${INTERVAL:-30s}"
        assert list(validator.iter_errors(value)) == []


def test_the_fields_that_the_loader_fills_are_no_keys_of_the_file() -> None:
    service = config_schema()["$defs"]["Service"]
    assert "name" not in service["properties"]
    assert service["required"] == ["probe"]
    assert service["properties"]["interval"]["default"] == "30s"
