"""The picture of a phone is as wide as it says, whatever is on it."""

from __future__ import annotations

from watchdog.alerts.phone import WIDTH, cells, draw, wrap

TEXT = (
    "🔴 eZee Scraper down 15 min, not healed\nsince 03:32 +05\n\nTried   03:34 restart: ignored SIGTERM, killed, started, refused"
)


def test_every_row_is_equally_wide() -> None:
    rows = draw(TEXT + "\nLog     " + "x" * 100, "03:47").splitlines()
    assert {cells(row) for row in rows} == {WIDTH}
    assert "03:47" in rows[1]


def test_a_labelled_value_hangs_under_its_column() -> None:
    assert wrap("Tried   03:34 restart: ignored SIGTERM, killed", 30) == [
        "Tried   03:34 restart: ignored",
        "        SIGTERM, killed",
    ]


def test_a_number_keeps_its_unit() -> None:
    assert wrap("Host    memory 61 % · disk 78 %", 30)[-1].strip() == "78\u00a0%"


def test_an_emoji_takes_two_cells() -> None:
    assert cells("🔴 a") == 4
