from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery.problem import Mark
from recovery.yaml import LARGEST, YamlError, load_bytes, load_file, load_text


def errors(text: str) -> list[str]:
    with pytest.raises(YamlError) as caught:
        load_text(text, "f.yaml")
    return [str(problem) for problem in caught.value.problems]


def test_values_follow_the_core_rules_and_surprises_stay_text() -> None:
    text = (
        "on: yes\n1: 1:30\na: 012\nb: 2024-01-01\nc: 0x1f\nd: True\ne: .inf\nf: 1_000\n~: x\ng: 'true'\nh: 1.2.3\n'<<': q\ni: =\n"
    )
    assert load_text(text, "f").value == {
        "on": "yes",
        "1": "1:30",
        "a": "012",
        "b": "2024-01-01",
        "c": "0x1f",
        "d": "True",
        "e": ".inf",
        "f": "1_000",
        "~": "x",
        "g": "true",
        "h": "1.2.3",
        "<<": "q",
        "i": "=",
    }


def test_only_true_false_null_and_decimal_numbers_are_more_than_text() -> None:
    value = load_text("a: [true, false, null, ~, 5, -5, +5, 3.5, 1e3, .5]\nb:\n", "f").value
    assert value == {"a": [True, False, None, None, 5, -5, 5, 3.5, 1000.0, 0.5], "b": None}
    assert [type(item) for item in value["a"][4:]] == [int, int, int, float, float, float]


def test_every_key_and_value_has_its_place() -> None:
    document = load_text("# c\nservices:\n  a:\n    depends_on: [x, postgre]\n    title: Ünï x\n", "f")
    assert document.where(("services", "a", "depends_on", 1)) == Mark(4, 21, 7)
    assert document.where(("services", "a", "title")) == Mark(5, 12, 5)
    assert document.where(("services", "a"), key=True) == Mark(3, 3, 1)
    assert document.where(("services", "a", "probe", "http")) == Mark(3, 3, 1), "what is missing is at its holder's key"
    assert str(document.problem(("services", "a", "depends_on", 1), "bad")) == "f:4:21: services.a.depends_on: bad"


FORBIDDEN = [
    ("a: &x 1\n", "1:4: a: anchor '&x'"),
    ("a: *x\n", "1:4: a: alias '*x'"),
    ("a: &a [*a]\n", "1:8: a: alias '*a'"),
    ("a: 1\nb: 2\na: 3\n", "3:1: key 'a' stands twice, first in line 1"),
    ("a: {b: 1, b: 2}\n", "1:11: a: key 'b' stands twice"),
    ("a: !!python/object/apply:os.system [x]\n", "1:4: a: tag '!!python/object/apply:os.system'"),
    ("a: !x 1\n", "1:4: a: tag '!x'"),
    ("a: !!str 1\n", "1:4: a: tag '!!str'"),
    ("a:\n  <<: {b: 1}\n", "2:3: a: merge keys"),
    ("? [a]\n: 1\n", "1:3: a key must be plain text"),
    ("? {a: b}\n: 1\n", "1:3: a key must be plain text"),
    ("'': 1\n", "1:1: a key is missing"),
    ("%YAML 1.1\n---\na: 1\n", "directives"),
    ("a: 1\n---\nb: 2\n", "2:1: a second document"),
    ("", "1:1: the file is empty"),
    ("# only\n", "1:1: the file is empty"),
    ("~\n", "1:1: the file is empty"),
    ("- a\n", "1:1: the file must hold 'key: value' pairs"),
    ("text\n", "1:1: the file must hold 'key: value' pairs"),
    ("a: b\n\0", "2:1: contains a NUL byte"),
    ('a: "\\0"\n', "1:4: a: a value with a control character"),
    ('a: "\\ud800"\n', "not valid YAML"),
    ("a: \x1b[31m\n", "1:4: contains the control character U+001B"),
    ("a:\n\tb: 1\n", "2:1: a tab cannot indent"),
    ("a: b: c\n", "1:5: no ':' is expected here"),
    ("a: [1, 2\nb: 3\n", "a ',' or ']' is missing (it begins in line 1)"),
    ("a: {b: 1\n", "a ',' or '}' is missing"),
    ('a: "half', "the file ends in the middle of a value"),
    ("a: @x\n", "1:4: a value that begins with '@' must be quoted"),
    ("a:\n  b: 1\n c: 2\n", "3:2: the indentation does not fit"),
    ("a: " + "9" * 5000 + "\n", "too large a number"),
    ("a: 1e999\n", "too large a number"),
    ("a: " + "x" * 40_000 + "\n", "a value longer than 32 KiB"),
    ("a: " + "[" * 3000 + "]" * 3000, "nested deeper than 32 levels"),
    ("a: " + "{a: " * 3000, "nested deeper than 32 levels"),
    ("? " * 3000, "a key must be plain text"),
    ("\n".join(" " * level + "a:" for level in range(400)), "33:33: a.a.a.a"),
    ("x: " + "y" * (LARGEST + 1), "is larger than 256 KiB"),
]


