"""The index of published documents, in memory: derived from the files, and made when a search needs it."""

import struct
import threading
from collections.abc import Callable, Collection, Iterable

from attrs import frozen

from vademecum.knowledge.body import Body
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.passages import passages
from vademecum.knowledge.query import Query
from vademecum.lexical.index import SMALL_HEAP, Fields, Index, Snapshot
from vademecum.lexical.tokens import index_text
from vademecum.work import Cancel

HEADING_WEIGHT = 2.0
"""What a word in the section's own heading counts, beside one in its text."""

CONTEXT_WEIGHT = 0.6
"""The same for a word in the headings above and in the document's title."""

_FIELDS = Fields(text=("heading", "context", "body"), keywords=("document",), blobs=("key", "at"))
_AT = struct.Struct("<III")


@frozen
class Match:
    """A passage that a query found: which section of which document, and where in it.

    :param key: `Entry.key` of the document as it was indexed.
    """

    key: str
    section: int
    line: int
    column: int
    score: float


class SectionIndex:
    """Passages of documents by their words. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._index = Index(_FIELDS)
        self._held: set[str] = set()
        self._snapshot: Snapshot | None = None

    def holding(
        self, wanted: Iterable[Entry], alive: Collection[str], body_of: Callable[[Entry], Body | None], cancel: Cancel
    ) -> Snapshot:
        """Return a state of the index that holds the documents wanted, and go on keeping it.

        :param alive: keys of all that is published; everything else is dropped.
        :raises Cancelled: soon after `cancel` is set; what was indexed until then stays.
        """
        with self._guard:
            missing = [entry for entry in wanted if entry.key not in self._held]
            gone = self._held.difference(alive)
            if missing or gone or self._snapshot is None:
                writer = self._index.writer(SMALL_HEAP)
                try:
                    for key in gone:
                        writer.remove("document", key)
                    for entry in missing:
                        cancel.check()
                        body = body_of(entry)
                        if body is not None:
                            for document in _documents(entry, body):
                                writer.add(document)
                            self._held.add(entry.key)
                finally:
                    writer.commit()
                    self._held -= gone
                    writer.close()
                    self._snapshot = self._index.snapshot()
            return self._snapshot

    def drop_dead(self, alive: Collection[str]) -> None:
        """Drop what is not published any more."""
        if not self._held.issubset(alive):
            self.holding((), alive, lambda _: None, Cancel())

    def forget(self) -> None:
        """Drop everything; it is made anew when it is needed."""
        with self._guard:
            self._index = Index(_FIELDS)
            self._held = set()
            self._snapshot = None


def ranked(snapshot: Snapshot, query: Query, keys: Collection[str], limit: int) -> list[Match]:
    """Return the best passages of the documents with these keys, best first."""
    weights = query.weights
    if not weights or not keys:
        return []
    asked = snapshot.any_term(
        {
            "body": weights,
            "heading": {token: HEADING_WEIGHT * weight for token, weight in weights.items()},
            "context": {token: CONTEXT_WEIGHT * weight for token, weight in weights.items()},
        }
    )
    found = snapshot.search(snapshot.filtered(asked, [snapshot.one_of("document", keys)]), limit)
    matches = []
    for each in found:
        section, line, column = _AT.unpack(each.blob("at"))
        matches.append(Match(each.blob("key").decode(), section, line, column, each.score))
    return matches


def _documents(entry: Entry, body: Body) -> Iterable[dict[str, object]]:
    key = entry.key
    for number, section in enumerate(body.outline.sections):
        heading = index_text(section.title)
        context = index_text(" ".join((entry.head.title, *section.path)))
        for passage in passages(body.lines, section):
            yield {
                "heading": heading,
                "context": context,
                "body": index_text(passage.text),
                "document": key,
                "key": key.encode(),
                "at": _AT.pack(number, passage.line, passage.column),
            }
