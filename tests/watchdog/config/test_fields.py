from __future__ import annotations

from datetime import time
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from watchdog.config import fields
from watchdog.config.fields import FROM_FILE, Budget, Night, Threshold
from watchdog.config.secrets import Secret


def read(kind: Any, value: object) -> Any:
    return TypeAdapter(kind).validate_python(value, context=FROM_FILE)


def test_a_number_without_unit_is_right_in_code_and_wrong_in_a_file() -> None:
    assert TypeAdapter(fields.Seconds).validate_python(30) == 30.0
    assert TypeAdapter(fields.Share).validate_python(0.5) == 0.5
    for kind in (fields.Seconds, fields.Share):
        with pytest.raises(ValidationError, match="has no unit"):
            read(kind, 30)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (fields.Seconds, "0s", 0.0),
        (fields.Period, "1h30m", 5400.0),
        (fields.Tempo, "200ms", 0.2),
        (fields.Share, "50%", 0.5),
        (fields.PerTime, "3/1h", Budget(3, 3600.0)),
        (fields.Clock, "8:30", time(8, 30)),
        (fields.Hours, "22:00-08:00", Night(time(22), time(8))),
        (fields.Patience, 4, Threshold(count=4)),
        (fields.Patience, "2m", Threshold(seconds=120.0)),
        (fields.Address, "[::1]:5432", "[::1]:5432"),
        (fields.Url, "https://h.example/x?y=1", "https://h.example/x?y=1"),
        (fields.Reachable, "1.1.1.1:443", "1.1.1.1:443"),
        (fields.Reachable, "https://h/", "https://h/"),
        (fields.Account, 1000, "1000"),
        (fields.Account, "deploy", "deploy"),
        (fields.ReloadSignal, "SIGUSR1", "USR1"),
        (fields.Environment, {"A": "b"}, {"A": "b"}),
    ],
)
def test_the_text_forms_become_values(kind: Any, text: object, value: object) -> None:
    assert read(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (fields.Period, "0s"),
        (fields.Tempo, "100ms"),
        (fields.Share, "0%"),
        (fields.Clock, "24:00"),
        (fields.Clock, "08:30\n"),
        (fields.Clock, 8.3),
        (fields.Hours, "22:00"),
        (fields.Patience, 0),
        (fields.Patience, True),
        (fields.Patience, None),
        (fields.Address, "h"),
        (fields.Address, "h:0"),
        (fields.Address, 5432),
        (fields.Url, "ftp://h/"),
        (fields.Url, "http:///x"),
        (fields.Url, "http://h:99999/"),
        (fields.Url, "http://h/ x"),
        (fields.Url, "http://h/#x"),
        (fields.Url, "http://u@h/"),
        (fields.Account, True),
        (fields.ReloadSignal, "KILL"),
        (fields.Environment, {"A": 1}),
        (fields.Environment, {"A B": "x"}),
        (fields.Environment, {"BOT_WATCHDOG_PID": "1"}),
        (fields.Environment, "A=b"),
        (fields.Flag, "true"),
        (fields.Count, "3"),
        (fields.Count, 0),
    ],
)
def test_what_is_no_text_form_is_refused(kind: Any, text: object) -> None:
    with pytest.raises(ValidationError):
        read(kind, text)


def test_errors_about_an_environment_never_show_a_value() -> None:
    with pytest.raises(ValidationError) as caught:
        read(fields.Environment, {"TOKEN": 1234567890123})
    assert "1234567890123" not in str(caught.value.errors(include_input=False)[0]["msg"])


def test_addresses_are_split_into_host_and_port() -> None:
    assert fields.split_address("[::1]:80") == ("::1", 80)
    assert fields.split_address("db.example:5432") == ("db.example", 5432)


def test_equal_mappings_are_one_object_that_nobody_can_write() -> None:
    one, two = fields.shared({"kind": "bot"}), fields.shared({"kind": "bot"})
    assert one is two
    assert fields.shared({}) is fields.EMPTY
    with pytest.raises(TypeError):
        one["kind"] = "x"  # type: ignore[index]


def test_secrets_pass_through_an_environment_untouched() -> None:
    secret = Secret("env X", "hunter2")
    assert read(fields.Environment, {"A": secret})["A"] is secret


def test_a_map_names_fields_of_our_own_form() -> None:
    assert read(fields.HealthMap, {"status": "service.state", "progress.counter": "done"}) == {
        "status": "service.state",
        "progress.counter": "done",
    }
    with pytest.raises(ValidationError, match="these are: status"):
        read(fields.HealthMap, {"zzz": "a"})
    with pytest.raises(ValidationError, match="needs a path"):
        read(fields.HealthMap, {"status": "$."})
