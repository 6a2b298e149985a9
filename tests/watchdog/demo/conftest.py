"""A folder whose path leaves room for a socket; that of `tmp_path` holds the name of the test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="demo-", dir="/tmp") as folder:
        yield Path(folder)
