"""`vademecum export`: memories as an archive, or in a form that other systems read."""

import argparse

from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.progress import bar
from vademecum.memory.transfer.types import Exported, ExportFormat
from vademecum.quantities import counted

_EPILOG = """\
examples:
  vademecum export -o ~/vademecum.json           everything: all projects, prior versions, charters
  vademecum export --scope project -o shop.json  of this project alone
  vademecum export --format list > AGENTS.md     a Markdown list; `codebuddy` is CodeBuddy's JSON

`vademecum import` restores an archive identically. It tells what was deleted and not purged, too: keep it as carefully
as the memories themselves. A file is made for you alone, and never over another one.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What, in which form, and where to."""
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="a file that is not there yet; standard output without it")
    add("--format", metavar="FORMAT", help="archive (unless you say otherwise), codebuddy or list")
    add("--scope", metavar="SCOPE", help="user, project or all; all unless you say otherwise")
    add("--json", action="store_true", help="print the result of memory/export")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Write the file, or print the text."""
    options = job.options
    target = None if options.output is None else (job.directory / options.output).absolute().as_uri()
    params = {"format": options.format, "scope": options.scope, "target": target}
    with job.opened() as asking, bar(job.output.errors, "Exporting") as progress:
        done: Exported = asking.ask("memory/export", params, progress)
    if options.json:
        job.output.json(done)
        return Exit.DONE
    if done.text is not None:
        job.output.exact(done.text)
    told = [counted(done.memories, "memory", "memories")]
    if done.format is ExportFormat.ARCHIVE:
        told += [counted(done.versions, "prior version"), counted(done.charters, "charter")]
    job.output.note(f"exported: {', '.join(told)}")
    return Exit.DONE
