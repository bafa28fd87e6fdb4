"""`vademecum status`: the state of memory and index."""

import argparse

from rich.text import Text

from vademecum.api import wire
from vademecum.api.types.memory import MemoryStatusResult
from vademecum.api.types.search import SearchStatusResult
from vademecum.cli.job import Job
from vademecum.cli.meaning import meaning
from vademecum.cli.outcome import Exit
from vademecum.cli.printable import one_line
from vademecum.cli.waiting import settled
from vademecum.memory.types import StoreKind
from vademecum.quantities import counted, size

_EPILOG = """\
With --json: {"memory/status": …, "search/status": …}, each as over the wire.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form."""
    parser.add_argument("--json", action="store_true", help="print the results of memory/status and search/status")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """Print both."""
    with job.opened() as asking:
        memory: MemoryStatusResult = asking.ask("memory/status", {})
        search = settled(asking)
        opened = ", ".join(str(folder.root) for folder in asking.workspaces.folders)
    if job.options.json:
        job.output.json({"memory/status": wire.unstructure(memory), "search/status": wire.unstructure(search)})
        return Exit.DONE
    _line(job, "folder", opened)
    _memory(job, memory)
    _search(job, search)
    return Exit.DONE


def _line(job: Job, name: str, text: str, style: str = "") -> None:
    job.output.line(Text.assemble((f"{name:<12}", "dim"), (one_line(text), style)))


def _memory(job: Job, status: MemoryStatusResult) -> None:
    _line(job, "memory", status.message, "" if status.enabled else "yellow")
    for store in status.stores:
        # The user's own place is of one kind.
        about = [str(store.scope)]
        about += [] if store.kind is StoreKind.USER else [str(store.kind)]
        about += ["new ones go here"] if store.writes else []
        _line(job, "", f"{store.memories:,} in {store.path} ({', '.join(about)})")
    counts = ", ".join(f"{count:,} {name}" for name, count in status.counts.items() if count)
    if counts:
        _line(job, "", counts)
    if status.trust is not None:
        word = "trusted" if status.trust.trusted else "not trusted"
        withheld = f"; {status.withheld:,} of its memories are not used" if status.withheld else ""
        _line(job, "repository", word + withheld, "yellow" if status.withheld else "")
    for file in status.unreadable:
        _line(job, "unreadable", f"{file.path} ({file.scope}, {file.store}): {file.reason}", "yellow")
    for sentence in status.health:
        _line(job, "attention", sentence, "yellow")


def _search(job: Job, status: SearchStatusResult) -> None:
    if status.refusal is not None and not status.files:
        _line(job, "index", status.refusal, "yellow")
        return
    pending = f", {status.pending:,} changed and not indexed yet" if status.pending else ""
    more = "" if status.counted else ", more are still being found"
    held = f"{counted(status.files, 'file')}, {counted(status.chunks, 'chunk')}"
    _line(job, "index", f"{status.state}: {held}{pending}{more}")
    _line(
        job,
        "",
        f"{size(status.bytes)} on disk, generation {status.generation}, up to date at {status.indexed_at or '-'}",
    )
    if (kept := status.evidence) is not None:
        given = f"{counted(kept.sessions, 'session')}, {counted(kept.deliveries, 'snippet')}"
        _line(job, "evidence", f"{given}, {size(kept.bytes)} on disk")
    for sentence in (status.refusal, status.notice):
        if sentence is not None:
            _line(job, "attention", sentence, "yellow")
    _line(job, "meaning", meaning(status.model), "yellow" if status.model.reason is not None else "")
