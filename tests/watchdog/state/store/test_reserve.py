from __future__ import annotations

from pathlib import Path

from watchdog.state.store.reserve import Reserve

SIZE = 64 * 1024


def test_the_reserve_really_takes_its_space_and_gives_it_back(tmp_path: Path) -> None:
    path = tmp_path / "reserve"
    reserve = Reserve(path, SIZE)
    assert reserve.hold()
    assert path.stat().st_blocks * 512 >= SIZE
    assert path.stat().st_mode & 0o777 == 0o600
    assert reserve.release()
    assert not path.exists()
    assert not reserve.release()


def test_it_is_not_made_anew_before_twice_its_size_is_free(tmp_path: Path) -> None:
    left = [SIZE]
    reserve = Reserve(tmp_path / "reserve", SIZE, free=lambda _: left[0])
    assert not reserve.hold()
    left[0] = 2 * SIZE
    assert reserve.hold()


def test_one_that_an_earlier_life_left_is_taken_over_on_a_full_disk(tmp_path: Path) -> None:
    assert Reserve(tmp_path / "reserve", SIZE).hold()
    later = Reserve(tmp_path / "reserve", SIZE, free=lambda _: 0)
    assert later.hold()
    assert later.release()


def test_a_folder_that_cannot_be_written_costs_the_reserve_only(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "missing" / "reserve", SIZE)
    assert not reserve.hold()
    assert not reserve.release()
