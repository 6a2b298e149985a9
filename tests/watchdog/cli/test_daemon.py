from __future__ import annotations

from tests.fakes.installation import Installation


def test_a_wrong_configuration_exits_78_with_every_error(here: Installation) -> None:
    here.config.write_text("services: {}\nnonsense: 1\n")
    result = here.ctl("run")
    assert result.exit_code == 78
    assert "nonsense" in result.stderr


def test_a_socket_path_that_is_too_long_exits_78_with_a_hint(here: Installation) -> None:
    here.config.write_text(here.config.read_text().replace("control.sock", "x" * 120))
    result = here.ctl("run")
    assert result.exit_code == 78
    assert "write a shorter path" in result.stderr
