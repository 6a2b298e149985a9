from __future__ import annotations

import os
import socket

from watchdog.web.peers import Peer, may_act, name_of, peer_of

STRANGER = Peer(pid=77, uid=54_321, gid=54_321)


def test_the_kernel_says_who_connected() -> None:
    left, right = socket.socketpair(socket.AF_UNIX)
    with left, right:
        assert peer_of(left) == Peer(pid=os.getpid(), uid=os.getuid(), gid=os.getgid())


def test_root_and_the_daemons_own_user_may_act() -> None:
    assert may_act(Peer(1, 0, 0), "root", ())
    assert may_act(Peer(1, os.geteuid(), 0), "me", ())


def test_a_stranger_may_not_unless_named_or_numbered() -> None:
    assert not may_act(STRANGER, "anna", ("ben", 1000))
    assert may_act(STRANGER, "anna", ("ben", "anna"))
    assert may_act(STRANGER, "anna", (54_321,))
    assert may_act(STRANGER, "anna", ("54321",))


def test_a_user_without_a_name_is_a_number() -> None:
    assert name_of(0) == "root"
    assert name_of(54_321) == "uid 54321"
