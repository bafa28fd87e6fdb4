"""Building trees and repositories for the tests of the files room."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from vademecum.files.gate import Gate
from vademecum.files.walk import Found, Skipped, walk
from vademecum.work import Cancel

_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str, data: bytes | None = None) -> bytes:
    """Run git for the test itself, untouched by the configuration of whoever runs the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(
        ["git", "-C", str(folder), *_IDENTITY, *arguments],
        input=data,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def repository(folder: Path) -> Path:
    """Make `folder` a repository and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files (path to content) below `folder` and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def commit(folder: Path, message: str = "all") -> None:
    """Commit everything."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def found(gate: Gate) -> set[str]:
    """Return the paths that the walk finds; each must be told once."""
    items = list(walk(gate, Cancel()))
    paths = [item.path for item in items]
    assert len(paths) == len(set(paths)), sorted(path for path in paths if paths.count(path) > 1)
    return {item.path for item in items if isinstance(item, Found)}


def skipped(gate: Gate) -> dict[str, str]:
    """Return what the walk skips, with the reason."""
    return {item.path: item.reason.value for item in walk(gate, Cancel()) if isinstance(item, Skipped)}


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until `condition` holds, at most `seconds`; return whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
