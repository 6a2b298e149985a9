"""The documents say what is true: keys, defaults, manuals, verbs, examples, links and rooms are checked against the code."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from recovery.load import load_playbooks
from recovery.registry import discover
from watchdog.cli.main import VERBS, cli
from watchdog.config.load import load
from watchdog.model.symptom import KNOWN
from watchdog.simulation.run import simulate

ROOT = Path(__file__).parents[2]
DOCS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
PEOPLE = [*DOCS, ROOT / "watchdog.yaml"]

LONGEST = 140
"""Columns of a line; a row of a table cannot be folded."""

OURS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "configuration.md", "decisions.md", "operations.md", "playbooks.md")

each = pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)


def fenced(doc: Path, language: str) -> list[str]:
    """The code blocks that are marked with this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", doc.read_text(), re.DOTALL | re.MULTILINE)


def code(doc: Path) -> Iterator[str]:
    """Lines of code blocks, and the code inside of sentences."""
    text = doc.read_text()
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield from block.splitlines()
    yield from re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", text)


# --- configuration.md -------------------------------------------------------------------------------------------------


def keys_of_schema() -> dict[str, Any]:
    """Every key as `services.NAME.probe.http`, with the default that the schema gives it, or `required`."""
    schema = json.loads((ROOT / "schemas" / "watchdog.schema.json").read_text())
    return dict(_walk(schema, schema, ""))


def _walk(schema: Mapping[str, Any], node: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    node = _resolved(schema, node)
    for alternative in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _walk(schema, alternative, path)
    for key, value in node.get("properties", {}).items():
        below = f"{path}.{key}" if path else key
        yield below, "required" if key in node.get("required", ()) else _resolved(schema, value).get("default")
        yield from _walk(schema, value, below)
    more = node.get("additionalProperties")
    if isinstance(more, dict) and path:
        yield from _walk(schema, more, f"{path}.NAME")


def _resolved(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        target: Any = schema
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return node


def keys_of_document() -> dict[str, str]:
    """Every key of the tables in configuration.md with its default as it is written; the heading above names what holds it."""
    found: dict[str, str] = {}
    above = ""
    for line in (ROOT / "docs" / "configuration.md").read_text().splitlines():
        if line.startswith("#"):
            named = re.search(r"`([\w.]+)`", line)
            above = (named[1] + ("." if not line.startswith("### A value") else ".NAME.")) if named else ""
        elif row := re.match(r"\| `(\w+)` \| ([^|]*)\|", line):
            found[above + row[1]] = row[2].strip()
    return found


def test_every_key_of_the_configuration_is_told_and_no_other() -> None:
    assert sorted(keys_of_document()) == sorted(keys_of_schema())


def test_every_default_that_is_shown_is_the_real_one() -> None:
    shown = keys_of_document()
    for key, default in keys_of_schema().items():
        above, _, name = key.rpartition(".")
        if above == "services.NAME" and f"defaults.{name}" in shown:
            assert shown[key] == f"`defaults.{name}`"
        elif default == "required":
            assert shown[key] in ("required", "one of the three"), key
        elif default is None:
            assert "`" not in shown[key], f"{key}: {shown[key]}"
        else:
            assert shown[key] == f"`{json.dumps(default).strip(chr(34))}`", key


# --- playbooks.md -----------------------------------------------------------------------------------------------------


def test_the_manuals_are_those_of_the_actions() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "manuals.py"))
    text = (ROOT / "docs" / "playbooks.md").read_text()
    assert script["written"](text) == text, "run: python scripts/manuals.py"
    for action in discover():
        assert f"\n### {action}\n" in text


def test_every_built_in_playbook_and_every_symptom_is_told() -> None:
    playbooks, decisions = (ROOT / "docs" / "playbooks.md").read_text(), (ROOT / "docs" / "decisions.md").read_text()
    for name in load_playbooks((), discover()).books:
        assert f"`{name}`" in playbooks
    for symptom in (*KNOWN, "slow"):
        assert f"`{symptom}`" in decisions


# --- examples ---------------------------------------------------------------------------------------------------------


