"""The watch takes in what was observed, asks `decide`, and wishes."""

from __future__ import annotations

from dataclasses import replace

from recovery.ports import Life, Sight
from tests.builders import Crew, says
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.fleet import Fleet
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import AskAnew, AskSoon, Capture, Heal, Wish
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident, Outcome, Stage
from watchdog.model.observation import Kind
from watchdog.model.records import Hold
from watchdog.state.rollup import Rollups

RUNS = Sight(Life.RUNNING, "i1", 1001, EPOCH - 86_400)


class Watching:
    """A watch whose wishes are kept. notes: soft lines."""

    def __init__(self, services: dict[str, dict[str, object]] | None = None, **more: object) -> None:
        self.crew = Crew(services or {"bot": {}}, **more)
        self.wishes: list[Wish] = []
        self.notes: list[str] = []
        app = self.crew.app
        self.watch = Watch(
            app.fleet,
            app.chronicle,
            app.stages,
            Rollups(),
            self.wishes.append,
            lambda _card, text, _now: self.notes.append(text),
        )
        for card in app.fleet:
            self.watch.sighted(card, RUNS, EPOCH)
        app.stages._wish = self.wishes.append  # the film keeps them, where the loop would carry them out

    @property
    def fleet(self) -> Fleet:
        return self.crew.app.fleet

    async def see(self, kind: Kind, times: int = 1, name: str = "bot", every: float = 30.0, **more: object) -> None:
        for _ in range(times):
            await self.crew.wait(every)
            seen = replace(says(kind, **more), at=self.crew.clock.now())  # type: ignore[arg-type]
            self.watch.observe(self.crew.card(name), seen)

    def wished(self, kind: type[Wish]) -> list[Wish]:
        return [wish for wish in self.wishes if isinstance(wish, kind)]


def test_the_first_failing_check_opens_an_incident_and_the_fourth_wishes_for_one_recovery() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.OK)
        await it.see(Kind.NO_ANSWER, detail="timeout")
        assert (it.crew.incident().stage, it.crew.incident().reason) == (Stage.OPEN, "timeout")
        await it.see(Kind.NO_ANSWER, 2)
        assert it.wished(Heal) == []
        await it.see(Kind.NO_ANSWER)
        (wish,) = it.wished(Heal)
        assert isinstance(wish, Heal)
        assert (wish.name, wish.playbook.name, wish.by) == ("bot", "restart-unresponsive", "watchdog")

    play(film())


def test_two_good_answers_close_a_blip_and_one_does_not() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.NO_ANSWER, 2)
        await it.see(Kind.OK)
        assert it.crew.card().incident is not None
        await it.see(Kind.OK)
        assert it.crew.card().incident is None
        closed = it.crew.ledger.all(Incident)[-1]
        assert (closed.blip, closed.outcome) == (True, Outcome.SELF_RECOVERED)
        assert it.fleet.bad == {}

    play(film())


def test_a_first_critical_answer_asks_again_in_five_seconds_and_takes_evidence_at_once() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.CRITICAL)
        assert it.wishes == [AskSoon("bot", 5.0), Capture("bot")]
        await it.see(Kind.CRITICAL, every=5.0)
        assert len(it.wished(AskSoon)) == 1
        assert [wish.playbook.name for wish in it.wished(Heal) if isinstance(wish, Heal)] == ["diagnose-critical"]

    play(film())


def test_a_declared_retry_sets_the_tempo_after_a_failing_check() -> None:
    async def film() -> None:
        it = Watching({"bot": {"retry": "4s"}})
        await it.see(Kind.NO_ANSWER)
        assert it.wishes == [AskSoon("bot", 4.0)]

    play(film())


def test_dependencies_are_asked_before_anything_is_wished_for() -> None:
    async def film() -> None:
        it = Watching({"db": {}, "bot": {"depends_on": ["db"]}})
        await it.see(Kind.OK, name="db", every=0.0)
        await it.see(Kind.NO_ANSWER, 4)
        assert it.wished(Heal) == []
        assert it.wished(AskAnew) == [AskAnew(("db",))]
        assert [row.reason for row in it.crew.ledger.all(Decision)] == ["asking db anew first"]

    play(film())


def test_startup_grace_keeps_bad_answers_from_opening_anything() -> None:
    async def film() -> None:
        it = Watching({"bot": {"startup_grace": "100s"}})
        it.watch.sighted(it.crew.card(), Sight(Life.RUNNING, "i2", 1002, EPOCH), EPOCH)
        await it.see(Kind.NO_ANSWER, 3)
        assert it.crew.card().incident is None
        await it.see(Kind.NO_ANSWER)
        assert it.crew.card().incident is not None

    play(film())