@pytest.mark.parametrize(("text", "words"), FORBIDDEN, ids=[words[:40] for _, words in FORBIDDEN])
def test_what_is_forbidden_is_an_error_with_its_place_within_100_ms(text: str, words: str) -> None:
    """F29."""
    begun = perf_counter()
    found = errors(text)
    assert perf_counter() - begun < 0.1
    assert words in "\n".join(found)
    assert all(line.startswith("f.yaml") for line in found)


def test_a_laugh_is_not_a_billion() -> None:
    """F29: nothing is ever expanded."""
    levels = "".join(
        f"{name}: &{name} [*{before}, *{before}, *{before}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert len(errors("a: &a [lol]\n" + levels)) > 9


def test_all_errors_are_told_at_once() -> None:
    found = errors("a: 1\na: 2\nb: &x 1\nc: !t 1\nd: *x\n")
    assert [line.split(":")[1] for line in found] == ["2", "3", "4", "5"]


def test_a_flood_of_errors_is_cut_short() -> None:
    assert len(errors("\n".join(f"a{n}: &x{n} 1" for n in range(5000)))) == 100


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [x, ${VAR}]\n", '1:8: quote it: "${VAR}"'),
        ("a: {b: ${VAR:-1}}\n", '1:8: quote it: "${VAR:-1}"'),
        ("a: ${VAR:?say: this}\n", '1:4: quote it: "${VAR:?say: this}"'),
    ],
)
def test_an_unquoted_variable_that_breaks_the_yaml_is_told_to_be_quoted(text: str, words: str) -> None:
    assert words in errors(text)[0]


def test_an_unquoted_variable_is_not_blamed_when_it_stands_in_quotes_or_a_comment() -> None:
    assert "quote it" not in errors('a: ["${VAR}" b]\n')[0]
    assert "quote it" not in errors("a: [b # ${VAR}\n\n")[0]


def test_bytes_that_are_no_utf8_are_refused_with_their_place() -> None:
    for data, place in ((b"a: b\nc: \xff\n", ":2:4:"), ("a: ü".encode("latin-1"), ":1:4:"), ("a: b".encode("utf-16"), ":1:1:")):
        with pytest.raises(YamlError, match="is not UTF-8 text") as caught:
            load_bytes(data, "f")
        assert place in str(caught.value)
    assert load_bytes("\ufeffa: b\r\nc: d\r\n".encode(), "f").value == {"a": "b", "c": "d"}


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "cannot be read: No such file"),
        (Path.mkdir, "is no regular file"),
        (make_fifo, "is no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "is no regular file"),
        (lambda path: path.write_bytes(b"a: " + b"x" * 10_000_000), "is larger than 256 KiB"),
        (lambda path: path.symlink_to(path), "cannot be read"),
    ],
)
def test_only_regular_small_files_are_read_and_none_hangs(tmp_path: Path, make: Callable[[Path], object], words: str) -> None:
    """F29."""
    path = tmp_path / "x.yaml"
    make(path)
    begun = perf_counter()
    with pytest.raises(YamlError) as caught:
        load_file(path)
    assert perf_counter() - begun < 0.1
    assert str(caught.value) == f"{path}: {str(caught.value).removeprefix(f'{path}: ')}"
    assert words in str(caught.value)


def test_a_path_with_a_nul_is_an_error_of_ours() -> None:
    with pytest.raises(YamlError, match="cannot be read"):
        load_file(Path("a\0b"))


def test_every_prefix_of_a_file_is_read_or_refused() -> None:
    """F30: a half-written file."""
    whole = "services:\n  a: {probe: {http: 'http://h/'}, apis: [x]}\n  b:\n    labels: {k: \"v\"}\n# end\n"
    for length in range(len(whole)):
        try:
            load_text(whole[:length], "f")
        except YamlError:
            continue


PIECES = [
    *"a[]{},|>'\"#%@`0é",
    "b: ",
    ": ",
    "- ",
    "\n",
    "  ",
    "\t",
    "&x ",
    "*x",
    "!t ",
    "? ",
    "---\n",
    "...",
    "<<",
    "${A}",
    "\\u0000",
]
PIECES += ["\u2028", "\x85", "\ufeff", "\ud800", "\0", "\r", "1e9", "null"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_nothing_but_its_own_error_comes_out_of_text(text: str) -> None:
    try:
        document = load_text(text, "f")
    except YamlError:
        return
    walk(document.value)


@given(st.binary())
def test_nothing_but_its_own_error_comes_out_of_bytes(data: bytes) -> None:
    try:
        load_bytes(data, "f")
    except YamlError:
        pass


def walk(value: object) -> None:
    assert value is None or isinstance(value, (dict, list, str, bool, int, float))
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            walk(item)
