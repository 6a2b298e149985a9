from __future__ import annotations

from pathlib import Path

import pytest

from watchdog.config.find import find
from watchdog.errors import ConfigurationError


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir(mode=0o755)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "system.yaml"


def test_the_file_that_was_named_is_taken(system: Path) -> None:
    assert find(Path("x.yaml"), system=system) == Path("x.yaml")


def test_the_one_here_comes_before_the_one_of_the_system(system: Path) -> None:
    system.write_text("")
    assert find(None, system=system, user=1000) == system
    Path("watchdog.yaml").write_text("")
    assert find(None, system=system, user=1000) == Path("watchdog.yaml")


def test_root_takes_the_one_here_only_when_nobody_else_could_write_it(system: Path) -> None:
    Path("watchdog.yaml").write_text("")
    Path("watchdog.yaml").chmod(0o666)
    with pytest.raises(ConfigurationError, match="is not taken by root: "):
        find(None, system=system, user=0)
    system.write_text("")
    assert find(None, system=system, user=0) == system
    assert find(None, system=system, user=1000) == Path("watchdog.yaml")


def test_none_at_all_is_an_error_that_names_both_places(system: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find(None, system=system)
    text = f"no configuration: ./watchdog.yaml does not exist; {system} does not exist; name a file with -c FILE"
    assert caught.value.problems == (text,)
