"""The five acts. Each makes something happen and waits for what it expects to see; nothing goes by the clock."""

from __future__ import annotations

from functools import partial

from recovery.model import RunOutcome
from recovery.units import format_duration
from watchdog.demo.fleet import DATABASE, HANGS, HOPELESS, NAMES, STALE, TRIES, dependents
from watchdog.demo.scene import Act, MissedError, Scene
from watchdog.demo.seen import Seen
from watchdog.model.incident import Stage

READ = 2.0
"""Seconds to read the end of an act."""


async def bring_up(scene: Scene) -> str:
    scene.say("The daemon starts them in the order of the graph: PostgreSQL first, then who needs it, then who needs those.")
    await scene.until(lambda seen: seen.ok(*NAMES) and all(map(seen.up, NAMES)), "all bots answer")
    return f"{len(NAMES)} bots came up, each after what it needs."


async def hang(scene: Scene) -> str:
    scene.order(HANGS, "hang")
    scene.say(
        "WhatsApp Translator hangs: it takes connections and answers nobody. "
        "One silent check would be nothing, four in a row are."
    )
    await scene.until(lambda seen: bool(seen.recoveries(HANGS)), "the hanging bot is found")
    scene.say("Now it is sure. Evidence is kept first, then SIGTERM. It has 2 s to end by itself, but it does not listen.")
    await scene.until(lambda seen: seen.step(HANGS, "stop_process") is not None, "the hanging bot is ended")
    scene.say("So SIGKILL, for the bot and for the browser it had opened. It is started anew; two good answers are the proof.")
    await scene.until(lambda seen: _healed(seen, HANGS), "the hanging bot is back")
    left = await scene.strangers(HANGS)
    if left:
        raise MissedError(f"{left} processes of the bot that hung are still there")
    return f"WhatsApp Translator hung and ignored SIGTERM: killed with its browser, back after {_span(scene.seen, HANGS)}."


async def reload(scene: Scene) -> str:
    scene.order(STALE, "stale")
    scene.say("Menu Bot works with an old price list and says so: degraded. That is no reason to kill it.")
    await scene.until(lambda seen: bool(seen.recoveries(STALE)), "the degraded bot is found")
    scene.say("Three such answers in a row. It declares a reload, so it gets a SIGHUP and reads its settings anew.")
    await scene.until(lambda seen: _healed(seen, STALE), "the degraded bot is well again")
    return f"Menu Bot was degraded: one SIGHUP, no restart, well again after {_span(scene.seen, STALE)}."


async def database(scene: Scene) -> str:
    direct, behind = dependents(DATABASE)
    five = (*direct, *behind)
    await scene.kill(DATABASE)
    scene.say("PostgreSQL is killed (kill -9). Three bots need it, two more need those: soon all five call themselves critical.")
    await scene.until(lambda seen: bool(seen.recoveries(DATABASE)), "the dead database is found")
    scene.say("Their cause is PostgreSQL. It alone is started; a restart of the five would help nobody, so they are left alone.")
    await scene.until(lambda seen: _healed(seen, DATABASE), "the database is back")
    scene.say("PostgreSQL is proved well. The five get time to reconnect: first those that need it, then those behind them.")
    await scene.until(lambda seen: seen.ok(*five), "all that need the database are back")
    restarts = sum(len(scene.seen.recoveries(name)) for name in five)
    return (
        f"PostgreSQL died: it alone was started, back after {_span(scene.seen, DATABASE)}. "
        f"Five bots on two levels came back by themselves, {restarts} restarts."
    )


async def hopeless(scene: Scene) -> str:
    scene.order(HOPELESS, "break")
    scene.say("Rates Bot got a broken release: it starts, but never answers. Invoice Bot needs it and can only wait.")
    for number, (begun, failed) in enumerate(zip(BEGUN, FAILED, strict=True), start=1):
        await scene.until(partial(_tried, number=number, over=False), f"restart {number} of {TRIES}")
        scene.say(begun)
        await scene.until(partial(_tried, number=number, over=True), f"the end of restart {number} of {TRIES}")
        scene.say(failed)
    await scene.until(_parked_and_told, "the bot that no restart helps is parked and a person is called")
    await scene.pause(2 * READ)
    return f"Rates Bot was restarted {TRIES} times in vain, then parked: one critical alert. Invoice Bot was left alone."


BEGUN: tuple[str, ...] = (
    "Try 1 of 3: ended and started anew. Now it has 5 s to prove its health.",
    "Try 2 of 3: the same bot, the same release, the same 5 s.",
    "Try 3 of 3, the last. If it does not help, a fourth one would not either.",
)
FAILED: tuple[str, ...] = (
    "It did not help, so counting begins anew: three more silent checks, then the next try.",
    "It did not help either. One try is left: a budget keeps a broken bot from being restarted all night.",
    "Three tries are enough. It is parked, nothing more is tried for an hour, and now a person is called.",
)


ACTS: tuple[Act, ...] = (
    Act("bring-up", f"{len(NAMES)} bots come up", bring_up),
    Act("hang", "A bot hangs and ignores SIGTERM", hang),
    Act("reload", "A bot is not well, and a reload is enough", reload),
    Act("database", "A database falls under five bots", database),
    Act("hopeless", "A bot that no restart helps", hopeless),
)


def _healed(seen: Seen, name: str) -> bool:
    runs = seen.recoveries(name)
    return bool(runs) and runs[-1].outcome is RunOutcome.HEALED and seen.ok(name)


def _tried(seen: Seen, number: int, *, over: bool) -> bool:
    runs = seen.recoveries(HOPELESS)
    return len(runs) >= number and (not over or not runs[number - 1].open)


def _parked_and_told(seen: Seen) -> bool:
    page = seen.page(HOPELESS)
    return seen.stage(HOPELESS) is Stage.PARKED and page is not None and page.delivered_at is not None


def _span(seen: Seen, name: str) -> str:
    incident = seen.last_incident(name)
    return format_duration(incident.duration(seen.at)) if incident is not None else "a while"
