"""The index of published documents, in memory: derived from the files, and made when a search needs it."""

import math
import struct
import threading
from collections.abc import Callable, Collection, Iterable

from attrs import frozen

from vademecum.knowledge.body import Body
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.passages import passages
from vademecum.knowledge.query import Query
from vademecum.lexical.index import SMALL_HEAP, Fields, Found, Index, Snapshot
from vademecum.lexical.tokens import prose_text
from vademecum.work import Cancel

HEADING_TIMES = 3
"""How often a word in the section's own heading counts, beside one in its text. Words in the headings above, and in the
document's title, count once."""

RANKED_AGAIN = 150
"""How many of the best passages are ranked again by how much of the query they hold."""

COVERAGE_POWER = 2
"""How much the share of the query that a passage holds counts: its score is that of its words times this power of it.
Tuned with the questions for tuning in tests/bench/knowledge, as `STOP_WEIGHT`; neighbouring values do as well."""

_FIELDS = Fields(text=("words",), keywords=("document", "place"), blobs=("key", "at", "stems"))
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


def ranked(
    snapshot: Snapshot,
    query: Query,
    keys: Collection[str],
    limit: int,
    places: Collection[tuple[str, int]] | None = None,
) -> list[Match]:
    """Return the best passages of the documents with these keys, best first.

    By the words they hold, and the first `RANKED_AGAIN` by the share of the query that they hold, too: of two passages
    that are as good by their words, the one that holds more different ones answers a question better.

    :param places: the sections that may be among them: keys and numbers; any when left out.
    """
    weights = query.weights
    if not weights or not keys:
        return []
    asked = snapshot.any_term({"words": weights})
    if places is None:
        only = snapshot.filtered(asked, [snapshot.one_of("document", keys)])
    else:
        only = snapshot.filtered(asked, [snapshot.one_of("place", [_place(*each) for each in places])])
    found = snapshot.search(only, max(limit, RANKED_AGAIN))
    rarity = {token: min(weight, 1.0) * _rarity(snapshot, token) for token, weight in weights.items()}
    whole = sum(rarity.values())
    matches = []
    for each in found[:RANKED_AGAIN]:
        stems = set(each.blob("stems").decode().split(" "))
        share = sum(rare for token, rare in rarity.items() if token in stems) / whole
        matches.append(_match(each, each.score * share**COVERAGE_POWER))
    matches.sort(key=lambda match: -match.score)
    least = matches[-1].score if matches else 0.0
    return matches + [_match(each, min(each.score, least)) for each in found[RANKED_AGAIN:limit]]


def _place(key: str, section: int) -> str:
    return f"{section} {key}"


def _match(found: Found, score: float) -> Match:
    section, line, column = _AT.unpack(found.blob("at"))
    return Match(found.blob("key").decode(), section, line, column, score)


def _rarity(snapshot: Snapshot, token: str) -> float:
    """How rare a token is, as BM25 has it."""
    frequency = snapshot.frequency("words", token)
    return math.log(1 + (snapshot.count - frequency + 0.5) / (frequency + 0.5))


def _documents(entry: Entry, body: Body) -> Iterable[dict[str, object]]:
    key = entry.key
    for number, section in enumerate(body.outline.sections):
        heading = [prose_text(section.title)] * HEADING_TIMES
        context = prose_text(" ".join((entry.title, *section.path)))
        for passage in passages(body.lines, section):
            words = " ".join((*heading, context, prose_text(passage.text)))
            yield {
                "words": words,
                "document": key,
                "place": _place(key, number),
                "key": key.encode(),
                "at": _AT.pack(number, passage.line, passage.column),
                "stems": " ".join(dict.fromkeys(words.split(" "))).encode(),
            }
