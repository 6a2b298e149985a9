"""The language of playbooks: what is meant by each key, and what is said of each mistake (F29)."""

from __future__ import annotations

import hashlib

import pytest

from recovery.language import NEVER, parse
from recovery.model import Condition, Effect, Mode, Playbook, Selector, Verify, When
from recovery.reader import Known
from recovery.yaml import load_text
from tests.fakes.scene import ACTIONS

KNOWN = Known(ACTIONS, symptoms=frozenset({"unresponsive", "exited", "critical"}), runtimes=("process",))
LEAST = "name: x\nsummary: y\nsteps: [{start: {}}]\nverify: {}\n"


def read(text: str) -> Playbook:
    book, problems = parse(load_text(text, "x.yaml"), KNOWN)
    assert book is not None, problems
    return book


def wrong(text: str) -> list[str]:
    book, problems = parse(load_text(text, "x.yaml"), KNOWN)
    assert book is None
    return [str(problem) for problem in problems]


def test_the_least_playbook_has_the_promised_defaults() -> None:
    book = read(LEAST)
    assert (book.mode, book.routine, book.concurrent, book.cooldown, book.priority) == (Mode.AUTO, True, None, None, 0)
    assert (book.otherwise, book.services, book.verify) == ("again", Selector(), Verify(2, None, 5.0, None))
    assert book.when == NEVER
    assert (book.source, book.digest) == (LEAST, hashlib.sha256(LEAST.encode()).hexdigest())


def test_every_key_is_understood() -> None:
    book = read(
        "name: restart-unresponsive\n"
        "summary: A bot that stopped answering is brought back.\n"
        "when: {any: [{symptom: unresponsive}, {symptom: critical, reason: hung, code: 515}]}\n"
        "services: {names: [scraper], labels: {kind: scraper}, runtime: [process]}\n"
        "mode: approve\nroutine: false\npriority: -3\notherwise: escalate\n"
        "limits: {concurrent: 2, cooldown: 10s}\n"
        "steps:\n"
        "  - capture_evidence: {}\n    on_failure: continue\n    timeout: 15s\n    id: look\n"
        "  - stop_process: {grace: 30s}\n    retry: 2\n    if: look.ok\n"
        "  - ensure_running:\n"
        "verify: {healthy: 3, after: 1m, every: 2s, within: 5m}\n"
        "tests: [tests/a.yaml]\n"
    )
    assert book.when == When((Condition("unresponsive"), Condition("critical", "hung", "515")), every=False)
    assert book.services == Selector(("scraper",), {"kind": "scraper"}, ("process",))
    assert (book.mode, book.routine, book.priority, book.otherwise) == (Mode.APPROVE, False, -3, "escalate")
    assert (book.concurrent, book.cooldown) == (2, 10.0)
    look, stop, start = book.steps
    assert (look.id, look.timeout, look.go_on, look.effect) == ("look", 15.0, True, Effect.NONE)
    assert (stop.retry, stop.only_if, stop.params.grace, stop.idempotent) == (2, ("look", "ok"), 30.0, True)
    assert (start.id, start.params.within, start.go_on) == ("ensure_running", 30.0, False)
    assert book.verify == Verify(3, 60.0, 2.0, 300.0)
    assert (book.effect, book.gentle, book.tests) == (Effect.RESTART, False, ("tests/a.yaml",))


def test_one_condition_and_all_of_several() -> None:
    assert read(LEAST + "when: {symptom: exited}\n").when == When((Condition("exited"),))
    both = read(LEAST + "when: {all: [{symptom: critical}, {reason: disk}]}\n").when
    assert both == When((Condition("critical"), Condition(reason="disk")))


