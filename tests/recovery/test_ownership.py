from __future__ import annotations

import os
from pathlib import Path

import pytest

from recovery.ownership import untrusted

OTHER = 54321


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "etc"
    folder.mkdir(mode=0o755)
    (folder / "a.yaml").write_text("a: 1\n")
    (folder / "a.yaml").chmod(0o644)
    return folder


def test_a_file_of_ours_that_nobody_else_can_write_is_trusted(home: Path) -> None:
    assert untrusted(home / "a.yaml") is None
    assert untrusted(home) is None


@pytest.mark.parametrize(("mode", "who"), [(0o664, "its group"), (0o646, "everybody"), (0o666, "everybody")])
def test_a_file_that_others_can_write_is_not(home: Path, mode: int, who: str) -> None:
    """F29."""
    (home / "a.yaml").chmod(mode)
    reason = untrusted(home / "a.yaml")
    assert reason is not None
    assert f"a.yaml can be written by {who}" in reason
    assert "chmod go-w" in reason


def test_a_folder_above_that_others_can_write_spoils_it_unless_it_is_sticky(home: Path) -> None:
    home.chmod(0o777)
    assert "etc can be written by everybody" in str(untrusted(home / "a.yaml"))
    home.chmod(0o1777)
    assert untrusted(home / "a.yaml") is None


def test_a_sticky_bit_on_a_file_protects_nothing(home: Path) -> None:
    (home / "a.yaml").chmod(0o1666)
    assert untrusted(home / "a.yaml") is not None


def test_the_chain_of_a_link_and_that_of_its_target_both_count(home: Path, tmp_path: Path) -> None:
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    (open_folder / "real.yaml").write_text("a: 1\n")
    (home / "link.yaml").symlink_to("../open/real.yaml")
    assert untrusted(home / "link.yaml") is None
    open_folder.chmod(0o777)
    assert "open can be written by everybody" in str(untrusted(home / "link.yaml"))
    (open_folder / "back.yaml").symlink_to(home / "a.yaml")
    assert "open can be written by everybody" in str(untrusted(open_folder / "back.yaml"))


def test_two_dots_go_up_from_where_the_link_leads(home: Path, tmp_path: Path) -> None:
    """Taken by its letters `etc/deep/../a.yaml` would be `etc/a.yaml`; the kernel opens `far/a.yaml`."""
    (tmp_path / "far" / "inner").mkdir(parents=True)
    (tmp_path / "far" / "a.yaml").write_text("a: 1\n")
    (tmp_path / "far" / "a.yaml").chmod(0o666)
    (home / "deep").symlink_to(tmp_path / "far" / "inner")
    assert "far/a.yaml can be written" in str(untrusted(home / "deep" / ".." / "a.yaml"))


def test_a_circle_of_links_and_a_missing_file_are_told(home: Path) -> None:
    (home / "x").symlink_to("y")
    (home / "y").symlink_to("x")
    assert "too many links" in str(untrusted(home / "x"))
    assert "cannot be looked at: No such file" in str(untrusted(home / "nothing"))
    assert "is no path" in str(untrusted(Path("a\0b")))


def test_a_file_of_another_user_is_not_trusted(home: Path) -> None:
    """Seen with the eyes of another user: what belongs to us is foreign to him, unless we are root."""
    reason = untrusted(home / "a.yaml", OTHER)
    assert (reason is None) == (os.geteuid() == 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_link_or_folder_given_to_another_user_is_not_trusted(home: Path) -> None:
    os.chown(home / "a.yaml", OTHER, OTHER)
    assert f"belongs to user {OTHER}" in str(untrusted(home / "a.yaml"))
    assert untrusted(home / "a.yaml", OTHER) is None
    (home / "b.yaml").write_text("")
    (home / "link").symlink_to("b.yaml")
    os.chown(home / "link", OTHER, OTHER, follow_symlinks=False)
    assert "link belongs to" in str(untrusted(home / "link"))
    os.chown(home, OTHER, OTHER)
    assert "etc belongs to" in str(untrusted(home / "b.yaml"))


def test_a_current_folder_that_was_removed_is_no_reason_against_a_whole_path(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert untrusted(home / "a.yaml") is None
    assert "cannot be told" in str(untrusted(Path("a.yaml")))
