import os
import pwd
from pathlib import Path

import pytest

from recovery.adapters.children import Account, account, clean_environment, program, start_child
from recovery.errors import StepImpossible
from tests.fakes.bots import alive, zombies_of_ours
from watchdog.clock import Clock


async def test_a_child_is_reaped_though_nobody_waits() -> None:
    with Path(os.devnull).open("wb") as null:
        child = start_child(("true",), cwd="/", env={"PATH": os.environ["PATH"]}, who=Account(), output=null.fileno())
    while alive(child.pid) or zombies_of_ours():
        await Clock().sleep(0.01)
    assert child.dead
    assert child.exit_code == 0


async def test_its_exit_code_is_told_also_after_a_signal() -> None:
    with Path(os.devnull).open("wb") as null:
        child = start_child(("sh", "-c", "kill -15 $$"), cwd="/", env=dict(os.environ), who=Account(), output=null.fileno())
    assert await child.wait() == -15


async def test_no_descriptor_of_ours_is_inherited() -> None:
    ours, theirs = os.pipe()
    secret = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(secret, True)
    child = start_child(("ls", "/proc/self/fd"), cwd="/", env=dict(os.environ), who=Account(), output=theirs)
    os.close(theirs)
    await child.wait()
    assert os.read(ours, 100).split() == [b"0", b"1", b"2", b"3"]  # 3 is the folder that ls reads
    os.close(ours)
    os.close(secret)


async def test_a_program_that_the_kernel_refuses_is_impossible() -> None:
    with Path(os.devnull).open("wb") as null, pytest.raises(StepImpossible, match="cannot be started: Permission denied"):
        start_child(("/etc/passwd",), cwd="/", env={}, who=Account(), output=null.fileno())


def test_only_a_path_a_home_and_a_language_of_the_daemon_are_passed_on() -> None:
    environ = {"PATH": "/bin", "LANG": "ru_RU.UTF-8", "TELEGRAM_TOKEN": "x", "NOTIFY_SOCKET": "/run/x", "PYTHONPATH": "/x"}
    assert clean_environment(Account(home="/root"), {"MODE": "live"}, environ) == {
        "PATH": "/bin",
        "HOME": "/root",
        "LANG": "ru_RU.UTF-8",
        "MODE": "live",
    }
    assert clean_environment(Account("bot", home="/srv"), {"PATH": "/srv/bin"}, {})["PATH"] == "/srv/bin"


def test_the_own_user_needs_no_rights_and_an_unknown_one_is_impossible() -> None:
    own = pwd.getpwuid(os.geteuid())
    assert account(own.pw_name) == account(None) == Account(home=own.pw_dir)
    with pytest.raises(StepImpossible, match="there is no user 'nobody-here'"):
        account("nobody-here")


def test_a_program_is_looked_for_as_the_started_one_will_be() -> None:
    assert program(("sh",), "/", {"PATH": "/bin"}) == "/bin/sh"
    with pytest.raises(StepImpossible, match=r"sh is not found in PATH \(/nowhere\)"):
        program(("sh",), "/", {"PATH": "/nowhere"})
    assert program(("./sh",), "/bin", {}) == "/bin/sh"
