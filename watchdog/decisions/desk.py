"""Where the wishes of people are granted: hold, stop, start, ack, resume, recover, approve, reject (SPEC 14)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from recovery.errors import StepError
from recovery.model import Playbook
from recovery.ports import Life, Stop
from recovery.problem import did_you_mean
from recovery.units import format_duration
from watchdog.clock import Clock
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.decide import decide
from watchdog.decisions.fleet import DOCKER, HOST, Card, Fleet
from watchdog.decisions.gather import gather
from watchdog.decisions.healer import Healer, wait_done
from watchdog.decisions.hours import Hours
from watchdog.decisions.rehearsal import rehearsed
from watchdog.decisions.select import pick
from watchdog.decisions.storms import Storms
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import BRING_UP, Heal
from watchdog.errors import Misused, Refused, StoreUnavailable
from watchdog.model.incident import Stage
from watchdog.model.phrases import moment
from watchdog.model.records import Hold
from watchdog.model.symptom import Symptom
from watchdog.state import incidents

SAFE_POINT = 90.0
"""Seconds within which a run reaches its safe point (SPEC 5, step 2)."""

DEFAULT = "restart-unresponsive"
"""What `recover` runs on a service without a symptom."""

Answer = dict[str, Any]


class Desk:
    """Each verb returns {"text": line for people, ...} or raises Refused with the reason. others: verbs of other rooms."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        watch: Watch,
        hours: Hours,
        storms: Storms,
        healer: Healer,
        clock: Clock,
        status: Callable[[str | None], Mapping[str, Any]],
        others: Mapping[str, Callable[[], Awaitable[Answer]]],
    ) -> None:
        self._fleet, self._chronicle, self._watch, self._hours, self._storms = fleet, chronicle, watch, hours, storms
        self._healer, self._clock, self._status, self._others = healer, clock, status, others

    async def act(self, verb: str, args: Mapping[str, Any], who: str) -> Answer:
        """Grants an acting verb of the socket. who: the person, as the socket knows them."""
        match verb:
            case "hold":
                return await self.hold(args.get("service"), args["for"], args.get("reason", ""), who)
            case "hold_end":
                return await self.hold_end(args.get("service"))
            case "stop":
                return await self.stop(args["service"], args["for"], args.get("reason", ""), who)
            case "start":
                return await self.start(args["service"], who)
            case "ack":
                return await self.ack(args["id"], who, false_alarm=args.get("false_alarm", False))
            case "resume":
                return await self.resume(args.get("service"), who)
            case "recover":
                return await self.recover(args["service"], args.get("playbook"), who, dry_run=args.get("dry_run", False))
            case "approve" | "reject":
                return await self.consent(args["run"], who, yes=verb == "approve")
            case other if other in self._others:
                return await self._others[other]()
        raise Misused(f"unknown verb {verb}")

    def read(self, verb: str, args: Mapping[str, Any]) -> Any:
        """Live answers: `status` and `ping`."""
        if verb == "ping":
            return {"text": "here"}
        name = args.get("service")
        if name is not None and name != DOCKER:
            self._card(name)
        return self._status(name)

    async def hold(self, name: str | None, seconds: float, reason: str, who: str) -> Answer:
        """Pauses actions; returns when every run has reached its safe point."""
        cards = list(self._fleet) if name is None else [self._card(name)]
        now = self._clock.now()
        for card in cards:
            stopped = card.hold if card.hold is not None and card.hold.stop else None
            until = max(now + seconds, stopped.until) if stopped is not None else now + seconds
            self._chronicle.hold(card, Hold(card.name, now, until, who, reason, stop=stopped is not None), now)
        await self._written()
        late = await self._call_back(cards, f"on hold by {who}")
        self._again(cards)
        what = "everything" if name is None else name
        text = f"{what} is on hold for {format_duration(seconds)}, until {moment(now + seconds, now, self._fleet.zone)}"
        return {"text": text + (f"; still busy: {', '.join(late)}" if late else ""), "until": now + seconds}

    async def _call_back(self, cards: list[Card], why: str) -> list[str]:
        """Calls runs back and waits for their safe points. The names of those that did not reach it in time."""
        for card in cards:
            if card.active is not None:
                card.active.leash.call(Stop.HOLD, why)
        until = self._clock.monotonic() + SAFE_POINT
        return [card.name for card in cards if not await wait_done(card.active, max(0.0, until - self._clock.monotonic()))]

    async def hold_end(self, name: str | None) -> Answer:
        cards = [c for c in self._fleet if c.hold is not None] if name is None else [self._card(name)]
        cards = [c for c in cards if c.hold is not None]
        if not cards:
            raise Refused(f"{name} is not on hold" if name else "nothing is on hold")
        for card in cards:
            self._hours.end_hold(card, self._clock.now())
        await self._written()
        self._again(cards)
        return {"text": f"the hold on {', '.join(c.name for c in cards)} is over; fresh counts begin"}

    async def stop(self, name: str, seconds: float, reason: str, who: str) -> Answer:
        """The bot itself is stopped on purpose; the hold is on disk before the first signal."""
        card = self._card(name)
        self._may_touch()
        if card.runtime is None:
            raise Refused(f"{name} has no runtime: the watchdog cannot stop it")
        now = self._clock.now()
        self._chronicle.hold(card, Hold(name, now, now + seconds, who, reason, stop=True), now)
        await self._written()
        await self._call_back([card], f"stopped by {who}")
        try:
            sight = await card.runtime.look()
            how = "it did not run" if sight.life is not Life.RUNNING else await card.runtime.stop(sight, card.service.term_grace)
            self._watch.sighted(card, await card.runtime.look(), self._clock.now())
        except StepError as trouble:
            raise Refused(f"{name} is on hold, but could not be stopped: {trouble}") from trouble
        await self._written()
        until = moment(now + seconds, now, self._fleet.zone)
        return {"text": f"{name} is stopped until {until} ({how}); `watchdogctl start {name}` brings it back"}

    async def start(self, name: str, who: str) -> Answer:
        card = self._card(name)
        self._may_touch()
        book = self._fleet.playbooks.get(BRING_UP)
        if card.runtime is None or book is None:
            raise Refused(f"{name} has no runtime: the watchdog cannot start it")
        if card.active is not None:
            raise Refused(f"{name} is being healed by {card.active.run.playbook} now")
        if card.hold is not None:
            self._hours.end_hold(card, self._clock.now(), bring_up=False)
        sight = await card.runtime.look()
        if sight.paused:
            raise Refused(f"{name} is paused: `docker unpause {card.container}` is for whoever paused it")
        if sight.running:
            await self._written()
            return {"text": f"{name} runs already (pid {sight.pid})"}
        return self._begin(card, book, who, f"{name} is being started")

    async def ack(self, number: int, who: str, *, false_alarm: bool) -> Answer:
        """Seen: no more sound, and no actions for this incident unless asked."""
        now = self._clock.now()
        card = next((c for c in self._fleet if c.incident is not None and c.incident.id == number), None)
        if card is None or card.incident is None:
            host = next((each for each in self._fleet.host.values() if each.id == number), None)
            if host is None:
                raise Refused(f"no open incident {number}")
            self._chronicle.host(replace(host, acked=True, false_alarm=false_alarm or host.false_alarm), now)
            await self._written()
            return {"text": f"incident {number} acknowledged by {who}"}
        after = replace(card.incident, acked=True, false_alarm=false_alarm or card.incident.false_alarm)
        self._chronicle.incident(card, after, now)
        self._chronicle.entry(after, now, "ack", f"acknowledged by {who}" + (", a false alarm" if false_alarm else ""))
        await self._written()
        return {
            "text": f"incident {number} is yours: no more sound, no more actions (ask for one: watchdogctl recover {card.name})"
        }

    async def resume(self, name: str | None, who: str) -> Answer:
        """Takes back what keeps us from acting: a storm, an ack, a hold, the wait of a parked service."""
        now = self._clock.now()
        if name is None or name == HOST:
            if self._fleet.storm is None:
                raise Refused("there is no storm to resume from; name a service, or see `watchdogctl status`")
            self._storms.end(now, f"resumed by {who}")
            await self._written()
            return {"text": "the storm is declared over; what is still bad is healed in graph order"}
        card = self._card(name)
        parked, acked = card.parking is not None, card.incident is not None and card.incident.acked
        if card.hold is None and not parked and not acked:
            raise Refused(f"nothing holds {name} back; `watchdogctl why {name}` says what it waits for")
        if card.hold is not None:
            self._hours.end_hold(card, now)
        if card.incident is not None and card.incident.acked:
            self._chronicle.incident(card, replace(card.incident, acked=False), now)
        if card.parking is not None:
            card.parking = replace(card.parking, chance=f"resumed by {who}")
        await self._written()
        self._again([card])
        return {"text": f"{name} is looked after again" + (", with one attempt now" if parked else "")}

    async def recover(self, name: str, playbook: str | None, who: str, *, dry_run: bool) -> Answer:
        """A run because a person asks: with a full budget, past hold, grace and parking."""
        card = self._card(name)
        book = self._book(card, playbook)
        if dry_run:
            return self._would(card, book)
        if card.active is not None:
            raise Refused(f"{name} is being healed by {card.active.run.playbook} now")
        self._may_touch()
        if card.runtime is None and book.effect.charged:
            raise Refused(f"{name} has no runtime: the watchdog cannot restart it")
        now = self._clock.now()
        card.amnesty, card.parking, card.rung = now, None, ""
        self._watch.pardon(card)
        incident = card.incident
        if incident is not None:
            again = incidents.again(incident, f"asked for by {who}", now)
            card.incident = replace(again, acked=False, confirmed_at=again.confirmed_at or now)
        return self._begin(card, book, who, f"{name}: {book.name} has begun")

    def _book(self, card: Card, playbook: str | None) -> Playbook:
        books = self._fleet.playbooks
        if playbook is not None:
            if playbook not in books:
                raise Misused(f"unknown playbook '{playbook}'{did_you_mean(playbook, books)}")
            return books[playbook]
        symptom = self._symptom(card)
        if symptom is not None:
            choice = pick(gather(self._fleet, card, symptom, self._clock.now()))
            if choice.playbook is not None:
                return choice.playbook
        return books[DEFAULT]

    @staticmethod
    def _symptom(card: Card) -> Symptom | None:
        incident = card.incident
        if incident is None or incident.symptom is None:
            return None
        last = card.history.last
        return Symptom(incident.symptom, incident.opened_at, incident.reason, reason=last.reason if last is not None else None)

    def _would(self, card: Card, book: Playbook) -> Answer:
        steps, symptom = rehearsed(book, card.service.term_grace), self._symptom(card)
        well = ", which has no open incident" if card.incident is None else ""
        text = f"would run {book.name} on {card.name}{well}; nothing was done"
        effect = book.effect.value
        answer: Answer = {"text": text, "playbook": book.name, "summary": book.summary, "steps": steps, "effect": effect}
        if symptom is not None:
            now = self._clock.now()
            trail = decide(gather(self._fleet, card, symptom, now), now)
            answer["by_itself"] = f"{trail[-1].verdict}: {trail[-1].reason}"
        return answer

    async def consent(self, number: int, who: str, *, yes: bool) -> Answer:
        card = next((c for c in self._fleet if c.approval is not None and c.approval.run == number), None)
        if card is None or card.approval is None:
            raise Refused(f"no run {number} waits for approval")
        if card.approval.outcome is not None or self._clock.now() >= card.approval.expires_at:
            raise Refused(f"the request for run {number} is over ({card.approval.outcome or 'expired'})")
        now, name = self._clock.now(), card.name
        card.approval = replace(card.approval, outcome="approved" if yes else "rejected")
        self._chronicle.entry(card.incident, now, "approval", f"{card.approval.outcome} by {who}")
        self._chronicle.memory(card)
        await self._written()
        self._again([card])
        return {"text": f"run {number} on {name}: {'approved, it begins' if yes else 'rejected; it is yours now'}", "run": number}

    def _may_touch(self) -> None:
        if self._fleet.observing:
            raise Refused("mode: observe; the watchdog touches nothing and starts nothing")

    def _begin(self, card: Card, book: Playbook, who: str, text: str) -> Answer:
        run = self._healer.begin(Heal(card.name, book, by=who))
        self._fleet.stir.set()
        return {"text": f"{text} (run {run.id})" if run is not None else text, "run": run.id if run is not None else None}

    def _again(self, cards: list[Card]) -> None:
        now = self._clock.now()
        self._fleet.stir.set()
        for card in cards:
            card.changed.set()
            if card.incident is not None and card.incident.stage is not Stage.PERSON:
                self._watch.review(card, now)

    async def _written(self) -> None:
        try:
            await self._chronicle.store.commit()
        except StoreUnavailable as trouble:
            raise Refused(f"not done, it cannot be written down: {trouble}") from trouble

    def _card(self, name: str) -> Card:
        card = self._fleet.cards.get(name)
        if card is None:
            raise Misused(f"unknown service '{name}'{did_you_mean(name, self._fleet.cards)}")
        return card
