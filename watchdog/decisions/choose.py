"""Which playbook a symptom calls for: the most specific that matches (SPEC 5, step 7; SPEC 4 for reasons)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recovery.model import Condition, Effect, Playbook, Selector, When
from watchdog.config.schema import Service
from watchdog.model.phrases import WATCHED_ONLY
from watchdog.model.symptom import Symptom

NAMED, LABEL, RUNTIME, ANY = "names this service", "its label", "its runtime", "any service"
_RANKS = (NAMED, LABEL, RUNTIME, ANY)


@dataclass(frozen=True, slots=True)
class Choice:
    """why: one line, also why there is none. others: the names that matched too, next best first."""

    playbook: Playbook | None
    why: str
    others: tuple[str, ...] = ()


def choose(symptom: Symptom, service: Service, playbooks: Mapping[str, Playbook] | Iterable[Playbook]) -> Choice:
    """By `when` and selector, then wished before named before label before runtime before any, then priority, then name.

    Wished: the service bears the label `playbook` with its name.
    """
    books = playbooks.values() if isinstance(playbooks, Mapping) else playbooks
    meant = [book for book in books if matches(book.when, symptom) and selects(book.services, service)]
    able = [book for book in meant if _can_act(book, service)]
    if not able:
        return _none(symptom, service, meant)
    wish = service.labels.get("playbook")
    ranked = sorted(able, key=lambda book: (book.name != wish, _RANKS.index(_by(book.services)), -book.priority, book.name))
    why = "wished by the label playbook" if ranked[0].name == wish else _why(ranked)
    return Choice(ranked[0], why, tuple(book.name for book in ranked[1:]))


def matches(when: When, symptom: Symptom) -> bool:
    """A critical that carries a reason is only for playbooks that speak of a reason or a code (SPEC 4)."""
    picky = symptom.name == "critical" and symptom.reason is not None
    if when.every:
        if not when.conditions or not all(_holds(condition, symptom) for condition in when.conditions):
            return False
        return not picky or any(_speaks(condition) for condition in when.conditions)
    return any(_holds(condition, symptom) and (_speaks(condition) or not picky) for condition in when.conditions)


def selects(selector: Selector, service: Service) -> bool:
    """Everything the selector sets must fit; an empty one is for any service."""
    if selector.names and service.name not in selector.names:
        return False
    if any(service.labels.get(key) != value for key, value in selector.labels.items()):
        return False
    return not selector.runtime or (service.runtime is not None and service.runtime.kind in selector.runtime)


def _can_act(book: Playbook, service: Service) -> bool:
    """Something to act on: a runtime for what acts at all, a declared reload for what only reloads (SPEC 4, degraded)."""
    acts = [step.action for step in book.steps if step.effect is not Effect.NONE]
    if acts and service.runtime is None:
        return False
    return service.reload is not None or not acts or any(act != "reload" for act in acts)


def _holds(condition: Condition, symptom: Symptom) -> bool:
    if condition.symptom is not None and condition.symptom != symptom.name:
        return False
    if condition.reason is not None and (symptom.reason is None or _word(condition.reason) != _word(symptom.reason)):
        return False
    return condition.code is None or condition.code in symptom.codes


def _speaks(condition: Condition) -> bool:
    return condition.reason is not None or condition.code is not None


def _word(reason: str) -> str:
    """`Disk-Full` and `disk_full` are one reason."""
    return reason.strip().casefold().replace("-", "_").replace(" ", "_")


def _by(selector: Selector) -> str:
    if selector.names:
        return NAMED
    if selector.labels:
        return LABEL
    return RUNTIME if selector.runtime else ANY


def _why(ranked: list[Playbook]) -> str:
    best = ranked[0]
    by = _by(best.services)
    if len(ranked) == 1:
        return f"only match; for {by}" if by != NAMED else f"only match; it {by}"
    second = ranked[1]
    if by != _by(second.services):
        ground = f"more specific: it {by}" if by == NAMED else f"more specific: for {by}"
    else:
        ground = f"priority {best.priority}" if best.priority != second.priority else "first by name"
    return f"{ground}; before {second.name}" + (f" and {len(ranked) - 2} more" if len(ranked) > 2 else "")


def _none(symptom: Symptom, service: Service, meant: list[Playbook]) -> Choice:
    if service.runtime is None:
        return Choice(None, f"{WATCHED_ONLY}: it is watched only, and a person must act")
    names = ", ".join(sorted(book.name for book in meant))
    if meant:
        return Choice(None, f"no reload is declared, so that {names} could not act")
    if symptom.reason is not None and symptom.name == "critical":
        return Choice(None, f"no playbook for the reason {symptom.reason}")
    return Choice(None, f"no playbook for {symptom.name}")
