"""Steps of a playbook: ids, options, and what is said of mistakes."""

from __future__ import annotations

import pytest

from recovery.language_steps import read_steps
from recovery.reader import Known, Reader
from recovery.yaml import load_text
from tests.fakes.scene import ACTIONS, book


def wrong(steps: str) -> list[str]:
    document = load_text(f"steps: {steps}\n", "x.yaml")
    reader = Reader(document, Known(ACTIONS))
    read_steps(reader, document.value["steps"])
    return [str(problem) for problem in reader.problems]


def test_steps_without_an_id_are_called_by_their_action_and_numbered() -> None:
    steps = book("[{wait: {for: 1s}}, {wait: {for: 2s}}, {wait: {for: 3s}, id: last}, {wait: {for: 4s}}]").steps
    assert [step.id for step in steps] == ["wait", "wait_2", "last", "wait_3"]


def test_a_condition_may_name_an_earlier_step_only() -> None:
    assert book("[{start: {}}, {notify: {text: x}, if: start.failed}]").steps[1].only_if == ("start", "failed")
    assert any("no earlier step has the id 'notify'" in text for text in wrong("[{notify: {text: x}, if: notify.ok}]"))
    assert any("did you mean 'start'?" in text for text in wrong("[{start: {}}, {notify: {text: x}, if: strat.ok}]"))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("[]", "x.yaml:1:1: steps: 0 steps; a playbook has 1 to 50"),
        ("{start: {}}", "x.yaml:1:1: steps: must be a list"),
        ("[start]", "x.yaml:1:9: steps: must be 'key: value' pairs"),
        ("[{}]", "x.yaml:1:9: steps: a step has one action, here are 0"),
        ("[{id: a}]", "x.yaml:1:9: steps: a step has one action, here are 0"),
        ("[{start: {}, restart: {}}]", "x.yaml:1:9: steps: a step has one action, here are 2"),
        ("[{restrat: {}}]", "x.yaml:1:10: steps[0].restrat: unknown action or option 'restrat', did you mean 'restart'?"),
        (
            "[{start: {}, timeuot: 5s}]",
            "steps[0].timeuot: unknown action or option 'timeuot', did you mean 'timeout'?",
        ),
        ("[{start: {}, timeout: 5}]", "x.yaml:1:30: steps[0].timeout: '5' has no unit, write '5s' or '5m'"),
        ("[{start: {}, timeout: 0s}]", "x.yaml:1:30: steps[0].timeout: must be longer than zero"),
        ("[{start: {}, retry: 11}]", "x.yaml:1:28: steps[0].retry: 0 to 10"),
        ("[{start: {}, retry: -1}]", "x.yaml:1:28: steps[0].retry: 0 to 10"),
        ("[{start: {}, on_failure: contine}]", "'contine': write abort or continue, did you mean 'continue'?"),
        ("[{start: {}, id: A b}]", "x.yaml:1:25: steps[0].id: 'A b' is no id"),
        ("[{start: {}}, {stop_process: {}, id: start}]", "steps[1].id: 'start' is the id of an earlier step"),
        ("[{start: {}, if: x}]", "steps[0].if: 'x': write the id of an earlier step and .ok, .failed or .skipped"),
        ("[{start: {}, if: a.broken}]", "write the id of an earlier step"),
    ],
)
def test_every_mistake_is_told_with_its_place(steps: str, words: str) -> None:
    assert any(words in problem for problem in wrong(steps)), wrong(steps)


def test_a_thousand_steps_are_refused_without_reading_them_all() -> None:
    found = wrong("[" + ", ".join(["{start: {}}"] * 1000) + "]")
    assert found == ["x.yaml:1:1: steps: 1000 steps; a playbook has 1 to 50"]
