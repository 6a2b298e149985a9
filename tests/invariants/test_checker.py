"""The checker must catch what it promises: each film makes a file by hand, breaks one invariant and sees it named."""

from __future__ import annotations

import ast
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.invariants import checker
from tests.invariants.checker import Terms, check
from watchdog.state.store.connection import begin, connect

T = 1_790_000_000.0


class File:
    """A state file written with plain SQL."""

    def __init__(self, path: Path) -> None:
        begin(path)
        self.path = path
        self._conn = connect(path)

    def insert(self, table: str, **values: Any) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" for _ in values)
        self._conn.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(values.values()))

    def incident(self, number: int = 1, service: str = "bot", at: float = T, tier: str = "silent") -> None:
        empty = {
            "reason": "",
            "joined": "[]",
            "cause": "",
            "routine": 1,
            "acked": 0,
            "false_alarm": 0,
            "relapses": 0,
            "bad_before": 0,
        }
        self.insert("incidents", id=number, service=service, stage="open", opened_at=at, tier=tier, **empty)

    def run(self, number: int = 1, service: str = "bot", at: float = T + 90, **changed: Any) -> None:
        values: dict[str, Any] = {
            "incident": 1,
            "effect": "restart",
            "digest": "",
            "source": "",
            "target": "812:99:b0",
            "by": "watchdog",
            "charged": 1,
            "refunded": 0,
            "gentle": 0,
            "ended_at": at + 30,
            "outcome": "healed",
            "detail": "",
        }
        self.insert("runs", id=number, service=service, playbook="p", started_at=at, **(values | changed))

    def step(self, run: int = 1, idx: int = 0, action: str = "restart", at: float = T + 91, **changed: Any) -> None:
        values: dict[str, Any] = {
            "id": action,
            "effect": "restart",
            "before": "812:99:b0",
            "ended_at": at + 5,
            "outcome": "ok",
            "detail": "",
        }
        self.insert("steps", run=run, idx=idx, action=action, intent_at=at, **(values | changed))

    def healed(self, number: int = 1, at: float = T + 90, **changed: Any) -> None:
        self.run(number, at=at, **changed)
        self.step(number, at=at + 1)

    def close(self) -> None:
        self._conn.close()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    made = File(tmp_path / "state.db")
    yield made
    made.close()


def log(folder: Path, *events: dict[str, Any]) -> Path:
    path = folder / "bot.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def starts(folder: Path, count: int) -> Path:
    made = folder / "starts"
    made.mkdir()
    (made / "bot.starts").write_text("".join(f"{900 + number} {T + number}\n" for number in range(count)))
    return made


def test_a_healthy_story_breaks_nothing(file: File, tmp_path: Path) -> None:
    file.incident(tier="critical")
    file.insert("notices", id=1, incident=1, service="bot", tier="critical", kind="new", at=T, text="down")
    file.healed()
    seen = log(tmp_path, {"kind": "signal", "service": "bot", "at": T + 92, "pid": 812, "signal": "TERM"})
    assert check(file.path, starts=starts(tmp_path, 1), logs=[seen], secrets=["s3cr3t"]) == []


def test_i1_a_run_whose_incident_is_not_on_disk(file: File) -> None:
    file.healed()
    assert check(file.path) == ["I1 run 1 (p on bot) has no incident 1 on disk"]


def test_i1_an_intent_before_its_incident(file: File) -> None:
    file.incident(at=T + 95)
    file.healed()
    assert check(file.path) == ["I1 run 1 (p on bot) acted before incident 1 was opened"]


def test_i1_only_a_bring_up_needs_no_incident(file: File) -> None:
    file.run(1, incident=None)
    file.step(1, action="ensure_running")
    assert check(file.path) == []
    file.run(2, at=T + 900, incident=None)
    file.step(2, action="stop_process", at=T + 901)
    assert check(file.path) == ["I1 run 2 (p on bot) did more than a bring-up without an incident"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ended_at": T + 80}, "ended before its intent"),
        ({"ended_at": None}, "outcome without an end"),
        ({"outcome": None}, "end without an outcome"),
        ({"outcome": None, "ended_at": None}, "is open in a run that ended as healed"),
        ({"at": T + 10}, "was meant before what precedes it"),
    ],
)
def test_i2_a_step_out_of_order(file: File, changed: dict[str, Any], words: str) -> None:
    file.incident()
    file.run()
    file.step(**changed)
    found = check(file.path)
    assert any(line.startswith("I2") and words in line for line in found), found


def test_i2_an_open_step_is_fine_while_its_run_is_open_or_was_interrupted(file: File) -> None:
    file.incident()
    file.run(1, outcome="interrupted")
    file.step(1, outcome=None, ended_at=None)
    file.run(2, at=T + 900, outcome=None, ended_at=None)
    file.step(2, at=T + 901, outcome=None, ended_at=None)
    assert check(file.path) == []


def test_i2_a_step_of_no_run(file: File) -> None:
    file.step(7)
    assert check(file.path) == ["I2 step 0 of run 7 belongs to no run"]


def test_i2_two_runs_of_one_service_at_a_time(file: File) -> None:
    file.incident()
    file.healed(1)
    file.healed(2, at=T + 110)
    assert check(file.path) == ["I2 run 2 (p on bot) began while run 1 (p on bot) was running"]


def test_i2_a_run_that_never_ended_and_another_one(file: File) -> None:
    file.incident()
    file.healed(1, ended_at=None, outcome=None)
    file.healed(2, at=T + 900)
    assert check(file.path) == ["I2 run 2 (p on bot) began while run 1 (p on bot) was running"]


