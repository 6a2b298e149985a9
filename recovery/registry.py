"""Finds the actions by file name in `recovery/actions`, and checks the parameters that a playbook gives them (SPEC 6).

The contract of an action's file: a docstring (its manual), `EFFECT`, `IDEMPOTENT`, a frozen dataclass `Params` whose annotated
fields are its parameters (a trailing `_` keeps clear of Python's own words), and `async def run(params, context) -> Result`.
Optional: `takes(params, target)`, the seconds that it may need by its own parameters, a `Params.__post_init__` that raises
ValueError, and `YIELDS = True`: it may be cut short when somebody else takes the target in hand.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from types import MappingProxyType, ModuleType
from typing import Any, get_type_hints

from recovery import actions
from recovery.model import Effect
from recovery.params import describe, read
from recovery.ports import Context, Result, Target
from recovery.problem import Path, Problem, did_you_mean
from recovery.yaml import Document


class ContractError(TypeError):
    """A file among the actions does not keep the contract of one."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. params: its dataclass. hints: the types of its fields. takes: seconds by its own parameters, 0 for none."""

    name: str
    manual: str
    effect: Effect
    idempotent: bool
    params: type[Any]
    hints: Mapping[str, Any]
    run: Callable[[Any, Context], Coroutine[Any, Any, Result]]
    takes: Callable[[Any, Target], float]
    yields: bool = False

    def effect_of(self, params: Any) -> Effect:
        """What a step with these parameters does; `run_command` and `http_call` declare it in the playbook."""
        declared = getattr(params, "effect", self.effect)
        return declared if isinstance(declared, Effect) else self.effect


Registry = Mapping[str, ActionSpec]


def discover(room: ModuleType = actions) -> Registry:
    """Every action of the room by name. Raises ContractError."""
    names = sorted(found.name for found in pkgutil.iter_modules(room.__path__) if not found.name.startswith("_"))
    return MappingProxyType({name: _spec(name, importlib.import_module(f"{room.__name__}.{name}")) for name in names})


def _spec(name: str, module: ModuleType) -> ActionSpec:
    params = getattr(module, "Params", None)
    run = getattr(module, "run", None)
    rules = {
        "a docstring, its manual": bool((module.__doc__ or "").strip()),
        "EFFECT, an Effect": isinstance(getattr(module, "EFFECT", None), Effect),
        "IDEMPOTENT, true or false": isinstance(getattr(module, "IDEMPOTENT", None), bool),
        "Params, a frozen dataclass": _frozen(params),
        "async def run(params, context)": inspect.iscoroutinefunction(run) and len(inspect.signature(run).parameters) == 2,
    }
    missing = [rule for rule, kept in rules.items() if not kept]
    if missing:
        raise ContractError(f"action {name} lacks {'; '.join(missing)}")
    assert isinstance(params, type)  # noqa: S101 - checked above, said for the type checker
    assert run is not None  # noqa: S101
    all_hints = get_type_hints(params, include_extras=True)
    hints = {field.name: all_hints[field.name] for field in fields(params)}
    for hint in hints.values():
        describe(hint)  # a field of a type that no text can be read into is refused here, not in a playbook
    takes, yields = getattr(module, "takes", _no_time), getattr(module, "YIELDS", False) is True
    return ActionSpec(name, (module.__doc__ or "").strip(), module.EFFECT, module.IDEMPOTENT, params, hints, run, takes, yields)


def _frozen(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and bool(getattr(kind, "__dataclass_params__").frozen)  # noqa: B009


def _no_time(_params: Any, _target: Target) -> float:
    return 0.0


def key_of(field: Field[Any]) -> str:
    """A parameter as it stands in a playbook: `for_` is `for`."""
    return field.name.rstrip("_")


def parameters(spec: ActionSpec, document: Document, path: Path, value: object) -> tuple[Any, list[Problem]]:
    """The typed parameters of a step (None when they cannot be built) and every problem with its place."""
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return None, [document.problem(path, f"parameters of {spec.name} are 'key: value' pairs, write {{}} for none")]
    known = {key_of(field): field for field in fields(spec.params)}
    problems = [
        document.problem((*path, key), f"{spec.name} has no parameter '{key}'{did_you_mean(key, known)}", key=True)
        for key in value
        if key not in known
    ]
    given: dict[str, Any] = {}
    for key, field in known.items():
        if key in value:
            try:
                given[field.name] = read(spec.hints[field.name], value[key])
            except ValueError as error:
                problems.append(document.problem((*path, key), str(error)))
        elif field.default is MISSING and field.default_factory is MISSING:
            problems.append(document.problem(path, f"{spec.name} needs '{key}'", key=True))
    if problems:
        return None, problems
    try:
        return spec.params(**given), []
    except ValueError as error:
        return None, [document.problem(path, str(error), key=True)]
