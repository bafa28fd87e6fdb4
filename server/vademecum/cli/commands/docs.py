"""`vademecum docs`: documents that answers can cite: imported, reviewed, attached to tasks, searched and read."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from rich.text import Text

from vademecum.cli import reviewing
from vademecum.cli.asking import Asking
from vademecum.cli.job import Job
from vademecum.cli.outcome import Declined, Exit, Failed, Usage
from vademecum.cli.place import named
from vademecum.cli.printable import one_line, printable
from vademecum.cli.progress import bar
from vademecum.cli.reviewing import the_ids
from vademecum.errors import VademecumError
from vademecum.knowledge.types import (
    Answer,
    Attached,
    Document,
    DocumentMap,
    DocumentPage,
    DocumentStatus,
    ImportedFolder,
    OutlinePage,
    Refreshed,
    SectionHit,
    SectionHits,
    SectionPage,
    SkippedSource,
    SourceState,
)
from vademecum.quantities import counted

_EPILOG = """\
examples:
  vademecum docs import guide.md                  or a folder; `-` reads Markdown from standard input, with --title
  vademecum docs import docs/ --follow            notice changes in the folder from now on
  vademecum docs                                  all documents; those that are `pending` wait for your review
  vademecum docs publish ID                       serve it from now on; `withdraw ID` takes that back
  vademecum docs attach ID --task chat-1          let a task see it; without --task the task `default`
  vademecum docs search 'words "an exact phrase"'
  vademecum docs outline ID
  vademecum docs read ID ANCHOR                   a section, as search and outline name it
  vademecum docs ask 'How do I …?'                the sections that tell most about a question
  vademecum docs map                              what a task sees
  vademecum docs refresh                          look at followed folders
  vademecum docs remove ID                        for every task, after asking; the file that it came from stays

