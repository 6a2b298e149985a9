"""Whose checks go over our own network."""

from __future__ import annotations

import pytest

from watchdog.config.schema import Probe, Service
from watchdog.decisions.cards import leaves_host


@pytest.mark.parametrize(
    ("probe", "leaves"),
    [
        (Probe(http="http://127.0.0.1:8101/health"), False),
        (Probe(http="http://127.9.9.9/health"), False),
        (Probe(http="http://localhost:8101/health"), False),
        (Probe(http="http://[::1]:8101/health"), False),
        (Probe(http="https://bots.example/health"), True),
        (Probe(http="http://192.168.1.4:8101/health"), True),
        (Probe(tcp="db.example:5432"), True),
        (Probe(tcp="127.0.0.1:5432"), False),
        (Probe(process=True), False),
        (Probe(exec="look"), False),
    ],
)
def test_a_check_leaves_the_host_when_its_address_is_not_the_hosts_own(probe: Probe, leaves: bool) -> None:
    assert leaves_host(Service(name="bot", probe=probe)) is leaves
