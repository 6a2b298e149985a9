from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.fakes import past
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.times import iso
from watchdog.cli.views.why import Question, why_lines
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Stage, Tier

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)
SERVICE: dict[str, Any] = {"name": "ezee-scraper", "state": "failing", "since": iso(NOW - 150), "reason": "4 timeouts"}

GOLDEN = """\
ezee-scraper · failing since 03:32:10 (4 timeouts) · incident 214

1 older answer: watchdogctl why ezee-scraper --all
03:32:50 → wait: on hold by anna: deploy 110 until 03:35:40
03:34:10 → heal with restart-unresponsive
  host      ✓  store and network fine; 1 of 42 bad (a storm begins at 20)
  operator  ✓  no hold, no maintenance; nobody stopped it
  root      ✓  postgres ok in 1 ms
  grace     ✓  started 3 days ago
  terminal  ✓  nothing only a person can mend
  budget    ✓  1 of 3 in 1 h; no cooldown
  playbook  →  restart-unresponsive (only match; runtime process)
03:34:37 → wait: cooldown of restart-unresponsive until 03:39:10 (asked 3 times in 2 s)
  host      ✓  store and network fine; 1 of 42 bad (a storm begins at 20)
  operator  ✓  no hold, no maintenance; nobody stopped it
  root      ✓  postgres ok in 1 ms
  grace     ✓  started 3 days ago
  terminal  ✓  nothing only a person can mend
  budget    →  wait: cooldown of restart-unresponsive until 03:39:10
  playbook  ·  not asked: budget had the last word

Next: asked again at 03:39:10 (in 4 min 30 s); page at 03:47:10 (in 12 min) if not healed."""


def ask(*decisions: Decision, **more: Any) -> str:
    return "\n".join(why_lines(Question(SERVICE, decisions, past.open_incident(NOW), **more), FRAME))


def test_the_deed_and_the_newest_answer_with_every_step() -> None:
    decisions = (past.held(NOW, 120), past.held(NOW, 110), past.heal(NOW), past.wait(NOW))
    assert ask(*decisions, page_at=NOW + 750) == GOLDEN


def test_the_last_deed_is_shown_however_long_ago() -> None:
    later = [replace(past.wait(NOW), at=NOW - 20 + number) for number in range(5)]
    text = ask(past.heal(NOW), *later)
    assert "03:34:10 → heal with restart-unresponsive" in text
    assert "3 older answers" in text


def test_a_mode_that_forbids_is_the_last_word_of_the_operator() -> None:
    mode = Ruling(Step.OPERATOR, Verdict.WAIT, "observe: would run restart-unresponsive", playbook="restart-unresponsive")
    book = Ruling(Step.PLAYBOOK, Verdict.PASS, "restart-unresponsive is the only match")
    decision = Decision(NOW, "ezee-scraper", 214, (*past.trail(Ruling(Step.PLAYBOOK, Verdict.PASS, ""))[:-1], book, mode), NOW)
    lines = ask(decision).splitlines()
    assert lines[-3] == "  operator  →  wait: observe: would run restart-unresponsive"
    assert not any("not asked" in line for line in lines)


def test_an_escalation_is_told_as_one() -> None:
    ruling = Ruling(Step.TERMINAL, Verdict.ESCALATE, "logged_out: nothing a restart can mend")
    text = ask(Decision(NOW - 5, "ezee-scraper", 214, past.trail(ruling), NOW))
    assert "→ escalate: logged_out: nothing a restart can mend" in text
    assert "Next: asked again at the next check." in text


def test_a_healthy_service_has_nothing_to_explain() -> None:
    lines = why_lines(Question({**SERVICE, "state": "ok", "reason": ""}, ()), FRAME)
    assert lines[0] == "ezee-scraper · ok since 03:32:10"
    assert lines[2:] == ["Nothing had to be decided about it so far.", "", "Next: nothing; the usual checks go on."]


