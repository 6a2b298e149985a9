from __future__ import annotations

import pytest
from pydantic import ValidationError

from watchdog.config.container import Container
from watchdog.config.load import from_values
from watchdog.config.service import Edge, Probe, Process, Reload, Runtime, Service


def one(**more: object) -> Service:
    return from_values({"services": {"a": {"probe": {"tcp": "h:1"}, **more}, "b": {"probe": {"tcp": "h:2"}}}}).services["a"]


def test_the_title_is_the_name_unless_it_is_written() -> None:
    assert one().title == "a"
    assert one(title="A bot").title == "A bot"


def test_a_hanging_check_never_delays_the_next() -> None:
    """SPEC 2: the deadline is the timeout, but at most the interval less one tick."""
    assert Service(name="a", probe=Probe(tcp="h:1")).deadline == pytest.approx(29.9)
    assert Service(name="a", probe=Probe(tcp="h:1"), timeout=5).deadline == 5
    assert one(interval="1s").deadline == pytest.approx(0.9), "an inherited timeout is cut, not refused"


def test_the_kind_of_a_probe_is_the_one_that_is_set() -> None:
    probes = [Probe(http="http://h/"), Probe(tcp="h:1"), Probe(docker=True), Probe(process=True), Probe(exec="x")]
    assert [probe.kind for probe in probes] == ["http", "tcp", "docker", "process", "exec"]
    with pytest.raises(ValidationError, match="exactly one"):
        Probe()
    with pytest.raises(ValidationError, match="exactly one"):
        Probe(http="http://h/", tcp="h:1")
    with pytest.raises(ValidationError, match="needs an http probe"):
        Probe(tcp="h:1", map={"status": "x"})


def test_a_list_of_dependencies_means_that_it_needs_them() -> None:
    assert one(depends_on=["b"]).depends_on == {"b": Edge.NEEDS}
    assert one(depends_on={"b": "restart_with"}).depends_on == {"b": Edge.RESTART_WITH}
    assert one().depends_on == {}


def test_a_reload_is_a_signal_or_a_url() -> None:
    assert Reload(signal="SIGHUP").pair == ("signal", "HUP")
    assert Reload(http="http://h/reload").pair == ("http", "http://h/reload")
    with pytest.raises(ValidationError, match="exactly one"):
        Reload()


def test_a_process_is_started_by_an_argument_list() -> None:
    service = one(runtime={"process": {"start": ["/bin/x", "-v"], "env": {"A": "b"}, "user": "bot"}})
    assert service.runtime is not None
    assert service.runtime.kind == "process"
    process = service.runtime.process
    assert process is not None
    assert process.start == ("/bin/x", "-v")
    assert process.env == {"A": "b"}
    assert Process(start=("x",)).cwd is None


def test_a_container_is_known_by_its_name() -> None:
    short = one(runtime={"docker": "ezee-scraper"}).runtime
    long = one(runtime={"docker": {"name": "ezee-scraper", "host": "unix:///run/other.sock"}}).runtime
    assert short is not None
    assert short.kind == "docker"
    assert short.docker == Container(name="ezee-scraper", host="/var/run/docker.sock")
    assert long is not None
    assert long.docker == Container(name="ezee-scraper", host="/run/other.sock")
    with pytest.raises(ValidationError, match="exactly one of process, docker"):
        Runtime()
