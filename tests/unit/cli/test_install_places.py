"""Where agents and editors are set up: in the user's own folders, and nowhere where those are not known."""

from pathlib import Path

import pytest

from unit.cli.conftest import Run
from vademecum.cli.install.machine import Machine
from vademecum.cli.install.targets import TARGETS


@pytest.mark.parametrize("moved", [{}, {"VADEMECUM_HOME": ""}])
def test_without_a_home_nothing_is_set_up(run: Run, tmp_path: Path, moved: dict[str, str]) -> None:
    for arguments in (("install", "--list"), ("install", "claude", "--dry-run"), ("uninstall", "--dry-run")):
        done = run(*arguments, PATH=str(tmp_path), HOME="", **moved)
        assert (done.code, done.out) == (1, "")
        assert "the variable HOME is empty; set it" in done.err


def test_folders_that_agents_pass_over_are_passed_over(tmp_path: Path) -> None:
    variables = {"PATH": "", "XDG_CONFIG_HOME": "here", "CLAUDE_CONFIG_DIR": ""}
    odd = Machine(tmp_path, variables, "linux", "/usr/bin/vademecum")
    assert odd.config == tmp_path / ".config"
    (claude,) = (target for target in TARGETS if target.name == "claude")
    assert [piece.path for piece in claude.pieces(odd)] == [
        tmp_path / ".claude.json",
        tmp_path / ".claude" / "settings.json",
    ]
