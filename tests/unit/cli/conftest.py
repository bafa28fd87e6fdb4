"""The real command on a small real repository: in a process of its own, or within this one where that tells as much."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from vademecum.cli.main import main
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
Editor = Callable[[str], None]


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


@pytest.fixture
def call(
    environment: Mapping[str, str],
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Run]:
    """Run `vademecum` within this process: far quicker, for what begins and ends with the command line."""
    monkeypatch.chdir(repository)
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers, umask = logging.root.handlers[:], os.umask(0)

    def call(*arguments: str) -> Done:
        code = main(arguments)
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err, out + err
        return Done(code, out, err)

    yield call
    os.umask(umask)
    logging.root.handlers[:] = handlers
    for number, handler in signals.items():
        signal.signal(number, handler)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Sets the user's editor to a program that does `body` with the text `old`, and then saves `new`."""

    def becomes(body: str) -> None:
        script = tmp_path / "an editor.py"
        script.write_text(
            "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n"
            f"old = path.read_text('utf-8') if path.exists() else ''\nnew = old\n{body}\n"
            "if new != old:\n    path.write_text(new, 'utf-8')\n",
            "utf-8",
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}'")

    return becomes