def parked(at: float, **more: Any) -> str:
    """The last line about a parked service whose next attempt comes `at` seconds from now."""
    incident = replace(past.open_incident(NOW), stage=Stage.PARKED, tier=Tier.CRITICAL, run=None)
    entry = {**SERVICE, "parked": True, "next_at": iso(NOW + at), **more.pop("entry", {})}
    return why_lines(Question(entry, [past.wait(NOW)], replace(incident, **more)), FRAME)[-1]


def test_a_parked_service_says_when_its_next_attempt_comes() -> None:
    assert parked(52 * 60) == "Next: one attempt at 04:26:40 (in 52 min), nothing until then."
    assert parked(-40) == "Next: one attempt, due since 03:34:00."


def test_time_is_not_all_that_a_parked_service_waits_for_when_a_person_took_it_over() -> None:
    assert "one attempt" not in parked(60, acked=True)
    assert "one attempt" not in parked(60, entry={"hold": {"until": iso(NOW + 600)}})
    assert "one attempt" not in parked(60, stage=Stage.HEALING)


def test_while_held_the_end_of_the_hold_is_what_comes_next() -> None:
    hold = {"until": iso(NOW + 600), "by": "anna", "reason": "deploy", "stop": False}
    lines = why_lines(Question({**SERVICE, "hold": hold}, (past.held(NOW, 10),), past.open_incident(NOW)), FRAME)
    assert lines[1] == "On hold by anna until 03:44:40: deploy"
    assert lines[-1] == "Next: at 03:44:40 (in 10 min) the hold ends and fresh counts begin."


def test_with_all_every_step_keeps_its_name() -> None:
    ruling = Ruling(Step.OPERATOR, Verdict.WAIT, "on hold by anna")
    decision = Decision(NOW, "ezee-scraper", 214, past.trail(ruling), NOW)
    lines = why_lines(Question(SERVICE, (decision,)), FRAME, everything=True)
    assert [line.split()[0] for line in lines if "not asked" in line] == ["root", "grace", "terminal", "budget", "playbook"]


def test_nothing_is_wider_than_the_terminal() -> None:
    wide = {**SERVICE, "reason": "a very long reason that a bot gives for what it does " * 3}
    ruling = Ruling(Step.OPERATOR, Verdict.WAIT, "on hold by anna " * 8)
    decision = Decision(NOW, "ezee-scraper", 214, past.trail(ruling), NOW)
    frame = replace(FRAME, width=80)
    lines = why_lines(Question(wide, (decision,), past.open_incident(NOW)), frame)
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("  ")
    painted = why_lines(Question(wide, (decision,), past.open_incident(NOW)), replace(frame, colour=True))
    assert painted[0] != lines[0], "colours stay on a folded line"


def test_what_somebody_took_away_waits_for_them() -> None:
    for deed, end in (
        ("stopped by hand (docker stop)", "somebody starts it"),
        ("paused by hand (docker pause)", "somebody unpauses it"),
        ("removed by hand (docker rm)", "a container of that name runs"),
    ):
        service = {**SERVICE, "state": "stopped", "reason": deed}
        ruling = Ruling(Step.OPERATOR, Verdict.WAIT, deed)
        question = Question(service, (Decision(NOW - 60, "ezee-scraper", 214, (ruling,)),), past.open_incident(NOW))
        lines = why_lines(question, FRAME)
        assert lines[0] == f"ezee-scraper · stopped since 03:32:10, {deed} · incident 214"
        assert lines[-1] == f"Next: nothing is done until {end}."
        assert why_lines(Question(service, question.decisions), FRAME)[-1] == lines[-1], "its incident is over"


def test_an_earlier_reason_makes_no_promise() -> None:
    service = {**SERVICE, "state": "failing", "reason": "stopped by hand (docker stop)"}
    assert "until somebody" not in "\n".join(why_lines(Question(service, (), past.open_incident(NOW)), FRAME))
