from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.installation import Installation, install


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    return install(tmp_path)
