from __future__ import annotations

import pytest

from watchdog.alerts.advice import advice
from watchdog.alerts.answers import Answer, Verdict


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(Verdict.DONE), "arrived"),
        (Answer(Verdict.CHAT_OFF, "403 Forbidden: bot was blocked by the user"), "unblock it"),
        (Answer(Verdict.CHAT_OFF, "403 Forbidden: bot can't initiate conversation with a user"), "press Start"),
        (Answer(Verdict.CHAT_OFF, "400 Bad Request: chat not found"), "/start"),
        (Answer(Verdict.BOT_OFF, "401 Unauthorized"), "@BotFather"),
        (Answer(Verdict.NO_TOPIC, "400 Bad Request: message thread not found"), "`topic`"),
        (Answer(Verdict.MOVED, moved_to=-1001), "write -1001 into"),
        (Answer(Verdict.WAIT, "429", wait=34.0), "34 s"),
        (Answer(Verdict.AGAIN, "no connection (Connection refused)"), "was not reached: no connection (Connection refused)"),
        (Answer(Verdict.REFUSED, "400 Bad Request: odd"), "400 Bad Request: odd"),
    ],
)
def test_a_person_is_told_what_to_do(answer: Answer, said: str) -> None:
    assert said in advice(answer)
