from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from time import process_time

import pytest

from recovery.problem import Mark, Problem
from recovery.yaml import load_text
from watchdog.config.load import SettingsError, from_document, from_values, load, load_all
from watchdog.config.schema import Mode, Settings
from watchdog.errors import ConfigurationError

BAD = sorted((Path(__file__).parent / "bad").glob("*.yaml"))
GOOD = 'services:\n  db: {probe: {tcp: "127.0.0.1:5432"}}\n'


def write(folder: Path, text: str, name: str = "watchdog.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True, mode=0o755)
    path.write_text(text)
    path.chmod(0o644)
    return path


def refused(path: Path, **more: object) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load_all(path, environ={}, **more)  # type: ignore[arg-type]
    return [line.removeprefix(f"{path.parent}/") for line in caught.value.problems]


@pytest.mark.parametrize("path", BAD, ids=[path.stem for path in BAD])
def test_each_rule_refuses_its_bad_file_with_place_path_and_advice(path: Path) -> None:
    """F28, F29, F30: one file per rule; the .txt beside it holds exactly what is said, and nothing more is."""
    expected = path.with_suffix(".txt").read_text().splitlines()
    begun = process_time()
    assert refused(path, check_trust=False) == [f"{path.name}:{line}" for line in expected]
    assert process_time() - begun < 0.5


def test_a_good_file_becomes_settings(tmp_path: Path) -> None:
    loaded = load_all(write(tmp_path, "mode: observe\n" + GOOD), environ={"TZ": "Asia/Tashkent"})
    assert loaded.settings.mode is Mode.OBSERVE
    assert loaded.settings.timezone == "Asia/Tashkent"
    assert loaded.settings.services["db"].title == "db"
    assert [str(warning).removeprefix(f"{tmp_path}/") for warning in loaded.warnings] == [
        "watchdog.yaml: no channel for alerts is configured: messages go to the log and watchdogctl shows them, nobody is called",
        "watchdog.yaml:3:3: services.db: has no runtime: it is watched and alerted only",
    ]
    assert loaded.files == (tmp_path / "watchdog.yaml",)


def test_all_errors_of_all_kinds_and_files_are_told_at_once_and_in_order(tmp_path: Path) -> None:
    write(tmp_path, "services:\n  b: {probe: {tcp: x}, apis: [y]}\n", "conf.d/b.yaml")
    write(tmp_path, "services:\n  c: {probe: {tcp: 'h:1'}, depends_on: [bb]}\nmode: obser\n", "conf.d/c.yaml")
    lines = refused(write(tmp_path, GOOD + "guards: {proof: 3}\nvault: {}\n"))
    assert [line.split(": ")[0] for line in lines] == [
        "conf.d/b.yaml:2:20",
        "conf.d/b.yaml:2:31",
        "conf.d/c.yaml:2:41",
        "conf.d/c.yaml:3:7",
        "watchdog.yaml:3:17",
        "watchdog.yaml:4:1",
    ]


def test_a_broken_part_does_not_make_its_names_unknown(tmp_path: Path) -> None:
    write(tmp_path, "services: [\n", "conf.d/db.yaml")
    lines = refused(write(tmp_path, "services:\n  a: {probe: {tcp: 'h:1'}, depends_on: [redis]}\n"))
    assert len(lines) == 1
    assert lines[0].startswith("conf.d/db.yaml:2:1:")


def test_parts_in_conf_d_are_merged(tmp_path: Path) -> None:
    main = write(tmp_path, "guards: {concurrent: 2}\nconnectivity: {targets: ['a:1']}\n" + GOOD)
    write(
        tmp_path, "guards: {proof: 2m}\nconnectivity: {targets: ['b:1']}\nservices: {x: {probe: {tcp: 'h:1'}}}\n", "conf.d/x.yaml"
    )
    write(tmp_path, "not: read", "conf.d/x.yaml~")
    write(tmp_path, "not: read", "conf.d/.x.yaml")
    settings = load(main, environ={})
    assert (settings.guards.concurrent, settings.guards.proof) == (2, 120.0)
    assert settings.connectivity.targets == ("a:1", "b:1")
    assert set(settings.services) == {"db", "x"}


def test_a_value_may_be_set_once(tmp_path: Path) -> None:
    main = write(tmp_path, "mode: heal\n" + GOOD)
    write(tmp_path, "mode: heal\nservices: {db: {title: x, probe: {tcp: 'h:2'}}}\n", "conf.d/x.yaml")
    lines = refused(main)
    assert lines[0] == f"conf.d/x.yaml:1:1: mode: is already set in {main}:1"
    assert lines[1] == f"conf.d/x.yaml:2:35: services.db.probe.tcp: is already set in {main}:3"


def test_files_that_others_can_write_are_not_believed(tmp_path: Path) -> None:
    """F29."""
    main = write(tmp_path, GOOD)
    main.chmod(0o666)
    assert "is not trusted" in refused(main)[0]
    assert load(main, environ={}, check_trust=False).services
    main.chmod(0o644)
    part = write(tmp_path, "mode: heal\n", "conf.d/x.yaml")
    part.parent.chmod(0o777)
    assert refused(main)[0].startswith("conf.d: is not trusted")
    part.parent.chmod(0o755)
    part.chmod(0o664)
    assert refused(main)[0].startswith("conf.d/x.yaml: is not trusted")


def test_a_missing_file_a_folder_and_a_fifo_are_errors(tmp_path: Path) -> None:
    """F30: deleted, or something else."""
    assert refused(tmp_path / "gone.yaml") == ["gone.yaml: cannot be read: No such file or directory"]
    (tmp_path / "folder.yaml").mkdir()
    assert refused(tmp_path / "folder.yaml") == ["folder.yaml: is no regular file"]
    os.mkfifo(tmp_path / "fifo.yaml", 0o600)
    assert refused(tmp_path / "fifo.yaml") == ["fifo.yaml: is no regular file"]


def test_a_file_cut_anywhere_is_refused_or_read_and_never_more(tmp_path: Path) -> None:
    """F30: half-written."""
    text = GOOD + "  a: {probe: {http: 'http://h/'}, depends_on: [db], interval: 10s}\nguards: {budget: 3/1h}\n"
    path = write(tmp_path, text)
    for length in range(len(text)):
        path.write_text(text[:length])
        try:
            load(path, environ={})
        except ConfigurationError:
            continue


def test_playbook_problems_come_in_the_same_list(tmp_path: Path) -> None:
    seen: list[Settings | None] = []

    def books(settings: Settings | None) -> Iterable[Problem]:
        seen.append(settings)
        return [Problem("playbooks/x.yaml", Mark(1, 1), "steps", "wrong")]

    lines = refused(write(tmp_path, GOOD + "vault: {}\n"), also=books)
    assert lines == ["watchdog.yaml:3:1: 'vault' is not available in this version", "playbooks/x.yaml:1:1: steps: wrong"]
    assert seen == [None]
    refused(write(tmp_path, GOOD), also=books)
    assert isinstance(seen[1], Settings)


def test_the_digest_tells_one_content_from_another(tmp_path: Path) -> None:
    first = load_all(write(tmp_path, GOOD), environ={}).digest
    assert load_all(write(tmp_path, GOOD), environ={}).digest == first
    assert load_all(write(tmp_path, GOOD + "# x\n"), environ={}).digest != first


def test_settings_inside_another_document_keep_their_places() -> None:
    document = load_text('name: x\nconfig:\n  services: {a: {probe: {tcp: "h:1"}, depends_on: [b]}}\n', "film.yaml")
    with pytest.raises(SettingsError) as caught:
        from_document(document, ("config",), None, {})
    assert caught.value.problems == ("film.yaml:3:52: config.services.a.depends_on: unknown service 'b'",)


def test_settings_that_are_no_mapping_are_refused_in_their_place() -> None:
    for text in ("config: 5\n", "name: x\n"):
        with pytest.raises(SettingsError, match=r"^film.yaml:1:[19]: config: needs 'key: value' pairs$"):
            from_document(load_text(text, "film.yaml"), ("config",), None, {})


def test_settings_from_plain_values_leave_the_values_alone() -> None:
    values = {"services": {"a": {"probe": {"tcp": "h:1"}}}, "defaults": {"interval": "5s"}}
    assert from_values(values).services["a"].interval == 5.0
    assert values == {"services": {"a": {"probe": {"tcp": "h:1"}}}, "defaults": {"interval": "5s"}}


def test_ten_thousand_services_load_in_a_few_seconds(tmp_path: Path) -> None:
    main = write(tmp_path, GOOD)
    line = "  bot-{0}: {{probe: {{http: 'http://127.0.0.1:{0}/health'}}, depends_on: [db], labels: {{kind: bot}}}}\n"
    for part in range(10):
        numbers = range(part * 1000 + 1, part * 1000 + 1001)
        write(tmp_path, "services:\n" + "".join(line.format(number) for number in numbers), f"conf.d/{part}.yaml")
    begun = process_time()
    settings = load(main, environ={})
    assert process_time() - begun < 8
    assert len(settings.services) == 10_001
    one, two = settings.services["bot-1"], settings.services["bot-10000"]
    assert one.thresholds is two.thresholds
    assert one.depends_on is two.depends_on
    assert not hasattr(one, "__dict__")