Only published documents that are attached to the task are searched, read and asked. See docs/knowledge.md.
"""

_Done = tuple[object, Callable[[], None]]


def describe(parser: argparse.ArgumentParser) -> None:
    """What to do with which documents."""
    add = parser.add_argument
    add("words", nargs="*", metavar="ACTION …", help="what to do, and with what; nothing lists all documents")
    add("--task", metavar="TASK", help="the task that is meant (default)")
    add("--title", metavar="TITLE", help="import: what the document is called")
    add("--owner", metavar="OWNER", help="import, list: personal, or system for the shared folder")
    add("--id", metavar="ID", help="import: the document that this is a new revision of")
    add("--follow", action="store_true", help="import: notice changes in the folder from now on")
    add("--revision", metavar="REVISION", help="publish: the one that you have reviewed")
    add("--status", metavar="STATUS", help="list: only pending or ready")
    add("--limit", type=int, metavar="N", help="list, map, outline, search: at most so many")
    add("--offset", type=int, metavar="N", help="list, map, outline, search: begin after so many")
    add("--cursor", metavar="CURSOR", help="read: where to go on, as --json told it")
    add("--yes", action="store_true", help="remove: without asking")
    add("--json", action="store_true", help="print the result of the request behind it, such as knowledge/list")
    parser.epilog = _EPILOG


def run(job: Job) -> int:
    """List, or do what the first word says."""
    words: list[str] = job.options.words or ["list"]
    action = _ACTIONS.get(words[0])
    if action is None:
        raise Usage(f"ACTION: must be one of {', '.join(_ACTIONS)}")
    try:
        with job.opened() as asking:
            result, show = action(job, asking, words[1:])
    except Declined:
        return Exit.FAILED
    if job.options.json:
        job.output.json(result)
    else:
        show()
    return Exit.DONE


def _import(job: Job, asking: Asking, words: list[str]) -> _Done:
    if len(words) != 1:
        raise Usage("SOURCE: name one file or folder, or `-` for standard input")
    options = job.options
    params = {"title": options.title, "owner": options.owner, "id": options.id, "follow": options.follow}
    source = (job.directory / words[0]).absolute()
    if words[0] == "-":
        params["text"] = _standard_input()
    else:
        params["source"] = source.as_uri()
    with named(source), bar(job.output.errors, "Importing") as progress:
        done: Document | ImportedFolder = asking.ask("knowledge/import", params, progress)
    if isinstance(done, Document):
        return done, lambda: _tell_imported(job, done)
    return done, lambda: _tell_folder(job, done)


def _tell_imported(job: Job, document: Document) -> None:
    line = job.output.line
    sections = counted(document.sections, "section")
    line(f"Imported {document.id}: {one_line(document.title)} ({sections})")
    if document.redacted:
        secrets = "1 secret in it is" if document.redacted == 1 else f"{document.redacted:,} secrets in it are"
        job.output.note(f"{secrets} left out of everything that is told of it")
    if document.status is DocumentStatus.PENDING:
        job.output.note(f"it waits for review: `vademecum docs publish {document.id}` serves it")


def _tell_folder(job: Job, done: ImportedFolder) -> None:
    _table(job, done.documents)
    pending = sum(document.status is DocumentStatus.PENDING for document in done.documents)
    imported = len(done.documents)
    if imported or done.unchanged or done.skipped:
        job.output.note(f"imported: {imported:,}; waiting for review: {pending:,}; unchanged: {done.unchanged:,}")
    else:
        job.output.note("no document is in that folder: what is imported of one is Markdown, and text in .txt files")
    _skipped(job, done.skipped)


def _skipped(job: Job, skipped: Sequence[SkippedSource]) -> None:
    for each in skipped:
        job.output.note(f"{each.path} is left out: {each.reason}")


def _list(job: Job, asking: Asking, words: list[str]) -> _Done:
    _none(words)
    options = job.options
    params = {"status": options.status, "owner": options.owner, "limit": options.limit, "offset": options.offset}
    page: DocumentPage = asking.ask("knowledge/list", params)

    def show() -> None:
        _table(job, page.items)
        if page.notice is not None:
            job.output.note(page.notice)
        if not page.items:
            job.output.note("there are no documents that fit")
        elif page.total > (options.offset or 0) + len(page.items):
            job.output.note(f"there are {page.total:,}; --limit and --offset show the others")

    return page, show


def _table(job: Job, documents: Sequence[Document]) -> None:
    named = Counter(document.title for document in documents)
    rows = [
        (d.id, d.status, d.owner, f"{d.sections:,}", _special(d, is_namesake=named[d.title] > 1), d.title)
        for d in documents
    ]
    if rows:
        job.output.table(("id", "status", "owner", "sections", "", "title"), rows)


def _special(document: Document, *, is_namesake: bool) -> str:
    words = []
    if is_namesake:
        words.append(f"from {unquote(document.source.removeprefix('file://'))}")
    if document.pending_revision is not None:
        words.append("a newer revision waits")
    if document.source_state is SourceState.MISSING:
        words.append("its source is gone")
    if document.source_state is SourceState.UNREACHABLE:
        words.append("the disk of its source does not answer")
    if document.redacted:
        words.append("1 secret" if document.redacted == 1 else f"{document.redacted:,} secrets")
    return ", ".join(words)


def _attach(job: Job, asking: Asking, words: list[str]) -> _Done:
    return _attached(job, asking, "knowledge/attach", words)


def _detach(job: Job, asking: Asking, words: list[str]) -> _Done:
    return _attached(job, asking, "knowledge/detach", words)


def _attached(job: Job, asking: Asking, method: str, words: list[str]) -> _Done:
    try:
        done: Attached = asking.ask(method, {"ids": the_ids(words), "task": job.options.task})
    except VademecumError as error:
        if len(words) > 1 and isinstance(id := error.data.get("id"), str):
            raise Failed(f"{id}: {error.message} Nothing was changed.") from error
        raise

    def show() -> None:
        job.output.line(f"Attached to {one_line(done.task)}: {' '.join(done.attached) or 'nothing'}")

    return done, show


def _map(job: Job, asking: Asking, words: list[str]) -> _Done:
    _none(words)
    options = job.options
    params = {"task": options.task, "limit": options.limit, "offset": options.offset}
    seen: DocumentMap = asking.ask("knowledge/map", params)

    def show() -> None:
        rows = [(i.id, i.owner, f"{i.sections:,}", f"{i.tokens:,}", i.title, i.summary or "") for i in seen.items]
        if rows:
            job.output.table(("id", "owner", "sections", "tokens", "title", "summary"), rows)
        elif not seen.total:
            job.output.note("this task sees no document; publish some and attach them")
        if seen.next_offset is not None:
            job.output.note(f"there are {seen.total:,} documents: --offset {seen.next_offset}")

    return seen, show


def _outline(job: Job, asking: Asking, words: list[str]) -> _Done:
    options = job.options
    (id,) = the_ids(words, 1)
    params = {"id": id, "task": options.task, "limit": options.limit, "offset": options.offset}
    page: OutlinePage = asking.ask("knowledge/outline", params)

    def show() -> None:
        rows = [
            (
                each.anchor,
                f"{each.lines.start}-{each.lines.end}",
                f"{each.characters:,}",
                _indented(each.level, each.title),
            )
            for each in page.sections
        ]
        job.output.table(("anchor", "lines", "characters", "title"), rows)
        if page.next_offset is not None:
            job.output.note(f"there are {page.total:,} sections: --offset {page.next_offset}")

    return page, show


def _indented(level: int, title: str) -> str:
    return f"{'· ' * max(0, level - 1)}{title}"


def _search(job: Job, asking: Asking, words: list[str]) -> _Done:
    options = job.options
    if not words:
        raise Usage("WORDS: say what to search for")
    params = {"query": " ".join(words), "task": options.task, "limit": options.limit, "offset": options.offset}
    page: SectionHits = asking.ask("knowledge/search", params)

    def show() -> None:
        _hits(job, page.items)
        if not page.items:
            job.output.note("nothing was found in what this task sees")
        if page.next_offset is not None:
            job.output.note(f"there is more: --offset {page.next_offset}")

    return page, show


def _hits(job: Job, hits: Sequence[SectionHit]) -> None:
    rows = [(hit.id, hit.anchor, f"{hit.line}", hit.excerpt) for hit in hits]
    if rows:
        job.output.table(("id", "anchor", "line", "excerpt"), rows)


def _read(job: Job, asking: Asking, words: list[str]) -> _Done:
    options = job.options
    if len(words) != 2:
        raise Usage("ID ANCHOR: name the document and the section, as `vademecum docs search` or `outline` does")
    params = {"id": words[0], "anchor": words[1], "task": options.task, "cursor": options.cursor}
    page: SectionPage = asking.ask("knowledge/readSection", params)
    if options.json:
        return page, lambda: None
    pages = [page]
    while pages[-1].cursor is not None:
        pages.append(asking.ask("knowledge/readSection", {**params, "cursor": pages[-1].cursor}))

    def show() -> None:
        for line in "".join(each.text for each in pages).split("\n"):
            job.output.line(printable(line))
        cited, last = page.citation, pages[-1].citation.lines.end
        reference = f" {cited.reference}" if cited.reference and len(pages) == 1 else ""
        where = f"{cited.document}, {' > '.join(cited.path)}, lines {cited.lines.start}-{last}"
        job.output.note(f"{where}, revision {cited.revision}{reference}")

    return page, show


def _ask(job: Job, asking: Asking, words: list[str]) -> _Done:
    if not words:
        raise Usage("QUESTION: say what you want to know")
    answer: Answer = asking.ask("knowledge/ask", {"question": " ".join(words), "task": job.options.task})

    def show() -> None:
        if answer.answer is not None:
            job.output.line(printable(answer.answer))
            for number, each in enumerate(answer.citations, 1):
                place = f"{each.document}, {' > '.join(each.path)}"
                job.output.line(Text(f"[{number}] {one_line(place)} ({each.id} {each.anchor})", "dim"))
        for gap in answer.gaps:
            job.output.note(f"not told: {gap}")
        if answer.notice is not None:
            job.output.note(answer.notice)
        _hits(job, answer.items)

    return answer, show


def _refresh(job: Job, asking: Asking, words: list[str]) -> _Done:
    _none(words)
    with bar(job.output.errors, "Looking at followed folders") as progress:
        done: Refreshed = asking.ask("knowledge/refresh", {}, progress)

    def show() -> None:
        _table(job, done.documents)
        followed = "1 folder is" if done.folders == 1 else f"{done.folders:,} folders are"
        gone = sum(document.source_state is SourceState.MISSING for document in done.documents)
        job.output.note(f"{followed} followed; changed: {len(done.documents) - gone:,}; source gone: {gone:,}")
        _skipped(job, done.skipped)

    return done, show


def _none(words: list[str]) -> None:
    if words:
        raise Usage(f"{words[0]}: is one word too many")


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise Usage("-: what is read from standard input must be UTF-8") from None


_ACTIONS: dict[str, Callable[[Job, Asking, list[str]], _Done]] = {
    "import": _import,
    "list": _list,
    "publish": reviewing.publish,
    "withdraw": reviewing.withdraw,
    "attach": _attach,
    "detach": _detach,
    "map": _map,
    "outline": _outline,
    "search": _search,
    "read": _read,
    "ask": _ask,
    "refresh": _refresh,
    "remove": reviewing.remove,
}
