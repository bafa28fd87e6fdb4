"""`vademecum index`: the index, now and in the foreground."""

import argparse

from vademecum.api.types.search import ReindexedResult, StatusResult
from vademecum.cli.folders import folders
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Failed
from vademecum.cli.progress import bar

_EPILOG = """\
examples:
  vademecum index                 the repository around the current folder
  vademecum index ~/src/shop
  vademecum index --force         from nothing, when the index is in doubt

`search` brings the index up to date by itself; this is for doing it ahead of time.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What may be indexed."""
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder, instead of -C")
    parser.add_argument("--force", action="store_true", help="build it from nothing")
    parser.add_argument("--json", action="store_true", help="print the result of search/reindex")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Bring it up to date, and tell what it holds."""
    named = (*job.workspace, job.options.path) if job.options.path is not None else job.workspace
    chosen = folders(named, job.directory, job.places.user_home)
    with job.opened(chosen) as asking:
        status: StatusResult = asking.ask("search/status", {})
        if status.refusal is not None and not status.files:
            raise Failed(status.refusal)
        with bar(job.output.errors, "Indexing") as progress:
            done: ReindexedResult = asking.ask("search/reindex", {"force": job.options.force}, progress)
    if job.options.json:
        job.output.json(done)
        return Exit.DONE
    rate = f" ({done.files / done.seconds:,.0f} files/s)" if done.seconds > 0 else ""
    job.output.line(f"Indexed {done.files:,} files in {done.chunks:,} chunks in {done.seconds:.1f} s{rate}.")
    return Exit.DONE
