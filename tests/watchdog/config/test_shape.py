from __future__ import annotations

from watchdog.config.shape import LATER, general, keys_at, model_at, unknown_key


def test_the_keys_are_read_from_the_models() -> None:
    assert "services" in keys_at(())
    assert {"share", "at_least", "or", "within"} == set(keys_at(("guards", "storm")))
    assert {"start", "pidfile", "cwd", "env", "user"} == set(keys_at(("services", "*", "runtime", "process")))
    assert "name" not in keys_at(("services", "*")), "filled by the loader"
    assert keys_at(("services", "*", "labels")) == ()


def test_a_key_is_unknown_later_or_misspelt() -> None:
    assert unknown_key(("services", "x", "prob")) == "unknown key 'prob', did you mean 'probe'?"
    assert unknown_key(("services", "x", "session")) == "'session' is not available in this version"
    assert unknown_key(("apis", "x", "zzz")) == "unknown key 'zzz'"
    assert unknown_key(("apis", "x", "probe")) == "'probe' is not available in this version"
    assert unknown_key(("apis", "x", "page")) == "'page' is not available in this version"
    assert unknown_key(("alerts", "telegram", "inbound")) == "'inbound' is not available in this version"
    assert unknown_key(("commands", "x", "effect")) == "unknown key 'effect'; known here: argv, user"


def test_names_are_free_and_keys_are_not() -> None:
    assert general(("services", "x", "probe")) == ("services", "*", "probe")
    assert general(("guards", "storm")) == ("guards", "storm")


def test_what_is_here_is_not_called_later() -> None:
    for path, keys in LATER.items():
        assert not keys & set(keys_at(path)), path
        assert hasattr(model_at(path), "__pydantic_fields__"), f"{path} is no place of the file"
    assert model_at(("alert",)) is None


def test_an_api_is_a_name_without_keys() -> None:
    assert keys_at(("apis", "*")) == ()
