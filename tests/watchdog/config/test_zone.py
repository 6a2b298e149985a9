from __future__ import annotations

from pathlib import Path

from watchdog.config.zone import host_zone


def test_the_zone_comes_from_tz_then_from_the_hosts_link_then_it_is_utc(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    link.symlink_to("/usr/share/zoneinfo/Asia/Tashkent")
    assert host_zone({"TZ": ":Asia/Bali"}, link) == "Asia/Tashkent", "an unknown TZ is passed over"
    assert host_zone({"TZ": "Asia/Makassar"}, link) == "Asia/Makassar"
    assert host_zone({}, tmp_path / "gone") == "UTC"
    (tmp_path / "copy").write_bytes(b"TZif")
    assert host_zone({"TZ": "../etc/passwd"}, tmp_path / "copy") == "UTC"
