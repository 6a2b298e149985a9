import os
from pathlib import Path

import pytest

from recovery.adapters.bot_log import LIMIT, BotLog, last_lines
from recovery.errors import StepFailed
from watchdog.clock import Clock


def log(folder: Path) -> BotLog:
    return BotLog(folder / "logs", "scraper", Clock())


async def test_above_ten_megabytes_it_is_copied_and_truncated_while_the_bot_writes_on(tmp_path: Path) -> None:
    bot_log = log(tmp_path)
    fd = bot_log.open()
    os.write(fd, b"x" * (LIMIT - 5) + b"\nold\n")
    await bot_log.trim()
    assert bot_log.path.stat().st_size == LIMIT
    os.write(fd, b"newest\n")
    await bot_log.trim()
    assert bot_log.path.stat().st_size == 0
    os.write(fd, b"after\n")
    os.close(fd)
    assert bot_log.path.read_bytes() == b"after\n"
    kept = (tmp_path / "logs" / "scraper.log.1").read_bytes()
    assert len(kept) == LIMIT
    assert kept.endswith(b"\nold\nnewest\n")
    assert bot_log.tail(3) == ["old", "newest", "after"]


class Flooded(Clock):
    """While we copy, the bot writes more than we read."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path, self.pauses = path, 0

    async def sleep(self, seconds: float) -> None:
        self.pauses += 1
        with self._path.open("ab") as file:
            file.write(b"y" * (2 << 20))
        assert self.pauses < 50


async def test_a_bot_that_writes_faster_than_we_copy_fills_no_disk(tmp_path: Path) -> None:
    clock = Flooded(tmp_path / "logs" / "scraper.log")
    bot_log = BotLog(tmp_path / "logs", "scraper", clock)
    os.close(bot_log.open())
    bot_log.path.write_bytes(b"x" * (LIMIT + 1))
    await bot_log.trim()
    assert (tmp_path / "logs" / "scraper.log.1").stat().st_size == LIMIT
    assert bot_log.path.stat().st_size == 0


async def test_a_log_that_was_not_made_yet_or_cannot_be_trimmed_is_no_error(tmp_path: Path) -> None:
    bot_log = log(tmp_path)
    await bot_log.trim()
    assert bot_log.tail(5) == []
    os.close(bot_log.open())
    os.truncate(bot_log.path, LIMIT + 1)
    (tmp_path / "logs" / "scraper.log.1").mkdir()
    await bot_log.trim()
    assert bot_log.path.stat().st_size == LIMIT + 1


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "scraper.log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StepFailed, match=r"scraper\.log cannot be written"):
        log(tmp_path).open()
    assert not (tmp_path / "elsewhere").exists()


def test_the_last_lines_of_a_huge_file_are_found_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as file:
        file.truncate(1 << 34)
        file.seek(1 << 34)
        file.write("\nконец 1\r\nend \udc80 2\n".encode("utf-8", "surrogateescape"))
    assert last_lines(path, 2) == ["конец 1", "end \N{REPLACEMENT CHARACTER} 2"]


def test_a_pipe_or_a_folder_in_the_place_of_a_log_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert last_lines(tmp_path / "pipe", 3) == []
    assert last_lines(tmp_path, 3) == []
    assert last_lines(tmp_path / "no", 3) == []
