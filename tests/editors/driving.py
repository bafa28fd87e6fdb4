"""What the tests of editors have in common: a user who has done what a page of the documentation says, and a report."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "editors"
SCRIPTS = Path(sys.executable).parent

DEADLINE = 90.0
GONE_WITHIN = 5.0  # seconds after the editor


def missing(what: str) -> NoReturn:
    """Skip, or fail where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def system_program(name: str, package: str) -> Path:
    """A program that the system's packages bring, whatever is in the environment of the tests."""
    path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if Path(part) != SCRIPTS)
    found = shutil.which(name, path=path)
    if found is None:
        missing(f"{name} is not on the PATH: apt-get install {package}")
    return Path(found)


def block(page: str, heading: str, language: str) -> str:
    """The first fenced block of a language below a heading of a page under docs/editors."""
    text = (PAGES / page).read_text("utf-8")
    assert text.count(f"{heading}\n") == 1, heading
    return text.split(f"{heading}\n")[1].split(f"```{language}\n")[1].split("```")[0]


def user(tmp_path: Path, **more: str) -> dict[str, str]:
    """The environment of a user whose home is empty and who has installed the server."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VADEMECUM_", "NVIM", "XDG_", "EMACS", "VIM"))}
    home = tmp_path / "user"
    home.mkdir(exist_ok=True)
    return kept | {
        "PATH": os.pathsep.join((str(SCRIPTS), kept["PATH"])),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "VADEMECUM_HOME": str(tmp_path / "home"),
        "DRIVE_REPORT": str(tmp_path / "report.json"),
        "DRIVE_GO": str(tmp_path / "go"),
        **more,
    }


def install(editor: str, environment: Mapping[str, str]) -> str:
    """What the pages say first: `vademecum install`."""
    command = [sys.executable, "-m", "vademecum", "install", editor, "--yes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def processes_of(home: Path) -> list[psutil.Process]:
    """The server and its children: whatever of Vademecum runs with this home."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get("VADEMECUM_HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE
            words = process.cmdline()
            if ours and "python" in Path(words[0]).name and any("vademecum" in word for word in words):
                found.append(process)
        except (psutil.Error, IndexError):
            continue
    return found


def drive(command: Sequence[str | Path], environment: Mapping[str, str], tmp_path: Path, cwd: Path) -> dict[str, Any]:
    """Run an editor from start to end; the report it writes, with what runs before and after it quits."""
    home, log = tmp_path / "home", tmp_path / "editor.log"
    report_path = tmp_path / "report.json"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=cwd
        )
        try:
            deadline = time.monotonic() + DEADLINE
            while not report_path.exists():
                told = log.read_text("utf-8", "replace")[-3000:]
                assert process.poll() is None, f"the editor ended with {process.returncode}: {told}"
                assert time.monotonic() < deadline, f"the editor did not report in time: {told}"
                time.sleep(0.05)
            report: dict[str, Any] = json.loads(report_path.read_text("utf-8"))
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


def cited(path: str, file: Path, start: int, end: int) -> str:
    """A reference as anybody can make it: the SHA-256 of the lines, joined by LF."""
    lines = file.read_text("utf-8").splitlines()[start - 1 : end]
    return f"{path}:{start}-{end}@{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:16]}"
