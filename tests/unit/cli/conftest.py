"""The real command in processes of its own, on a small real repository."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from wire.conftest import make_repository

DEADLINE = 60.0


@frozen
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, which must be JSON and nothing else."""
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def environment(tmp_path: Path, home: Path) -> Mapping[str, str]:
    """A user with nothing in their home, and no word of the terminal the tests run in."""
    dropped = ("VADEMECUM_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHONIOENCODING", "PYTHONUTF8")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    (tmp_path / "user").mkdir(exist_ok=True)
    return kept | {"VADEMECUM_HOME": str(home), "HOME": str(tmp_path / "user"), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def run(environment: Mapping[str, str], repository: Path) -> Run:
    """Run `vademecum` with some arguments, in the repository unless told otherwise."""

    def run(*arguments: str, cwd: Path = repository, stdin: str | bytes = b"", **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "vademecum", *arguments],
            cwd=cwd,
            env={**environment, **variables},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=DEADLINE,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in out + err, out + err
        return Done(done.returncode, out, err)

    return run
