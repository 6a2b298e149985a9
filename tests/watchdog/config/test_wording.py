from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from recovery.yaml import load_text
from watchdog.config.fields import FROM_FILE
from watchdog.config.schema import Settings
from watchdog.config.sources import Sources
from watchdog.config.wording import masked, problems


def told(text: str) -> list[str]:
    sources = Sources(load_text(text, "f"))
    try:
        TypeAdapter(Settings).validate_python(sources.value, context=FROM_FILE, by_alias=True, by_name=False)
    except ValidationError as error:
        return [str(problem) for problem in problems(error.errors(), sources, {})]
    return []


def test_findings_are_told_in_our_words() -> None:
    assert told("services: {}\nmode: [heal]\nguards: {concurrent: 2.0}\nplaybooks: x\napis: {x: 5}\n") == [
        "f:2:7: mode: needs one of heal, observe, not a list",
        "f:5:11: apis.x: needs 'key: value' pairs, not '5'",
        "f:3:22: guards.concurrent: needs a whole number, not '2.0'",
        "f:4:12: playbooks: needs a list, not text 'x'",
    ]


def test_how_long_history_is_kept_is_a_matter_of_days() -> None:
    assert told("services: {}\nstate: {keep: 10}\n") == ["f:2:15: state.keep: '10' has no unit, write '10d' or '10h'"]


def test_a_missing_key_is_not_told_beside_its_misspelling() -> None:
    assert told("service: {}\n") == ["f:1:1: unknown key 'service', did you mean 'services'?"]
    assert told("zzz: {}\n") == ["f:1:1: 'services' is missing", "f:1:1: unknown key 'zzz'"]


def test_the_content_of_a_variable_is_never_told() -> None:
    written = {("a", 0): ("x${TOKEN}", "xhunter2"), ("b",): ("${N}", "a")}
    assert masked(("a", 0), "'xhunter2' is wrong, not xhunter2", written) == "'x${TOKEN}' is wrong, not x${TOKEN}"
    assert masked(("a",), "'xhunter2' is named twice", written) == "'x${TOKEN}' is named twice"
    assert masked(("b",), "'a' is no name that a bot can have", written) == "'${N}' is no name that a bot can have"
    assert masked(("c",), "'xhunter2'", written) == "'xhunter2'", "written there by hand"
