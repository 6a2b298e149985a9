"""What py-spy prints, reduced to what a person wants to know."""

from __future__ import annotations

import pytest

from recovery.adapters.stack_text import FRAMES, THREADS, Dump, Why, read, refused, report, summary

LIB = "/usr/lib/python3.11"
HEADER = "Process 41: python3 bot.py --token=canary-1234\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
LOOP = f"""    EpollSelector.select ({LIB}/selectors.py:468)
    BaseEventLoop._run_once ({LIB}/asyncio/base_events.py:1884)
    Runner.run ({LIB}/asyncio/runners.py:118)
    main (/srv/bot/bot.py:90)
"""


def dump(threads: str) -> Dump:
    return read(41, "python3", HEADER + threads)


def test_the_busiest_thread_is_named_with_its_function_and_comes_first() -> None:
    seen = dump(f"""Thread 41 (idle): "MainThread"
{LOOP}Thread 42 (active+gil): "spinner"
    parse (/srv/bot/bot.py:41)
    Thread.run ({LIB}/threading.py:982)
    Thread._bootstrap ({LIB}/threading.py:1002)
Thread 43 (idle): "ThreadPoolExecutor-0_0"
    _worker ({LIB}/concurrent/futures/thread.py:81)
    Thread.run ({LIB}/threading.py:982)
""")
    assert summary([seen]) == "1 process, 3 threads; active in parse (bot.py:41)"
    assert report([seen]).splitlines() == [
        "1 process, 3 threads; active in parse (bot.py:41)",
        "",
        "pid 41 (python3), Python 3.11.2",
        "  spinner (active, holds the GIL)",
        "    parse (bot.py:41)",
        "  MainThread: idle in select: nothing blocks this thread; the await chain is not visible",
        "  ThreadPoolExecutor-0_0: idle, waits for work",
    ]


def test_the_command_line_of_the_header_is_left_out_for_it_may_hold_secrets() -> None:
    seen = dump('Thread 41 (active): "MainThread"\n    parse (/srv/bot/bot.py:41)\n')
    assert "canary" not in report([seen])
    failed = refused(41, "python3", HEADER + "Error: Failed to get stack traces\n\nCaused by:\n    0: something new\n")
    assert "canary" not in report([failed])
    assert failed.reason == "py-spy failed: Error: Failed to get stack traces; 0: something new"


def test_a_library_is_told_with_the_function_of_the_bot_that_called_it() -> None:
    seen = dump(f"""Thread 41 (active+gil): "MainThread"
    match ({LIB}/re/__init__.py:166)
    rows (/srv/venv/lib/python3.11/site-packages/tables/read.py:3)
    parse (/srv/bot/reader/__init__.py:6)
""")
    assert summary([seen]) == "1 process, 1 thread; active in match (re/__init__.py:166), called by parse (reader/__init__.py:6)"
    assert "    rows (tables/read.py:3)" in report([seen])


def test_a_call_that_blocks_is_named_though_the_thread_is_idle() -> None:
    seen = dump(f"""Thread 42 (idle): "loop"
{LOOP}Thread 41 (idle): "MainThread"
    SSLSocket.read ({LIB}/ssl.py:1134)
    fetch (/srv/bot/bot.py:12)
""")
    assert summary([seen]) == "1 process, 2 threads; idle in SSLSocket.read (ssl.py:1134), called by fetch (bot.py:12)"


@pytest.mark.parametrize(
    "top",
    [
        f"    EpollSelector.select ({LIB}/selectors.py:468)",
        f"    BaseEventLoop._run_once ({LIB}/asyncio/base_events.py:1884)",
        f"    Runner.run ({LIB}/asyncio/runners.py:118)",
        "    Loop.run (/srv/venv/lib/python3.11/site-packages/uvloop/__init__.py:9)",
    ],
)
def test_idle_in_select_is_said_in_words(top: str) -> None:
    seen = dump(f'Thread 41 (idle): "MainThread"\n{top}\n    main (/srv/bot/bot.py:90)\n')
    assert summary([seen]) == "1 process, 1 thread; all idle, nothing blocks a thread"
    assert "the await chain is not visible" in report([seen])


def test_a_select_that_is_at_work_is_no_idle_one() -> None:
    seen = dump(f'Thread 41 (active): "MainThread"\n    EpollSelector.select ({LIB}/selectors.py:468)\n')
    assert summary([seen]) == "1 process, 1 thread; active in EpollSelector.select (selectors.py:468)"


def test_many_threads_and_deep_stacks_are_cut_with_their_number() -> None:
    deep = "".join(f"    f{n} (/srv/bot/bot.py:{n})\n" for n in range(1, FRAMES + 4))
    threads = "".join(f'Thread {n} (idle): "t{n}"\n{deep}' for n in range(100, 100 + THREADS + 5))
    text = report([dump(threads)])
    assert text.count("... 3 more frames") == THREADS
    assert text.endswith("... and 5 more threads")


def test_threads_without_names_or_frames_and_lines_that_mean_nothing() -> None:
    seen = dump("Thread 0x7F (active)\nThread 44 (idle)\n    <module> (<string>)\nsomething else\n")
    assert summary([seen]) == "1 process, 2 threads; active in code that is not Python's"
    assert "    <module> (<string>)" in report([seen])
    assert dump("").reason == "py-spy failed: it named no thread"


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("Error: Failed to find python version from target process\n\nStack backtrace:\n   0: anyhow", Why.NOT_PYTHON),
        ("Permission Denied: Try running again with elevated permissions by going 'sudo ...'", Why.NOT_PERMITTED),
        ("Error: Failed to get process executable name. Check that the process is running.\n", Why.GONE),
        ("Error: Unsupported version of Python: 3.15.0", Why.UNSUPPORTED),
        (
            "Error: Failed to get stack traces\n\n    0: Failed to suspend process\n    1: EPERM: Operation not permitted",
            Why.FAILED,
        ),
    ],
)
def test_a_refusal_is_told_in_plain_words(output: str, why: Why) -> None:
    found = refused(7, "perl", output)
    assert found.why is why
    assert "backtrace" not in found.reason


def test_what_was_not_seen_is_told_beside_what_was() -> None:
    seen = dump('Thread 41 (active): "MainThread"\n    parse (/srv/bot/bot.py:41)\n')
    other = Dump(42, "python3", why=Why.HUNG)
    assert summary([seen, other]) == "1 process, 1 thread; active in parse (bot.py:41); 1 not seen: py-spy did not end in time"
    assert report([seen, other]).endswith("\n\npid 42 (python3): py-spy did not end in time")


def test_of_threads_that_wait_alike_the_place_where_most_of_them_are_is_named() -> None:
    hung = "".join(f'Thread {n} (idle): "request-{n}"\n    answer (/srv/bot/bot.py:10)\n' for n in (43, 44, 45))
    seen = dump('Thread 42 (idle): "work"\n    rest (/srv/bot/bot.py:25)\n' + hung)
    assert summary([seen]) == "1 process, 4 threads; 3 threads idle in answer (bot.py:10)"
