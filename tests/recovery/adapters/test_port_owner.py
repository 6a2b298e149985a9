"""Which port Docker could not have, and who has it."""

from __future__ import annotations

import os
import socket
import subprocess

import pytest

from recovery.adapters.port_owner import port_owner, taken_port
from tests.fakes.ports import free_port


@pytest.mark.parametrize(
    ("words", "port"),
    [
        (
            "driver failed programming external connectivity: Bind for 0.0.0.0:8080 failed: port is already allocated",
            8080,
        ),
        ("Error starting userland proxy: listen tcp4 0.0.0.0:80: bind: address already in use", 80),
        ("failed to bind host port for 127.0.0.1:8443:172.17.0.2:443/tcp: address already in use", 8443),
        ("failed to bind host port [::]:9000/tcp: address already in use", 9000),
        ("Bind for :::9100 failed: port is already allocated", 9100),
        ("Port is already allocated", 0),
        ("OCI runtime create failed: exec: 'bot' not found", None),
        ("Docker gave no answer in time", None),
    ],
)
def test_the_port_is_read_from_dockers_words(words: str, port: int | None) -> None:
    assert taken_port(words) == port


def test_the_owner_is_named_and_lives_on() -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        assert port_owner(port).startswith(f"pid {os.getpid()} (")
    assert port_owner(port) == ""


def test_a_udp_port_has_an_owner_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        assert f"pid {os.getpid()}" in port_owner(one.getsockname()[1])


def test_one_who_is_only_connected_to_such_a_port_elsewhere_is_no_owner() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert port_owner(client.getsockname()[1]) == ""


def test_its_owner_may_be_another_process() -> None:
    port = free_port()
    code = f"import socket,sys; s=socket.create_server(('127.0.0.1',{port})); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(["python3", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        assert port_owner(port).startswith(f"pid {owner.pid} (python")
        assert owner.poll() is None
