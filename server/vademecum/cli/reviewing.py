"""`vademecum docs publish`, `withdraw`, `remove`: what the owner of documents decides about each of them."""

from collections.abc import Callable, Sequence

from vademecum.api.types.common import Gone
from vademecum.cli.asking import Asking
from vademecum.cli.confirm import confirmed
from vademecum.cli.job import Job
from vademecum.cli.outcome import Declined, Failed, Usage
from vademecum.cli.printable import one_line
from vademecum.errors import VademecumError
from vademecum.knowledge.types import Document, DocumentPage

_Done = tuple[object, Callable[[], None]]

_UNASKED = "nothing was removed; --yes removes it without asking"
_PAGE = 2_000


def publish(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Serve documents from now on."""
    if job.options.revision is not None and len(words) != 1:
        raise Usage("--revision: is for one document")
    return _each(job, asking, "knowledge/publish", the_ids(words), "Published", revision=job.options.revision)


def withdraw(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Serve documents no longer."""
    return _each(job, asking, "knowledge/withdraw", the_ids(words), "Withdrawn")


def remove(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Remove documents, once their owner says so: what was reviewed and attached is gone with them."""
    ids = the_ids(words)
    if not job.options.yes:
        known = _titles(asking)
        for id in ids:
            if id not in known:
                raise Failed(f"{id}: there is no such document, and nothing was removed")
        told = ", ".join(f"{one_line(known[id])} ({id})" for id in dict.fromkeys(ids))
        question = f"Remove for every task: {told}? What they were made of stays."
        if not confirmed(job.output, question, _UNASKED, may_ask=not job.options.json):
            raise Declined
    return _each(job, asking, "knowledge/remove", ids, "Removed")


def the_ids(words: list[str], most: int | None = None) -> list[str]:
    """The documents that are named.

    :raises Usage: when none is, or more than `most` are.
    """
    if not words or (most is not None and len(words) > most):
        raise Usage("ID: name the document, by the id that `vademecum docs` shows")
    return words


def _titles(asking: Asking) -> dict[str, str]:
    titles: dict[str, str] = {}
    offset = 0
    while True:
        page: DocumentPage = asking.ask("knowledge/list", {"limit": _PAGE, "offset": offset})
        titles |= {document.id: document.title for document in page.items}
        offset += _PAGE
        if offset >= page.total:
            return titles


def _each(job: Job, asking: Asking, method: str, ids: Sequence[str], said: str, **params: object) -> _Done:
    """Ask for each document in turn. The first refusal ends it; what was done until then is told."""
    done: list[Document | Gone] = []

    def show() -> None:
        for each in done:
            title = f": {one_line(each.title)}" if isinstance(each, Document) else ""
            job.output.line(f"{said} {each.id}{title}")

    for id in ids:
        try:
            done.append(asking.ask(method, {"id": id, **params}))
        except VademecumError as error:
            if len(ids) == 1:
                raise
            if job.options.json:
                job.output.json(done)
            else:
                show()
            raise Failed(f"{id}: {error.message}") from error
    return (done[0] if len(done) == 1 else done), show
