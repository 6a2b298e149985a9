from __future__ import annotations

from pathlib import Path

from watchdog.config.load import from_values, load_all
from watchdog.config.warnings import remarks

ENV = {"LANG": "C.UTF-8", "BOT_TOKEN": "123456789:AAF-abcdefghijklmnopqrstuvwxyz01234"}


def test_what_is_probably_not_meant_is_remarked() -> None:
    settings = from_values(
        {
            "services": {
                "a": {"probe": {"tcp": "h:1"}, "apis": ["x"], "depends_on": {"b": "restart_with"}},
                "b": {"probe": {"tcp": "h:1"}, "runtime": {"process": {"start": ["b"], "env": ENV}}},
            },
            "apis": {"x": {}, "y": {}},
        }
    )
    assert [(path, text.split(":")[0]) for path, text in remarks(settings)] == [
        ((), "no channel for alerts is configured"),
        (("services", "a"), "has no runtime"),
        (("services", "a", "depends_on"), "restart_with does nothing without a runtime"),
        (("services", "b", "runtime", "process", "env", "BOT_TOKEN"), "looks like a secret"),
        (("services", "b", "probe"), "asks the same address as 'a'"),
        (("apis", "y"), "is used by no service"),
    ]


def test_a_secret_that_is_remarked_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "watchdog.yaml"
    process = f"{{start: [sh], env: {{BOT_TOKEN: '{ENV['BOT_TOKEN']}'}}}}"
    file.write_text(f"services:\n  bot: {{probe: {{process: true}}, runtime: {{process: {process}}}}}\n")
    (found,) = (each for each in load_all(file, check_trust=False).warnings if "secret" in each.text)
    assert "BOT_TOKEN: '***" in found.source
