"""Tools of the machine that a slow test needs. Missing ones skip it at a desk and fail it in CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def need(*tools: str, root: bool = False) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if root and os.geteuid() != 0:
        missing.append("root")
    if missing:
        lacking(f"needs {', '.join(missing)}")


def lacking(words: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(words)
