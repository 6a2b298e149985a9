"""Room for sockets is ours alone."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import resource, subprocess
from recovery.adapters.descriptors import as_we_began, make_room
make_room()
print(resource.getrlimit(resource.RLIMIT_NOFILE))
print(subprocess.check_output(["sh", "-c", as_we_began() + "; ulimit -Sn; ulimit -Hn"], text=True).split())
"""


def test_we_take_what_is_allowed_and_a_bot_begins_as_we_did() -> None:
    limits = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 700))"
    done = subprocess.run([sys.executable, "-c", f"{limits}\n{SCRIPT}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(700, 700)", "['256', '700']"]