def test_an_exit_that_nobody_asked_for_opens_an_incident_and_one_of_ours_does_not() -> None:
    async def film() -> None:
        it = Watching({"bot": {}, "held": {}})
        for name in ("bot", "held"):
            await it.see(Kind.OK, name=name)
        it.crew.card("held").hold = Hold("held", EPOCH, EPOCH + 600, "anna", stop=True)
        for name in ("bot", "held"):
            it.watch.sighted(it.crew.card(name), Sight(Life.STOPPED, exit_code=137), it.crew.clock.now())
        assert it.crew.incident("bot").reason == "its process ended (exit code 137)"
        assert it.crew.card("held").incident is None
        assert [end.ours for end in it.crew.card("held").history.life.exits] == [True]

    play(film())


def test_who_comes_back_gives_its_dependents_time_to_reconnect_and_owes_a_restart_where_declared() -> None:
    async def film() -> None:
        it = Watching({"db": {}, "needs": {"depends_on": ["db"]}, "follows": {"depends_on": {"db": "restart_with"}}})
        await it.see(Kind.OK, name="db")
        now = it.crew.clock.now()
        db = it.crew.card("db")
        it.watch.sighted(db, Sight(Life.STOPPED), now)
        assert not db.well
        it.watch.sighted(db, Sight(Life.RUNNING, "i2", 1002, now), now)
        await it.see(Kind.OK, name="db", every=1.0)
        for name in ("needs", "follows"):
            pause = it.crew.card(name).reconnect
            assert pause is not None
            assert (pause.reason, pause.until) == ("db is back; time to reconnect", it.crew.clock.now() + 60)
        assert (it.crew.card("needs").owed, it.crew.card("follows").owed) == ("", "db")

    play(film())


def test_the_same_instance_that_answers_again_owes_nobody_a_restart() -> None:
    async def film() -> None:
        it = Watching({"db": {}, "follows": {"depends_on": {"db": "restart_with"}}})
        await it.see(Kind.OK, name="db")
        await it.see(Kind.NO_ANSWER, name="db")
        await it.see(Kind.OK, name="db")
        assert it.crew.card("follows").owed == ""
        assert it.crew.card("follows").reconnect is not None

    play(film())


def test_three_misconfigured_answers_are_one_soft_line_and_never_a_restart() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.MISCONFIGURED, 2, detail="redirect to /login")
        assert it.notes == []
        await it.see(Kind.MISCONFIGURED, 8, detail="redirect to /login")
        assert it.notes == ["its check is misconfigured, so nobody knows how it is: redirect to /login"]
        assert it.wished(Heal) == []
        assert it.crew.card().incident is None

    play(film())


def test_an_unknown_status_word_is_one_soft_line() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.OK, 5, remark="unknown status 'sunny'")
        assert it.notes == ["unknown status 'sunny'"]
        await it.see(Kind.OK)
        await it.see(Kind.OK, remark="unknown status 'sunny'")
        assert len(it.notes) == 2

    play(film())


def test_f21_a_bot_that_flaps_is_found_although_it_never_failed_four_times_in_a_row() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            for _ in range(12):
                crew.prober.says["bot"] = "refuse"
                await crew.wait(30)
                if crew.card().active is not None:
                    break
                crew.prober.says["bot"] = OK
                await crew.wait(30)
            assert crew.incident().symptom == "flapping"
            assert crew.card().active is not None

    play(film())


def test_a_relapse_takes_up_the_incident_that_has_just_closed() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "cooldown": "0s"})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            crew.prober.says["bot"] = OK
            await crew.until(lambda: crew.card().incident is None)
            number = crew.last().id
            await crew.wait(40)
            crew.prober.says["bot"] = HANG
            await crew.until(lambda: crew.card().active is not None)
            assert (crew.incident().id, crew.incident().relapses) == (number, 1)

    play(film())


def test_after_a_person_took_it_over_nothing_is_decided_until_it_is_well() -> None:
    async def film() -> None:
        it = Watching()
        await it.see(Kind.CRITICAL, 2, reason="invalid_grant")
        assert it.crew.incident().stage is Stage.PERSON
        rows = len(it.crew.ledger.all(Decision))
        await it.see(Kind.CRITICAL, 20, reason="invalid_grant")
        assert len(it.crew.ledger.all(Decision)) == rows
        assert it.wished(Heal) == []
        await it.see(Kind.OK, 2)
        assert it.crew.last().outcome is Outcome.ESCALATED

    play(film())
