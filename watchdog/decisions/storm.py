"""The storm rule: many services turned bad at once, so none of them is restarted (SPEC 5, storm)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from urllib.parse import urlsplit

from watchdog.config.schema import Runtime, Service
from watchdog.config.schema import Storm as Rule
from watchdog.decisions.moments import near

MOST = 0.5
"""A trait is common when at least this share of the members has it; a storm is over when fewer than this share is bad."""

NAMED = 5
"""Traits told in one message."""

SET_APART = 0.8
"""A trait is a likely cause when at least this share of those who have it went bad, and at most the rest of those who do not."""

MOMENT = 5.0
"""Seconds: so close together that the moment itself is a trait."""


@dataclass(frozen=True, slots=True)
class Storm:
    """since: wall seconds of the first bad sign. newest: of the last one. members: names, in the order of `listed` for people."""

    members: frozenset[str]
    since: float
    newest: float

    @property
    def listed(self) -> tuple[str, ...]:
        """The members in an order that is the same in every process."""
        return tuple(sorted(self.members))


def threshold(total: int, rule: Rule) -> int:
    """From how many on it is a storm: the share of all services but `at_least` so many, or `or` so many whatever the share."""
    return min(rule.or_, max(rule.at_least, ceil(rule.share * total - 1e-9)))


def gathering(turned: Mapping[str, float], total: int, excluded: Collection[str], rule: Rule, now: float) -> Storm | None:
    """The storm of those who turned bad within the last `rule.within` seconds, when they are many enough.

    turned: name to wall seconds of the first bad sign of its present bad stretch. excluded: explained by an unhealthy dependency,
    reconnecting, stopped, held, or being brought up. Older bad signs are no storm: whatever stood then has been dealt with.
    """
    moments = {name: at for name, at in turned.items() if near(at, now, rule.within) and name not in excluded}
    if len(moments) < threshold(total, rule):
        return None
    return Storm(frozenset(moments), min(moments.values()), max(moments.values()))


def grown(storm: Storm, turned: Mapping[str, float], excluded: Collection[str], rule: Rule) -> Storm:
    """The same storm with those who turned bad while it went on: at most `rule.within` after its newest sign, link by link."""
    late = sorted(
        (at, name)
        for name, at in turned.items()
        if name not in storm.members and name not in excluded and at >= storm.since - rule.within
    )
    members, since, newest = set(storm.members), storm.since, storm.newest
    for at, name in late:
        if at > newest + rule.within:
            break
        members.add(name)
        since, newest = min(since, at), max(newest, at)
    return storm if len(members) == len(storm.members) else Storm(frozenset(members), since, newest)


def over(storm: Storm, bad: Collection[str]) -> bool:
    """Fewer than half of its members are bad."""
    return not storm.members or sum(1 for name in storm.members if name in bad) < MOST * len(storm.members)


def traits(
    services: Mapping[str, Service], details: Mapping[str, str], moments: Mapping[str, float | None] | None = None
) -> tuple[str, ...]:
    """What the members have in common, the most common first: `31 of 31: connection refused`.

    services: the members. details: what their newest check found. moments: when each turned bad, wall seconds.
    """
    counts: Counter[str] = Counter()
    for name, service in services.items():
        counts.update(_of(service, details.get(name, "")))
    total = len(services)
    common = [(count, trait) for trait, count in counts.items() if count > 1 and count >= MOST * total]
    answers = set(details.values())
    common.sort(key=lambda pair: (-pair[0], pair[1] not in answers, pair[1]))
    lines = [f"{count} of {total}: {trait}" for count, trait in common[:NAMED]]
    at_once = _at_once([at for name, at in (moments or {}).items() if at is not None and name in services])
    if at_once > 1 and at_once >= MOST * total:
        lines.append(f"{at_once} of {total}: turned bad within {MOMENT:.0f} s")
    return tuple(lines)


def likely(services: Iterable[Service], members: Collection[str], at_least: int) -> str:
    """What sets the members apart from everybody else: `zone a: all 30 with it went bad, 1 of 12 without`; else empty.

    services: all. at_least: how many of them must be without the trait, so that they say something.
    """
    have: dict[str, set[str]] = {}
    total = 0
    for service in services:
        total += 1
        for trait in _of(service, ""):
            have.setdefault(trait, set()).add(service.name)
    bad, found = set(members), []
    for trait, names in have.items():
        hit, others = len(names & bad), total - len(names)
        elsewhere = len(bad) - hit
        if hit > 1 and others >= at_least and hit >= SET_APART * len(names) and elsewhere <= (1 - SET_APART) * others:
            found.append((hit / len(names) - elsewhere / others, trait, hit, len(names), elsewhere, others))
    if not found:
        return ""
    _, trait, hit, having, elsewhere, others = max(found)
    told = f"all {having}" if hit == having else f"{hit} of {having}"
    return f"{trait}: {told} with it went bad, {elsewhere or 'none'} of {others} without"


def _of(service: Service, detail: str) -> set[str]:
    found = {f"{key} {value}" for key, value in service.labels.items()}
    found.update(f"API {api}" for api in service.apis)
    found.update(f"needs {name}" for name in service.depends_on)
    if detail:
        found.add(detail)
    if service.runtime is not None:
        found |= _ways(service.runtime)
    if service.probe.exec:
        found.add(f"command {service.probe.exec}")
    host = _host(service)
    if host:
        found.add(f"asked at the address {host}")
    return found


def _ways(runtime: Runtime) -> set[str]:
    if runtime.process is None:
        return {"runs in Docker"}
    program = f"run {runtime.process.start[0].rsplit('/', 1)[-1]}"
    return {program, f"user {runtime.process.user}"} if runtime.process.user else {program}


def _host(service: Service) -> str:
    if service.probe.http:
        return urlsplit(service.probe.http).hostname or ""
    return service.probe.tcp.rpartition(":")[0].strip("[]") if service.probe.tcp else ""


def _at_once(moments: list[float]) -> int:
    """The most that fall into one stretch of MOMENT seconds."""
    ordered, most, first = sorted(moments), 0, 0
    for last, at in enumerate(ordered):
        while at - ordered[first] > MOMENT:
            first += 1
        most = max(most, last - first + 1)
    return most
