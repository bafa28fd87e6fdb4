"""`vademecum clean`: what lies in the cache for folders that are gone."""

import argparse

from attrs import frozen

from vademecum.cli.confirm import confirmed
from vademecum.cli.job import Job
from vademecum.cli.outcome import Exit, Failed
from vademecum.quantities import size
from vademecum.search.leftovers import Leftover, Why, leftovers, remove

_UNASKED = "nothing was removed; --yes removes them"

_EPILOG = """\
examples:
  vademecum clean                 list them, and ask
  vademecum clean --yes           remove them without asking
  vademecum clean --json          list them for a program

Only indexes of folders that are gone are removed, vectors that no index uses, and parsers of former releases; all are
made again when they are needed. Memory is never touched. A folder on a drive that is not mounted counts as gone: answer
no if that is so.
An index that a server has open stays.
"""

_WORDS = {
    Why.FOLDER_GONE: "the folder is gone",
    Why.SUPERSEDED: "the folder has another index since",
    Why.UNUSED: "no folder uses these vectors",
    Why.OLD_RELEASE: "parsers of another release",
}


@frozen
class _Item:
    path: str
    why: Why
    bytes: int
    removed: bool
    root: str | None = None


@frozen
class _Cleaned:
    items: tuple[_Item, ...]


def describe(parser: argparse.ArgumentParser) -> None:
    """Whether to ask."""
    parser.add_argument("--yes", action="store_true", help="remove them without asking")
    parser.add_argument("--json", action="store_true", help="print what was found, and whether it was removed")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """List what may go, and remove it where the user says so."""
    found = sorted(leftovers(job.places.cache), key=lambda one: -one.bytes)
    if not job.options.json:
        _show(job, found)
    go = bool(found) and (
        job.options.yes or (not job.options.json and confirmed(job.output, f"Remove {len(found):,}?", _UNASKED))
    )
    gone = {one.path for one in found if go and remove(job.places.cache, one)}
    if job.options.json:
        job.output.json(_Cleaned(tuple(_item(one, one.path in gone) for one in found)))
    elif gone:
        freed = sum(one.bytes for one in found if one.path in gone)
        job.output.line(f"Removed {len(gone):,}; {size(freed)} are free again.")
    if go and len(gone) < len(found):
        raise Failed(f"{len(found) - len(gone):,} could not be removed: in use by now, or closed to this user")
    return Exit.DONE


def _show(job: Job, found: list[Leftover]) -> None:
    if not found:
        job.output.note("nothing is left over")
        return
    rows = [(size(one.bytes), _WORDS[one.why], str(one.root or one.path)) for one in found]
    job.output.table(("size", "why", "folder"), rows)


def _item(one: Leftover, removed: bool) -> _Item:
    return _Item(str(one.path), one.why, one.bytes, removed, None if one.root is None else str(one.root))
