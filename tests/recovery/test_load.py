"""Folders of playbooks: bad ones are refused, the others keep working (F28, F29)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from recovery.load import BUILT_IN, Playbooks, from_source, load_playbooks
from recovery.model import Condition, Effect
from recovery.yaml import YamlError
from tests.fakes.scene import ACTIONS

SYMPTOMS = frozenset(
    {"unresponsive", "flapping", "critical", "degraded", "slow", "exited", "crash_loop", "cpu_spin", "memory", "restart_with"}
)


def text(name: str, more: str = "") -> str:
    return f"name: {name}\nsummary: y\nwhen: {{symptom: exited}}\nsteps: [{{start: {{}}}}]\nverify: {{}}\n{more}"


def load(*folders: Path, built_in: Path | None = None) -> Playbooks:
    return load_playbooks(folders, ACTIONS, symptoms=SYMPTOMS, built_in=built_in, distrust=lambda _path: None)


def test_the_built_in_playbooks_are_all_good_and_each_has_its_scenarios() -> None:
    found = load_playbooks((), ACTIONS, symptoms=SYMPTOMS)
    assert found.problems == ()
    assert {"diagnose-critical", "restart-unresponsive", "soft-recovery", "soft-restart", "start-exited"} <= set(found.books)
    assert all(book.tests for book in found.books.values())
    named = {(BUILT_IN / test).resolve() for book in found.books.values() for test in book.tests}
    assert named == set((BUILT_IN / "tests").glob("*.yaml")), "every scenario belongs to a playbook"


def test_the_built_in_ladder_for_degraded_bots() -> None:
    books = load_playbooks((), ACTIONS).books
    soft, restart = books["soft-recovery"], books["soft-restart"]
    assert (soft.effect, soft.otherwise, soft.gentle) == (Effect.RELOAD, "soft-restart", False)
    assert (restart.effect, restart.gentle, restart.when.conditions, restart.when.every) == (
        Effect.RESTART,
        True,
        (Condition(symptom="degraded"),),
        True,
    )
    assert books["start-exited"].cooldown == 10.0
    assert all(not book.gentle for name, book in books.items() if name != "soft-restart")


def test_a_bad_file_is_refused_and_the_others_keep_working(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text("a"))
    (tmp_path / "b.yaml").write_text(text("b", "mode: atuo\n"))
    (tmp_path / "c.yaml").write_text("name: [")
    (tmp_path / "d.txt").write_text("no playbook")
    (tmp_path / ".e.yaml").write_text("half written")
    found = load(tmp_path)
    assert list(found.books) == ["a"]
    assert len(found.problems) == 2
    assert found.problems[0].startswith(f"{tmp_path}/b.yaml:6:7: mode: 'atuo' is none of")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# nothing\n",
        b"a: &a [x]\nb: *a\n",
        b"a: &a [*a]\n",
        b"a: !!python/object/apply:os.system [id]\n",
        b"name: a\nname: b\n",
        b"<<: {name: a}\n",
        b"name: a\n---\nname: b\n",
        b"\xff\xfe\x00",
        b"name: a\x00b\n",
        b"[" * 3000,
        b"x: " + b"{a: " * 3000,
        b"x: '" + b"a" * 10_000_000 + b"'\n",
        b"- a\n- b\n",
    ],
    ids=lambda data: repr(data[:24]),
)
def test_a_hostile_file_is_refused_in_no_time(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "good.yaml").write_text(text("good"))
    (tmp_path / "bad.yaml").write_bytes(data)
    began = time.perf_counter()
    found = load(tmp_path)
    assert time.perf_counter() - began < 0.1
    assert list(found.books) == ["good"]
    assert found.problems
    assert all(problem.startswith(f"{tmp_path}/bad.yaml") for problem in found.problems)


def test_what_somebody_else_may_write_or_link_to_is_not_loaded(tmp_path: Path) -> None:
    inside = tmp_path / "books"
    inside.mkdir()
    (inside / "good.yaml").write_text(text("good"))
    (inside / "open.yaml").write_text(text("open"))
    (inside / "open.yaml").chmod(0o666)
    (inside / "shadow.yaml").symlink_to("/etc/shadow")
    (inside / "dangling.yaml").symlink_to(inside / "nowhere")
    os.mkfifo(inside / "fifo.yaml")
    found = load_playbooks([inside], ACTIONS, built_in=None)
    assert list(found.books) == ["good"]
    told = "\n".join(found.problems)
    assert "open.yaml: not loaded" in told
    for name in ("shadow", "dangling", "fifo"):
        assert f"{name}.yaml" in told


def test_a_folder_that_somebody_else_may_write_is_not_loaded_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "a.yaml").write_text(text("a"))
    folder.chmod(0o777)
    found = load_playbooks([folder], ACTIONS, built_in=None)
    assert not found.books
    assert found.problems[0].startswith(f"{folder}: not loaded: ")


def test_a_single_file_may_stand_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text("a"))
    (tmp_path / "b.yaml").write_text(text("b"))
    assert list(load(tmp_path / "b.yaml").books) == ["b"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "cannot be read" in load(tmp_path / "none").problems[0]


class TestNames:
    def test_a_persons_playbook_replaces_the_built_in_one(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text(text("start-exited"))
        found = load(tmp_path, built_in=BUILT_IN)
        assert found.problems == ()
        assert found.books["start-exited"].path == f"{tmp_path}/mine.yaml"

    def test_a_bad_replacement_leaves_the_built_in_one_in_place(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text(text("start-exited", "mode: x\n"))
        found = load(tmp_path, built_in=BUILT_IN)
        assert found.books["start-exited"].path == str(BUILT_IN / "start-exited.yaml")
        assert len(found.problems) == 1

    def test_of_two_with_one_name_the_later_is_refused(self, tmp_path: Path) -> None:
        for folder, name in (("1", "a"), ("2", "b")):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / f"{name}.yaml").write_text(text("twice"))
        found = load(tmp_path / "1", tmp_path / "2")
        assert found.books["twice"].path == f"{tmp_path}/1/a.yaml"
        assert found.problems == (f"{tmp_path}/2/b.yaml:1:7: name: 'twice' is the name of {tmp_path}/1/a.yaml too",)

    def test_a_scenario_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text(text("a", "tests: [tests/a.yaml]\n"))
        assert load(tmp_path).problems == (f"{tmp_path}/a.yaml:6:9: tests: no file 'tests/a.yaml'",)


class TestRungs:
    def write(self, folder: Path, **rungs: str) -> Playbooks:
        for name, rung in rungs.items():
            (folder / f"{name}.yaml").write_text(text(name, f"otherwise: {rung}\n"))
        return load(folder)

    def test_a_ladder_is_accepted(self, tmp_path: Path) -> None:
        assert self.write(tmp_path, a="b", b="c", c="escalate").problems == ()

    def test_two_ladders_may_share_a_rung(self, tmp_path: Path) -> None:
        assert self.write(tmp_path, a="c", b="c", c="again").problems == ()

    def test_a_circle_is_refused_and_printed_and_what_leads_into_it_too(self, tmp_path: Path) -> None:
        found = self.write(tmp_path, a="b", b="c", c="a", d="a", e="again")
        assert list(found.books) == ["e"]
        assert f"{tmp_path}/a.yaml:6:12: otherwise: a circle of rungs: a -> b -> c -> a" in found.problems
        assert f"{tmp_path}/d.yaml:6:12: otherwise: its next rung 'a' was refused" in found.problems
        assert len(found.problems) == 4

    def test_a_playbook_that_names_itself_is_a_circle(self, tmp_path: Path) -> None:
        assert "a circle of rungs: a -> a" in self.write(tmp_path, a="a").problems[0]

    def test_an_unknown_rung_is_refused_with_a_suggestion(self, tmp_path: Path) -> None:
        found = self.write(tmp_path, soft="sotf-restart", hard="esclate")
        assert not found.books
        assert "unknown playbook 'esclate', did you mean 'escalate'?" in found.problems[0]
        assert "unknown playbook 'sotf-restart'" in found.problems[1]

    def test_a_rung_whose_file_is_bad_takes_its_ladder_with_it(self, tmp_path: Path) -> None:
        (tmp_path / "b.yaml").write_text(text("b", "mode: x\n"))
        found = self.write(tmp_path, a="b")
        assert not found.books
        assert len(found.problems) == 2

    def test_a_replacement_that_makes_a_circle_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text(text("soft-restart", "otherwise: soft-recovery\n"))
        found = load(tmp_path, built_in=BUILT_IN)
        assert len(found.problems) == 2
        assert "soft-recovery" not in found.books


def test_a_stored_run_keeps_its_steps() -> None:
    source = text("old", "otherwise: gone-meanwhile\ntests: [gone.yaml]\n")
    assert from_source(source, "run 7", ACTIONS).steps[0].action == "start"
    with pytest.raises(YamlError, match="run 7:4:10: steps"):
        from_source(source.replace("start", "teleport"), "run 7", ACTIONS)