def test_a_stop_that_never_kills_makes_a_gentle_playbook() -> None:
    gentle = LEAST.replace("[{start: {}}]", "[{stop_process: {kill: false}}, {ensure_running: {}}]")
    assert read(gentle).gentle
    assert not read(LEAST).gentle


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nmae: z\n", "x.yaml:5:1: nmae: unknown key 'nmae', did you mean 'name'?"),
        (
            "when: {symptom: unresponsiv}\n",
            "x.yaml:5:17: when.symptom: unknown symptom 'unresponsiv', did you mean 'unresponsive'?",
        ),
        ("when: {log: x}\n", "x.yaml:5:8: when.log: 'log' is not available in this version"),
        ("when: {metric: cpu, above: 5}\n", "x.yaml:5:21: when.above: 'above' is not available in this version"),
        ("when: {symptm: exited}\n", "x.yaml:5:8: when.symptm: unknown condition 'symptm', did you mean 'symptom'?"),
        ("when: {}\n", "x.yaml:5:1: when: is empty; leave it out for a rung that others name"),
        ("when: {any: []}\n", "x.yaml:5:8: when.any: is empty"),
        ("when: {any: [{}]}\n", "x.yaml:5:14: when.any: is empty, it would match everything"),
        ("when: {any: [{symptom: exited}], all: []}\n", "x.yaml:5:34: when.all: cannot stand beside 'any'"),
        ("when: [exited]\n", "x.yaml:5:1: when: must be 'key: value' pairs"),
        ("services: {runtime: [systemd]}\n", "x.yaml:5:22: services.runtime: 'systemd' is not available in this version"),
        ("services: {runtime: [proces]}\n", "x.yaml:5:22: services.runtime: unknown runtime 'proces', did you mean 'process'?"),
        ("services: {names: scraper}\n", "x.yaml:5:12: services.names: must be a list"),
        ("services: {labels: {kind: 5}}\n", "x.yaml:5:27: services.labels.kind: must be text, not '5', put it in quotes"),
        ("services: {label: {}}\n", "x.yaml:5:12: services.label: unknown key 'label', did you mean 'labels'?"),
        ("limits: {cooldown: 300}\n", "x.yaml:5:20: limits.cooldown: '300' has no unit, write '300s' or '300m'"),
        ("limits: {concurrent: 0}\n", "x.yaml:5:22: limits.concurrent: at least 1"),
        ("mode: atuo\n", "x.yaml:5:7: mode: 'atuo' is none of auto, approve, observe, did you mean 'auto'?"),
        ("routine: yes\n", "x.yaml:5:10: routine: must be true or false, not 'yes'"),
        ("priority: 1.5\n", "x.yaml:5:11: priority: must be a whole number, not '1.5'"),
        ("on: 5\n", "x.yaml:5:1: on: unknown key 'on'"),
        ("tests: [5]\n", "x.yaml:5:9: tests: must be text, not '5'"),
        ("otherwise: [again]\n", "x.yaml:5:12: otherwise: must be text, not a list"),
    ],
)
def test_every_mistake_is_told_with_its_place(line: str, words: str) -> None:
    assert words in wrong(LEAST + line)


@pytest.mark.parametrize(
    ("was", "becomes", "words"),
    [
        ("name: x", "name: Restart It", "x.yaml:1:7: name: 'Restart It' is no name"),
        ("name: x", "name: escalate", "x.yaml:1:7: name: 'escalate' is a word of 'otherwise'"),
        ("summary: y", "summary: ' '", "x.yaml:2:10: summary: says nothing"),
        ("name: x\n", "", "'name' is missing"),
        ("summary: y\n", "", "'summary' is missing"),
        ("steps: [{start: {}}]\n", "", "'steps' is missing"),
        ("verify: {}\n", "", "'verify' is missing: only its proof closes an incident as healed"),
        ("verify: {}", "verify: {healthy: 0}", "x.yaml:4:19: verify.healthy: at least 1 good answer"),
        ("verify: {}", "verify: {every: 0s}", "verify.every: must be longer than zero"),
        ("verify: {}", "verify: {withn: 5m}", "unknown key 'withn', did you mean 'within'?"),
        ("verify: {}", "verify: true", "verify: must be 'key: value' pairs"),
    ],
)
def test_every_part_that_is_missing_or_wrong_is_told(was: str, becomes: str, words: str) -> None:
    assert any(words in problem for problem in wrong(LEAST.replace(was, becomes)))


def test_all_mistakes_are_told_at_once_in_the_order_of_lines() -> None:
    found = wrong("name: X\nsummary: 5\nmode: x\nsteps: [{start: {a: 1}}, {wait: {}}]\nverify: {healthy: 0}\nfoo: 1\n")
    lines = [int(problem.split(":")[1]) for problem in found]
    assert lines == sorted(lines)
    assert len(found) == 7


def test_a_stored_playbook_is_read_without_knowing_symptoms_and_runtimes() -> None:
    text = LEAST + "when: {symptom: oom}\nservices: {runtime: [systemd]}\n"
    assert parse(load_text(text, "x.yaml"), Known(ACTIONS))[0] is not None
    assert len(wrong(text)) == 2
