"""From a scenario file to values, or all mistakes at once with their lines."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from watchdog.errors import ConfigurationError
from watchdog.simulation.scenario import Change, Does, Operator, Process, Reply, Scenario, Verb
from watchdog.simulation.scenario_file import load, read, unmatched

HEAD = """\
name: a story
config: {services: {scraper: {probe: {http: "http://scraper/health"}}}}
until: 15m
"""


def of(world: str = "", expect: str = "  - {alert: any, count: 0}", head: str = HEAD) -> Scenario:
    return read(f"{head}world:\n{world or '  []'}\nexpect:\n{expect}\n", "s.yaml")


def problems(world: str = "", expect: str = "  - {alert: any, count: 0}", head: str = HEAD) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as caught:
        of(world, expect, head)
    return caught.value.problems


def change(line: str) -> Change:
    return of(f"  - {line}").events[0].change


def test_a_story_has_its_times_and_its_wishes() -> None:
    scenario = read(
        """\
name: a hung bot
config: {services: {scraper: {probe: {http: "http://scraper/health"}}}}
start: "2026-03-02T03:40:00+08:00"
seed: 7
spread: true
world:
  - {at: 65s, service: scraper, does: hang}
  - {after: stop_process, service: scraper, times: 1, takes: 5s, delay: 12s, fail: no way, health: {status: ok}}
  - {after: start, of: "db*", service: scraper, does: ok}
until: 15m
expect:
  - {playbook: restart-unresponsive, service: scraper, at: [2m, 4m], outcome: healed}
  - {alert: critical, count: 0}
  - {effect: restart, count: [1, 3], reason: "a+b?"}
  - {incident: scraper, outcome: null}
  - {order: [capture_evidence, stop_process], service: scraper}
