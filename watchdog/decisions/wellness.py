"""Is this service fit to be depended on? One failed check is enough to say no (SPEC 5, step 3)."""

from __future__ import annotations

from watchdog.decisions.fleet import Card
from watchdog.model.observation import Kind
from watchdog.state.history import muted


def wellness(card: Card, now: float) -> tuple[bool | None, str]:
    """(well, one line why); None: never asked, so nothing is known."""
    hindered = _hindered(card)
    if hindered:
        return False, hindered
    seen = card.history.last
    if seen is None:
        return None, "not asked yet"
    if seen.failing:
        return False, f"does not answer ({seen.detail})"
    if seen.kind is Kind.CRITICAL:
        return False, f"critical ({seen.reason or seen.detail or 'no reason given'})"
    if seen.kind is Kind.STARTING or muted(card.history, now):
        return False, "is starting"
    return True, _words(card)


def _hindered(card: Card) -> str:
    if card.stopped:
        return "is stopped on purpose" if card.by_hand is None else f"is {card.by_hand.words}"
    if card.active is not None:
        return "is being healed"
    if card.parking is not None:
        return "is parked"
    if card.history.running is False:
        return "is not running"
    return ""


def _words(card: Card) -> str:
    seen = card.history.last
    if seen is None or seen.latency is None:
        return "is ok"
    return f"is {seen.kind.value}, answered in {max(1, round(seen.latency * 1000))} ms"
