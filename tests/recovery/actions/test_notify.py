"""One line to people."""

from __future__ import annotations

import pytest

from recovery.actions.notify import Params, run
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


def test_the_line_is_said_as_written() -> None:
    async def film() -> None:
        scene = Scene()
        await run(Params("{x.__class__} %s ${HOME}"), scene.context())
        assert scene.notes == ["{x.__class__} %s ${HOME}"]

    play(film())


@pytest.mark.parametrize("text", ["", "  \n", "a\nb", "x" * 301])
def test_it_is_one_line_that_says_something(text: str) -> None:
    with pytest.raises(ValueError, match="text"):
        Params(text)
