"""A living picture on a terminal, plain lines anywhere else."""

from __future__ import annotations

import io

from tests.fakes.performance import T, morning
from watchdog.demo.ink import Ink
from watchdog.demo.news import Line
from watchdog.demo.paper import Living, Plain, paper
from watchdog.demo.scene import Tale


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_plain_lines() -> None:
    assert isinstance(paper(io.StringIO(), {"TERM": "xterm"}), Plain)
    assert isinstance(paper(Terminal(), {"TERM": "dumb"}), Plain)
    assert isinstance(paper(Terminal(), {}), Plain)


def test_a_terminal_gets_colours_unless_somebody_minds() -> None:
    assert paper(Terminal(), {"TERM": "xterm"}).ink.colour
    quiet = paper(Terminal(), {"TERM": "xterm", "NO_COLOR": "1"})
    assert quiet.living
    assert not quiet.ink.colour


def test_plain_lines_tell_the_story_without_escape_codes() -> None:
    out = io.StringIO()
    plain = Plain(out)
    plain.begin()
    plain.act(2, "A bot hangs")
    plain.say("It hangs. " + "Why " * 40)
    plain.lines([Line(T + 9, "FAQ Bot", "✗", "timeout", "bad")], T)
    plain.draw(Tale((), T), morning())
    plain.close("It is back.")
    plain.end()
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["", "2. A bot hangs"]
    assert lines[-2:] == [" 0:09  ✗ FAQ Bot               timeout", "   ✓ It is back."]
    assert "\x1b" not in out.getvalue()
    assert max(map(len, lines)) <= 100


def test_a_picture_gives_the_terminal_back() -> None:
    out = Terminal()
    living = Living(out, Ink())
    living.begin()
    living.draw(Tale((), T), morning())
    living.end()
    living.end()
    text = out.getvalue()
    assert text.startswith("\x1b[?1049h\x1b[?25l")
    assert text.endswith("\x1b[?25h\x1b[?1049l")
    assert text.count("\x1b[?1049l") == 1
    assert "\x1b[2J" not in text, "clearing the whole screen is what flickers"


def test_an_end_without_a_beginning_writes_nothing() -> None:
    out = Terminal()
    Living(out, Ink()).end()
    assert out.getvalue() == ""


def test_long_words_after_the_picture_hang_under_their_beginning() -> None:
    out = Terminal()
    Living(out, Ink()).tell("✓ " + "word " * 60)
    first, *rest = out.getvalue().splitlines()
    assert first.startswith("✓ word")
    assert rest
    assert all(line.startswith("  word") for line in rest)
