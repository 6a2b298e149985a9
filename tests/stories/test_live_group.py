"""The group of the socket reads, and only reads (SPEC 15, Doors): a person without rights to the daemon's files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.harness import ROOT, Town, town

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(120),
    pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody else"),
]

STRANGER = 54_321


@pytest.fixture(scope="module")
def healed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A bot was killed and brought back; the way to its socket is open for all, its files are not."""
    with town(tmp_path_factory.mktemp("group") / "town") as here:
        here.bot("bot")
        for folder in (here.folder, *here.folder.parents):
            folder.chmod(folder.stat().st_mode | 0o011)
        here.sockets.chmod(0o711)
        here.start()
        here.until(lambda: here.ok("bot"), 20, "the bot is well")
        os.kill(here.pid("bot"), signal.SIGKILL)
        here.until(lambda: here.healed("bot"), 40, "it is healed")
        yield here


def ask(here: Town, *words: str, gid: int | None = None) -> subprocess.CompletedProcess[str]:
    """watchdogctl as another user; gid: None for the group of the socket."""
    group = (here.sockets / "control.sock").stat().st_gid if gid is None else gid
    become = ["setpriv", "--reuid", str(STRANGER), "--regid", str(group), "--clear-groups"]
    argv = [*become, sys.executable, "-m", "watchdog", "-c", str(here.config), *words]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)


def test_reading_verbs_say_to_the_group_what_they_say_to_root(healed: Town) -> None:
    assert not readable(healed.db)
    for words in (("incidents",), ("history", "bot"), ("why", "bot"), ("why", "bot", "--all"), ("digest",)):
        told = ask(healed, *words, "-o", "json")
        assert told.returncode == 0, told.stderr
        mine, theirs = healed.ctl(*words), json.loads(told.stdout)
        assert timeless(mine) == timeless(theirs), words
        assert ask(healed, *words).stdout.splitlines()[0], words
    assert "auto-recovered" in ask(healed, "incident", "1").stdout


def readable(path: Path) -> bool:
    become = ["setpriv", "--reuid", str(STRANGER), "--regid", "0", "--clear-groups"]
    return subprocess.run([*become, "cat", str(path)], capture_output=True, check=False).returncode == 0


def timeless(doc: object) -> object:
    """Without what goes on while we look: the length of the stretch that lasts, and the end of a digest with its shares."""
    if isinstance(doc, dict):
        lasts = "until" in doc and doc["until"] is None
        moves = {"uptime", "uptime_unplanned", "until"} if "uptime" in doc else {"duration_s"} if lasts else set()
        return {key: timeless(value) for key, value in doc.items() if key not in moves}
    return [timeless(each) for each in doc] if isinstance(doc, list) else doc


def test_status_shows_the_past_of_the_bot_to_the_group_too(healed: Town) -> None:
    text = ask(healed, "status", "bot").stdout
    assert "% up" in text
    assert "exited, healed after" in text


def test_evidence_is_kept_from_the_group_with_a_word(healed: Town) -> None:
    told = ask(healed, "incident", "1")
    assert told.returncode == 0, told.stderr
    assert "uid 54321 may not read evidence: only root and control.admins may" in told.stdout
    assert "exited" in told.stdout
    doc = json.loads(ask(healed, "incident", "1", "-o", "json").stdout)
    own = healed.ctl("incident", "1")
    assert own["evidence"], "there is some"
    assert doc == {**own, "evidence": []}


def test_the_group_does_not_act(healed: Town) -> None:
    told = ask(healed, "hold", "bot", "--for", "1m")
    assert (told.returncode, told.stdout) == (1, "")
    assert "uid 54321 may not hold: only root and control.admins may act" in told.stderr


def test_who_is_not_of_the_group_gets_nothing(healed: Town) -> None:
    for words in (("status",), ("incidents",), ("incident", "1"), ("why", "bot"), ("digest",)):
        told = ask(healed, *words, gid=STRANGER)
        assert told.returncode != 0, words
        assert told.stdout == ""
        assert "you may not" in told.stderr
        assert "Traceback" not in told.stderr
