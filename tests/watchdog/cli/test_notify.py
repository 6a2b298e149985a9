from __future__ import annotations

from pathlib import Path

from tests.fakes.bot_api import TOKEN, Telegram, served
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import CONFIG, Installation, install
from watchdog.clock import Clock


def configured(folder: Path, url: str) -> Installation:
    (folder / "token").write_text(TOKEN)
    return install(folder, CONFIG + f"alerts: {{telegram: {{token: {{file: token}}, chats: [1, 4], api: '{url}'}}}}\n")


def test_the_daemon_sends_it(here: Installation) -> None:
    answer = {"text": "✓ telegram:1: arrived", "chats": [{"to": "telegram:1", "ok": True, "said": "arrived"}]}
    with answering(here.socket, FakeDesk({"notify_test": answer})) as desk:
        result = here.ctl("notify", "test")
    assert (result.stdout, result.exit_code) == ("✓ telegram:1: arrived\n", 0)
    assert desk.asked[0][0] == "notify_test"


def test_without_a_daemon_it_is_sent_with_the_configuration_on_disk(tmp_path: Path) -> None:
    telegram = Telegram(Clock().monotonic, chats=(1,))
    with served(telegram) as url:
        result = configured(tmp_path, url).ctl("notify", "test")
    assert result.exit_code == 1
    assert "✓ telegram:1: arrived" in result.stdout
    assert "✗ telegram:4: Telegram does not know this chat" in result.stdout
    assert TOKEN not in result.output
    assert len(telegram.seen(1)) == 1


def test_without_a_channel_it_says_what_to_set(here: Installation) -> None:
    result = here.ctl("notify", "test")
    assert result.exit_code == 1
    assert "set alerts.telegram" in result.output
