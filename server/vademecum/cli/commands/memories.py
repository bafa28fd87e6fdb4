"""`vademecum memories`: what is remembered, listed, found, shown, changed, deleted and brought back."""

import argparse
from collections.abc import Callable, Sequence

from rich.text import Text

from vademecum.api.types.memory import History, Removed
from vademecum.cli import changing
from vademecum.cli.asking import Asking
from vademecum.cli.auditing import audit
from vademecum.cli.changing import the_id
from vademecum.cli.job import Job
from vademecum.cli.nothing import nothing_remembered
from vademecum.cli.outcome import Exit, Usage
from vademecum.cli.printable import one_line, printable
from vademecum.memory.types import Evidence, FoundPage, Head, HeadPage, Memory, MemoryStatus, Origin, Purged, Reindexed
from vademecum.quantities import counted

_EPILOG = """\
examples:
  vademecum memories                            everything, newest first
  vademecum memories package manager            what matches these words, best first
  vademecum memories --scope user --category Rule
  vademecum memories show ID
  vademecum memories edit ID                    in your editor ($VISUAL or $EDITOR)
  vademecum memories move ID shared             or user, project, private
  vademecum memories pin ID                     told before others; unpin takes that back
  vademecum memories accept ID                  what was captured and waits for your word; or reject
  vademecum memories delete ID
  vademecum memories undo ID                    takes the latest change back, a move and a deletion, too
  vademecum memories history ID                 prior versions:
  vademecum memories restore ID --revision REVISION
  vademecum memories purge ID --yes             for good, prior versions included
  vademecum memories clear --scope project --yes
  vademecum memories audit                      what is amiss: copies, contradictions, secrets, what is out of date
  vademecum memories reindex                    reads every file again, and makes anew what is derived from them
  vademecum memories audit --fix                asks what to do about each; name kinds to look for those alone

`get` and `forget` are other words for show and delete; `search` before words to find changes nothing.
To find one of these words (`show`, `move`, `undo`, …), use --query.
In a pipe the fields are separated by tabs: id, category, scope, what is special about it, title.
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """What is wanted of which memories."""
    add = parser.add_argument
    add("words", nargs="*", metavar="WORDS", help="words to find, or an action and an id")
    add("--query", metavar="TEXT", help="the words to find, whatever they are")
    add("--scope", metavar="SCOPE", help="only project or user")
    add("--category", metavar="CATEGORY", help="only Knowledge, Rule or Experience")
    add("--limit", type=int, metavar="N", help="at most so many (200; 20 of those that match words)")
    add("--revision", metavar="REVISION", help="with restore: the version, as history tells it")
    add("--yes", action="store_true", help="with purge and clear: really do it")
    add("--fix", action="store_true", help="with audit: ask what to do about each finding, and do it")
    add("--json", action="store_true", help="print the result of the request behind it, such as memory/list")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """List or find, or do what the first word says."""
    words: list[str] = job.options.words
    _check_options(job.options, words)
    with job.opened() as asking:
        if job.options.query is None and words and (action := _ACTIONS.get(words[0])) is not None:
            result, show = action(job, asking, words[1:])
        elif query := " ".join(words) if job.options.query is None else job.options.query:
            result, show = _find(job, asking, query)
        else:
            result, show = _list(job, asking)
    if job.options.json:
        job.output.json(result)
    else:
        show()
    return Exit.DONE


def _check_options(options: argparse.Namespace, words: Sequence[str]) -> None:
    """Refuse an option that the action would not heed: who gives it expects something of it."""
    action = words[0] if options.query is None and words and words[0] in _ACTIONS else None
    for given, name, heeding in (
        (options.fix, "--fix", "audit"),
        (options.revision is not None, "--revision", "restore"),
    ):
        if given and action != heeding:
            raise Usage(f"{name}: is for {heeding} alone")


_Done = tuple[object, Callable[[], None]]

_NOTHING_FITS = "nothing is remembered that fits"


def _list(job: Job, asking: Asking) -> _Done:
    options = job.options
    params = {"scope": options.scope, "category": options.category, "limit": options.limit}
    page: HeadPage = asking.ask("memory/list", params)
    is_filtered = options.scope is not None or options.category is not None
    nothing = nothing_remembered(asking) if not (page.total or is_filtered) else _NOTHING_FITS

    def show() -> None:
        _table(job, page.items, page.total, nothing)
        for notice in page.notices or ():
            job.output.note(notice)

    return page, show


def _listed(job: Job, asking: Asking, words: list[str]) -> _Done:
    if words:
        raise Usage("WORDS: list takes none; leave `list` out to find words")
    return _list(job, asking)


def _find(job: Job, asking: Asking, query: str) -> _Done:
    options = job.options
    if options.category is not None:
        raise Usage("--category: filters the list, not what matches words; leave one of the two out")
    page: FoundPage = asking.ask("memory/search", {"query": query, "scope": options.scope, "limit": options.limit})
    return page, lambda: _table(job, [found.memory for found in page.items], page.total)


def _searched(job: Job, asking: Asking, words: list[str]) -> _Done:
    if not words:
        raise Usage("WORDS: say what to find, or leave `search` out to list everything")
    return _find(job, asking, " ".join(words))


def _table(job: Job, memories: Sequence[Head | Memory], total: int, nothing: str = _NOTHING_FITS) -> None:
    rows = [(one.id, one.category, one.scope, _special(one), one.title) for one in memories]
    if rows:
        job.output.table(("id", "category", "scope", "", "title"), rows)
    else:
        job.output.note(nothing)
    if total > len(rows):
        job.output.note(f"{total - len(rows):,} more; --limit shows them")


def _special(memory: Head | Memory) -> str:
    """What sets a memory apart from one that this user keeps and that holds."""
    words = []
    if memory.origin is Origin.REPOSITORY:
        words.append("from the repository")
    if memory.status is not MemoryStatus.ACTIVE:
        words.append(memory.status)
    if memory.pinned:
        words.append("pinned")
    return ", ".join(words)


def _show(job: Job, asking: Asking, words: list[str]) -> _Done:
    memory: Memory = asking.ask("memory/get", {"id": the_id(words)})
    return memory, lambda: _print(job, memory)


def _print(job: Job, memory: Memory) -> None:
    line = job.output.line
    line(one_line(memory.title), "bold")
    facts = [("id", memory.id), ("category", memory.category), ("type", memory.type), ("scope", memory.scope)]
    facts += [("special", _special(memory)), ("description", memory.description)]
    facts += [("keywords", ", ".join(memory.keywords)), ("created", memory.created), ("updated", memory.updated)]
    facts += [("revision", memory.revision), ("file", memory.uri)]
    facts += [("evidence", _evidence(one)) for one in memory.evidence]
    for name, value in facts:
        if value:
            line(Text.assemble((f"{name + ':':<13}", "dim"), one_line(value)))
    line()
    line(printable(memory.content))


def _evidence(one: Evidence) -> str:
    now = f", now at {one.relocated_to}" if one.relocated_to is not None else ""
    return f"{one.reference} {one.verdict or ''}{now}".rstrip()


def _delete(job: Job, asking: Asking, words: list[str]) -> _Done:
    id_ = the_id(words)
    gone = asking.ask("memory/delete", {"id": id_})
    return gone, lambda: job.output.line(f"Deleted {id_}; `vademecum memories undo {id_}` brings it back.")


def _restore(job: Job, asking: Asking, words: list[str]) -> _Done:
    memory: Memory = asking.ask("memory/restore", {"id": the_id(words), "revision": job.options.revision})
    return memory, lambda: job.output.line(f"Restored {memory.id}: {one_line(memory.title)}")


def _history(job: Job, asking: Asking, words: list[str]) -> _Done:
    history: History = asking.ask("memory/history", {"id": the_id(words)})
    rows = [(one.revision, one.replaced, one.reason, one.title) for one in history.items]

    def show() -> None:
        if rows:
            job.output.table(("revision", "until", "then", "title"), rows)
        else:
            job.output.note("there are no prior versions")

    return history, show


def _purge(job: Job, asking: Asking, words: list[str]) -> _Done:
    id_ = the_id(words)
    if not job.options.yes:
        raise Usage(f"--yes: purging cannot be taken back; say it to purge {id_}")
    purged: Purged = asking.ask("memory/purge", {"id": id_})
    return purged, lambda: job.output.line(f"Purged {id_} and {counted(purged.versions, 'prior version')}.")


def _clear(job: Job, asking: Asking, words: list[str]) -> _Done:
    if words:
        raise Usage("ID: clear takes none; it deletes every memory of --scope")
    if job.options.scope is None or not job.options.yes:
        raise Usage("--scope: clear needs the scope (user, project or all) and --yes")
    removed: Removed = asking.ask("memory/clear", {"scope": job.options.scope, "confirm": True})
    return removed, lambda: job.output.line(f"Deleted {counted(removed.removed, 'memory', 'memories')}.")


def _reindex(job: Job, asking: Asking, words: list[str]) -> _Done:
    if words:
        raise Usage("ID: reindex takes none; it is about all memories")
    done: Reindexed = asking.ask("memory/reindex", {})

    def show() -> None:
        job.output.line(f"Read {counted(done.memories, 'memory', 'memories')} from their files.")
        if done.unreadable:
            unread = counted(done.unreadable, "file")
            job.output.note(f"{unread} could not be read; `vademecum status` names what is amiss")

    return done, show


_ACTIONS: dict[str, Callable[[Job, Asking, list[str]], _Done]] = {
    "list": _listed,
    "show": _show,
    "edit": changing.edit,
    "move": changing.move,
    "pin": changing.pin,
    "unpin": changing.unpin,
    "accept": changing.accept,
    "reject": changing.reject,
    "undo": changing.undo,
    "delete": _delete,
    "restore": _restore,
    "history": _history,
    "purge": _purge,
    "clear": _clear,
    "audit": audit,
    "reindex": _reindex,
    # Habits of those who come from other systems.
    "search": _searched,
    "get": _show,
    "forget": _delete,
}
