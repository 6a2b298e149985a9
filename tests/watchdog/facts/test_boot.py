from __future__ import annotations

import re

from watchdog.facts.boot import boot_id


def test_it_is_the_same_until_the_next_boot() -> None:
    assert re.fullmatch(r"[0-9a-f-]{36}", boot_id())
    assert boot_id() == boot_id()
