"""URLs of the configuration."""

from __future__ import annotations

import pytest

from recovery.actions.http_call import Params, run
from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from tests.fakes.runtime import play
from tests.fakes.scene import Scene, book

URL = "http://127.0.0.1:8101/flush"


def test_a_url_of_the_configuration_is_called() -> None:
    async def film() -> None:
        scene = Scene(urls=frozenset({URL}))
        await run(Params(URL), scene.context())
        assert scene.outside.calls == [("http_call", URL)]

    play(film())


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest", "file:///etc/shadow", URL + "?x=1"])
def test_any_other_is_impossible(url: str) -> None:
    async def film() -> None:
        scene = Scene(urls=frozenset({URL}))
        with pytest.raises(StepImpossible):
            await run(Params(url), scene.context())
        assert scene.outside.calls == []

    play(film())


def test_its_failure_is_the_steps() -> None:
    async def film() -> None:
        scene = Scene(urls=frozenset({URL}))
        scene.outside.fails = StepFailed("HTTP 500")
        with pytest.raises(StepFailed):
            await run(Params(URL), scene.context())

    play(film())


def test_the_playbook_declares_what_it_does() -> None:
    assert book(f'[{{http_call: {{url: "{URL}"}}}}]').effect is Effect.RESTART
    assert book(f'[{{http_call: {{url: "{URL}", effect: reload}}}}]').effect is Effect.RELOAD
