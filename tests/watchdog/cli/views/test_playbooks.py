from __future__ import annotations

from recovery.load import load_playbooks
from recovery.registry import discover
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.playbooks import doc_of, list_lines, show_lines

BOOKS = load_playbooks((), discover()).books


def test_the_built_in_ones_are_a_table_with_their_summaries() -> None:
    lines = list_lines(BOOKS.values(), Frame(0))
    assert lines[0].split() == ["NAME", "EFFECT", "MODE", "WHEN"]
    assert "restart-unresponsive restart auto symptom unresponsive or symptom flapping" in [
        " ".join(line.split()) for line in lines
    ]
    assert "  A bot that stopped answering is terminated and brought back." in lines
    assert max(map(len, lines)) <= 100


def test_one_is_shown_with_its_own_text() -> None:
    text = "\n".join(show_lines(BOOKS["restart-unresponsive"], Frame(0)))
    assert "  Steps    capture_evidence, capture_stacks, stop_process, ensure_running" in text
    assert "verify: {healthy: 2}" in text


def test_json_names_the_steps_with_their_effects() -> None:
    doc = doc_of(BOOKS["restart-unresponsive"])
    assert [step["action"] for step in doc["steps"]] == ["capture_evidence", "capture_stacks", "stop_process", "ensure_running"]
    assert doc["effect"] == "restart"
