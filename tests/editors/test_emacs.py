"""Emacs with eglot for real, set up word for word as docs/editors/emacs.md says: remember, prompt, search, verify."""

import re
from pathlib import Path

import pytest

from editors.driving import PAGES, block, cited, drive, install, missing, system_program, user
from vademecum.cli.install.targets import shipped
from wire.conftest import make_repository

DRIVE = Path(__file__).parent / "emacs" / "drive.el"
HEADING = "## 3. Add two lines to `~/.emacs.d/init.el`"

pytestmark = pytest.mark.editor


def test_remember_prompt_search_verify_and_notes(tmp_path: Path) -> None:
    emacs = system_program("emacs", "emacs-nox elpa-eglot")
    project = make_repository(tmp_path / "project")
    shapes = project / "src" / "shapes.py"
    reference = cited("src/shapes.py", shapes, 2, 2)
    (project / "docs" / "notes.md").write_text(f"Circles 😀 are round: `{reference}` says it.\n", "utf-8")
    (tmp_path / "shapes.before").write_bytes(shapes.read_bytes())
    environment = user(tmp_path, DRIVE_PROJECT=str(project), LC_ALL="C.UTF-8")
    (tmp_path / "user" / ".emacs.d").mkdir()
    install("emacs", environment)
    init = tmp_path / "user" / ".emacs.d" / "init.el"
    init.write_text(block("emacs.md", HEADING, "elisp"), "utf-8")
    report = drive([emacs, "--batch", "-l", init, "-l", DRIVE], environment, tmp_path, project)

    if "Cannot open load file" in report["log"] and "eglot" in report["log"]:
        missing("Emacs has no eglot: apt-get install elpa-eglot")
    assert report.get("error") is None, (report["error"], report["log"])
    assert report["connected"] is False  # Python is none of our business; the commands work all the same
    assert "Use pnpm, never npm" in report["remembered"]
    assert "(project)" in report["remembered"]
    assert "(user)" in report["selection"]
    assert "Use pnpm, never npm" in report["prompt"]
    assert report["none"].endswith('nothing is remembered about "zeppelin"')
    path, _, text = report["memories"].strip().partition(":1:")
    assert text == "Use pnpm, never npm (Knowledge, project)"
    assert "Use pnpm, never npm" in Path(path).read_text("utf-8")
    assert "src/shapes.py:4:Circle: def area(self):" in report["list"]
    assert report["opened"] == str(shapes)
    assert report["line"] == "    def area(self):"
    assert "secret" in report["refused"]
    assert "ghp_" not in report["refused"]

    assert report["mode"] in ("text-mode", "markdown-mode")
    assert report["verified"] == "Vademecum: 1 reference(s): valid"
    assert report["jumped"] == [str(shapes), 2]
    assert (
        report["diagnostic"] == "vademecum [relocated]: Line 2 of src/shapes.py moved: the same text is now at line 4."
    )
    assert report["moved"] == "Vademecum: 1 reference(s): 1 not as cited"
    assert report["offered"] == "Relocate to line 4"
    assert reference.replace(":2-2@", ":4-4@") in report["relocated"]
    assert report["completed"] == cited("src/shapes.py", shapes, 1, 1)
    assert "(Knowledge, project): Circles" in report["selected"]
    assert report["running"] >= 2  # eglot's server and the one of the commands, in buffers of other modes
    assert report["left"] == []


def test_the_guide_names_every_command_of_the_file() -> None:
    commands = set(re.findall(r"^;;;###autoload\n\(defun ([\w-]+)", shipped("vademecum.el"), re.MULTILINE))
    assert commands == {f"vademecum-{name}" for name in ("remember", "memories", "search", "prompt", "verify")}
    guide = (PAGES / "emacs.md").read_text("utf-8")
    assert all(f"`M-x {name}`" in guide for name in commands)
