from __future__ import annotations

from recovery.problem import Mark, Problem, did_you_mean, dotted, quoted, render, render_all

UNKNOWN = Problem(
    "watchdog.yaml",
    Mark(14, 18, 7),
    "services.ezee-scraper.depends_on",
    "unknown service 'postgre', did you mean 'postgres'?",
    "    depends_on: [postgre]",
)


def test_a_problem_is_one_line_with_its_place() -> None:
    assert str(UNKNOWN) == (
        "watchdog.yaml:14:18: services.ezee-scraper.depends_on: unknown service 'postgre', did you mean 'postgres'?"
    )
    assert str(Problem("a.yaml", None, "", "is no regular file")) == "a.yaml: is no regular file"


def test_it_is_shown_with_its_line_and_carets() -> None:
    assert render_all([UNKNOWN]).splitlines() == [
        str(UNKNOWN),
        "    14 |     depends_on: [postgre]",
        "       |                  ^^^^^^^",
        "1 error.",
    ]


def test_a_long_line_is_cut_around_its_place_and_cleaned() -> None:
    shown = render(Problem("a", Mark(1, 5001, 3), "", "x", "\x1b" * 5000 + "bad" + "y" * 5000)).splitlines()
    assert len(shown[1]) < 140
    assert "\x1b" not in shown[1]
    assert shown[1][shown[2].index("^") :].startswith("bad")


def test_a_place_beyond_its_line_does_no_harm() -> None:
    assert render(Problem("a", Mark(1, 50), "", "x", "short")).endswith("^")


def test_paths_are_dotted_and_leave_trailing_indexes_out() -> None:
    assert dotted(("services", "a", "depends_on", 3)) == "services.a.depends_on"
    assert dotted(("steps", 2, "wait", "for")) == "steps[2].wait.for"
    assert len(dotted(("a" * 50,) * 30)) <= 120
    assert dotted(("a\x1b[31m",)) == "a?[31m"


def test_the_nearest_known_word_is_suggested() -> None:
    assert did_you_mean("postgre", ["redis", "postgres"]) == ", did you mean 'postgres'?"
    assert did_you_mean("zzz", ["redis", "postgres"]) == ""
    many = [f"bot-{number}" for number in range(10_000)]
    assert did_you_mean("bto-77", many) in {"", ", did you mean 'bot-77'?"}


def test_a_quoted_value_is_short_and_clean() -> None:
    assert quoted("a\nb") == "'a?b'"
    assert len(quoted("x" * 1000)) == 63


def test_a_word_that_is_too_far_away_was_not_meant() -> None:
    assert did_you_mean("metrics", ["services", "defaults"]) == ""
    assert did_you_mean("dri", ["dir", "keep"]) == ", did you mean 'dir'?"
    assert did_you_mean("tiem", ["time"]) == ", did you mean 'time'?"
