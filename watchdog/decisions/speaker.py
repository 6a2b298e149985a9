"""Turns incidents into messages: a new one when the tier rises, an edit while it moves, one close (SPEC 11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recovery.model import Run
from watchdog.alerts import messages
from watchdog.alerts.before import before
from watchdog.alerts.reminding import next_reminder
from watchdog.alerts.story import Question, Storm, Story
from watchdog.alerts.tiers import Facts, next_rise, tier
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import HOST, STORM, Card, Fleet
from watchdog.decisions.news import News
from watchdog.decisions.situation import Approval
from watchdog.decisions.storm import likely, traits
from watchdog.decisions.suspects import suspects
from watchdog.decisions.wellness import wellness
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.observation import Kind
from watchdog.model.phrases import TITLES, counted, hour, state_word
from watchdog.model.records import Notice, NoticeKind
from watchdog.state.life import exit_words

LASTS = 60.0
"""Seconds that a storm must last before it is told (SPEC 5)."""

MOST = 100
"""Incidents that are told in one look; the next one follows at once, but checks and answers have their turn in between."""


class Speaker:
    """Writes notices in the transaction that changes the incident; delivery is somebody else's."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, host_load: Callable[[], str]) -> None:
        self._fleet, self._chronicle, self._host_load = fleet, chronicle, host_load
        self._said: dict[int, str] = {}
        self._news = News()

    def remember(self, notices: list[Notice]) -> None:
        """What was said before a restart of the daemon is not said again."""
        for notice in sorted(notices, key=lambda n: n.id):
            if notice.incident is None:
                continue
            if notice.kind is NoticeKind.NEW:
                self._news.told(notice.incident, notice.tier, notice.at)
            if notice.kind is NoticeKind.CLOSE:
                self._news.over(notice.incident, notice.at)
                self._said.pop(notice.incident, None)
            else:
                self._said[notice.incident] = ""
        for incident in (*(card.incident for card in self._fleet), *self._fleet.host.values()):
            if incident is not None and incident.tier is not Tier.SILENT:
                self._said.setdefault(incident.id, "")

    def speak(self, now: float) -> None:
        """Looks at every open incident of which there may be something to tell."""
        spoken = 0
        for card in self._fleet.roused:
            if card.approval is not None and not card.approval.told:
                self._ask(card, card.approval, now)
            told = card.incident is card.told and now < card.tell_at
            if card.incident is None or told or self._just_back(card, now):
                continue
            if spoken == MOST:
                self._fleet.stir.set()
                break
            self._open(card, card.incident, now)
            card.told, card.tell_at = card.incident, self._tell_at(card)
            spoken += 1
        for incident in tuple(self._fleet.host.values()):
            self._host(incident, now)

    def _just_back(self, card: Card, now: float) -> bool:
        """After our own start: what may have recovered meanwhile is heard first, before age makes a page of it."""
        if now - self._fleet.started_at > self._fleet.settings.guards.settle + card.service.interval * card.service.healthy:
            return False
        last = card.history.last
        return last is None or (last.counts and card.stretch > 0)

    def _tell_at(self, card: Card) -> float:
        """Until when nothing about this incident can change by time alone; a change of the incident itself is seen at once."""
        incident = card.incident
        if incident is None:
            return 0.0
        rise = next_rise(incident, self._fleet.settings.alerts.tiers, replace(self._facts(card, incident), good=False))
        owed = self._news.owed_at(incident, self._fleet.settings.alerts.tiers.critical_after)
        return min((at for at in (rise, owed, self._reminder(incident)) if at is not None), default=float("inf"))

    def _reminder(self, incident: Incident) -> float | None:
        """When a person is asked again; None when nobody is asked."""
        return next_reminder(incident.reminded_at, self._fleet.zone) if incident.reminded_at is not None else None

    def last_word(self, card: Card, before: Incident, after: Incident, now: float) -> Incident:
        """The close of an incident as told: one close for what was announced, one line for the rest; with its final tier."""
        limits, facts = self._fleet.settings.alerts.tiers, self._facts(card, before)
        facts = replace(facts, good=facts.good or after.outcome is Outcome.HEALED)
        aged = replace(after, tier=tier(before, limits, now, facts).tier)
        due = tier(aged, limits, now, facts)
        final = replace(after, tier=due.tier)
        story = self._story(card, final, now, due.why)
        self._news.over(before.id, now)
        if self._said.pop(before.id, None) is not None or (not final.blip and final.parent is None):
            self._put(final, NoticeKind.CLOSE, messages.close(story), now)
        return final

    def host_closed(self, incident: Incident, now: float) -> None:
        """The close of what was told about this host."""
        if self._said.pop(incident.id, None) is not None:
            story = Story(TITLES[incident.service], incident, now, self._fleet.zone)
            self._put(incident, NoticeKind.CLOSE, messages.close(story), now)

    def _open(self, card: Card, incident: Incident, now: float) -> None:
        due = tier(incident, self._fleet.settings.alerts.tiers, now, self._facts(card, incident))
        if due.tier.rank > incident.tier.rank:
            risen = replace(incident, tier=due.tier)
            card.incident = risen
            self._chronicle.store.put(risen)
            self._chronicle.entry(risen, now, "tier", f"{due.tier.value}: {due.why}")
            self._say_new(card, risen, now, due.why)
        elif self._news.due(incident, self._fleet.settings.alerts.tiers.critical_after, now) and not incident.acked:
            self._say_new(card, incident, now, due.why)
        elif incident.id in self._said:
            self._edit(card, incident, now, due.why)
        again = self._reminder(incident)
        if incident.stage is Stage.PERSON and not incident.acked and again is not None and now >= again:
            card.incident = replace(incident, reminded_at=now)
            self._chronicle.store.put(card.incident)
            self._put(card.incident, NoticeKind.NEW, messages.reminder(self._story(card, incident, now)), now)

    def _say_new(self, card: Card, incident: Incident, now: float, why: str) -> None:
        self._said[incident.id] = _moment(incident)
        kind = NoticeKind.NEW if self._news.is_new(incident, now) else NoticeKind.EDIT
        self._put(incident, kind, messages.message(self._story(card, incident, now, why)), now)

    def _edit(self, card: Card, incident: Incident, now: float, why: str) -> None:
        """Edited when something happened, not because time passed; nothing new is said after a restart of the daemon."""
        said, moment = self._said[incident.id], _moment(incident)
        self._said[incident.id] = moment
        if said and said != moment:
            self._put(incident, NoticeKind.EDIT, messages.edit(self._story(card, incident, now, why)), now)

    def _host(self, incident: Incident, now: float) -> None:
        storm = self._fleet.storm if incident.symptom == STORM else None
        facts = Facts(storm=storm is not None and now - storm.since >= LASTS)
        due = tier(incident, self._fleet.settings.alerts.tiers, now, facts)
        if due.tier.rank <= incident.tier.rank:
            return
        risen = replace(incident, tier=due.tier)
        self._chronicle.host(risen, now)
        if storm is not None:
            text = messages.storm(self._storm(risen, now))
        else:
            text = messages.message(Story(TITLES[risen.service], risen, now, self._fleet.zone, why=due.why))
        self._said[risen.id] = _moment(risen)
        self._put(risen, NoticeKind.NEW, text, now)

    def _storm(self, incident: Incident, now: float) -> Storm:
        fleet, storm = self._fleet, self._fleet.storm
        members = storm.listed if storm is not None else ()
        cards = {name: fleet.cards[name] for name in members if name in fleet.cards}
        details = {name: card.history.last.detail for name, card in cards.items() if card.history.last is not None}
        moments = {name: at for name, at in fleet.bad.items() if name in cards}
        common = traits({name: card.service for name, card in cards.items()}, details, moments)
        rule = fleet.settings.guards.storm
        return Storm(
            len(members), len(fleet.cards), rule.within, incident.opened_at, incident.id, fleet.zone, now, common,
            likely((card.service for card in fleet), members, rule.at_least),
        )  # fmt: skip

    def _ask(self, card: Card, approval: Approval, now: float) -> None:
        """The question is the incident's message from now on."""
        incident = card.incident
        if incident is None:
            return
        if incident.tier is Tier.SILENT:
            incident = card.incident = replace(incident, tier=Tier.SOFT)
            self._chronicle.store.put(incident)
        self._said[incident.id] = _moment(incident)
        card.approval = replace(approval, told=True)
        self._chronicle.memory(card)
        book = self._fleet.playbooks.get(approval.playbook)
        question = Question(
            card.service.title,
            card.name,
            approval.run,
            approval.playbook,
            book.summary if book is not None else "",
            incident.id,
            approval.expires_at,
            self._fleet.zone,
            now,
            counted(_saw(card, incident)) or state_word(incident.symptom),
        )
        self._put(incident, NoticeKind.NEW, messages.approval(question), now)

    def note(self, card: Card, text: str, now: float) -> None:
        """A soft line that needs no hurry, also in the timeline."""
        self._chronicle.entry(card.incident, now, "note", text)
        number = card.incident.id if card.incident is not None else None
        words = messages.note(card.service.title, text, number)
        self._chronicle.store.put(Notice(self._number(), number, card.name, Tier.SOFT, NoticeKind.NEW, now, words))

    def alert(self, text: str, now: float) -> None:
        """About the daemon itself: a store set aside, a configuration that cannot be used."""
        self._chronicle.store.put(Notice(self._number(), None, HOST, Tier.CRITICAL, NoticeKind.NEW, now, text))

    def remark(self, text: str, now: float) -> None:
        """A soft line about this host that belongs to no service."""
        self._chronicle.store.put(Notice(self._number(), None, HOST, Tier.SOFT, NoticeKind.NEW, now, text))

    def report(self, name: str, text: str, now: float) -> None:
        """A report, for example the digest: a message of its own, muted."""
        self._chronicle.store.put(Notice(self._number(), None, name, Tier.SOFT, NoticeKind.REPORT, now, text))

    def _facts(self, card: Card, incident: Incident) -> Facts:
        return Facts(
            repeats=sum(1 for _, symptom in card.bouts if symptom == incident.symptom),
            good=card.active is not None and card.active.run.proving_at is not None and card.active.good,
            degraded_pages=card.service.thresholds.degraded_pages,
        )

    def _story(self, card: Card, incident: Incident, now: float, why: str = "") -> Story:
        """A page tells all that is known; whatever is softer is a line, and gathered as cheaply."""
        brief = Story(
            title=card.service.title,
            incident=incident,
            now=now,
            tz=self._fleet.zone,
            runs=tuple(run for run in card.runs if run.incident == incident.id),
            next=self._next(card, incident, now),
            why=why,
        )
        if incident.tier is not Tier.CRITICAL or not incident.open:
            return brief
        return replace(
            brief,
            saw=_saw(card, incident),
            log=card.log,
            host=self._host_load(),
            evidence=bool(brief.runs),
            blocked=self._blocked(card, incident),
            needs=self._needs(card, now),
            likely=suspects(self._fleet, card, incident, now),
            before=before(incident, card.past, self._runs(card), now),
        )

    def _blocked(self, card: Card, incident: Incident) -> tuple[str, ...]:
        graph, cards = self._fleet.graph, self._fleet.cards
        dependents = (cards[name] for name in graph.order(graph.downstream(card.name)) if name in cards)
        return tuple(c.service.title for c in dependents if c.incident is not None and c.incident.parent == incident.id)

    def _needs(self, card: Card, now: float) -> tuple[str, ...]:
        others = (self._fleet.cards[name] for name in card.service.depends_on if name in self._fleet.cards)
        return tuple(f"{other.service.title} {wellness(other, now)[1]}" for other in others)

    @staticmethod
    def _runs(card: Card) -> tuple[Run, ...]:
        return tuple(card.runs)

    def _next(self, card: Card, incident: Incident, now: float) -> str:
        zone = self._fleet.zone
        if card.parking is not None:
            return f"one attempt at {hour(card.parking.next_at, zone)}, nothing until then"
        decision = card.decision
        if decision is not None and decision.last.until is not None and decision.last.until > now:
            return f"{decision.reason}, until {hour(decision.last.until, zone)}"
        rise = next_rise(incident, self._fleet.settings.alerts.tiers, self._facts(card, incident))
        if incident.tier is Tier.SOFT and rise is not None:
            return f"a page at {hour(rise, zone)} if not healed"
        return ""

    def _put(self, incident: Incident, kind: NoticeKind, text: str, now: float) -> None:
        self._chronicle.store.put(Notice(self._number(), incident.id, incident.service, incident.tier, kind, now, text))

    def _number(self) -> int:
        number = self._fleet.next_notice
        self._fleet.next_notice += 1
        return number


def _saw(card: Card, incident: Incident) -> tuple[str, ...]:
    """What checks and exits showed in this incident, oldest first; after a restart of the daemon what its history still holds."""
    if card.signs:
        return tuple(text for text, count in card.signs for _ in range(count))
    since = incident.reopened_at if incident.reopened_at is not None else incident.opened_at
    seen = [(check.at, check.detail or check.kind.value) for check in card.history.checks if check.kind is not Kind.OK]
    ends = [(end.at, exit_words(end.code)) for end in card.history.life.exits if not end.ours]
    return tuple(text for at, text in sorted(seen + ends) if at >= since - 1.0)


def _moment(incident: Incident) -> str:
    """What makes a message worth editing."""
    return f"{incident.stage}:{incident.reason}:{incident.run}"
