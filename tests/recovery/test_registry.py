"""Actions are found by their file, and a file that breaks the contract is refused."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recovery.model import Effect
from recovery.registry import ContractError, discover, parameters
from recovery.yaml import load_text
from tests.fakes.scene import ACTIONS

GOOD = '''"""A manual."""
from dataclasses import dataclass
from recovery.model import Effect
EFFECT = Effect.NONE
IDEMPOTENT = True
@dataclass(frozen=True, slots=True)
class Params:
    name: str
    for_: int = 1
    def __post_init__(self):
        if self.for_ > 5:
            raise ValueError("for: at most 5")
async def run(params, context):
    return None
'''


def room(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> ModuleType:
    """A room of actions with one file in it."""
    package = f"room_{name}"
    (folder / package).mkdir()
    (folder / package / "wave.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    found = ModuleType(package)
    found.__path__ = [str(folder / package)]
    monkeypatch.setitem(__import__("sys").modules, package, found)
    return found


def test_every_action_of_this_version_is_there() -> None:
    assert list(ACTIONS) == [
        "capture_evidence",
        "capture_stacks",
        "ensure_running",
        "http_call",
        "notify",
        "reload",
        "restart",
        "run_command",
        "signal",
        "start",
        "stop_process",
        "wait",
    ]
    assert {name for name, spec in ACTIONS.items() if spec.effect is Effect.RESTART} == {
        "ensure_running",
        "http_call",
        "restart",
        "run_command",
        "start",
        "stop_process",
    }


def test_a_new_file_is_a_new_action(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = discover(room(tmp_path, monkeypatch, "good", GOOD))["wave"]
    assert (spec.manual, spec.effect, spec.idempotent) == ("A manual.", Effect.NONE, True)


@pytest.mark.parametrize(
    ("name", "was", "becomes", "words"),
    [
        ("manual", '"""A manual."""', "", "a docstring"),
        ("effect", "EFFECT = Effect.NONE", "EFFECT = 'none'", "EFFECT"),
        ("idempotent", "IDEMPOTENT = True", "", "IDEMPOTENT"),
        ("frozen", "frozen=True, ", "", "a frozen dataclass"),
        ("sync", "async def run", "def run", "async def run"),
        ("arity", "run(params, context)", "run(params)", "async def run"),
        ("type", "name: str", "name: dict", "no field type"),
    ],
)
def test_a_broken_contract_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, was: str, becomes: str, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        discover(room(tmp_path, monkeypatch, name, GOOD.replace(was, becomes)))
    assert issubclass(ContractError, TypeError)


def read(action: str, text: str, actions: Any = ACTIONS) -> tuple[Any, list[str]]:
    document = load_text(f"p: {text}\n", "x.yaml")
    params, problems = parameters(actions[action], document, ("p",), document.value["p"])
    return params, [str(problem) for problem in problems]


def test_parameters_become_typed() -> None:
    params, problems = read("stop_process", "{grace: 1m, kill: false}")
    assert (params.grace, params.kill, problems) == (60.0, False, [])
    assert read("wait", "{for: 5s}")[0].for_ == 5.0
    assert read("start", "")[1] == []


@pytest.mark.parametrize(
    ("action", "text", "words"),
    [
        ("stop_process", "{grce: 5s}", "x.yaml:1:5: p.grce: stop_process has no parameter 'grce', did you mean 'grace'?"),
        ("stop_process", "{grace: 5}", "x.yaml:1:12: p.grace: '5' has no unit, write '5s' or '5m'"),
        ("stop_process", "[grace]", "x.yaml:1:4: p: parameters of stop_process are 'key: value' pairs, write {} for none"),
        ("wait", "{}", "x.yaml:1:1: p: wait needs 'for'"),
        ("wait", "{for_: 5s}", "x.yaml:1:5: p.for_: wait has no parameter 'for_', did you mean 'for'?"),
        ("notify", '{text: ""}', "x.yaml:1:1: p: text: nothing to say"),
        ("start", "{now: true}", "x.yaml:1:5: p.now: start has no parameter 'now'"),
    ],
)
def test_wrong_parameters_are_told_with_their_place(action: str, text: str, words: str) -> None:
    params, problems = read(action, text)
    assert params is None
    assert words in problems


def test_all_wrong_parameters_are_told_at_once() -> None:
    assert len(read("stop_process", "{grace: 5, kill: maybe, x: 1}")[1]) == 3


def test_a_rule_of_the_parameters_themselves_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    actions = discover(room(tmp_path, monkeypatch, "rule", GOOD))
    assert read("wave", "{name: x, for: 9}", actions) == (None, ["x.yaml:1:1: p: for: at most 5"])
