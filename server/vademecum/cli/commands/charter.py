"""`vademecum charter`: the curated text that is told in full at the head of every chat."""

import argparse
import sys

from vademecum.api.types.memory import History
from vademecum.cli.asking import Asking
from vademecum.cli.confirm import confirmed
from vademecum.cli.editing import edit, edited
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import printable
from vademecum.files.uris import path_of_uri
from vademecum.memory.charters import PROJECT_CHARTER, CharterFile
from vademecum.memory.types import Scope

_EPILOG = """\
examples:
  vademecum charter                       print the PROJECT.md of this project
  vademecum charter edit                  change it in your editor ($VISUAL or $EDITOR)
  vademecum charter write notes.md --yes  take the text of a file; - reads standard input
  vademecum charter history               prior versions
  vademecum charter undo                  take the latest change back; --revision names another version
  vademecum charter edit --scope user     the same for USER.md, which is yours alone: no program writes it

A charter is told in full at the head of every chat, as your own standing wishes, up to 24,000 characters in all
(setting memory.charterCharacters). PROJECT.md lies where new memories of the project go: in your home, or in the
repository where the setting memory.project is shared.
"""

_ACTIONS = ("show", "edit", "write", "history", "undo")


def describe(parser: argparse.ArgumentParser) -> None:
    """What to do with which charter."""
    add = parser.add_argument
    add("action", nargs="?", default="show", choices=_ACTIONS, metavar="ACTION", help=", ".join(_ACTIONS) + " (show)")
    add("file", nargs="?", metavar="FILE", help="write: the file that holds the new text; - is standard input")
    add(
        "--scope",
        metavar="SCOPE",
        default="project",
        help="project, or user for USER.md: show and edit alone (project)",
    )
    add("--revision", metavar="REVISION", help="undo: the version to bring back, as history tells it")
    add("--yes", action="store_true", help="write: really do it, without asking")
    add("--json", action="store_true", help="print the result of memory/charter (or memory/history)")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Show it, or do what the action says."""
    options = job.options
    if (options.action == "write") != (options.file is not None):
        raise Usage("FILE: write takes the file that holds the new text (- for standard input), and nothing else does")
    with job.opened() as asking:
        if options.action == "history":
            return _history(job, asking)
        charter = _do(job, asking)
    if charter is None:
        return Exit.DONE if options.action == "edit" else Exit.FAILED
    for notice in charter.notices or ():
        job.output.note(notice)
    if options.json:
        job.output.json(charter)
    elif options.action == "show":
        _show(job, charter)
    else:
        verb = {"edit": "Written", "write": "Written", "undo": "Restored"}[options.action]
        job.output.line(f"{verb if charter.revision else 'Removed'} {charter.name} ({charter.characters:,} characters)")
    return Exit.DONE


def _do(job: Job, asking: Asking) -> CharterFile | None:
    options = job.options
    if options.action == "undo":
        restored: CharterFile = asking.ask("memory/restore", {"id": PROJECT_CHARTER, "revision": options.revision})
        return restored
    there: CharterFile = asking.ask("memory/charter", {"scope": options.scope})
    if options.action == "show":
        return there
    if options.action == "edit" and there.scope is Scope.USER:
        return _edit_users_own(job, asking, there)
    if options.action == "edit":
        with edited(job, there.content, there.name) as text:
            if text.strip() == there.content.strip():
                job.output.note("nothing was changed")
                return None
            return _write(asking, there, text)
    text = _text(job)
    question = f"Replace {there.name} ({there.characters:,} characters) with {len(text):,} characters?"
    if options.yes or confirmed(job.output, question, "nothing was written; --yes writes it", may_ask=not options.json):
        return _write(asking, there, text)
    return None


def _write(asking: Asking, there: CharterFile, text: str) -> CharterFile:
    params = {"content": text, "confirm": True, "revision": there.revision, "scope": there.scope}
    written: CharterFile = asking.ask("memory/charter", params)
    return written


def _edit_users_own(job: Job, asking: Asking, there: CharterFile) -> CharterFile:
    """The file itself: it is the user's editor that writes it, not this program."""
    path = path_of_uri(there.uri, "uri")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    edit(job, path)
    now: CharterFile = asking.ask("memory/charter", {"scope": there.scope})
    return now


def _show(job: Job, charter: CharterFile) -> None:
    if charter.content:
        job.output.line(printable(charter.content))
    else:
        job.output.note(f"there is no {charter.name} yet; `vademecum charter edit` makes one")


def _history(job: Job, asking: Asking) -> int:
    history: History = asking.ask("memory/history", {"id": PROJECT_CHARTER})
    if job.options.json:
        job.output.json(history)
        return Exit.DONE
    rows = [(one.revision, one.replaced, one.reason, f"{len(one.content):,} characters") for one in history.items]
    if rows:
        job.output.table(("revision", "until", "then", "length"), rows)
    else:
        job.output.note("there are no prior versions")
    return Exit.DONE


def _text(job: Job) -> str:
    file = job.options.file
    try:
        data = sys.stdin.buffer.read() if file == "-" else (job.directory / file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Usage("FILE: must hold text in UTF-8") from error
