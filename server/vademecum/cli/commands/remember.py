"""`vademecum remember`: keep a note."""

import argparse
import sys

from vademecum.api.types.memory import Kept
from vademecum.cli.job import Job
from vademecum.cli.main import is_quick_note
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import one_line

_EPILOG = """\
examples:
  vademecum remember 'Use pnpm, never npm' --category Rule
  vademecum remember 'I prefer short answers' --scope user
  git log -1 --format=%B | vademecum remember -
  vademecum '# Deploys go out on Tuesdays'

The first sentence becomes the title. A note that is known already is not kept twice; one that holds a secret is
refused. The note is kept in a Markdown file of its own; `vademecum memories show ID` tells which.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """The note and what kind of memory it is."""
    add = parser.add_argument
    add("note", nargs="+", metavar="NOTE", help="the note; - reads it from standard input")
    add("--scope", metavar="SCOPE", help="project or user (project, where there is one)")
    add("--category", metavar="CATEGORY", help="Knowledge, Rule or Experience (Knowledge)")
    add("--json", action="store_true", help="print the result of memory/remember")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Keep it, and tell its id."""
    options = job.options
    note = _from_stdin() if options.note == ["-"] else _from_words(options.note)
    with job.opened() as asking:
        params = {"note": note, "scope": options.scope, "category": options.category}
        memory: Kept = asking.ask("memory/remember", params)
    if options.json:
        job.output.json(memory)
    else:
        verb = "Known already:" if memory.known else "Remembered"
        job.output.line(f"{verb} {memory.id} ({memory.category}, {memory.scope}): {one_line(memory.title)}")
    return Exit.DONE


def _from_words(words: list[str]) -> str:
    note = " ".join(words)
    return note.lstrip("# ") if is_quick_note([note]) else note


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise Usage("NOTE: standard input must be text in UTF-8") from error
