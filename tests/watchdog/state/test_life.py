from __future__ import annotations

from watchdog.state.life import EXITS, UNSEEN, born, dead, end_words, exit_words


def test_exits_are_told_in_words() -> None:
    assert exit_words(1) == "exited with code 1"
    assert exit_words(-9) == "killed by SIGKILL"
    assert exit_words(-200) == "killed by signal 200"
    assert exit_words(None) == "its process ended"
    assert end_words(1) == "its process ended (exit code 1)"
    assert end_words(-9) == "its process ended (killed by SIGKILL)"


def test_only_so_many_exits_are_kept() -> None:
    life = UNSEEN
    for at in range(50):
        life = dead(born(life, float(at), str(at), 1.0), at + 0.5, 1, ours=False)
    assert len(life.exits) == EXITS
    assert life.exits[-1].at == 49.5
