"""Running git safely: no hook, no program that a repository configures, no prompt, no network, no lock, no waiting."""

import contextlib
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

from vademecum.work import Cancel

#: On Windows a console program would open a window of its own.
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)

#: How long one command may take, in seconds. Listing 200,000 files takes about one; the rest is for slow disks.
TIMEOUT_SECONDS = 60.0

#: Settings that win over every configuration file. A repository may come from a stranger, and git runs programs that
#: its configuration names; of these only the file system monitor, hooks and the verifier of signatures (by `git log`)
#: could be reached by what we ask.
_SAFE = (
    "--no-optional-locks",
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "core.untrackedCache=keep"),
    *("-c", "protocol.allow=never"),
    *("-c", "credential.helper="),
    *("-c", "core.askPass=true"),
    *("-c", "core.quotePath=false"),
)


class GitFailed(Exception):
    """Git is not there, did not answer in time, or refused; the message is for the log."""


def git(folder: Path, *arguments: str, data: bytes = b"", accept: Sequence[int] = (0,)) -> bytes:
    """Run git in `folder` with `data` as its input and return what it prints.

    :param accept: exit codes that are answers.
    :raises GitFailed: for any other exit code, a time-out, or when git cannot be started.
    """
    try:
        done = subprocess.run(
            command(folder, *arguments),
            input=data,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            creationflags=_NO_WINDOW,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise GitFailed(f"git {arguments[0]}: {error}") from error
    if done.returncode not in accept:
        raise GitFailed(f"git {arguments[0]}: exit code {done.returncode}: {_first_line(done.stderr)}")
    return done.stdout


def git_records(folder: Path, *arguments: str, cancel: Cancel) -> Iterator[bytes]:
    """Run git in `folder` and yield the NUL-terminated records it prints, as they come.

    The process is killed when the caller stops early, is cancelled, or nothing arrives for `TIMEOUT_SECONDS`.

    :raises GitFailed: when git cannot be started, stalls or exits with an error; records may have been yielded before.
    :raises Cancelled: as soon as `cancel` is set, within a tenth of a second.
    """
    try:
        process = subprocess.Popen(
            command(folder, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_NO_WINDOW,
        )
    except (OSError, ValueError) as error:
        raise GitFailed(f"git {arguments[0]}: {error}") from error
    assert isinstance(process.stdout, BufferedReader)
    pieces: queue.Queue[bytes] = queue.Queue(maxsize=64)
    reader = threading.Thread(target=_read, args=(process.stdout, pieces), name="git-reader", daemon=True)
    reader.start()
    try:
        rest = b""
        waited = 0.0
        while True:
            cancel.check()
            try:
                piece = pieces.get(timeout=0.1)
            except queue.Empty:
                waited += 0.1
                if waited >= TIMEOUT_SECONDS:
                    raise GitFailed(f"git {arguments[0]}: nothing for {TIMEOUT_SECONDS} s") from None
                continue
            waited = 0.0
            if not piece:
                break
            *records, rest = (rest + piece).split(b"\0")
            yield from records
        if process.wait(timeout=TIMEOUT_SECONDS):
            raise GitFailed(f"git {arguments[0]}: exit code {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
        while reader.is_alive():  # let the reader past a full queue, so that it sees the end and closes the pipe
            reader.join(timeout=0.005)
            with contextlib.suppress(queue.Empty):
                pieces.get_nowait()
        process.wait()


def command(folder: Path, *arguments: str) -> list[str]:
    """Return the command line that runs git in `folder` with the safe settings."""
    return ["git", "-C", str(folder), *_SAFE, *arguments]


def _read(stream: BufferedReader, pieces: "queue.Queue[bytes]") -> None:
    with stream:
        while piece := stream.read1(1 << 16):
            pieces.put(piece)
    pieces.put(b"")


def _first_line(text: bytes) -> str:
    return text.decode("utf-8", errors="replace").strip().split("\n", 1)[0][:200]
