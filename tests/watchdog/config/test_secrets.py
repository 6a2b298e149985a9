from __future__ import annotations

import os
from pathlib import Path

import pytest

from watchdog.config.load import load
from watchdog.config.secrets import LARGEST, Secret, SecretError, resolve
from watchdog.errors import ConfigurationError


def test_a_secret_never_shows_itself() -> None:
    secret = Secret("file /x", "hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "hunter2"
    assert str(secret) == "(secret from file /x)"


def test_the_three_forms(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hunter2\r\n")
    assert resolve({"file": str(tmp_path / "token")}, {}, Path()).reveal() == "hunter2"
    assert resolve({"file": "token"}, {}, tmp_path).reveal() == "hunter2", "beside the configuration"
    assert resolve({"env": "TOKEN"}, {"TOKEN": "hunter2\n"}, Path()).reveal() == "hunter2\n"
    assert resolve({"credential": "token"}, {"CREDENTIALS_DIRECTORY": str(tmp_path)}, Path()).reveal() == "hunter2"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "write {file: PATH}"),
        ({"file": "a", "env": "b"}, "write {file: PATH}"),
        ({"vault": "a#b"}, "write {file: PATH}"),
        ({"file": 5}, "write {file: PATH}"),
        ({"env": "NOT_SET"}, "'NOT_SET' is not set"),
        ({"env": "EMPTY"}, "is empty"),
        ({"file": "gone"}, "does not exist"),
        ({"file": "."}, "is no file"),
        ({"file": "fifo"}, "is no file"),
        ({"file": "large"}, "larger than 64 KiB"),
        ({"file": "binary"}, "is not UTF-8 text"),
        ({"file": "nul"}, "contains a NUL byte"),
        ({"credential": "x"}, "systemd gave no credentials"),
    ],
)
def test_a_secret_that_cannot_be_had_is_an_error_without_content(tmp_path: Path, form: dict[str, object], words: str) -> None:
    (tmp_path / "large").write_bytes(b"x" * (LARGEST + 1))
    (tmp_path / "binary").write_bytes(b"hunter2\xff")
    (tmp_path / "nul").write_bytes(b"hunter2\0")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(SecretError) as caught:
        resolve(form, {"EMPTY": ""}, tmp_path)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_credential_is_a_plain_name() -> None:
    with pytest.raises(SecretError, match="no plain name"):
        resolve({"credential": "../x"}, {"CREDENTIALS_DIRECTORY": "/tmp"}, Path())


def test_a_planted_secret_is_in_no_settings_print_and_no_error(tmp_path: Path) -> None:
    """SPEC 15."""
    (tmp_path / "token").write_text("hunter2")
    path = tmp_path / "watchdog.yaml"
    secrets = "{T: {file: token}, U: {env: PLANTED}}"
    text = f"services:\n  a:\n    probe: {{process: true}}\n    runtime: {{process: {{start: [x], env: {secrets}}}}}\n"
    path.write_text(text)
    settings = load(path, check_trust=False, environ={"PLANTED": "hunter3"})
    assert "hunter" not in repr(settings)
    runtime = settings.services["a"].runtime
    assert runtime is not None
    assert runtime.process is not None
    assert [value.reveal() for value in runtime.process.env.values() if isinstance(value, Secret)] == ["hunter2", "hunter3"]
    text = text.replace("{process: true}", '{http: "h/${PLANTED}"}')
    path.write_text(text + '    depends_on: ["${PLANTED}"]\nmode: "${PLANTED}"\n')
    with pytest.raises(ConfigurationError) as caught:
        load(path, check_trust=False, environ={"PLANTED": "hunter3"})
    assert len(caught.value.problems) == 3
    assert "hunter" not in str(caught.value)
