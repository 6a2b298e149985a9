"""Containers become services by their labels; what the file says goes first."""

from __future__ import annotations

from typing import Any

import pytest

from watchdog.config.discovery import discovered
from watchdog.config.load import from_values
from watchdog.config.schema import Edge, Service, Settings
from watchdog.model.container import Found

FILE = {"discovery": "docker", "defaults": {"interval": "10s", "term_grace": "20s"}}


def found(name: str = "bot", **labels: str) -> Found:
    return Found(name, {"enable": "true", **labels}, host_network=True)


def of(*containers: Found, **more: Any) -> tuple[Settings, tuple[str, ...]]:
    return discovered(from_values({**FILE, **more}), containers)


def only(container: Found) -> Service:
    settings, problems = of(container)
    assert problems == ()
    (service,) = settings.services.values()
    return service


def test_the_port_label_makes_an_http_probe_and_the_rest_comes_from_the_defaults() -> None:
    service = only(found(port="8101"))
    assert service.probe.http == "http://127.0.0.1:8101/health"
    assert (service.interval, service.term_grace) == (10.0, 20.0)
    assert service.runtime is not None
    assert service.runtime.docker is not None
    assert (service.runtime.docker.name, service.runtime.docker.host) == ("bot", "/var/run/docker.sock")
    assert only(found(port="8101", path="/live")).probe.http == "http://127.0.0.1:8101/live"


def test_it_is_asked_where_this_host_reaches_it() -> None:
    labels = {"enable": "true", "port": "80"}
    assert only(Found("bot", labels, {80: 8101}, address="172.17.0.2")).probe.http == "http://127.0.0.1:8101/health"
    assert only(Found("bot", labels, address="172.17.0.2")).probe.http == "http://172.17.0.2:80/health"


def test_without_a_port_docker_itself_is_asked() -> None:
    assert only(found()).probe.docker


@pytest.mark.parametrize("word", ["true", "1", "Yes"])
def test_only_what_asks_for_it_is_watched(word: str) -> None:
    assert list(of(Found("bot", {"enable": word}), Found("other", {"enable": "false"}), Found("third"))[0].services) == ["bot"]


def test_dependencies_are_names_of_services_with_commas_or_spaces() -> None:
    settings, problems = of(found(depends_on="db, cache"), found("db"), found("cache"))
    assert problems == ()
    assert settings.services["bot"].depends_on == {"db": Edge.NEEDS, "cache": Edge.NEEDS}


def test_a_wrong_label_is_told_and_hides_nothing() -> None:
    settings, problems = of(found(port="eight", depends_on="nosuch bot"), Found("far", {"enable": "true", "port": "80"}))
    assert settings.services["bot"].probe.docker
    assert settings.services["bot"].depends_on == {}
    assert settings.services["far"].probe.docker
    assert [problem.partition(":")[0] for problem in problems] == [
        "container bot",
        "container far",
        "container bot",
        "container bot",
    ]


def test_a_circle_of_labels_is_told_and_not_taken() -> None:
    settings, problems = of(found("a", depends_on="b"), found("b", depends_on="a"))
    assert [service.depends_on for service in settings.services.values()] == [{}, {}]
    assert problems == ("the labels make a dependency cycle: a -> b -> a; they are not taken",)


def test_what_the_file_configures_goes_first() -> None:
    services = {"mine": {"probe": {"tcp": "h:1"}, "runtime": {"docker": "bot"}}, "db": {"probe": {"tcp": "h:2"}}}
    settings, problems = of(found(), found("db"), services=services)
    assert list(settings.services) == ["mine", "db"]
    assert problems == ("container db: 'db' cannot be the name of a service, or is one already",)


def test_names_are_made_fit_or_refused() -> None:
    settings, problems = of(found("Bot_One"), found("docker"))
    assert list(settings.services) == ["bot_one"]
    assert len(problems) == 1


def test_without_discovery_nothing_is_looked_for() -> None:
    settings = from_values({"services": {"a": {"probe": {"tcp": "h:1"}}}})
    assert discovered(settings, [found()]) == (settings, ())


def test_a_wish_for_a_playbook_is_kept_as_a_label() -> None:
    assert only(found(playbook="gentle")).labels == {"playbook": "gentle"}


@pytest.mark.parametrize(
    ("port", "path"),
    [
        ("9" * 5000, "/"),
        ("\u0668\u0660", "/"),
        ("0", "/"),
        ("99999", "/"),
        ("80", "/x#y"),
        ("80", "/\x00"),
        ("80", "/\x7f"),
        ("80", "/\ud800"),
        ("80", "/\u200b"),
        ("80", "/a b"),
        ("80", "/" + "x" * 70_000),
    ],
)
def test_rubbish_in_labels_is_told_briefly_and_never_stops_us(port: str, path: str) -> None:
    settings, problems = of(found(port=port, path=path))
    assert settings.services["bot"].probe.docker
    assert len(problems) == 1
    assert len(problems[0]) < 300


def test_thousands_of_names_in_a_label_are_no_thousands_of_messages() -> None:
    settings, problems = of(found(depends_on=" ".join(f"{'n' * 200}{each}" for each in range(3000)), playbook="x\n" * 5000))
    assert settings.services["bot"].depends_on == {}
    assert settings.services["bot"].labels == {}
    assert len(problems) == 7
    assert max(map(len, problems)) < 300
