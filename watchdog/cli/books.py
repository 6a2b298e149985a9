"""The playbooks of a configuration, as the daemon would take them."""

from __future__ import annotations

from collections.abc import Iterable

from recovery.load import Playbooks, load_playbooks
from recovery.problem import Problem
from recovery.registry import discover
from watchdog.config.schema import Settings
from watchdog.model.symptom import KNOWN


def books(settings: Settings | None) -> Playbooks:
    """Those of the configured folders and the built-in ones; only the latter without a configuration."""
    folders, commands = (settings.playbooks, settings.commands) if settings else ((), None)
    return load_playbooks(folders, discover(), symptoms=KNOWN, commands=commands)


def faults(settings: Settings | None) -> Iterable[Problem]:
    """What is wrong with them, for the same list as the configuration's own errors."""
    return books(settings).found
