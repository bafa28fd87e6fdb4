"""Pipes that end early, streams that are closed, disks that are full, terminals of every kind, and Ctrl-C."""

import array
import contextlib
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from unit.cli.conftest import DEADLINE, Run
from wire.client import heed_signals

# Shell and terminal as POSIX has them; elsewhere this module is skipped.
fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))

#: For a shell, which the path of the Python may have characters for.
VADEMECUM = f"{shlex.quote(sys.executable)} -m vademecum"


def shell(script: str, cwd: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=dict(environment), capture_output=True, text=True, timeout=DEADLINE
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def many(run: Run, home: Path) -> None:
    """So many memories that a list does not fit into a pipe."""
    (home / "memory").mkdir(parents=True)
    for number in range(300):
        (home / "memory" / f"m{number}.md").write_text(f"# Fact {number} {'x' * 180}\n\nbody\n", "utf-8")


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("command", ["memories --limit 300", "memories --json --limit 300"])
def test_a_reader_that_has_read_enough(command: str, repository: Path, environment: Mapping[str, str]) -> None:
    done = shell(f"{VADEMECUM} {command} | head -n 1; exit ${{PIPESTATUS[0]}}", repository, environment)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("command", ["memories", "prompt", "settings", "--help", "search --help", "doctor"])
def test_closed_streams(command: str, repository: Path, environment: Mapping[str, str]) -> None:
    assert shell(f"{VADEMECUM} {command} >&- 2>&- <&-", repository, environment).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["settings", "settings --json", "prompt", "status"])
def test_a_full_disk_is_told(command: str, repository: Path, environment: Mapping[str, str]) -> None:
    shell(f"{VADEMECUM} remember 'Use pnpm'", repository, environment)
    done = shell(f"{VADEMECUM} {command} > /dev/full", repository, environment)
    assert done.returncode == 1
    assert done.stderr.startswith("vademecum: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("variables", "has_escapes"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_on_a_terminal(
    run: Run, variables: Mapping[str, str], has_escapes: bool, repository: Path, environment: Mapping[str, str]
) -> None:
    run("index")
    code, shown = on_a_terminal(("search", "circle"), repository, {**environment, **variables})
    assert code == 0
    assert b"shapes.py" in shown
    # With NO_COLOR bold remains, which is no colour.
    assert (b"\x1b[1;36msrc/shapes.py\x1b[0m" in shown) is has_escapes
    assert (b"\x1b[1;33mCircle\x1b[0m" in shown) is has_escapes
    if variables["TERM"] == "dumb":
        assert b"\x1b" not in shown


def test_a_table_fits_the_terminal(run: Run, repository: Path, environment: Mapping[str, str]) -> None:
    id_ = run("remember", "A lighthouse " + "shines " * 20, "--json").json["id"]
    code, shown = on_a_terminal(("memories",), repository, {**environment, "COLUMNS": "60"})
    assert code == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines()
    assert lines[0].startswith("id")
    assert lines[1].startswith(f"{id_}  Knowledge  project  A lighthouse")
    assert all(len(line) <= 60 for line in lines)


@pytest.mark.parametrize(("terminal", "is_shown"), [("xterm", True), ("dumb", False)])
def test_the_first_index_shows_how_far_it_is(
    terminal: str, is_shown: bool, repository: Path, environment: Mapping[str, str]
) -> None:
    code, shown = on_a_terminal(("search", "circle"), repository, {**environment, "TERM": terminal})
    assert code == 0
    assert b"shapes.py" in shown
    assert (b"Indexing" in shown) is is_shown
    assert shown.count(b"\x1b[?25h") == shown.count(b"\x1b[?25l")  # the cursor is shown again


def test_a_prompt_ends_its_line_on_a_terminal_and_there_alone(
    run: Run, repository: Path, environment: Mapping[str, str]
) -> None:
    run("remember", "Use pnpm, never npm")
    text = run("prompt").out
    code, shown = on_a_terminal(("prompt",), repository, {**environment, "NO_COLOR": "1"})
    assert code == 0
    assert shown.decode() == text.replace("\n", "\r\n") + "\r\n"
    assert not text.endswith("\n")


def test_an_encoding_that_holds_little(run: Run) -> None:
    run("remember", "Ünïcode 搜索")
    done = run("memories", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "\\u641c" in done.out


def test_the_indexer_logs_to_the_terminal_only_what_was_asked_for(run: Run, home: Path) -> None:
    """As after an upgrade, when the index that another version made is made again."""

    def upgraded(*options: str) -> str:
        (catalogue,) = home.glob("cache/code/*/build-*/catalogue.sqlite")
        with contextlib.closing(sqlite3.connect(catalogue)) as connection:
            connection.execute("UPDATE meta SET value = 'another' WHERE key = 'stamp'")
            connection.commit()
        done = run(*options, "index")
        assert done.code == 0
        return done.err

    assert run("index").code == 0
    assert "WARNING" not in upgraded()
    assert "made by another version" in upgraded("--log-level", "warning")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_search_and_its_indexer(
    number: signal.Signals, repository: Path, environment: Mapping[str, str]
) -> None:
    big = repository / "big"
    big.mkdir()
    for index in range(3000):
        (big / f"m{index}.py").write_text(f"def function_{index}(a):\n    return a + {index}\n" * 20, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "vademecum", "search", "circle"],
        cwd=repository,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    try:
        deadline = time.monotonic() + DEADLINE
        while not indexing(children := psutil.Process(process.pid).children(recursive=True)):
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        os.killpg(process.pid, number)  # as a terminal does: to the whole group
        out, err = process.communicate(timeout=DEADLINE)
    finally:
        if process.poll() is None:
            process.kill()
    # Not a word of the indexer and its helpers, which a terminal would interrupt in the middle of anything.
    assert (process.returncode, out, err) == (128 + number, b"", b"vademecum: interrupted\n")
    _, alive = psutil.wait_procs(children, timeout=DEADLINE)
    assert alive == []


def indexing(children: list[psutil.Process]) -> bool:
    """Whether the indexer is among them and past its start."""
    for child in children:
        try:
            if "vademecum.search.indexer" in child.cmdline() and child.num_threads() > 1:
                return True
        except psutil.Error:  # it ended meanwhile
            continue
    return False


def test_ctrl_c_while_a_note_is_typed(repository: Path, environment: Mapping[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "vademecum", "remember", "-"],
        cwd=repository,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_signals,
    )
    try:
        wait_until_reading(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b"vademecum: interrupted\n"
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_until_reading(process: subprocess.Popen[bytes]) -> None:
    """Until the process has taken what is in its input, and waits for more."""
    assert process.stdin is not None
    process.stdin.write(b"half a no")
    process.stdin.flush()
    left = array.array("i", [1])
    deadline = time.monotonic() + DEADLINE
    while left[0]:
        assert time.monotonic() < deadline
        assert process.poll() is None
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)
        time.sleep(0.02)


def on_a_terminal(arguments: tuple[str, ...], cwd: Path, environment: Mapping[str, str]) -> tuple[int, bytes]:
    """Run a command whose streams are a terminal; its exit code and all that was shown."""
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "vademecum", *arguments],
        cwd=cwd,
        env=dict(environment),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    try:
        while True:
            try:
                part = os.read(control, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            shown += part
        return process.wait(DEADLINE), shown
    finally:
        os.close(control)
        if process.poll() is None:
            process.kill()
