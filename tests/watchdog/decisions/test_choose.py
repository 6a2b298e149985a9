from __future__ import annotations

from typing import Any

from recovery.model import Condition, Effect, Playbook, Selector, Step, Verify, When
from tests.fakes.film import bot
from watchdog.decisions.choose import Choice, choose, matches
from watchdog.model.symptom import Symptom


def book(name: str, *conditions: Condition, every: bool = True, effect: Effect = Effect.RESTART, **more: Any) -> Playbook:
    return Playbook(name, "", When(conditions, every), (Step("act", "act", None, effect),), Verify(), **more)


def symptom(name: str, reason: str | None = None, *codes: str) -> Symptom:
    return Symptom(name, 0.0, "", reason, codes=frozenset(codes))


def name_of(choice: Choice) -> str | None:
    return choice.playbook.name if choice.playbook else None


SILENT = Condition(symptom="unresponsive")
UNWELL = Condition(symptom="critical")


def test_the_only_match_is_taken_and_says_so() -> None:
    choice = choose(symptom("unresponsive"), bot(), {"r": book("restart", SILENT), "d": book("diagnose", UNWELL)})
    assert (name_of(choice), choice.why, choice.others) == ("restart", "only match; for any service", ())


def test_named_goes_before_label_before_runtime_before_any_whatever_the_priority() -> None:
    service = bot("scraper", labels={"kind": "scraper", "team": "a"})
    books = [
        book("any", SILENT, priority=9),
        book("by-runtime", SILENT, services=Selector(runtime=("docker", "process")), priority=5),
        book("by-label", SILENT, services=Selector(labels={"kind": "scraper"}), priority=1),
        book("by-name", SILENT, services=Selector(names=("other", "scraper"))),
    ]
    choice = choose(symptom("unresponsive"), service, books)
    assert (name_of(choice), choice.others) == ("by-name", ("by-label", "by-runtime", "any"))
    assert choice.why == "more specific: it names this service; before by-label and 2 more"
    assert name_of(choose(symptom("unresponsive"), service, books[:3])) == "by-label"
    assert name_of(choose(symptom("unresponsive"), service, books[:2])) == "by-runtime"


def test_among_equals_priority_counts_and_then_the_name() -> None:
    books = [book("b", SILENT), book("a", SILENT), book("c", SILENT, priority=1)]
    choice = choose(symptom("unresponsive"), bot(), books)
    assert (name_of(choice), choice.others) == ("c", ("a", "b"))
    assert choice.why.startswith("priority 1; before a")
    assert choose(symptom("unresponsive"), bot(), books[:2]).why == "first by name; before b"


def test_everything_a_selector_sets_must_fit() -> None:
    service = bot("scraper", labels={"kind": "scraper"})
    for selector in (
        Selector(names=("other",)),
        Selector(labels={"kind": "scraper", "team": "a"}),
        Selector(runtime=("docker",)),
        Selector(names=("scraper",), runtime=("docker",)),
    ):
        assert name_of(choose(symptom("unresponsive"), service, [book("r", SILENT, services=selector)])) is None


def test_a_critical_with_a_reason_gets_the_playbook_for_its_reason_only() -> None:
    diagnose, clean = book("diagnose", UNWELL), book("clean", Condition(symptom="critical", reason="disk_full"))
    assert name_of(choose(symptom("critical"), bot(), [diagnose, clean])) == "diagnose"
    assert name_of(choose(symptom("critical", "disk_full"), bot(), [diagnose, clean])) == "clean"
    choice = choose(symptom("critical", "license_expired"), bot(), [diagnose, clean])
    assert (choice.playbook, choice.why) == (None, "no playbook for the reason license_expired")


def test_a_reason_is_one_word_however_it_is_spelt() -> None:
    assert matches(When((Condition(reason="disk_full"),)), symptom("critical", "Disk-Full"))


def test_any_is_one_of_them_and_all_is_every_one() -> None:
    either = When((Condition(symptom="critical", reason="locked"), SILENT), every=False)
    assert matches(either, symptom("unresponsive"))
    assert matches(either, symptom("critical", "locked"))
    assert not matches(either, symptom("critical"))
    assert not matches(When((UNWELL, SILENT), every=False), symptom("critical", "locked"))
    both = When((UNWELL, Condition(reason="locked")))
    assert matches(both, symptom("critical", "locked"))
    assert not matches(both, symptom("critical"))
    assert not matches(both, symptom("degraded", "locked"))
    assert not matches(When(()), symptom("critical"))


def test_a_code_is_looked_for_among_those_of_the_answer() -> None:
    replaced = When((Condition(symptom="critical", code="440"),))
    assert matches(replaced, symptom("critical", "session", "440", "503"))
    assert not matches(replaced, symptom("critical", "session", "503"))


def test_a_reason_does_not_keep_a_degraded_service_from_its_playbook() -> None:
    soft = book("soft", Condition(symptom="degraded"))
    assert name_of(choose(symptom("degraded", "slow_db"), bot(), [soft])) == "soft"


def test_without_a_runtime_only_what_touches_nothing_can_run() -> None:
    service = bot(runtime=None)
    for effect in (Effect.RELOAD, Effect.RESTART, Effect.DESTRUCTIVE):
        choice = choose(symptom("unresponsive"), service, [book("act", SILENT, effect=effect)])
        assert (choice.playbook, choice.why) == (None, "no runtime is declared: it is watched only, and a person must act")
    look = book("look", SILENT, effect=Effect.NONE)
    assert name_of(choose(symptom("unresponsive"), service, [look, book("act", SILENT)])) == "look"


def test_no_match_is_told() -> None:
    assert choose(symptom("crash_loop"), bot(), []).why == "no playbook for crash_loop"
