"""`vademecum index`: the index, now and in the foreground."""

import argparse
import time

from vademecum.api.types.search import ReindexedResult, SearchStatusResult
from vademecum.cli.asking import Asking
from vademecum.cli.folders import folders
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit
from vademecum.cli.progress import bar
from vademecum.cli.waiting import until_embedded, until_ready
from vademecum.quantities import counted

_WORTH_A_RATE = 100

_EPILOG = """\
examples:
  vademecum index                 the repository around the current folder
  vademecum index ~/src/shop
  vademecum index --force         from nothing, when the index is in doubt
  vademecum index --vectors       with the vectors, by which search finds by meaning

`search` brings the index up to date by itself; this is for doing it ahead of time.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What may be indexed."""
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder, instead of -C")
    parser.add_argument("--force", action="store_true", help="build it from nothing")
    parser.add_argument("--vectors", action="store_true", help="wait for the vectors, too: a minute for 4,000 chunks")
    parser.add_argument("--json", action="store_true", help="print {files, chunks, seconds}, as search/reindex does")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Bring it up to date, and tell what it holds."""
    named = (*job.workspace, job.options.path) if job.options.path is not None else job.workspace
    began = time.monotonic()
    with job.opened(folders(named, job.directory, job.places.user_home)) as asking:
        until_ready(asking, job.output, started=job.options.force)
        done = _from_nothing(job, asking) if job.options.force else _held(asking, began)
        if job.options.vectors:
            until_embedded(asking, job.output)
    if job.options.json:
        job.output.json(done)
        return Exit.DONE
    # Of a few files it would be the rate of starting up.
    rate = f" ({done.files / done.seconds:,.0f} files/s)" if done.files >= _WORTH_A_RATE and done.seconds > 0 else ""
    held = f"{counted(done.files, 'file')} in {counted(done.chunks, 'chunk')}"
    job.output.line(f"Indexed {held} in {done.seconds:.1f} s{rate}.")
    return Exit.DONE


def _from_nothing(job: Job, asking: Asking) -> ReindexedResult:
    with bar(job.output.errors, "Indexing") as progress:
        done: ReindexedResult = asking.ask("search/reindex", {"force": True}, progress)
    return done


def _held(asking: Asking, began: float) -> ReindexedResult:
    """What the folders' indexes hold, now that they are ready; another server may be the one that keeps them so."""
    uris = [folder.uri for folder in asking.workspaces.folders]
    told: list[SearchStatusResult] = [asking.ask("search/status", {"workspace": uri}) for uri in uris]
    seconds = round(time.monotonic() - began, 3)
    return ReindexedResult(sum(one.files for one in told), sum(one.chunks for one in told), seconds)
