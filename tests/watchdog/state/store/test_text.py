from __future__ import annotations

import json

from watchdog.state.store.text import document, free, plain, word


def hide(text: str) -> str:
    return text.replace("s3cr3t", "[hidden]")


def test_a_lone_surrogate_and_nul_are_replaced_and_all_else_stays() -> None:
    assert word("a\ud83dz\x00é🙂") == "a�z�é🙂"
    word("a\ud83d").encode()


def test_free_text_is_redacted_before_it_is_cut() -> None:
    text = free("x" * 95 + "s3cr3t", hide, limit=98)
    assert "s3c" not in text
    assert text.startswith("x" * 95 + "[hi")
    assert "more characters not kept" in text


def test_a_document_is_redacted_inside_and_stays_json() -> None:
    greedy = '{"message":"token s3cr3t","deep":[{"s3cr3t":1}],"n":2.5,"none":null}'
    found = json.loads(document(greedy, lambda text: text.split("s3cr3t")[0] + "***" if "s3cr3t" in text else text))
    assert found == {"message": "token ***", "deep": [{"***": 1}], "n": 2.5, "none": None}


def test_what_is_no_json_or_too_deep_is_redacted_as_text() -> None:
    assert document("key s3cr3t", hide) == "key [hidden]"
    deep = "[" * 100 + '"s3cr3t"' + "]" * 100
    assert "s3cr3t" not in document(deep, hide)
    assert "s3cr3t" not in document("[" * 100_000 + "s3cr3t", hide)


def test_without_a_redaction_a_document_is_not_touched() -> None:
    assert document('{"a" : 1}', plain) == '{"a" : 1}'