@each
def test_every_yaml_block_is_accepted_by_its_loader_and_every_scenario_passes(doc: Path, tmp_path: Path) -> None:
    """Configurations, playbooks and scenarios. A scenario is the test that a playbook before it names."""
    books, scenarios = tmp_path / "playbooks", []
    (books / "tests").mkdir(parents=True)
    for number, block in enumerate(fenced(doc, "yaml")):
        if re.search(r"^expect:", block, re.MULTILINE):
            scenarios.append(books / "tests" / f"scenario-{number}.yaml")
            scenarios[-1].write_text(block)
        elif re.search(r"^steps:", block, re.MULTILINE):
            (books / f"{number}.yaml").write_text(block)
            for name in re.findall(r"tests/[\w-]+\.yaml", block):
                (books / name).touch()
        else:
            path = tmp_path / f"{number}" / "watchdog.yaml"
            path.parent.mkdir()
            path.write_text(block)
            assert load(path, check_trust=False, environ={}).services
    assert load_playbooks([books], discover(), symptoms=KNOWN, distrust=lambda _: None).problems == ()
    for scenario in scenarios:
        report = simulate(scenario, [books])
        assert report.passed, report.failures


@pytest.mark.parametrize("doc", PEOPLE, ids=lambda doc: doc.name)
def test_every_verb_and_option_of_watchdogctl_that_is_mentioned_exists(doc: Path) -> None:
    for line in code(doc) if doc.suffix == ".md" else doc.read_text().splitlines():
        for said in re.findall(r"watchdogctl((?: -c \S+)?(?: [^`#;|]*)?)", line):
            words = [word for word in re.sub(r"^ -c \S+", "", said).split() if word]
            if words and re.fullmatch(r"[a-z]+", words[0]):
                assert words[0] in VERBS, f"{doc.name}: {line}"
                _check_options(words, f"{doc.name}: {line}")


def _check_options(words: list[str], where: str) -> None:
    with click.Context(cli) as ctx:
        command = cli.get_command(ctx, words[0])
        if isinstance(command, click.Group) and len(words) > 1 and words[1] in command.commands:
            command = command.commands[words[1]]
        assert command is not None
        known = {option for param in command.params for option in param.opts} | {"--help", "--"}
    for word in words[1:]:
        if word == "--":
            break
        if option := re.fullmatch(r"\[?(--[a-z-]+)\]?", word):
            assert option[1] in known, where


def test_every_verb_is_told_in_cli_md() -> None:
    text = (ROOT / "docs" / "cli.md").read_text()
    assert [verb for verb in VERBS if not re.search(rf"`{verb}[ `]", text)] == []


# --- links, rooms, form -----------------------------------------------------------------------------------------------


@each
def test_every_link_leads_somewhere(doc: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", doc.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (doc.parent / name).resolve() if name else doc
        assert file.exists(), target
        if anchor:
            assert anchor in {_anchor(line) for line in file.read_text().splitlines() if line.startswith("#")}, target


def _anchor(heading: str) -> str:
    text = heading.lstrip("#").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def test_every_room_is_on_the_map_and_the_map_names_no_file_that_is_not_there() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    packages = [path.parent for top in ("watchdog", "recovery", "botkit") for path in (ROOT / top).rglob("__init__.py")]
    for room in packages:
        assert f"{room.relative_to(ROOT)}/" in text, room
    for name in re.findall(r"`(\w+(?:/\w+)+/?(?:\.py)?)`", text):
        places = (ROOT / top / name for top in (".", "watchdog", "recovery"))
        assert any(place.exists() or place.with_suffix(".py").exists() for place in places), name
    for room, files in re.findall(r"^\| `([\w/]+)/` \| ([^|]+) \|", text, re.MULTILINE):
        for file in re.findall(r"`(\w+)`", files):
            assert (ROOT / room / f"{file}.py").exists(), f"{room}/{file}"


def test_the_layers_on_the_map_are_those_that_are_checked() -> None:
    """.importlinter, line by line, without the names of the packages."""
    checked = re.findall(r"^layers =\n((?: {4}.*\n)+)", (ROOT / ".importlinter").read_text(), re.MULTILINE)
    assert len(checked) == 2
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    for package, layers in zip(("watchdog", "recovery"), checked, strict=True):
        lines = [line.strip().replace(f"{package}.", "") for line in layers.splitlines()]
        block = re.search(rf"^    {package} +(.*\n(?: {{16}}.*\n)*)", text, re.MULTILINE)
        assert block is not None
        assert [line.strip() for line in block[1].splitlines()] == lines


@each
def test_no_line_is_too_long_and_nobody_s_machine_is_named(doc: Path) -> None:
    for line in doc.read_text().splitlines():
        assert not re.search(r"/work/|/root/|/home/|shared/|\.\./\.\./", line), line
        if doc.name in OURS and not line.startswith("|"):
            assert len(line) <= LONGEST, line
