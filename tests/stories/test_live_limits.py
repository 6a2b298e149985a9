"""Fifty bots that hang at once, and a daemon that runs out of descriptors (F42, F43)."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.fakes.ports import free_port
from tests.fakes.tools import need
from tests.stories.harness import CLOCK, ROOT, Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]

SILENT = ROOT / "tests" / "fakes" / "targets" / "silent.py"
MANY = 50
SOFT = 64
"""Descriptors of the daemon."""


@contextmanager
def silence(here: Town) -> Iterator[Path]:
    """Services that hang; the file says when each was asked."""
    ports = {f"silent-{number}": free_port() for number in range(MANY)}
    for name, port in ports.items():
        here.services[name] = {"probe": {"http": f"http://127.0.0.1:{port}/health"}}
    seen = here.folder / "silent.log"
    process = subprocess.Popen([sys.executable, "-S", "-E", str(SILENT), str(seen), *map(str, ports.values())])
    try:
        yield seen
    finally:
        process.kill()
        process.wait()


def asked(seen: Path) -> tuple[dict[str, list[float]], int]:
    """When each port was asked, and the most questions that ever waited there when one more came."""
    times: dict[str, list[float]] = defaultdict(list)
    most = 0
    for line in seen.read_text().splitlines():
        port, at, waiting = line.split()
        times[port].append(float(at))
        most = max(most, int(waiting))
    return times, most


def gaps(times: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(times)]


def test_fifty_hanging_bots_delay_nobody_and_are_never_asked_twice_at_a_time(tmp_path: Path) -> None:
    with town(tmp_path / "town") as here, silence(here) as seen:
        here.bot("well")
        here.start(ready=False)
        here.until(lambda: here.ok("well"), 20, "the healthy one is known")
        begin = CLOCK.now()
        pause(10)
        times, most = asked(seen)
        assert len(times) == MANY
        assert most == 0, "checks of one service overlapped"
        for port, moments in times.items():
            late = [gap for gap in gaps(moments) if not 0.85 <= gap <= 1.4]
            assert not late, (port, late)
        healthy = gaps([at for at in here.asked("well") if at >= begin])
        assert len(healthy) >= 8
        assert max(healthy) <= 1.25, healthy
        assert here.count("SELECT count(*) FROM incidents WHERE service = 'host' AND symptom = 'storm'") == 1
        assert here.runs("well") == []
        assert len(here.starts("well")) == 1
        assert here.breaches() == []


def test_a_daemon_without_descriptors_degrades_and_goes_on(tmp_path: Path) -> None:
    need("prlimit")
    with town(tmp_path / "town") as here, silence(here):
        here.guards["storm"] = {"share": "100%", "at_least": 500, "or": 500}
        here.bot("hung", "stubborn")
        for number in range(5):
            here.bot(f"well-{number}")
        here.start(ready=False, argv=("prlimit", f"--nofile={SOFT}:4096"))
        here.until(lambda: len(here.starts("hung")) == 1, 20, "it is started")
        assert here.daemon is not None
        pid = here.daemon.pid
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (SOFT, 4096))  # it had made itself room, and now that is taken away
        pause(3)
        here.mood("hung", "hang")
        pause(8)
        assert here.daemon.poll() is None, here.report()
        assert len(list(Path(f"/proc/{pid}/fd").iterdir())) <= SOFT
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (4096, 4096))
        here.until(lambda: len(here.starts("hung")) == 2 and here.ok("hung"), 40, "it is healed")
        here.until(lambda: here.ok(*(f"well-{number}" for number in range(5))), 20, "the others are well")
        for number in range(5):
            assert len(here.starts(f"well-{number}")) == 1
            assert alive(here.pid(f"well-{number}"))
        assert here.breaches() == []
        assert here.daemon.pid == pid
