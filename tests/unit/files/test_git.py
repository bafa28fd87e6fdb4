"""Running git: it answers, or it fails in time, and no process is left."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.files.trees import eventually, repository, write
from vademecum.files import git as running
from vademecum.files.git import GitFailed, git, git_records
from vademecum.work import Cancel, Cancelled

Script = Callable[[str], None]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Let a shell script stand where git would."""

    def set_script(text: str) -> None:
        monkeypatch.setattr(running, "command", lambda *_: ["sh", "-c", text])

    return set_script


def is_running(pid_file: Path) -> bool:
    """Whether the process runs that has written its number there; one that was ended before it could does not."""
    number = pid_file.read_text().strip() if pid_file.exists() else ""
    try:
        return bool(number) and Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_git_answers(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"a.py": "x", "b\nc": "x"})
    assert git(tree, "ls-files", "-z", "--others") == b"a.py\0b\nc\0"
    assert list(git_records(tree, "ls-files", "-z", "--others", cancel=Cancel())) == [b"a.py", b"b\nc"]


def test_reading_the_history_verifies_no_signature_and_so_runs_no_program_of_the_repositorys(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"a.py": "x"})
    git(tree, "add", "a.py")
    git(tree, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first")
    head, body = git(tree, "cat-file", "commit", "HEAD").split(b"\n\n", 1)
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\n"
    signed = git(tree, "hash-object", "-t", "commit", "-w", "--stdin", data=head + signature + body).strip()
    git(tree, "update-ref", "HEAD", signed.decode())
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'was-run'}'\n")
    program.chmod(0o700)
    git(tree, "config", "log.showSignature", "true")
    git(tree, "config", "gpg.program", str(program))
    assert git(tree, "log", "--format=%H", "HEAD").strip() == signed
    assert git(tree, "log", "--name-only", "--format=", "-z") == b"a.py\0"
    assert not (tmp_path / "was-run").exists()


def test_an_error_is_a_failure_that_says_what_git_said(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="not a git repository"):
        git(tmp_path, "ls-files")
    with pytest.raises(GitFailed):
        list(git_records(tmp_path, "ls-files", cancel=Cancel()))
    with pytest.raises(GitFailed):
        git(tmp_path / "none", "status")


def test_git_that_does_not_answer_is_given_up(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "TIMEOUT_SECONDS", 0.3)
    script(f"echo $$ > '{tmp_path}/pid'; exec sleep 60")
    with pytest.raises(GitFailed):
        git(tmp_path, "ls-files")
    assert eventually(lambda: not is_running(tmp_path / "pid"))
    with pytest.raises(GitFailed):
        list(git_records(tmp_path, "ls-files", cancel=Cancel()))
    assert eventually(lambda: not is_running(tmp_path / "pid"))


def test_a_listing_that_is_cancelled_ends_its_process(tmp_path: Path, script: Script) -> None:
    script(f"echo $$ > '{tmp_path}/pid'; exec sleep 60")
    cancel = Cancel()
    pid = tmp_path / "pid"

    def once_it_runs() -> None:
        assert eventually(lambda: pid.exists() and pid.read_text().endswith("\n"))
        cancel.set()

    threading.Thread(target=once_it_runs).start()
    before = time.monotonic()
    with pytest.raises(Cancelled):
        list(git_records(tmp_path, "ls-files", cancel=cancel))
    assert time.monotonic() - before < 60
    assert not is_running(tmp_path / "pid")


def test_a_listing_that_nobody_wants_to_the_end_ends_its_process(tmp_path: Path, script: Script) -> None:
    script(f"echo $$ > '{tmp_path}/pid'; while :; do printf 'a%.0s' $(seq 1000); printf '\\0'; done")
    records = git_records(tmp_path, "ls-files", cancel=Cancel())
    assert next(records) == b"a" * 1000
    before = threading.active_count()
    records.close()  # type: ignore[attr-defined]
    assert not is_running(tmp_path / "pid")
    assert threading.active_count() == before - 1