def test_i2_more_starts_than_rows_explain(file: File, tmp_path: Path) -> None:
    file.incident()
    file.healed()
    folder = starts(tmp_path, 2)
    assert check(file.path, starts=folder) == ["I2 bot was started 2 times, rows explain 1"]
    assert check(file.path, starts=folder, terms=Terms(crashes=1)) == []
    assert check(file.path, starts=folder, terms=Terms(own_starts={"bot": 1})) == []


def test_i2_a_skipped_step_explains_no_start(file: File, tmp_path: Path) -> None:
    file.incident()
    file.run()
    file.step(outcome="skipped")
    assert check(file.path, starts=starts(tmp_path, 1)) == ["I2 bot was started 1 times, rows explain 0"]


@pytest.mark.parametrize("kind", ["signal", "call"])
@pytest.mark.parametrize("at", [T + 80, T + 120])
def test_i2_what_a_bot_got_outside_of_every_intent(file: File, tmp_path: Path, kind: str, at: float) -> None:
    file.incident()
    file.healed()
    seen = log(tmp_path, {"kind": kind, "service": "bot", "at": at, "pid": 812})
    assert check(file.path, logs=[seen]) == [f"I2 bot got a {kind} at {at:.3f} that no intent explains"]


def test_i3_a_critical_incident_that_was_told_to_nobody(file: File) -> None:
    file.incident(tier="critical")
    file.insert("notices", id=1, incident=1, service="bot", tier="soft", kind="new", at=T, text="open for 3 min")
    assert check(file.path) == ["I3 incident 1 of bot is critical and no critical notice was written"]


def test_i5_a_fourth_charged_run_within_an_hour(file: File) -> None:
    file.incident()
    for number in range(3):
        file.healed(number + 1, at=T + 90 + number * 600)
    file.healed(4, at=T + 90 + 3599)
    assert check(file.path) == ["I5 run 4 (p on bot) is the 4th charged run within 3600 s"]


def test_i5_refunds_gentle_runs_and_the_end_of_the_hour_are_fair(file: File) -> None:
    file.incident()
    for number in range(3):
        file.healed(number + 1, at=T + 90 + number * 600)
    file.healed(4, at=T + 2000, refunded=1)
    file.healed(5, at=T + 2100, gentle=1)
    file.healed(6, at=T + 2200, effect="reload", charged=0)
    file.healed(7, at=T + 90 + 3600)
    assert check(file.path) == []


def test_i5_a_person_who_asks_gives_a_full_budget(file: File) -> None:
    file.incident()
    for number in range(3):
        file.healed(number + 1, at=T + 90 + number * 60)
    file.healed(4, at=T + 300, by="anna")
    for number in range(3):
        file.healed(number + 5, at=T + 400 + number * 60)
    assert check(file.path) == []
    file.healed(8, at=T + 700)
    assert [line[:2] for line in check(file.path)] == ["I5"]


def test_i6_a_signal_to_a_stranger(file: File, tmp_path: Path) -> None:
    file.incident()
    file.healed()
    stranger = {"kind": "signal", "service": "bot", "at": T + 92, "pid": 4242, "signal": "TERM"}
    assert check(file.path, logs=[log(tmp_path, stranger)]) == [
        f"I6 process 4242 of bot got a signal at {T + 92:.3f}, but no step had looked at it"
    ]
    assert check(file.path, logs=[log(tmp_path, stranger | {"root": 812})]) == [], "a child of the one that was looked at"


def test_a_bot_that_cannot_say_its_pid_is_judged_by_the_moment_alone(file: File, tmp_path: Path) -> None:
    file.incident()
    file.healed()
    inside = {"kind": "signal", "service": "bot", "at": T + 92, "signal": "TERM"}
    assert check(file.path, logs=[log(tmp_path, inside)]) == []
    outside = log(tmp_path, inside | {"at": T + 120})
    assert check(file.path, logs=[outside]) == [f"I2 bot got a signal at {T + 120:.3f} that no intent explains"]


def test_i8_a_secret_in_the_log_of_the_store_or_in_any_other_file(file: File, tmp_path: Path) -> None:
    file.insert("evidence", incident=1, service="bot", at=T, kind="evidence", text="TOKEN=s3cr3t")
    other = tmp_path / "daemon.log"
    other.write_text("all is well")
    found = check(file.path, secrets=["s3cr3t", "absent"], files=[other])
    assert found == [f"I8 a planted secret is in {file.path}-wal"]
    other.write_text("Bearer s3cr3t")
    assert f"I8 a planted secret is in {other}" in check(file.path, secrets=["s3cr3t"], files=[other])


def test_it_reads_only_and_knows_nothing_of_the_product(file: File) -> None:
    tree = ast.parse(Path(checker.__file__).read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name.split(".")[0] in ("watchdog", "recovery", "botkit", "tests")]
    before = file.path.read_bytes()
    check(file.path)
    assert file.path.read_bytes() == before


def test_it_speaks_at_a_terminal(file: File) -> None:
    def spoken() -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, checker.__file__, file.path], check=False, capture_output=True, text=True)

    assert (spoken().returncode, spoken().stdout) == (0, "all invariants hold\n")
    file.healed()
    assert (spoken().returncode, spoken().stdout) == (1, "I1 run 1 (p on bot) has no incident 1 on disk\n")


def test_a_file_that_is_not_there_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), closing(sqlite3.connect(":memory:")):
        check(tmp_path / "state.db")
