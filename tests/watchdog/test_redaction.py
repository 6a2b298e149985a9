import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchdog.redaction import Redactor, redact

TOKEN = "123456789:" + "AAF" + "x" * 32


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"POST https://api.telegram.org/bot{TOKEN}/sendMessage", "POST https://api.telegram.org/bot***/sendMessage"),
        (f"token {TOKEN} refused", "token *** refused"),
        ("Authorization: Bearer ya29.a0AfH6SMBx-abc", "Authorization: Bearer ***"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic ***"),
        ('{"refresh_token": "1//0gabc", "n": 1}', '{"refresh_token": ***, "n": 1}'),
        (json.dumps({"body": '{"access_token":"abc def","n":1}'}), '{"body": "{\\"access_token\\":***,\\"n\\":1}"}'),
        ("password=hunter2 user=bob", "password=*** user=bob"),
        ("password: 'two words', next", "password: ***, next"),
        ("grant_type=refresh_token&client_secret=s3cr3t&x=1", "grant_type=refresh_token&client_secret=***&x=1"),
        ("GET /cb?state=1&code=4/abc", "GET /cb?state=1&code=***"),
        ("redis://:pa55@10.0.0.1:6379/0", "redis://:***@10.0.0.1:6379/0"),
        ("postgres://bot:pa55word@db/x", "postgres://bot:***@db/x"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_1 end", "jwt *** end"),
        ("TOKEN=abcdefgh12345678", "TOKEN=***"),
        ("BOT_TOKEN: 'a1b2c3d4e5'", "BOT_TOKEN: '***'"),
        ('{"token": "a1b2c3d4e5", "n": 1}', '{"token": "***", "n": 1}'),
        (json.dumps({"body": '{"botToken":"a1b2c3d4e5"}'}), '{"body": "{\\"botToken\\":\\"***\\"}"}'),
        ("x-api-key: qwertyui, next", "x-api-key: ***, next"),
        ("key sk-live-9aF3bC0123456789abcdef refused", "key *** refused"),
        ("push as ghp_0123456789abcdefghijABCDEFGHIJ012345", "push as ***"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n+a/b=\n-----END", "-----BEGIN RSA PRIVATE KEY-----***-----END"),
    ],
)
def test_what_looks_like_a_secret_is_masked_and_the_rest_stays(text: str, left: str) -> None:
    assert redact(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Basic authentication failed for user bob",
        "ImportError: cannot import name 'Sheet' from 'gspread'",
        "token expired 3 min ago",
        "token: expired",
        "token=12345678 of 20000000",
        "max_tokens: 4096abcdef",
        "the secret: unreadable",
        "desk-lamp-number-1234567890 and task-runner-0123456789abcdef",
        "http://127.0.0.1:8101/health answered 503 in 1.2 s",
        "12:30:45 2026-08-16 pid 4711:99:boot",
        '{"status": "critical", "reason": "disk_full", "code": 515}',
    ],
)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


@given(st.text(min_size=4, max_size=30).filter(lambda text: len(text.strip()) >= 4 and "*" not in text))
def test_a_known_value_is_found_however_it_is_written(secret: str) -> None:
    redactor = Redactor([secret])
    said = redactor(f"a {secret} b {json.dumps(secret)} c {json.dumps(secret, ensure_ascii=False)} d {secret!r} e")
    assert secret not in said


def test_values_of_an_older_configuration_stay_known() -> None:
    redactor = Redactor(["first-value"])
    redactor.learn(["second-value"])
    assert redactor("first-value second-value") == "*** ***"


def test_a_very_short_value_does_not_eat_ordinary_words() -> None:
    assert Redactor(["no", " a "])("no a nobody") == "no a nobody"


@pytest.mark.parametrize(
    "piece",
    [
        'password="',
        "password='\\",
        "-----BEGIN PRIVATE KEY-----\n",
        "a://",
        "eyJ",
        "token=",
        "sk-a1",
        "secret:a ",
        "1" * 50,
        "\\",
    ],
)
@pytest.mark.timeout(5)
def test_a_hostile_text_takes_no_long_time(piece: str) -> None:
    redact(piece * (100_000 // len(piece)))
