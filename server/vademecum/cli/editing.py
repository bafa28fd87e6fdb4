"""A text that the user changes in an editor of their own."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vademecum.cli.job import Job
from vademecum.cli.outcome import Failed

#: Tried in this order where neither `VISUAL` nor `EDITOR` is set.
_USUAL = ("editor", "vi", "nano") if os.name == "posix" else ("notepad",)


@contextmanager
def edited(job: Job, text: str, name: str) -> Iterator[str]:
    """What the user made of `text`, once they have closed the editor.

    It is edited in a file of its own that only this user can read. That is gone afterwards; when the block fails, or
    the editor does, what was written stays there, and it is said where, so that nothing is lost.

    :param name: the name of that file.
    :raises Failed: when there is no editor, or it fails; or for what the block raised.
    """
    folder = job.places.state / "edits"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder), name)
    draft.write_text(text, "utf-8")
    try:
        edit(job, draft)
        try:
            new = draft.read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Failed("what the editor saved is no text in UTF-8") from error
        yield new
    except Exception:
        if _is_changed(draft, text):
            job.output.note(f"what you wrote is kept in {draft}")
        else:
            shutil.rmtree(draft.parent, ignore_errors=True)
        raise
    shutil.rmtree(draft.parent, ignore_errors=True)


def edit(job: Job, path: Path) -> None:
    """Have the user edit a file, and wait until they are done.

    :raises Failed: when there is no editor, or it fails.
    """
    command = _editor(job)
    before = signal.getsignal(signal.SIGINT)
    # Ctrl-C is for the editor alone; a handler, unlike being ignored, is not handed on to it.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        ended = subprocess.run([*command, str(path)], check=False)
    except OSError as error:
        raise Failed(
            f"the editor {command[0]} cannot be started: {error.strerror}; set EDITOR to another one"
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)
    if ended.returncode:
        raise Failed(f"the editor {command[0]} failed (exit code {ended.returncode}); nothing was changed")


def _editor(job: Job) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        if command := job.environment.get(variable, "").strip():
            return shlex.split(command, posix=os.name == "posix")
    for name in _USUAL:
        if found := shutil.which(name):
            return [found]
    raise Failed("there is no editor here; set EDITOR to one, as in EDITOR=nano")


def _is_changed(draft: Path, text: str) -> bool:
    try:
        return draft.read_bytes() != text.encode("utf-8")
    except OSError:
        return False
