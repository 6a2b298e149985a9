"""Secrets come from a file, the environment or systemd's credentials, never as literals, and never show themselves (SPEC 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

LARGEST = 64 * 1024
"""Bytes of one secret file at most."""

FORMS = "write {file: PATH}, {env: NAME} or {credential: NAME}"


class SecretError(ValueError):
    """The secret cannot be had; the text never contains it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that stays out of logs, errors and prints. origin: where it came from, for people."""

    origin: str
    value: str = field(repr=False)

    def __str__(self) -> str:
        return f"(secret from {self.origin})"

    def reveal(self) -> str:
        """The value itself, for the one place that needs it."""
        return self.value


Resolve = Callable[[Mapping[str, object], Mapping[str, str], Path], "Secret"]
"""From a form to its secret; see `resolve`."""


def resolve(form: Mapping[str, object], environ: Mapping[str, str], folder: Path) -> Secret:
    """One of `{file:}`, `{env:}`, `{credential:}` as a Secret. A relative file stands beside the configuration (`folder`).

    One line end at the end of a file is not part of the secret. Raises SecretError.
    """
    if len(form) != 1:
        raise SecretError(FORMS)
    ((kind, name),) = form.items()
    if kind not in ("file", "env", "credential") or not isinstance(name, str) or not name:
        raise SecretError(FORMS)
    if kind == "env":
        if name not in environ:
            raise SecretError(f"the environment variable '{name}' is not set")
        return Secret(f"env {name}", _sound(environ[name], name))
    if kind == "file":
        return Secret(f"file {name}", _read(folder / name))
    directory = environ.get("CREDENTIALS_DIRECTORY")
    if not directory:
        raise SecretError(f"credential '{name}': systemd gave no credentials to this process (LoadCredential=)")
    if "/" in name or name in (".", ".."):
        raise SecretError(f"credential '{name}' is no plain name")
    return Secret(f"credential {name}", _read(Path(directory) / name))


def pretended(form: Mapping[str, object], environ: Mapping[str, str], folder: Path) -> Secret:  # noqa: ARG001  as `resolve`
    """The form is right; what it names is not looked at. For the simulator, which tells nobody anything. Raises SecretError."""
    if (
        len(form) != 1
        or not {"file", "env", "credential"} >= form.keys()
        or not all(isinstance(n, str) and n for n in form.values())
    ):
        raise SecretError(FORMS)
    return Secret("nowhere", "pretended")


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            raise SecretError(f"{path} is no file" if path.exists() else f"{path} does not exist")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise SecretError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise SecretError(f"{path} is larger than {LARGEST // 1024} KiB")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise SecretError(f"{path} is not UTF-8 text") from None
    return _sound(text.removesuffix("\n").removesuffix("\r"), str(path))


def _sound(text: str, name: str) -> str:
    if not text:
        raise SecretError(f"{name} is empty")
    if "\0" in text:
        raise SecretError(f"{name} contains a NUL byte")
    return text
