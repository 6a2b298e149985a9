"""The digest as people read it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from watchdog.reports.digest import Digest, Left, Line, Slow, Worse
from watchdog.reports.digest_text import text

END = datetime(2026, 8, 16, 8, 30, tzinfo=UTC).timestamp()
HUNG = Line(END - 17000, "scraper", "eZee Scraper", "not answering, restarted", 144, 214, "healed", False)


def of(**more: object) -> Digest:
    base: dict[str, object] = {
        "since": END - 86400, "until": END, "total": 42, "well": 42, "healed": (), "recovered": (), "paged": (), "person": (),
        "parked": (), "held": (), "stopped": (), "worse": (), "nights_broken": 0, "blips": 0, "uptime": 0.9971,
        "uptime_unplanned": 0.9993, "mean_healed": None, "mean_all": None, "hours": (0,) * 24, "saved": 0.0,
        "last_recovery": None,
    }  # fmt: skip
    return Digest(**(base | more))  # type: ignore[arg-type]


def test_a_day_with_work_tells_it_line_by_line() -> None:
    reset = Line(END - 20000, "wa", "WhatsApp", "critical, reloaded", 9, 215, "healed", False)
    page = Line(END - 3000, "api", "Price API", "down, 3 tries did not help", 1860, 216, "escalated", False)
    qr = Line(END - 22620, "wa2", "Translator", "QR needed", 22620, 217, "escalated", True)
    made = of(
        well=41,
        healed=(HUNG, reset),
        paged=(page,),
        person=(qr,),
        worse=(Worse("eZee Scraper", "scraper", 11, 3, "not answering, mostly 03:00–04:00"),),
        mean_healed=47.0,
        mean_all=47.0,
        saved=12960.0,
        hours=(0,) * 3 + (4, 1) + (0,) * 19,
        blips=2,
    )
    assert text(made, UTC).splitlines() == [
        "☀ Sun 16 Aug · 41 of 42 ok now · 2 healed, 0 nights broken",
        "02:56  WhatsApp      critical, reloaded        9 s",
        "03:46  eZee Scraper  not answering, restarted  2 min 24 s",
        "Paged: Price API (down, 3 tries did not help), over after 31 min · incident 216",
        "Needs you: Translator (QR needed, since 02:13)",
        "On hold: none · Parked: none",
        "Worse: eZee Scraper heals 11 × a week, was 3 × (not answering, mostly 03:00–04:00)",
        "Hours: 00 ▁▁▁█▃▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ 23",
        "Uptime 99.71 % (99.93 % without planned time) · mean 47 s · 3.6 h saved this week · 2 blips",
    ]


def test_a_quiet_day_is_one_line() -> None:
    assert text(of(last_recovery=END - 3 * 86400), UTC) == "☀ Sun 16 Aug · 42 of 42 ok · a quiet day. Last recovery 3 days ago."
    assert text(of(blips=1), UTC) == "☀ Sun 16 Aug · 42 of 42 ok · a quiet day with 1 blip. No recovery in two weeks."


def test_a_sick_service_is_never_a_quiet_day() -> None:
    assert "quiet" not in text(of(well=41), UTC)


def test_what_is_slow_is_told_and_no_quiet_day() -> None:
    slow = (Slow("Mailer", "mailer", "queue grew from 10 to 460 in 23 min, for 6 min"),)
    assert "Slow: Mailer (queue grew from 10 to 460 in 23 min, for 6 min)" in text(of(slow=slow), UTC).splitlines()


def test_a_long_day_is_cut_and_the_rest_counted() -> None:
    lines = text(of(healed=(HUNG,) * 30), UTC).splitlines()
    assert lines[1] == "… 18 more before"
    assert len(lines) < 20


def test_a_second_of_trouble_is_never_rounded_away() -> None:
    assert "Uptime 99.99 %" in text(of(healed=(HUNG,), uptime=0.999999, uptime_unplanned=0.999999), UTC)


def test_a_hold_of_everything_does_not_fill_the_screen() -> None:
    held = tuple(f"bot-{n}" for n in range(1, 501))
    assert "On hold: bot-1, bot-2, bot-3, bot-4, bot-5, bot-6 and 494 more · Parked: none" in text(of(held=held), UTC)


def test_without_a_recovery_of_ours_the_mean_says_whose_it_is() -> None:
    page = Line(END - 3000, "api", "Price API", "down", 1860, 216, "escalated", False)
    assert text(of(paged=(page,), mean_all=1860.0), UTC).splitlines()[-1].endswith("mean 31 min with those we did not heal")


def test_every_line_fits_a_terminal() -> None:
    long = Line(END, "x", "T" * 80, "w" * 200, 3725, 1, "healed", False)
    assert max(len(line) for line in text(of(healed=(long,)), UTC).splitlines()) <= 100


def test_what_people_took_away_has_a_line_each_and_many_share_one() -> None:
    def left(number: int) -> Left:
        return Left(f"Bot {number}", f"bot-{number}", "stopped by hand (docker stop)", END - 3600 * number)

    lines = text(of(well=40, left=(left(1), left(30))), UTC).splitlines()
    assert lines[2:4] == [
        "Left alone: Bot 1 stopped by hand (docker stop) since 07:30",
        "Left alone: Bot 30 stopped by hand (docker stop) since Sat 15 Aug 02:30",
    ]
    many = text(of(well=30, left=tuple(left(number) for number in range(1, 10))), UTC).splitlines()
    (line,) = [line for line in many if line.startswith("Left alone")]
    assert line.endswith("and 3 more")


def test_on_a_phone_there_are_no_columns() -> None:
    reset = Line(END - 20000, "wa", "WhatsApp", "critical, reloaded", 9, 215, "healed", False)
    assert text(of(healed=(HUNG, reset)), UTC, phone=True).splitlines()[1:3] == [
        "02:56 WhatsApp: critical, reloaded, 9 s",
        "03:46 eZee Scraper: not answering, restarted, 2 min 24 s",
    ]


def test_recoveries_of_one_service_that_went_alike_share_a_line() -> None:
    many = tuple(replace(HUNG, at=HUNG.at + 600 * n, duration=100 + 10 * n) for n in range(5))
    other = replace(HUNG, at=HUNG.at + 700, what="down, started")
    lines = text(of(healed=(*many, other)), UTC, phone=True).splitlines()
    assert lines[0] == "☀ Sun 16 Aug · 42 of 42 ok now · 6 healed, 0 nights broken"
    assert lines[1:3] == [
        "03:58 eZee Scraper: down, started, 2 min 24 s",
        "04:26 eZee Scraper: not answering, restarted, ×5 since 03:46, mean 2 min",
    ]


def test_a_late_digest_says_so_since_when_it_tells_and_what_nobody_saw() -> None:
    late = of(
        since=END - 3 * 86400, until=END + 3 * 3600, due=END, well=41, healed=(replace(HUNG, at=END - 2 * 86400),),
        unwatched=((END - 2 * 86400 + 600, END + 3 * 3600 - 90),),
    )  # fmt: skip
    assert text(late, UTC, phone=True).splitlines()[:4] == [
        "☀ Sun 16 Aug · late, was due 08:30 · 41 of 42 ok now · 1 healed, 0 nights broken",
        "Since the last one: Thu 13 Aug 08:30",
        "Not watched for 2 days (Fri 14 Aug 08:40 to Sun 16 Aug 11:28): the watchdog itself did not run",
        "Fri 14 Aug 08:30 eZee Scraper: not answering, restarted, 2 min 24 s",
    ]
    quiet = text(of(since=END - 3 * 86400, due=END - 86400 * 0.9), UTC).splitlines()
    assert quiet[0].startswith("☀ Sun 16 Aug · late, was due Sat 15 Aug 10:54 · 42 of 42 ok · quiet since then.")


def test_the_day_on_which_the_clocks_go_back_is_no_long_one() -> None:
    assert "Since" not in text(of(since=END - 25 * 3600, healed=(HUNG,)), UTC)
