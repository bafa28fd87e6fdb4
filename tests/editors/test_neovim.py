"""Neovim for real, set up word for word as docs/editors/neovim.md says: remember, prompt, search, references."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from wire.conftest import make_repository

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "editors" / "neovim.md"
MODULE = ROOT / "docs" / "editors" / "neovim" / "vademecum.lua"
DRIVE = Path(__file__).parent / "neovim" / "drive.lua"
REFERENCES = Path(__file__).parent / "neovim" / "references.lua"
SCRIPTS = Path(sys.executable).parent

DEADLINE = 60.0
GONE_WITHIN = 5.0  # seconds after the editor

pytestmark = pytest.mark.editor


def missing(what: str) -> NoReturn:
    """Skip, or fail where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def system_neovim() -> Path:
    """The one that the system's packages bring: the oldest that is supported, on Debian 12."""
    path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if Path(part) != SCRIPTS)
    found = shutil.which("nvim", path=path)
    if found is None:
        missing("Neovim is not on the PATH: apt-get install neovim")
    return Path(found)


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
    text = GUIDE.read_text("utf-8")
    assert text.count(heading) == 1
    return text.split(heading)[1].split("```lua\n")[1].split("```")[0]


def processes_of(home: Path) -> list[psutil.Process]:
    """The server and its children: whatever of Vademecum runs with this home."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get("VADEMECUM_HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE
            if ours and any("vademecum" in part for part in process.cmdline()) and "nvim" not in process.name():
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not path.exists():
        assert process.poll() is None, f"Neovim ended with {process.returncode}"
        assert time.monotonic() < deadline, "Neovim did not report in time"
        time.sleep(0.05)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project")


@pytest.fixture(params=NEOVIMS)
def neovim(request: pytest.FixtureRequest) -> Path:
    return NEOVIMS[request.param]()


@pytest.fixture
def environment(tmp_path: Path, neovim: Path) -> Mapping[str, str]:
    """A user who has done what the guide says, and nothing else."""
    config = tmp_path / "config" / "nvim"
    (config / "lua").mkdir(parents=True)
    shutil.copy(MODULE, config / "lua")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("VADEMECUM_", "NVIM", "XDG_"))}
    own = kept | {
        "PATH": os.pathsep.join((str(SCRIPTS), kept["PATH"])),
        "HOME": str(tmp_path / "user"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_STATE_HOME": str(tmp_path / "nvim-state"),
        "XDG_CACHE_HOME": str(tmp_path / "nvim-cache"),
        "VADEMECUM_HOME": str(tmp_path / "home"),
        "DRIVE_REPORT": str(tmp_path / "report.json"),
        "DRIVE_GO": str(tmp_path / "go"),
    }
    (config / "init.lua").write_text(configuration(neovim, own), "utf-8")
    return own


def run(
    neovim: Path, environment: Mapping[str, str], opened: Path, tmp_path: Path, script: Path = DRIVE
) -> dict[str, Any]:
    """Drive one Neovim from start to end with `script`; the report, with what runs before and after it quits."""
    home = tmp_path / "home"
    (tmp_path / "user").mkdir()
    command = [neovim, "--headless", "-i", "NONE", "-n", str(opened), "-c", f"luafile {script}"]
    log = tmp_path / "nvim.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            wait_for(tmp_path / "report.json", process)
            report: dict[str, Any] = json.loads((tmp_path / "report.json").read_text("utf-8"))
            report["running"] = len(processes_of(home))
            (tmp_path / "go").touch()
            process.wait(DEADLINE)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    deadline = time.monotonic() + GONE_WITHIN
    while (left := processes_of(home)) and time.monotonic() < deadline:
        time.sleep(0.05)
    report["left"] = [one.pid for one in left]
    report["log"] = log.read_text("utf-8", "replace")
    return report


def test_remember_prompt_search_and_open(
    neovim: Path, environment: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    report = run(neovim, environment, project / "src" / "shapes.py", tmp_path)

    assert report.get("error") is None, (report["error"], report["log"])
    assert "Use pnpm, never npm" in report["remembered"]
    assert "(project)" in report["remembered"]
    assert "(user)" in report["selection"]  # ! keeps it for every project
    assert "Use pnpm, never npm" in report["prompt"]
    assert report["hits"] >= 1
    assert report["opened"] == str(project / "src" / "shapes.py")
    assert report["word"] in ("area", "Circle")  # the cursor is on the word that matched
    assert "measure_lighthouse" in report["unsaved"]
    assert "secret" in report["refused"]
    assert "ghp_" not in report["refused"]
    assert "Error" not in report["log"], report["log"]
    assert report["running"] >= 1
    assert report["left"] == []


def cited(path: str, file: Path, start: int, end: int) -> str:
    """A reference as anybody can make it: the SHA-256 of the lines, joined by LF."""
    lines = file.read_text("utf-8").splitlines()[start - 1 : end]
    return f"{path}:{start}-{end}@{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:16]}"


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


def test_the_guide_names_every_command_of_the_module() -> None:
    commands = set(re.findall(r"command\('(\w+)'", MODULE.read_text("utf-8")))
    assert commands == {"VademecumRemember", "VademecumSearch", "VademecumPrompt"}
    assert all(f":{name}" in GUIDE.read_text("utf-8") for name in commands)