""",
        "s.yaml",
    )
    assert (scenario.name, scenario.until, scenario.seed, scenario.spread) == ("a hung bot", 900.0, 7, True)
    assert scenario.start == datetime(2026, 3, 1, 19, 40, tzinfo=UTC).timestamp()
    hang, after, other = scenario.events
    assert (hang.at, hang.change.services, hang.change.replies) == (65.0, "scraper", (Reply(Does.HANG),))
    assert (after.after, after.times, after.takes, after.delay, after.fail) == ("stop_process", 1, 5.0, 12.0, "no way")
    assert other.of == "db*"
    healed, never, some, undecided, order = scenario.expects
    assert (healed.kind, healed.name, healed.window, healed.fields) == (
        "playbook", "restart-unresponsive", (120.0, 240.0), {"outcome": "healed"},
    )  # fmt: skip
    assert healed.where == "s.yaml:12"
    assert healed.text == "{playbook: restart-unresponsive, service: scraper, at: [2m, 4m], outcome: healed}"
    assert (healed.count, never.count, some.count) == ((1, math.inf), (0, 0), (1, 3))
    assert undecided.fields == {"outcome": None}
    assert order.order == ("capture_evidence", "stop_process")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("{at: 0s, service: scraper, does: refuse}", Reply(Does.REFUSE)),
        ("{at: 0s, service: scraper, health: {status: ok}}", Reply(code=200, body=b'{"status": "ok"}')),
        ("{at: 0s, service: scraper, health: {status: critical}}", Reply(code=503, body=b'{"status": "critical"}')),
        ("{at: 0s, service: scraper, health: {status: critical}, http: 200}", Reply(code=200, body=b'{"status": "critical"}')),
        ("{at: 0s, service: scraper, http: 502}", Reply(code=502, media="text/plain")),
        ('{at: 0s, service: scraper, http: {code: 200, body: "fine"}}', Reply(code=200, body=b"fine", media="text/plain")),
    ],
)
def test_a_bot_answers_in_many_ways(line: str, reply: Reply) -> None:
    assert change(line).replies == (reply,)


def test_a_cycle_gives_its_answers_in_turn() -> None:
    replies = change("{at: 0s, service: scraper, cycle: [ok, hang, {health: {status: degraded}}, {does: reset}]}").replies
    assert [each.does for each in replies] == [Does.OK, Does.HANG, Does.OK, Does.RESET]
    assert json.loads(replies[2].body) == {"status": "degraded"}


def test_processes_hosts_clocks_and_people_have_their_words() -> None:
    assert change("{at: 1m, service: scraper, exit: {code: 3}}").exit == 3
    assert change("{at: 0s, service: scraper, runtime: {status: exited}}").process == Process("exited")
    assert change("{at: 0s, service: scraper, runtime: {status: running, started_ago: 20s}}").process == Process("running", 20.0)
    assert change('{at: 0s, service: scraper, runtime: {policy: "no"}}').process == Process("", policy="no")
    assert change("{at: 1m, service: scraper, runtime: {status: exited, by: operator}}").process == Process(
        "exited", by_hand=True
    )
    assert change("{at: 1m, service: scraper, exit: {oom: true}}").starved
    assert change("{at: 1m, docker: down}").docker is False
    assert change("{at: 1m, operator: {deploy: scraper}}").operator == Operator(Verb.DEPLOY, "scraper")
    assert change('{at: 1m, service: scraper, log: "boom", times: 3}').log == ("boom",) * 3
    assert change("{at: 1m, service: scraper, cpu: 250%, memory: 800MB}").cpu == 250.0
    assert change("{at: 1m, host: {network: down}}").network is False
    assert change("{at: 1m, store: down}").store is False
    assert change("{at: 1m, daemon: crash, back_after: 20s}").crash == 20.0
    assert change("{at: 1m, daemon: crash, back_after: 20s, mode: observe}").mode == "observe"
    assert change("{at: 1m, host: {boot: new}, daemon: crash}").boot
    assert change('{at: 1m, clock: "-3h"}').clock == -10800.0
    assert change("{at: 1m, operator: {hold: scraper}, for: 10m}").operator == Operator(Verb.HOLD, "scraper", 600.0)
    assert change("{at: 1m, operator: {ack: scraper}}").operator == Operator(Verb.ACK, "scraper")


def test_every_repeats_until_its_end_or_so_many_times() -> None:
    often = of("  - {every: 10s, until: 30s, service: scraper, log: tick}").events[0]
    assert often.moments(900) == [0, 10, 20, 30]
    assert of("  - {at: 5s, every: 10s, times: 2, service: scraper, log: tick}").events[0].moments(900) == [5, 15]
    assert of("  - {at: 20m, service: scraper, log: late}").events[0].moments(900) == []


def test_a_fleet_makes_services() -> None:
    head = 'name: many\nuntil: 1m\nfleet: {count: 3, like: {probe: {http: "http://h{n}/health"}, depends_on: ["db-{n}"]}}\n'
    config = of(head=head).config
    assert config is not None
    services = config["services"]
    assert services == {f"bot-{n}": {"probe": {"http": f"http://h{n}/health"}, "depends_on": [f"db-{n}"]} for n in (1, 2, 3)}


def test_a_configuration_may_be_a_file_beside_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("name: n\nconfig: watchdog.yaml\nuntil: 1m\nexpect: []\n")
    scenario = load(file)
    assert (scenario.config, scenario.config_path) == (None, tmp_path / "watchdog.yaml")


@pytest.mark.parametrize(
    ("world", "text"),
    [
        ("  - {at: 5, service: scraper, does: ok}", "s.yaml:5:10: world[0].at: '5' has no unit, write '5s' or '5m'"),
        ("  - {at: 5s, service: scraper, does: hung}", "s.yaml:5:38: world[0].does: 'hung' is none of ok, hang, refuse, reset"),
        ("  - {at: 5s, service: scraper, helth: {status: ok}}", "unknown key 'helth', did you mean 'health'?"),
        ("  - {service: scraper, does: ok}", "needs one of at, every, after"),
        ("  - {at: 1s, after: start, service: scraper, does: ok}", "needs one of at, every, after"),
        ("  - {at: 1s, does: ok}", "'does' needs a service"),
        ("  - {at: 1s, service: scraper}", "says when, but not what happens"),
        ("  - {at: 1s, service: scraper, takes: 5s, does: ok}", "'takes' belongs to 'after: ACTION'"),
        ("  - {after: stop_proces, service: scraper, does: ok}", "unknown action 'stop_proces', did you mean 'stop_process'?"),
        ("  - {at: 1s, docker: away}", "'away' is none of up, down"),
        ("  - {at: 1s, service: scraper, exit: {oom: 1}}", "must be true or false, not '1'"),
        ("  - {at: 1s, service: scraper, runtime: {policy: never}}", "'never' is none of no, on-failure, unless-stopped, always"),
        ("  - {at: 1s, service: scraper, runtime: {status: exited, by: us}}", "'us' is none of operator"),
        ("  - {at: 1s, host: {disk_free: 3%}}", "'disk_free' is not available in this version"),
        ("  - {at: 1s, service: scraper, runtime: {status: dead}}", "'dead' is none of running, exited, restarting, paused"),
        ("  - {at: 1s, operator: {hold: scraper}}", "'hold' needs 'for: 10m' beside it"),
        ("  - {at: 1s, mode: observe, store: down}", "'mode' belongs to 'daemon: crash'"),
        ("  - {at: 1s, host: {boot: new}}", "a boot ends the daemon too: write 'daemon: crash' beside it"),
        ('  - {at: 1s, clock: "3h"}', "'3h' is no step of the clock, write for example '+3h'"),
        ("  - {at: 1s, service: scraper, http: 700}", "700 is no HTTP code"),
        ("  - {at: 1s, service: scraper, does: hang, health: {status: ok}}", "'does' has no document beside it"),
    ],
)
def test_a_slip_in_the_world_is_told_with_its_place(world: str, text: str) -> None:
    found = problems(world)
    assert any(text in each for each in found), found
    assert all(each.startswith("s.yaml:5:") for each in found)


@pytest.mark.parametrize(
    ("expect", "text"),
    [
        ("  - {alert: critcal}", "'critcal' is none of silent, soft, critical, any, did you mean 'critical'?"),
        ("  - {service: scraper}", "what is expected is missing"),
        ("  - {alert: any, edit: any}", "only one of alert, edit at a time"),
        ("  - {alert: any, count: -1}", "must be a whole number of at least 0"),
        ("  - {alert: any, at: 2m}", "must be [from, to], not '2m'"),
        ("  - {alert: any, text: '('}", "is no regular expression"),
        ("  - {order: [start], count: 1}", "'order' has no 'count'"),
    ],
)
def test_a_slip_in_a_wish_is_told_with_its_place(expect: str, text: str) -> None:
    found = problems(expect=expect)
    assert any(text in each for each in found), found


def test_all_mistakes_are_told_at_once() -> None:
    assert len(problems("  - {at: 1, service: scraper, does: huh}", "  - {alert: never}")) == 3


def test_what_is_missing_at_the_top_is_named() -> None:
    found = problems(head='config: {services: {}}\nstart: "2026-03-02"\n')
    assert any("'name' is missing" in each for each in found)
    assert any("'until' is missing" in each for each in found)
    assert any("is no moment with its offset" in each for each in found)


def test_names_that_are_no_service_are_slips_of_the_pen() -> None:
    scenario = of("  - {at: 1s, service: scrapr, does: ok}", "  - {incident: scraper}\n  - {alert: any, service: 'bot-*'}")
    assert unmatched(scenario, {"scraper"}) == ["s.yaml:5: unknown service 'scrapr', did you mean 'scraper'?"]
