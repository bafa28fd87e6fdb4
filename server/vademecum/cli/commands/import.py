"""`vademecum import`: memories of other systems, lists of instructions, and archives."""

import argparse
import sys
from collections import Counter

from vademecum.cli.asking import Asking
from vademecum.cli.confirm import confirmed
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.place import named
from vademecum.cli.progress import bar
from vademecum.memory.transfer.types import ImportAction, Imported, ImportedItem
from vademecum.memory.types import Origin
from vademecum.quantities import counted

_EPILOG = """\
examples:
  vademecum import ~/.codebuddy/user-memory.json
  vademecum import ~/.claude/projects            what belongs to this project; or a memory folder, or one file
  vademecum import ~/.codewhale/memory           CodeWhale's folder, what it exports, or one MEMORY.md
  vademecum import ~/.yottacode
  vademecum import AGENTS.md --mine              the items of its lists: rules, and knowledge
  vademecum import backup.json                   an archive that `vademecum export` wrote
  vademecum import - --format list < notes.md

It shows item by item what it would do, and asks. The source is only read, and imported twice nothing doubles. Rules in
a file of this repository are told as background, not as your own wishes, unless you say that it is yours (--mine).

formats: archive, codebuddy, codewhale, yottacode, claudeCode, list; told from the source when left out.
In a pipe the fields are separated by tabs: action, scope, where, title or reason, key.
"""

_WORDS = {
    ImportAction.ADD: "new",
    ImportAction.SIMILAR: "new, similar",
    ImportAction.SAME: "known",
    ImportAction.SKIP: "left out",
    ImportAction.REFUSE: "refused",
}


def describe(parser: argparse.ArgumentParser) -> None:
    """From where, in which form, and what of it."""
    add = parser.add_argument
    add("source", metavar="SOURCE", help="a file or folder, or `-` for standard input")
    add("--format", metavar="FORMAT", help="whose form it has")
    add("--scope", metavar="SCOPE", help="where everything goes, project or user; of an archive only this part")
    add("--mine", action="store_true", help="it is your own, though it lies in this repository")
    add("--skip-similar", action="store_true", help="leave out what comes close to a memory that is there")
    add("--only", metavar="KEY", action="append", help="only this item, by its key; may be given several times")
    add("--dry-run", action="store_true", help="only show what would be done")
    add("--yes", action="store_true", help="do not ask")
    add("--json", action="store_true", help="print the result of memory/import")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Show what would be done, ask, and do it."""
    options = job.options
    params = {
        "format": options.format,
        "scope": options.scope,
        "origin": Origin.USER.value if options.mine else None,
        "skipSimilar": options.skip_similar,
        "only": options.only,
    }
    source = (job.directory / options.source).absolute()
    if options.source == "-":
        params["text"] = _standard_input()
    else:
        params["source"] = source.as_uri()
    with job.opened() as asking, named(source):
        if options.yes and not options.dry_run:
            return _tell(job, _ask(job, asking, params, dry_run=False))
        planned = _ask(job, asking, params, dry_run=True)
        code = _tell(job, planned)
        if options.dry_run or not (planned.added or planned.versions):
            return code
        question = f"Import {_memories(planned.added)}?"
        otherwise = f"nothing was imported; {planned.added:,} would be with --yes"
        if not confirmed(job.output, question, otherwise, may_ask=not options.json):
            return Exit.FAILED
        done = _ask(job, asking, params, dry_run=False)
        job.output.line(f"Imported {_memories(done.added)}.")
    return Exit.DONE


def _ask(job: Job, asking: Asking, params: dict[str, object], *, dry_run: bool) -> Imported:
    with bar(job.output.errors, "Importing") as progress:
        done: Imported = asking.ask("memory/import", {**params, "dryRun": dry_run}, progress)
    return done


def _tell(job: Job, done: Imported) -> int:
    if job.options.json:
        job.output.json(done)
        return Exit.DONE
    rows = [_row(item) for item in done.items]
    if rows:
        job.output.table(("", "scope", "where", "title", "key"), rows)
    counts = Counter(_WORDS[item.action] for item in done.items)
    told = [f"{count:,} {word}" for word in _WORDS.values() if (count := counts[word])]
    if done.versions:
        told.append(counted(done.versions, "prior version"))
    job.output.note(f"{done.format}: {', '.join(told) or 'nothing in it'}{' (dry run)' if done.dry_run else ''}")
    return Exit.DONE


def _row(item: ImportedItem) -> tuple[str, str, str, str, str]:
    about = item.title
    if item.reason is not None:
        about = f"{about}: {item.reason}" if about else item.reason
    elif item.similar:
        about = f"{about} (like {', '.join(item.similar)})"
    return _WORDS[item.action], item.scope or "", item.where, about, item.key


def _memories(count: int) -> str:
    return counted(count, "memory", "memories")


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Usage(f"SOURCE: standard input is not UTF-8 (byte {error.start})") from None
