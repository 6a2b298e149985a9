"""One real engine for each worker of the test run; every module finds it up and empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.tools import lacking, need
from tests.live.engine import Engine, EngineFailed, private_engine


@pytest.fixture(scope="session")
def only_engine() -> Iterator[Engine]:
    need("dockerd", "containerd", "docker", root=True)
    try:
        with private_engine() as made:
            yield made
    except EngineFailed as failure:
        lacking(str(failure))


@pytest.fixture(scope="module")
def engine(only_engine: Engine) -> Engine:
    only_engine.clear()
    return only_engine
