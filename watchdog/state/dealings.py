"""Who did that to the container? The engine's events of one name, folded, and judged a second later (SPEC 5, step 2).

We never use the engine's stop and kill: so a kill that ends it, a stop, a pause and a removal are somebody else's, and a death
without any of them is the bot's own. `docker restart` is kill, die, stop, start, restart; so an end is judged only when a start
had its chance. Orders and gaps of the events were measured.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace

from watchdog.model.container import BY_DOCKER, Act, ByHand, Deed, Happening

JUDGED = 1.0
"""Seconds after which an end is judged: by then a restart has come to its start."""

HARMLESS = frozenset({"HUP", "USR1", "USR2", "WINCH", "CONT", "URG", "CHLD"})
"""Signals by which one speaks to a bot that is to live on."""

RESTART = "docker restart"
"""How a restart is told that its own event names: no engine makes that one by itself."""

AT_ONCE = 2.0
"""Seconds within which Docker itself removes what was made with --rm and has ended."""

MOST = 20
"""Ends kept: as many as a crash loop can see."""

JITTER = 0.5
"""Seconds by which the word of a death may come before that of the signal that caused it."""

PATIENCE = 60.0
"""Seconds that somebody's signal has to end a bot before we come with ours: `docker stop -t` does not tell how long it waits."""

SLACK = 5.0
"""Seconds beyond the grace within which a death still belongs to the signal before it."""


@dataclass(frozen=True, slots=True)
class Dealings:
    """What was seen of one container name since its last start. Wall seconds.

    container: the id that bears the name. kills: (at, signal). dead, code: of its end. born: of its start. gone: of its removal,
    or of the loss of its name; former: the id it had then. ended: its ends by somebody that a start has followed already.
    """

    container: str = ""
    kills: tuple[tuple[float, int], ...] = ()
    dead: float | None = None
    code: int | None = None
    stopped: float | None = None
    born: float | None = None
    restarted: float | None = None
    paused: float | None = None
    gone: float | None = None
    former: str = ""
    ended: tuple[float, ...] = ()


NOTHING = Dealings()


def follow(before: Dealings, seen: Happening, name: str) -> Dealings:
    """The dealings after one more event. name: the one that the service knows its container by."""
    at = seen.at
    if seen.act is Act.RENAME and seen.old == name:
        return replace(before, gone=at, former=seen.container)
    match seen.act:
        case Act.RENAME if seen.container == before.former:  # it has its name back
            return replace(before, container=seen.container, gone=None, former="")
        case Act.RENAME | Act.CREATE:
            return replace(before, container=seen.container)
        case Act.KILL:
            return replace(before, kills=(*before.kills[-3:], (at, seen.signal or 0)))
        case Act.DIE:
            return replace(before, dead=at, code=seen.code, paused=None)
        case Act.STOP:
            return replace(before, stopped=at)
        case Act.PAUSE:
            return replace(before, paused=at)
        case Act.UNPAUSE:
            return replace(before, paused=None)
        case Act.START:
            return replace(before, born=at, container=seen.container, ended=(*before.ended[1 - MOST :], *_meant(before)))
        case Act.RESTART:
            return replace(before, restarted=at)
        case Act.DESTROY if seen.container == before.container or not before.container:
            return replace(before, gone=at, former=seen.container)
    return before


def settled(dealings: Dealings) -> Dealings:
    """After a judgement: what was judged is not judged again; a pause and a removal last until they are over."""
    kept = Dealings(container=dealings.container, paused=dealings.paused)
    return kept if alive(dealings) else replace(kept, gone=dealings.gone, former=dealings.former)


def alive(seen: Dealings) -> bool:
    """Started, and nothing after that ended it."""
    return seen.born is not None and seen.born >= max(seen.dead or 0.0, seen.gone or 0.0)


def judge(dealings: Dealings, term_grace: float) -> ByHand | None:
    """What somebody beside us did, None when nobody did anything that counts. term_grace: seconds, of the service."""
    seen = dealings
    ended, how = _ended(seen, term_grace)
    if seen.paused is not None:
        return ByHand(Deed.PAUSED, seen.paused, "docker pause")
    if alive(seen):
        return _brought_back(seen, how)
    if seen.gone is not None:
        alone = ended is None and seen.dead is not None and 0.0 <= seen.gone - seen.dead < AT_ONCE
        return ByHand(Deed.REMOVED, seen.gone, BY_DOCKER if alone else "docker rm")
    if ended is not None:
        return ByHand(Deed.STOPPED, ended, how)
    return None


def ending(seen: Dealings, now: float) -> float:
    """Seconds for which it may still be ending by somebody's signal; 0 when nobody sent one, or it has ended since."""
    sent = [at for at, number in seen.kills if _named(number) not in HARMLESS and at > max(seen.dead or 0.0, seen.born or 0.0)]
    return min(PATIENCE, max(0.0, sent[-1] + PATIENCE - now)) if sent else 0.0


def ends(seen: Happening) -> bool:
    """Does this event say at once that somebody takes it out of our hands? A run at work on it must not go on."""
    if seen.act is Act.KILL:
        return _named(seen.signal or 0) not in HARMLESS
    return seen.act in (Act.STOP, Act.PAUSE, Act.DESTROY, Act.RENAME)


def _brought_back(seen: Dealings, how: str) -> ByHand | None:
    """It lives; a new container, or a restart, when somebody had taken it away or ended it before."""
    at = seen.restarted or seen.born or 0.0
    if seen.gone is not None:
        return ByHand(Deed.RECREATED, at, "a new container under the same name")
    if seen.restarted is not None or how:
        return ByHand(Deed.RESTARTED, at, RESTART if seen.restarted is not None else f"{how}, then started")
    return None


def _meant(seen: Dealings) -> tuple[float, ...]:
    """Its last end, when somebody ended it."""
    born, dead = seen.born or 0.0, seen.dead
    if dead is None or dead < born:
        return ()
    signs = [
        at
        for at, number in seen.kills
        if _named(number) not in HARMLESS and born <= at <= dead + JITTER and dead - at <= PATIENCE
    ]
    return (dead,) if signs or (seen.stopped is not None and seen.stopped >= dead - JITTER) else ()


def _ended(seen: Dealings, term_grace: float) -> tuple[float | None, str]:
    """When somebody ended it, and how; (None, "") when it lives or ended by itself."""
    if seen.stopped is not None:
        return seen.stopped, "docker stop"
    if seen.dead is None:
        return None, ""
    near = [number for at, number in seen.kills if -JITTER <= seen.dead - at <= term_grace + SLACK]
    if not near:
        return None, ""
    name = _named(near[-1])
    return seen.dead, "docker kill" if name == "KILL" and len(near) == 1 else f"docker kill -s {_named(near[0])}"


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)
