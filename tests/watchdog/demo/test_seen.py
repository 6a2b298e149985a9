"""What the acts ask of a moment."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.performance import T, doc, evening, morning
from watchdog.demo.seen import Seen
from watchdog.model.incident import Incident, Stage


def test_before_the_daemon_answers_nothing_is_known() -> None:
    nothing = Seen(T)
    assert nothing.state("postgres") == "unknown"
    assert not nothing.ok("postgres")
    assert not nothing.up("postgres")


def test_a_good_answer_is_not_well_while_its_incident_is_open() -> None:
    seen = morning()
    assert seen.ok("postgres", "faq-bot")
    still = replace(seen, incidents=(Incident(1, "faq-bot", Stage.HEALING, T),))
    assert not still.ok("faq-bot")
    assert not replace(seen, services={**seen.services, "faq-bot": doc("faq-bot", "degraded")}).ok("faq-bot")


def test_the_first_start_is_no_recovery() -> None:
    assert morning().recoveries("postgres") == ()
    assert [run.playbook for run in evening().recoveries("postgres")] == ["start-exited"]


def test_a_step_has_words_only_when_it_is_over() -> None:
    seen = evening()
    assert seen.step("wa-translator", "stop_process") == "SIGTERM was ignored for 2.0 s, 2 killed"
    assert seen.step("wa-translator", "ensure_running") is None
    assert seen.step("faq-bot", "stop_process") is None


def test_the_page_is_the_critical_message_about_it() -> None:
    page = evening().page("rates-bot")
    assert page is not None
    assert page.text.startswith("🔴 Rates Bot")
    assert evening().page("postgres") is None
