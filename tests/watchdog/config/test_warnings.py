from __future__ import annotations

from watchdog.config.load import from_values
from watchdog.config.warnings import remarks


def test_what_is_probably_not_meant_is_remarked() -> None:
    settings = from_values(
        {
            "services": {
                "a": {"probe": {"tcp": "h:1"}, "apis": ["x"], "depends_on": {"b": "restart_with"}},
                "b": {"probe": {"tcp": "h:1"}, "runtime": {"process": {"start": ["b"]}}},
            },
            "apis": {"x": {}, "y": {}},
        }
    )
    assert [(path, text.split(":")[0]) for path, text in remarks(settings)] == [
        ((), "no channel for alerts is configured"),
        (("services", "a"), "has no runtime"),
        (("services", "a", "depends_on"), "restart_with does nothing without a runtime"),
        (("services", "b", "probe"), "asks the same address as 'a'"),
        (("apis", "y"), "is used by no service"),
    ]
