from __future__ import annotations

from pathlib import Path

import pytest

from watchdog.config.load import load_all
from watchdog.config.schema import ChatPlace, Settings, Silent
from watchdog.errors import ConfigurationError

SERVICE = "services: {a: {probe: {tcp: 'h:1'}}}\n"
TOKEN = "123456789:AAPlantedPlantedPlantedPlanted_Planted"


def read(folder: Path, alerts: str) -> Settings:
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "hook").write_text("https://hooks.example/T0/B0/s3cr3ts3cr3t\n")
    path = folder / "watchdog.yaml"
    path.write_text(SERVICE + f"alerts: {alerts}\n")
    return load_all(path, check_trust=False, environ={}).settings


def test_a_bot_its_chats_and_another_way(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "{telegram: {token: {file: token}, chats: [111111111, {id: -1001234567890123, topic: 5}]}, "
        "fallback: {webhook: {file: hook}}, silent: muted}",
    ).alerts
    assert found.telegram is not None
    assert found.telegram.token.reveal() == TOKEN
    assert found.telegram.chats == (ChatPlace(id=111111111), ChatPlace(id=-1001234567890123, topic=5))
    assert found.telegram.api == "https://api.telegram.org"
    assert found.silent is Silent.MUTED
    assert TOKEN not in repr(found)
    assert "s3cr3t" not in repr(found)


@pytest.mark.parametrize(
    ("alerts", "said"),
    [
        (f"{{telegram: {{token: '{TOKEN}', chats: [1]}}}}", "a token does not belong into the file"),
        ("{telegram: {token: {file: token}, chats: [1, 1]}}", "a chat is named twice"),
        ("{telegram: {token: {file: token}, chats: [4503599627370496]}}", "is no chat id"),
        ("{telegram: {token: {file: token}, chats: [true]}}", "is no chat id"),
        ("{telegram: {token: {file: token}, chats: [7]}, fallback: {chat: 7}}", "it is no other way"),
        ("{telegram: {token: {file: gone}, chats: [7]}}", "does not exist"),
    ],
)
def test_what_cannot_be_is_refused_and_no_token_is_in_the_words(tmp_path: Path, alerts: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        read(tmp_path, alerts)
    assert TOKEN not in str(caught.value)


def test_a_channel_ends_the_warning(tmp_path: Path) -> None:
    read(tmp_path, "{telegram: {token: {file: token}, chats: [7]}}")
    told = load_all(tmp_path / "watchdog.yaml", check_trust=False, environ={}).warnings
    assert not any("no channel" in str(each) for each in told)
