from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from tests.fakes import past
from tests.fakes.installation import Installation
from watchdog.cli.watching import picture
from watchdog.clock import Clock


def test_a_picture_goes_over_the_one_before_and_clears_what_it_does_not_fill() -> None:
    text = picture(["one", "two"])
    assert text.startswith("\x1b[H")
    assert "one\x1b[K\r\ntwo\x1b[K\r\n" in text
    assert text.endswith("\x1b[J")
    assert "\x1b[2J" not in text


@pytest.mark.live
def test_a_watch_draws_each_second_in_colour_until_ctrl_c_and_leaves_the_terminal_as_it_was(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    ours, theirs = pty.openpty()
    # Whoever is started in the background ignores Ctrl-C, and so do its children.
    argv = ["env", "--default-signal=INT", sys.executable, "-m", "watchdog", "-c", str(here.config), "status", "--watch"]
    env = {**os.environ, "TERM": "xterm"}
    env.pop("NO_COLOR", None)
    with subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env, start_new_session=True
    ) as process:
        os.close(theirs)
        seen = b""
        until = time.monotonic() + 20
        while seen.count(b"\x1b[H") < 2 and time.monotonic() < until:
            seen += os.read(ours, 65_536)
        process.send_signal(signal.SIGINT)
        try:
            while chunk := os.read(ours, 65_536):
                seen += chunk
        except OSError:
            pass  # the terminal is gone with its last user
        assert process.wait(10) == 0
    os.close(ours)
    assert seen.count(b"\x1b[H") >= 2
    assert b"\x1b[31m" in seen
    assert seen.rstrip().endswith(b"\x1b[?25h\x1b[?1049l")
