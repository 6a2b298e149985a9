"""A whole installation in a folder: a configuration, a store with a past, and watchdogctl run on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from watchdog.cli.main import cli
from watchdog.decisions.ports import Record
from watchdog.state.store.open import NAME
from watchdog.state.store.writer import SqliteStore

CONFIG = """\
timezone: Asia/Tashkent
state: {dir: state}
control: {socket: control.sock}
services:
  postgres:
    probe: {tcp: "127.0.0.1:5432"}
  ezee-scraper:
    title: eZee Scraper
    probe: {http: "http://127.0.0.1:8101/health"}
    depends_on: [postgres]
  report-bot:
    probe: {http: "http://127.0.0.1:8102/health"}
    depends_on: [ezee-scraper]
"""


@dataclass(frozen=True, slots=True)
class Installation:
    """folder: holds watchdog.yaml, state/ and control.sock."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "watchdog.yaml"

    @property
    def socket(self) -> Path:
        return self.folder / "control.sock"

    def write(self, records: Iterable[Record]) -> None:
        """A past in the store."""
        asyncio.run(_write(self.folder / "state" / NAME, records))

    def ctl(self, *args: str, env: dict[str, str] | None = None) -> Result:
        """watchdogctl with this configuration, in a pipe."""
        return CliRunner().invoke(cli, ["-c", str(self.config), *args], env=env, prog_name="watchdogctl")

    def document(self, *args: str) -> Any:
        """What a verb prints with -o json."""
        result = self.ctl(*args, "-o", "json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)


def install(folder: Path, config: str = CONFIG) -> Installation:
    (folder / "watchdog.yaml").write_text(config)
    (folder / "state").mkdir()
    return Installation(folder)


async def _write(path: Path, records: Iterable[Record]) -> None:
    store = SqliteStore.open(path, inline=True)
    for record in records:
        store.put(record)
    await store.commit()
    await store.close()
