"""What is slow now (SPEC 4: told in digest and `status`). Nothing else than the daemon knows it, and nothing is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MARK = "slow: "
"""How `now` of a service begins in the live status when it is slow."""


def slow_of(status: Mapping[str, Any]) -> dict[str, str]:
    """How each slow service is slow, by name, from the daemon's live `status`."""
    said = {entry["name"]: str(entry.get("now") or "") for entry in status.get("services", ())}
    return {name: now.removeprefix(MARK) for name, now in said.items() if now.startswith(MARK)}
