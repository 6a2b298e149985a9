from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.installation import Installation
from watchdog.cli.failures import Failure
from watchdog.cli.options import Asked
from watchdog.cli.place import place, salvage
from watchdog.errors import ConfigurationError


def test_a_good_configuration_says_where_everything_is(here: Installation) -> None:
    where = place(Asked(here.config))
    assert (where.state, where.socket) == (here.folder / "state", here.socket)
    assert where.titles["ezee-scraper"] == "eZee Scraper"
    assert where.settings is not None
    assert where.known("host") == "host"
    with pytest.raises(Failure, match="did you mean 'report-bot'"):
        where.known("report-bt")


def test_of_a_broken_one_as_much_is_taken_as_can_be_read(here: Installation) -> None:
    here.config.write_text(here.config.read_text() + "nonsense: 1\n")
    where = place(Asked(here.config))
    assert where.settings is None
    assert len(where.problems) == 1
    assert (where.state, where.socket) == (here.folder / "state", here.socket)
    assert set(where.titles) == {"postgres", "ezee-scraper", "report-bot"}


@pytest.mark.parametrize("text", ["{", "control: {socket: /tmp/mine.sock}\n  odd", ""])
def test_a_file_that_is_no_yaml_never_leads_to_the_daemon_of_another_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "w.yaml").write_text(text)
    with pytest.raises(ConfigurationError):
        place(Asked(tmp_path / "w.yaml"))


def test_of_the_systems_own_file_the_usual_places_are_taken_even_when_it_is_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text("{")
    where = salvage(tmp_path / "w.yaml", ("x",))
    assert str(where.socket) == "/run/bot-watchdog/control.sock"
    assert where.known("anything") == "anything"


@pytest.mark.parametrize("name", ["", "/dev/null", "w" * 5000])
def test_what_is_no_file_never_leads_to_the_daemon_of_another_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError):
        place(Asked(tmp_path / name))
