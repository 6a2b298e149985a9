"""The show: sets the stage, lets the acts play while somebody looks on, judges, shows the end and clears everything away."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from recovery.units import format_duration
from watchdog.clock import Clock
from watchdog.demo.acts import ACTS, READ
from watchdog.demo.curtain import CLEARED, EARLY, HURRY, INTRODUCTION, MORE, alert, questions, summary, wrong_words
from watchdog.demo.news import news
from watchdog.demo.paper import Paper, paper
from watchdog.demo.scene import PATIENCE, MissedError, Tale
from watchdog.demo.seen import Seen
from watchdog.demo.stage import Stage, StageError
from watchdog.demo.verdict import failures

LOOK = 0.2
"""Seconds between two looks at the fleet, each of which is drawn."""

INTERRUPTED = 130


def show() -> int:
    """Plays the demo on standard output. 0: every act really happened and all is cleared away; 1: not, told in words."""
    where = paper(sys.stdout)
    try:
        return asyncio.run(Show(where, Clock()).run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        where.tell(EARLY)
        return INTERRUPTED


class Show:
    """One performance. It is the `Scene` of its acts."""

    def __init__(self, where: Paper, clock: Clock) -> None:
        self._paper, self._clock = where, clock
        self._stage = Stage(clock)
        self.seen = Seen(clock.now())
        self._tale = Tale(tuple(act.short for act in ACTS), clock.now())

    async def run(self) -> int:
        task = asyncio.current_task()
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, lambda: task.cancel() if task is not None else None)
        self._paper.tell(*INTRODUCTION, *(() if self._paper.living else HURRY[1:]))
        try:
            wrong = await self._perform()
            await self._curtain(wrong)
        except (StageError, OSError) as error:
            wrong = [str(error)]
            self._paper.end()
            self._paper.tell(*wrong_words(wrong, self._stage.last_words()))
        finally:
            self._paper.end()
            cleared = self._stage.clear()
        self._paper.tell(*(CLEARED if cleared else [f"Something is left in {self._stage.folder}; please look there."]))
        if not wrong:
            self._paper.tell(*MORE)
        return 0 if cleared and not wrong else 1

    async def _perform(self) -> list[str]:
        """The acts, watched. What did not happen, in words. Raises StageError when the daemon falls over."""
        self._paper.begin()
        self._tale.title, self._tale.text = HURRY
        self._paper.draw(self._tale, self.seen)
        await self.pause(2 * READ)
        self._stage.set_up()
        self._tale.began = self._clock.now()
        watching, playing = asyncio.create_task(self._watch()), asyncio.create_task(self._play())
        try:
            await asyncio.wait({watching, playing}, return_when=asyncio.FIRST_COMPLETED)
            for task in (watching, playing):
                if task.done():
                    task.result()
        except MissedError as missed:
            return [str(missed)]
        finally:
            for task in (watching, playing):
                task.cancel()
            await asyncio.gather(watching, playing, return_exceptions=True)
        self._take(self._stage.look())
        return failures(self.seen)

    async def _play(self) -> None:
        for number, act in enumerate(ACTS):
            self._tale.act, self._tale.title = number, act.title
            self._paper.act(number + 1, act.title)
            close = await act.play(self)
            self._tale.closes.append(close)
            self._tale.text = close
            self._paper.close(close)
            await self.pause(READ)

    async def _watch(self) -> None:
        while True:
            self._take(self._stage.look())
            await self._clock.sleep(LOOK)

    def _take(self, seen: Seen) -> None:
        told = news(self.seen, seen)
        self.seen = seen
        self._tale.sample(seen)
        self._tale.lines += told
        self._paper.lines(told, self._tale.began)
        self._paper.draw(self._tale, seen)

    def say(self, text: str) -> None:
        self._tale.text = text
        self._paper.say(text)

    async def until(self, true: Callable[[Seen], bool], what: str) -> None:
        limit = self._clock.monotonic() + PATIENCE
        while not true(self.seen):
            if self._clock.monotonic() > limit:
                raise MissedError(f"{what}: this did not happen within {format_duration(PATIENCE)}")
            await self._clock.sleep(LOOK / 4)

    async def pause(self, seconds: float) -> None:
        if self._paper.living:
            await self._clock.sleep(seconds)

    def order(self, name: str, word: str) -> None:
        self._stage.order(name, word)

    async def kill(self, name: str) -> None:
        await self._stage.kill(name)

    async def strangers(self, name: str) -> int:
        return await self._stage.strangers(name)

    async def _curtain(self, wrong: list[str]) -> None:
        """After the picture: what was played, the one alert as a phone shows it, `why` and the digest."""
        self._paper.end()
        if wrong:
            self._paper.tell(*wrong_words(wrong, self._stage.last_words()))
            return
        self._paper.tell(*summary(self._tale, self.seen, self._paper.ink, told=not self._paper.living))
        self._paper.tell(*alert(self.seen))
        await self.pause(2 * READ)
        for asked in questions():
            self._paper.tell(*asked.lines(self._paper.ink))
            if not self._stage.ctl(*asked.words):
                wrong.append(f"{asked.command} did not answer")
                self._paper.tell(wrong[-1])
            await self.pause(READ)
