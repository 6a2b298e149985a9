from __future__ import annotations

import re
from pathlib import Path

from watchdog.facts.host import load


def test_it_is_one_line_with_cpu_memory_and_disk(tmp_path: Path) -> None:
    assert re.fullmatch(r"CPU \d+ % · memory \d+ % · disk \d+ %", load(tmp_path))


def test_where_the_system_does_not_tell_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert load(tmp_path / "gone") == ""
