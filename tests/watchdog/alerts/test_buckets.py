from __future__ import annotations

from watchdog.alerts.buckets import PER_BOT, PER_CHAT, Bucket


def sent(bucket: Bucket, seconds: float) -> int:
    """How many went out by then, each as early as it may."""
    now, count = 0.0, 0
    while True:
        now += bucket.wait(now)
        if now > seconds:
            return count
        bucket.take(now)
        count += 1


def test_a_chat_gets_one_a_second_and_eighteen_a_minute() -> None:
    assert sent(Bucket(PER_CHAT), 10.5) == 11
    assert sent(Bucket(PER_CHAT), 59.9) == 18
    assert sent(Bucket(PER_CHAT), 3599.9) == 18 * 60


def test_a_bot_gets_twenty_five_a_second() -> None:
    assert sent(Bucket(PER_BOT), 0.99) == 25


def test_an_empty_bucket_waits_for_nothing() -> None:
    assert Bucket(PER_CHAT).wait(5.0) == 0.0
