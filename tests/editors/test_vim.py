"""Vim with ALE for real, set up word for word as docs/editors/vim.md says: remember, prompt, search, verify."""

import re
from pathlib import Path

import pytest

from editors.driving import PAGES, block, cited, drive, install, missing, system_program, user
from vademecum.cli.install.targets import shipped
from wire.conftest import make_repository

DRIVE = Path(__file__).parent / "vim" / "drive.vim"
ALE = Path("/usr/share/vim-ale")

pytestmark = pytest.mark.editor


def test_remember_prompt_search_verify_and_notes(tmp_path: Path) -> None:
    vim = system_program("vim", "vim vim-ale")
    if not ALE.is_dir():
        missing("ALE is not there: apt-get install vim-ale")
    project = make_repository(tmp_path / "project")
    shapes = project / "src" / "shapes.py"
    reference = cited("src/shapes.py", shapes, 2, 2)
    (project / "docs" / "notes.md").write_text(f"Circles are round: `{reference}` says it.\n", "utf-8")
    environment = user(tmp_path, DRIVE_PROJECT=str(project), LC_ALL="C.UTF-8", TERM="dumb")
    install("vim", environment)
    (tmp_path / "user" / ".vimrc").write_text(block("vim.md", "## 3. What must stand in `~/.vimrc`", "vim"), "utf-8")
    command = [vim, "-i", "NONE", "-T", "dumb", "--not-a-term", "-n", "-S", DRIVE]
    report = drive(command, environment, tmp_path, project)

    assert report.get("error") is None, (report["error"], report["log"])
    assert "Use pnpm, never npm" in report["remembered"]
    assert "(project)" in report["remembered"]
    assert "A round shape" in report["selection"]
    assert "Use pnpm, never npm" in report["prompt"]
    assert report["memories"] == ["Use pnpm, never npm (Knowledge, project)"]
    assert "Use pnpm, never npm" in report["memory"] and report["memory"].startswith("---")
    assert report["opened"] == str(shapes)
    assert report["line"] == "    def area(self):"
    assert report["word"] == "area"
    assert "measure_lighthouse" in report["unsaved"]
    assert "ghp_" not in report["refused"]

    assert report["offered"][0] == "Remember this selection"
    assert report["kept"] == ["```python\ndef area(self):\n```"]
    assert report["valid"] == "Vademecum: 1 reference: valid"
    assert report["jumped"] == [str(shapes), 2]
    assert report["diagnostic"] == "Line 2 of src/shapes.py moved: the same text is now at line 4."
    assert report["moved"] == "Vademecum: 1 reference: 1 not as cited"
    assert report["list"] == [[f"relocated: {reference}", 4]]
    assert report["running"] >= 1
    assert report["left"] == []


def test_the_guide_names_every_command_of_the_plugin() -> None:
    commands = set(re.findall(r"^command! .*? (Vademecum\w+) ", shipped("vademecum.vim"), re.MULTILINE))
    assert commands == {f"Vademecum{name}" for name in ("Remember", "Memories", "Search", "Prompt", "Verify")}
    guide = (PAGES / "vim.md").read_text("utf-8")
    assert all(f":{name}" in guide for name in commands)
