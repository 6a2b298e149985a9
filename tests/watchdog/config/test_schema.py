from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from watchdog.config import schema, service
from watchdog.config.schema import Budget, Mode, Night, Settings, Threshold

MODELS = [
    model
    for module in (schema, service)
    for model in vars(module).values()
    if isinstance(model, type) and hasattr(model, "__pydantic_fields__")
]


def test_the_promised_defaults() -> None:
    """SPEC 3, value by value."""
    settings = Settings(services={})
    assert settings.mode is Mode.HEAL
    assert settings.language == "en"
    assert (settings.state.dir, settings.state.keep) == (Path("/var/lib/bot-watchdog"), 90 * 86400)
    defaults = settings.defaults
    assert (defaults.interval, defaults.timeout, defaults.retry) == (30, 30, None)
    assert (defaults.startup_grace, defaults.term_grace, defaults.healthy) == (30, 10, 2)
    tiers = settings.alerts.tiers
    assert (tiers.silent_below, tiers.critical_after, tiers.repeats_per_hour) == (180, 900, 3)
    assert settings.reports.digest == time(8, 30)
    assert settings.reports.night == Night(time(22), time(8))
    assert settings.reports.manual_recovery == 45 * 60
    guards = settings.guards
    assert (guards.concurrent, guards.settle, guards.reconnect, guards.proof) == (4, 30, 60, 180)
    assert (guards.cooldown, guards.budget, guards.rearm_after) == (300, Budget(3, 3600), 3600)
    assert (guards.storm.share, guards.storm.at_least, guards.storm.or_, guards.storm.within) == (0.5, 4, 20, 60)
    assert settings.connectivity.targets == ()
    assert settings.commands == {}
    assert settings.playbooks == (Path("playbooks"),)
    assert settings.control.socket == Path("/run/bot-watchdog/control.sock")
    assert settings.control.admins == ()
    assert schema.Command(argv=("x",)).user is None
    assert settings.apis == {}


def test_every_field_has_its_doc() -> None:
    for model in MODELS:
        for name, field in model.__pydantic_fields__.items():
            assert field.description, f"{model.__name__}.{name}"


def test_everything_is_frozen_and_small() -> None:
    assert len(MODELS) > 15
    settings: Any = Settings(services={})
    for thing in (settings, settings.guards.storm, settings.defaults):
        assert not hasattr(thing, "__dict__")
        with pytest.raises(FrozenInstanceError):
            setattr(thing, fields(thing)[0].name, None)


def test_a_change_is_checked_again() -> None:
    guards = Settings(services={}).guards
    assert replace(guards, concurrent=2).concurrent == 2
    with pytest.raises(ValidationError):
        replace(guards, concurrent=0)


def test_silent_ends_before_critical_begins() -> None:
    with pytest.raises(ValidationError, match="must not be longer"):
        schema.Tiers(silent_below=901)


def test_thresholds_are_a_count_or_a_time() -> None:
    assert schema.Thresholds().unresponsive == Threshold(count=4)
