"""Programs that could not be started are told by `check`, at their place, and are no error."""

from __future__ import annotations

import sys
from pathlib import Path

from watchdog.config.load import load_all


def warnings(folder: Path, start: str, more: str = "") -> list[str]:
    file = folder / "watchdog.yaml"
    file.write_text(f"services:\n  bot:\n    probe: {{process: true}}\n    runtime: {{process: {{start: [{start}]{more}}}}}\n")
    return [str(each).partition("yaml:")[2] for each in load_all(file, check_trust=False).warnings]


def test_a_program_that_exists_is_no_word_worth(tmp_path: Path) -> None:
    assert not [text for text in warnings(tmp_path, sys.executable) if "start" in text]
    assert not [text for text in warnings(tmp_path, "sh") if "start" in text]


def test_a_slip_of_the_pen_is_told_with_its_place(tmp_path: Path) -> None:
    assert any(
        "start: /no/such/bot does not exist" in text and text.startswith("4:") for text in warnings(tmp_path, "/no/such/bot")
    )
    assert any("no-such-program-here is not found in PATH" in text for text in warnings(tmp_path, "no-such-program-here"))


def test_a_file_that_cannot_be_executed_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "bot.py").chmod(0o644)
    assert any("bot.py is not executable" in text for text in warnings(tmp_path, str(tmp_path / "bot.py")))
    assert any("the folder /no/such/folder does not exist" in text for text in warnings(tmp_path, "sh", ", cwd: /no/such/folder"))


def test_a_socket_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    runtime = "{probe: {docker: true}, runtime: {docker: {name: NAME, host: /no/docker.sock}}}"
    file = tmp_path / "watchdog.yaml"
    services = "".join(f"  {name}: {runtime.replace('NAME', name)}\n" for name in ("a", "b"))
    file.write_text(f"discovery: {{docker: {tmp_path}}}\nservices:\n{services}")
    told = [each for each in load_all(file, check_trust=False).warnings if "Docker" in each.text]
    assert [(each.path, each.text) for each in told] == [
        ("services.a.runtime.docker", "the socket /no/docker.sock does not exist: does Docker run here?")
    ]
