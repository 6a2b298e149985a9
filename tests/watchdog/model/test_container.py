"""What somebody did, in words, and when a removal is none of a deploy."""

from __future__ import annotations

import pytest

from watchdog.model.container import ByHand, Deed


def test_a_deed_is_told_with_the_command_it_was_seen_by() -> None:
    assert ByHand(Deed.STOPPED, 1.0, "docker stop").words == "stopped by hand (docker stop)"
    assert ByHand(Deed.RECREATED, 1.0).words == "re-created by hand"


@pytest.mark.parametrize(
    ("hand", "missed"),
    [
        (ByHand(Deed.REMOVED, 100.0), True),
        (ByHand(Deed.REMOVED, 100.0, told=True), False),
        (ByHand(Deed.REMOVED, 500.0), False),
        (ByHand(Deed.STOPPED, 100.0), False),
    ],
)
def test_only_what_is_gone_for_long_and_untold_is_missed(hand: ByHand, missed: bool) -> None:
    assert hand.is_missed(700.0, 600.0) is missed
