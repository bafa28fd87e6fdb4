"""Neovim for real, set up word for word as docs/editors/neovim.md says: remember, prompt, search, references."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editors.driving import PAGES, SCRIPTS, block, cited, drive, install, missing, system_program, user
from vademecum.cli.install.targets import shipped
from wire.conftest import make_repository

DRIVE = Path(__file__).parent / "neovim" / "drive.lua"
REFERENCES = Path(__file__).parent / "neovim" / "references.lua"
MEMORY = Path(__file__).parent / "neovim" / "memory.lua"

pytestmark = pytest.mark.editor


def system_neovim() -> Path:
    """The one that the system's packages bring: the oldest that is supported, on Debian 12."""
    return system_program("nvim", "neovim")


def current_neovim() -> Path:
    """The one that the dependency group `editors` brings."""
    found = SCRIPTS / "nvim"
    if not found.exists():
        missing("Neovim is not in this environment: pip install --group editors")
    return found


NEOVIMS = {"system": system_neovim, "current": current_neovim}


def configuration(neovim: Path, environment: Mapping[str, str]) -> str:
    """The lines that the guide gives for this version."""
    command = [neovim, "--version"]  # which begins a log where the environment says
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", told)
    assert found is not None, told
    newer = (int(found[1]), int(found[2])) >= (0, 11)
    heading = "### Neovim 0.11 and newer" if newer else "### Neovim 0.7 to 0.10"
    return block("neovim.md", heading, "lua")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project")


@pytest.fixture(params=NEOVIMS)
def neovim(request: pytest.FixtureRequest) -> Path:
    return NEOVIMS[request.param]()


@pytest.fixture
def environment(tmp_path: Path, neovim: Path) -> Mapping[str, str]:
    """A user who has done what the guide says, and nothing else."""
    own = user(tmp_path)
    install("neovim", own)
    init = tmp_path / "user" / ".config" / "nvim" / "init.lua"
    init.write_text(configuration(neovim, own), "utf-8")
    return own


def run(
    neovim: Path, environment: Mapping[str, str], opened: Path, tmp_path: Path, script: Path = DRIVE
) -> dict[str, Any]:
    """Drive one Neovim from start to end with `script`."""
    command = [neovim, "--headless", "-i", "NONE", "-n", str(opened), "-c", f"luafile {script}"]
    return drive(command, environment, tmp_path, opened.parent)


def test_remember_prompt_search_and_verify(
    neovim: Path, environment: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    report = run(neovim, environment, project / "src" / "shapes.py", tmp_path)

    assert report.get("error") is None, (report["error"], report["log"])
    assert "Use pnpm, never npm" in report["remembered"]
    assert "(project)" in report["remembered"]
    assert "(user)" in report["selection"]  # ! keeps it for every project
    assert "Use pnpm, never npm" in report["prompt"]
    assert report["memories"] == ["Use pnpm, never npm (Knowledge, project)"]
    assert "Use pnpm, never npm" in report["memory"] and report["memory"].startswith("---")
    assert report["hits"] >= 1
    assert report["opened"] == str(project / "src" / "shapes.py")
    assert report["word"] in ("area", "Circle")  # the cursor is on the word that matched
    assert "measure_lighthouse" in report["unsaved"]
    assert "secret" in report["refused"]
    assert "ghp_" not in report["refused"]
    assert report["valid"].endswith("1 reference: valid")
    assert report["changed"].endswith("2 references: 1 not as cited")
    assert report["wrong"] == ["changed"]
    assert "Circle" in report["symbols"]
    assert report["kept"] == "```python\nclass Circle:\n```"
    assert "Error" not in report["log"], report["log"]
    assert report["running"] >= 1
    assert report["left"] == []


def test_references_in_a_text_are_followed_marked_and_mended(
    neovim: Path, environment: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    shapes = project / "src" / "shapes.py"
    reference = cited("src/shapes.py", shapes, 2, 2)
    notes = project / "docs" / "notes.md"
    notes.write_text(f"# Notes\n\nA 😀: `{reference}` says it.\n", "utf-8")
    report = run(neovim, environment, notes, tmp_path, REFERENCES)

    assert report.get("error") is None, (report["error"], report["log"])
    assert report["jumped"] == [str(shapes), 2]
    assert "as cited" in report["hover"]
    assert "A round shape." in report["hover"]
    assert report["before"] == []
    assert report["told"] == {
        "message": "Line 2 of src/shapes.py moved: the same text is now at line 4.",
        "line": 3,
        "severity": "HINT",
    }
    assert any("Relocate to line 4" in one for one in report["offered"])
    assert report["relocated"] == f"A 😀: `{reference.replace(':2-2@', ':4-4@')}` says it."
    assert report["unsaved"] == "Line 4 of src/shapes.py has changed since cited."
    assert report["everything"] == f"A 😀: `{reference.replace(':2-2@', ':5-5@')}` says it."
    assert report["chosen"] == (0 if report["applies"] else 1)  # 0.7 asks, though there is only one
    assert "Error" not in report["log"], report["log"]
    assert report["left"] == []


def test_the_file_of_a_memory_is_judged_completed_and_mended(
    neovim: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "home" / "memory" / "use-pnpm.md"
    file.parent.mkdir(parents=True)
    written = "---\ntitle: Use pnpm\ncategory: Knowledge\n---\nNever npm.\n"
    file.write_text(written, "utf-8")
    report = run(neovim, environment, file, tmp_path, MEMORY)

    assert report.get("error") is None, (report["error"], report["log"])
    assert report["before"] == []
    assert report["told"]["message"].startswith("`category` may be `Knowledge` or `Rule` or `Experience`.")
    assert (report["told"]["line"], report["told"]["severity"]) == (3, "WARN")
    assert report["mended"] == ["category: Rule", "keywords: [pnpm]"]
    assert {"status", "evidence", "pinned"} <= set(report["keys"])
    assert not {"title", "category", "keywords"} & set(report["keys"])
    assert report["values"] == ["pending", "superseded"]
    assert report["modified"]
    assert file.read_text("utf-8") == written
    assert "Error" not in report["log"], report["log"]
    assert report["left"] == []


def test_the_guide_names_every_command_of_the_module() -> None:
    commands = set(re.findall(r"command\('(\w+)'", shipped("vademecum.lua")))
    assert commands == {f"Vademecum{name}" for name in ("Remember", "Memories", "Search", "Prompt", "Verify")}
    guide = (PAGES / "neovim.md").read_text("utf-8")
    assert all(f":{name}" in guide for name in commands)
