from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from watchdog.config.places import settle


def test_relative_paths_begin_beside_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    process = {"start": ["./bot"], "pidfile": "bot.pid", "cwd": "/srv"}
    raw: dict[str, Any] = {
        "state": {"dir": "state"},
        "control": {"socket": "c.sock"},
        "services": {"a": {"logs": ["a.log", "/b.log"], "runtime": {"process": process}}},
    }
    assert list(settle(raw, Path("etc"))) == []
    assert raw["state"]["dir"] == f"{tmp_path}/etc/state"
    assert raw["control"]["socket"] == f"{tmp_path}/etc/c.sock"
    assert raw["services"]["a"]["logs"] == [f"{tmp_path}/etc/a.log", "/b.log"]
    assert process == {"start": ["./bot"], "pidfile": f"{tmp_path}/etc/bot.pid", "cwd": "/srv"}


def test_the_folder_of_playbooks_is_taken_when_it_is_there(tmp_path: Path) -> None:
    raw: dict[str, Any] = {}
    list(settle(raw, tmp_path))
    assert raw["playbooks"] == []
    (tmp_path / "playbooks").mkdir()
    raw = {}
    list(settle(raw, tmp_path))
    assert raw["playbooks"] == [f"{tmp_path}/playbooks"]


def test_a_named_folder_of_playbooks_must_be_there(tmp_path: Path) -> None:
    raw: dict[str, Any] = {"playbooks": ["mine"]}
    assert list(settle(raw, tmp_path)) == [(("playbooks", 0), f"{tmp_path}/mine does not exist")]


def test_without_a_file_paths_stay_as_they_are() -> None:
    raw: dict[str, Any] = {"state": {"dir": "x"}}
    assert list(settle(raw, None)) == []
    assert raw == {"state": {"dir": "x"}, "playbooks": []}


def test_a_socket_that_the_kernel_cannot_hold_is_told_before_the_daemon_starts(tmp_path: Path) -> None:
    raw: dict[str, Any] = {"control": {"socket": "s" * 108}}
    assert list(settle(raw, Path("/"))) == [
        (("control", "socket"), f"/{'s' * 108} is 109 bytes long and a unix socket takes 107, write a shorter path")
    ]
    assert list(settle({"control": {"socket": "s" * 106}}, Path("/"))) == []
