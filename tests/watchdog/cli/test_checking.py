from __future__ import annotations

import json
import re

from click.testing import CliRunner

from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.cli.main import cli
from watchdog.errors import Refused


def test_a_good_configuration_is_summed_up(here: Installation) -> None:
    result = here.ctl("check")
    assert result.exit_code == 0
    assert re.search(r"3 services, \d playbooks, 2 levels of dependencies", result.stdout)
    assert result.stdout.splitlines()[-1].startswith("No errors")


def test_errors_come_all_at_once_with_their_line_and_carets(here: Installation) -> None:
    here.config.write_text(here.config.read_text().replace("[postgres]", "[postgre]") + "defaults: {interval: 30}\n")
    result = here.ctl("check")
    assert result.exit_code == 1
    assert "services.ezee-scraper.depends_on: unknown service 'postgre', did you mean 'postgres'?" in result.stdout
    assert "| " + " " * 17 + "^^^^^^^" in result.stdout
    assert "'30' has no unit" in result.stdout
    assert result.stdout.splitlines()[-1] == "2 errors."


def test_a_running_daemon_is_said_to_go_on_with_what_it_has(here: Installation) -> None:
    here.config.write_text(here.config.read_text().replace("[postgres]", "[postgre]"))
    status = {"daemon": {"config": {"loaded_at": "2026-08-15T13:02:00Z", "errors": []}}, "services": []}
    with answering(here.socket, FakeDesk({"status": status})):
        result = here.ctl("check")
    assert "1 error. The daemon goes on with the configuration of 15 Aug" in result.stdout
    assert "18:02:00 +05." in result.stdout


def test_json_has_errors_with_their_places(here: Installation) -> None:
    good = here.document("check")
    assert good["errors"] == []
    assert (good["summary"]["services"], good["summary"]["levels"]) == (3, 2)
    here.config.write_text("services: {x: {probe: {tcp: 'h:1'}}}\nnonsense: 1\n")
    result = here.ctl("check", "-o", "json")
    assert result.exit_code == 1
    (error,) = json.loads(result.stdout)["errors"]
    assert (error["line"], error["column"]) == (2, 1)
    assert "nonsense" in error["text"]


def test_a_bad_playbook_is_an_error_of_the_configuration(here: Installation) -> None:
    (here.folder / "playbooks").mkdir()
    (here.folder / "playbooks" / "mine.yaml").write_text("name: mine\nsummary: x\nwhen: {symptom: unresponsiv}\nsteps: []\n")
    result = here.ctl("check")
    assert result.exit_code == 1
    assert "mine.yaml:" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("only these playbooks are left out, the others are used.")
    here.config.write_text(here.config.read_text() + "nonsense: 1\n")
    assert "left out" not in here.ctl("check").stdout


def test_a_file_may_be_named(here: Installation) -> None:
    other = here.folder / "other.yaml"
    other.write_text("services: {x: {probe: {tcp: '127.0.0.1:1'}}}\n")
    assert "1 service, " in here.ctl("check", str(other)).stdout


def test_schemas_are_printed_for_editors(here: Installation) -> None:
    for which in ("config", "playbook"):
        result = CliRunner().invoke(cli, ["schema", which])
        assert result.exit_code == 0
        assert json.loads(result.stdout)["$schema"].startswith("https://json-schema.org/")


def test_reload_waits_for_the_answer_and_is_1_when_refused(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"reload": Refused("watchdog.yaml:1:1: nonsense\n1 error; the old one stays")})):
        result = here.ctl("reload")
    assert result.exit_code == 1
    assert "watchdog.yaml:1:1: nonsense" in result.stderr
