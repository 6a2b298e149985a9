"""Every way in which the engine fails becomes one typed error with one line (F14, F15)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recovery.adapters.docker_client import EngineClient, shut
from recovery.errors import EngineAway, OutcomeUnknown, StepFailed
from tests.fakes.fake_engine import CANARY, FakeEngine, fake_engine

READ = 0.3

LOOKS: dict[str, tuple[str, Callable[[EngineClient], object]]] = {
    "ping": ("ping", EngineClient.ping),
    "info": ("info", EngineClient.info),
    "inspect": ("inspect", lambda client: client.inspect("scraper")),
    "list": ("list", EngineClient.containers),
    "logs": ("logs", lambda client: client.logs("scraper", 5)),
    "history": ("events", lambda client: client.history(0, time.time())),
    "stream": ("events", lambda client: client.stream(None)),
}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[FakeEngine]:
    with fake_engine(tmp_path) as running:
        running.make("scraper", "sleep", "60")
        yield running


@pytest.fixture
def client(engine: FakeEngine) -> Iterator[EngineClient]:
    made = EngineClient(engine.url, READ, READ)
    yield made
    made.close()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("hang", "Docker gave no answer in time"),
        ("500", "Docker answers HTTP 500: something went wrong inside"),
        ("503", "Docker answers HTTP 503: something went wrong inside"),
        ("gone", "Docker's answer was cut off"),
    ],
)
def test_f15_a_look_that_fails_says_that_the_engine_is_away(
    engine: FakeEngine, client: EngineClient, look: str, fault: str, words: str
) -> None:
    operation, ask = LOOKS[look]
    engine.faults[operation] = fault
    with pytest.raises(EngineAway, match=words) as told:
        ask(client)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("look", ["info", "inspect", "list"])
@pytest.mark.parametrize("fault", ["cut", "nonsense", "odd"])
def test_f15_an_answer_that_is_broken_is_no_answer(engine: FakeEngine, client: EngineClient, look: str, fault: str) -> None:
    operation, ask = LOOKS[look]
    engine.faults[operation] = fault
    with pytest.raises(EngineAway, match=r"Docker's answer (is broken|was cut off)"):
        ask(client)


@pytest.mark.parametrize("fault", ["hang", "500", "cut", "nonsense", "odd", "gone"])
def test_f15_an_engine_that_is_ill_when_first_asked_is_away(engine: FakeEngine, fault: str) -> None:
    engine.faults["version"] = fault
    with pytest.raises(EngineAway):
        EngineClient(engine.url, READ)


def test_f14_without_a_socket_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(EngineAway, match=r"^Docker is not there: .*/none\.sock does not exist$"):
        EngineClient(f"unix://{tmp_path}/none.sock")


def test_f14_a_socket_that_nobody_listens_at_says_so(engine: FakeEngine, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(EngineAway, match="nobody listens at"):
        EngineClient(f"unix://{file}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_f14_a_socket_that_is_not_ours_to_open_says_so(engine: FakeEngine) -> None:
    engine.socket.chmod(0o600)
    engine.socket.parent.chmod(0o755)
    os.seteuid(65534)
    try:
        with pytest.raises(EngineAway, match="Docker may not be asked: no permission for"):
            EngineClient(engine.url)
    finally:
        os.seteuid(0)


def test_f14_a_socket_that_is_removed_meanwhile_is_away(engine: FakeEngine, client: EngineClient) -> None:
    engine.disappear()
    for _, ask in LOOKS.values():
        with pytest.raises(EngineAway, match="Docker is not there"):
            ask(client)
    with pytest.raises(EngineAway, match="Docker is not there"):
        client.start("scraper")


def test_a_host_without_containers_does_not_pay_for_the_library() -> None:
    code = "import sys, recovery.runtimes.docker; sys.exit(bool({'docker', 'requests', 'urllib3'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_container_is_found_by_its_name_only(engine: FakeEngine, client: EngineClient) -> None:
    found = client.inspect("scraper")
    assert found is not None
    assert found["Id"] == engine.containers["scraper"].id
    assert client.inspect(found["Id"][:6]) is None
    assert client.inspect(found["Id"]) is None
    assert client.inspect("nobody") is None


@pytest.mark.parametrize("fault", ["hang", "gone"])
def test_f15_a_start_without_an_answer_is_of_unknown_outcome(engine: FakeEngine, client: EngineClient, fault: str) -> None:
    engine.make("idle", "sleep", "60", running=False)
    engine.faults["start"] = fault
    with pytest.raises(OutcomeUnknown, match=r"start idle: .*; what became of it is not known"):
        client.start("idle")


def test_a_start_that_is_refused_says_why_in_the_engines_words(engine: FakeEngine, client: EngineClient) -> None:
    engine.make("idle", "sleep", "60", running=False)
    engine.refusals = [(500, "OCI runtime create failed:\n exec: 'bot' not found"), (409, "cannot start a paused container")]
    for words in ("OCI runtime create failed: exec: 'bot' not found", "cannot start a paused container"):
        with pytest.raises(StepFailed, match=f"Docker does not start idle: {words}") as told:
            client.start("idle")
        assert not isinstance(told.value, EngineAway | OutcomeUnknown)
    with pytest.raises(StepFailed, match="No such container: nobody"):
        client.start("nobody")
    client.start("idle")
    client.start("idle")
    assert len(engine.containers["idle"].starts) == 1


def test_the_log_of_a_container_that_is_not_there_is_no_fault_of_the_engine(client: EngineClient) -> None:
    with pytest.raises(StepFailed, match="there is no container 'nobody'") as told:
        client.logs("nobody", 5)
    assert not isinstance(told.value, EngineAway)


def test_the_history_knows_whether_it_is_complete(engine: FakeEngine, client: EngineClient) -> None:
    began = time.time()
    scraper = engine.containers["scraper"]
    engine.tell("kill", scraper, signal="15")
    engine.tell("pull", scraper, kind="image")
    seen = client.history(began, time.time())
    assert [each["Action"] for each in seen.events] == ["kill"]
    assert seen.complete
    for _ in range(300):
        engine.tell("exec_die", scraper)
    assert not client.history(began, time.time()).complete
    assert client.history(time.time(), time.time()).complete
    assert len(client.history(began, time.time()).events) == 256
    assert CANARY not in repr(client.history(began, time.time()))


def test_an_open_stream_may_be_silent_longer_than_any_read_may_take(engine: FakeEngine, client: EngineClient) -> None:
    stream = client.stream(None)
    threading.Timer(2 * READ, engine.tell, ("oom", engine.containers["scraper"])).start()
    with stream:
        assert b'"oom"' in next(stream.iter_lines())
        shut(stream)
