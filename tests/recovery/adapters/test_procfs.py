import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery.adapters import procfs
from recovery.adapters.procfs import Identity, Marker
from recovery.errors import StepFailed
from tests.fakes.descriptors import none_left


def test_an_identity_is_read_back_from_its_text() -> None:
    identity = Identity(4711, 987654, "4f42f746-c559-4b97-915c-923444d33e65")
    assert str(identity) == "4711:987654:4f42f746-c559-4b97-915c-923444d33e65"
    assert Identity.parse(str(identity)) == identity


@given(st.text(max_size=40))
def test_any_other_text_is_no_identity(text: str) -> None:
    identity = Identity.parse(text)
    assert identity is None or str(identity).split(":")[2] == text.split(":")[2]


def test_no_text_names_pid_zero_or_less() -> None:
    for text in ("", "0:1:b", "-1:1:b", "1:1", "1:1:", "a:1:b", "1:1:b:c", "²:1:b"):
        assert Identity.parse(text) is None


def test_a_name_with_parentheses_and_spaces_does_not_confuse_the_reader() -> None:
    code = "import time; open('/proc/self/comm', 'w').write('a) Z 1 (b'); print('x', flush=True); time.sleep(30)"
    with subprocess.Popen(["python3", "-S", "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        stat = procfs.read_stat(process.pid)
        process.kill()
    assert stat is not None
    assert (stat.name, stat.parent, stat.dead) == ("a) Z 1 (b", os.getpid(), False)


def test_the_marker_needs_service_and_state() -> None:
    env = {"BOT_WATCHDOG_SERVICE": "scraper", "BOT_WATCHDOG_STATE": "/var/lib/x", "BOT_WATCHDOG_PID": "77", "PATH": "/bin"}
    for environ, expected in (
        (env, Marker("scraper", "/var/lib/x", 77)),
        ({**env, "BOT_WATCHDOG_PID": "soon"}, Marker("scraper", "/var/lib/x", None)),
        ({**env, "BOT_WATCHDOG_SERVICE": ""}, None),
        ({"PATH": "/bin"}, None),
    ):
        with subprocess.Popen(["/bin/sleep", "30"], env=environ) as process:
            while not Path(f"/proc/{process.pid}/environ").read_bytes():
                pass  # the exec is not quite done
            assert procfs.read_marker(process.pid) == expected
            process.kill()


def test_a_process_that_does_not_exist_is_nothing_and_no_error() -> None:
    with subprocess.Popen(["/bin/true"]) as process:
        process.wait()
    assert procfs.read_stat(process.pid) is None
    assert procfs.read_marker(process.pid) is None
    assert procfs.read_command(process.pid) == ()


def test_the_start_of_a_process_in_wall_time_is_about_now() -> None:
    with subprocess.Popen(["/bin/sleep", "30"]) as process:
        stat = procfs.read_stat(process.pid)
        assert stat is not None
        assert abs(procfs.started_at(stat.start_ticks) - (procfs.started_at(0) + procfs.up_ticks() / 100)) < 2
        process.kill()


def test_an_ordinary_cgroup_is_no_unit_of_a_bot() -> None:
    assert procfs.unit_of(os.getpid()) is None
    assert procfs.unit_of(4_194_305) is None


def test_everybody_in_a_unit_and_below_it_is_a_member(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "cgroup.procs").write_text("12\n13\n")
    (tmp_path / "below" / "cgroup.procs").write_text("14\n")
    assert sorted(procfs.unit_members(tmp_path)) == [12, 13, 14]
    assert procfs.unit_members(tmp_path / "gone") == []


def test_without_descriptors_nobody_is_taken_for_gone_or_for_a_stranger() -> None:
    pid = os.getpid()
    with none_left():
        for read in (procfs.read_stat, procfs.read_marker, procfs.read_command, procfs.unit_of, procfs.started_at):
            with pytest.raises(StepFailed, match="Too many open files"):
                read(pid)
    assert procfs.read_stat(pid) is not None


def test_a_thread_that_is_stopped_is_seen_and_a_dead_process_has_none() -> None:
    with subprocess.Popen(["/bin/sleep", "30"]) as process:
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert procfs.thread_states(process.pid) == "T"
        process.kill()
        process.wait()
        assert procfs.thread_states(process.pid) == ""
        assert not procfs.frozen(process.pid)
        assert not procfs.maps(process.pid, b"libc", 1 << 20)


def test_a_loaded_library_is_found_by_its_name_and_nobody_here_is_frozen() -> None:
    assert procfs.maps(os.getpid(), b"libc", 1 << 20)
    assert not procfs.maps(os.getpid(), b"libnothing", 1 << 20)
    assert not procfs.frozen(os.getpid())
