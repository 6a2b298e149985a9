from __future__ import annotations

import pytest

from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.errors import Misused, Refused


@pytest.mark.parametrize(
    ("args", "verb", "sent"),
    [
        (["recover", "postgres"], "recover", {"service": "postgres", "playbook": None, "dry_run": False}),
        (
            ["recover", "postgres", "--playbook", "start-exited", "--dry-run"],
            "recover",
            {"service": "postgres", "playbook": "start-exited", "dry_run": True},
        ),
        (["approve", "7"], "approve", {"run": 7}),
        (["reject", "7"], "reject", {"run": 7}),
        (["resume"], "resume", {"service": None}),
        (["resume", "postgres"], "resume", {"service": "postgres"}),
    ],
)
def test_a_word_of_a_person_goes_to_the_daemon(here: Installation, args: list[str], verb: str, sent: dict[str, object]) -> None:
    with answering(here.socket, FakeDesk()) as desk:
        result = here.ctl(*args)
    assert (result.exit_code, result.stdout) == (0, f"{verb}: done\n")
    assert desk.asked[0][:2] == (verb, sent)


def test_a_dry_run_shows_its_steps_and_what_would_happen_unasked(here: Installation) -> None:
    answer = {"text": "would run x; nothing was done", "steps": ["1. stop_process", "2. start"], "by_itself": "wait: cooldown"}
    with answering(here.socket, FakeDesk({"recover": answer})):
        text = here.ctl("recover", "postgres", "--dry-run").stdout
        assert here.document("recover", "postgres", "--dry-run") == answer
    assert text.splitlines()[1:] == ["  1. stop_process", "  2. start", "Without being asked: wait: cooldown"]


def test_a_refusal_is_1_with_its_reason(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"approve": Refused("no run 7 waits for approval")})):
        result = here.ctl("approve", "7")
    assert result.exit_code == 1
    assert "watchdogctl: no run 7 waits for approval" in result.stderr


def test_a_playbook_that_does_not_exist_is_2(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"recover": Misused("unknown playbook 'x'")})):
        result = here.ctl("recover", "postgres", "--playbook", "x")
    assert result.exit_code == 2
    assert "watchdogctl: unknown playbook 'x'" in result.stderr


def test_the_help_of_resume_tells_both_of_its_forms(here: Installation) -> None:
    text = " ".join(here.ctl("resume", "--help").stdout.split())
    assert "With a SERVICE: ends its hold and its ack, and gives a parked one one attempt now. Without one: ends a storm." in text
