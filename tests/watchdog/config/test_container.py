"""A Docker container in the settings."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from watchdog.config.container import DOCKER_SOCKET, Container, NamedContainer


def read(value: object) -> Any:
    return TypeAdapter(NamedContainer).validate_python(value)


def test_a_name_alone_lives_in_the_usual_engine() -> None:
    assert read("ezee-scraper") == Container(name="ezee-scraper", host=DOCKER_SOCKET)
    assert DOCKER_SOCKET == "/var/run/docker.sock"


@pytest.mark.parametrize("host", ["/run/user/1000/docker.sock", "unix:///run/user/1000/docker.sock"])
def test_another_engine_is_the_path_of_its_socket(host: str) -> None:
    assert read({"name": "bot", "host": host}).host == "/run/user/1000/docker.sock"


@pytest.mark.parametrize(
    "host", ["/run/docker.sock", "unix:///run/docker.sock", "//var/run//docker.sock", "/var/run/./docker.sock"]
)
def test_the_usual_engine_by_another_spelling_is_the_usual_engine(host: str) -> None:
    """Two spellings would be two engines, and one container could be two services that heal it past each other."""
    assert read({"name": "bot", "host": host}) == read("bot")


@pytest.mark.parametrize("name", ["a", "A", "9bot", "proj_bot.1-x", "Bot" * 30])
def test_the_names_that_docker_allows(name: str) -> None:
    assert read(name).name == name


@pytest.mark.parametrize("name", ["", "-bot", ".bot", "/bot", "bot one", "bot\n", "бот", "bot:1", 12, True, None, ["bot"]])
def test_what_is_no_name(name: object) -> None:
    with pytest.raises(ValidationError):
        read({"name": name})
    with pytest.raises(ValidationError):
        read(name)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "docker.sock",
        "tcp://10.0.0.1:2375",
        "ssh://root@far",
        "http:///x",
        "unix://",
        "unix:/x",
        "/a b",
        "/",
        "/x\n",
        12,
        None,
    ],
)
def test_an_engine_elsewhere_is_refused_because_nothing_in_it_can_be_signalled_from_here(host: object) -> None:
    with pytest.raises(ValidationError, match=r"no unix socket, write for example /var/run/docker\.sock"):
        read({"name": "bot", "host": host})


def test_a_name_is_needed_and_nothing_else_known() -> None:
    with pytest.raises(ValidationError, match="name"):
        read({"host": "/run/docker.sock"})
    with pytest.raises(ValidationError, match="image"):
        read({"name": "bot", "image": "bots/ezee"})
