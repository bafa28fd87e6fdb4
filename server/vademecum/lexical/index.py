"""A full-text index: tantivy with tokens made by us and queries built as values, never parsed from text.

Text fields hold tokens joined by spaces (`vademecum.lexical.tokens.index_text`), so that code and CJK are cut the same
way when they are stored and when they are asked for. Keyword fields hold exact values. Neither can be read back: what
an answer needs of a document lies in its blobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import tantivy
from attrs import frozen

WRITER_HEAP = 64_000_000
"""Bytes the writer may fill before it writes a segment by itself; tantivy wants at least 15,000,000 a thread."""

SMALL_HEAP = 15_000_000
"""The same while only single files change."""

FEW_VALUES = 200
"""Values up to which looking each up takes less than looking for a set of them: for 60 numbers 0.2 ms, and 0.7."""


class Unusable(Exception):
    """The index on the disk is damaged or of another shape; it can only be discarded and made again."""


@frozen
class Fields:
    """The shape of an index.

    :param text: token fields, searched with BM25; not stored.
    :param keywords: exact values, searched; not stored; a document may have several of each.
    :param blobs: bytes, stored only.
    :param numbers: from 0 to 2^64 - 1, searched; not stored.
    """

    text: tuple[str, ...]
    keywords: tuple[str, ...]
    blobs: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    def schema(self) -> tantivy.Schema:
        """The shape as tantivy has it."""
        builder = tantivy.SchemaBuilder()
        for name in self.text:
            builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
        for name in self.keywords:
            builder.add_text_field(name, stored=False, tokenizer_name="raw", index_option="basic")
        for name in self.blobs:
            builder.add_bytes_field(name, stored=True, indexed=False, fast=False)
        for name in self.numbers:
            builder.add_unsigned_field(name, stored=False, indexed=True, fast=False)
        return builder.build()


@frozen
class Found:
    """One document of an answer: its BM25 score and its blobs."""

    score: float
    fields: Mapping[str, list[bytes]]

    def blob(self, name: str) -> bytes:
        """The stored value of a blob, empty when there is none."""
        values = self.fields.get(name)
        return values[0] if values else b""


class Index:
    """An index in a folder, or in memory.

    One thread may write (see `Writer`); any number may search `Snapshot`s.

    :raises Unusable: when the folder holds something else than an index of this shape.
    """

    def __init__(self, fields: Fields, folder: Path | None = None) -> None:
        self.fields = fields
        self.schema = fields.schema()
        try:
            if folder is None:
                self._index = tantivy.Index(self.schema)
            else:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._index = tantivy.Index(self.schema, path=str(folder))
            # By hand only: a snapshot must not change under a generation that promises it does not.
            self._index.config_reader(reload_policy="manual")
        except ValueError as error:
            raise Unusable(str(error)) from error

    def writer(self, heap: int = WRITER_HEAP) -> Writer:
        """The one writer.

        :raises Unusable: when the stored index cannot be written to, being damaged.
        :raises OSError: when it is being written by another, or the disk refuses.
        """
        try:
            return Writer(self._index.writer(heap_size=heap, num_threads=1), self.schema)
        except ValueError as error:
            if "LockBusy" in str(error) or "IoError" in str(error) or "lock" in str(error).lower():
                raise OSError(str(error)) from error
            raise Unusable(str(error)) from error

    def snapshot(self) -> Snapshot:
        """What was committed last, by whichever process.

        :raises Unusable: when it cannot be read.
        """
        try:
            self._index.reload()
            return Snapshot(self._index.searcher(), self.schema)
        except (ValueError, RuntimeError) as error:
            raise Unusable(str(error)) from error


class Writer:
    """Adds, removes and commits; belongs to one thread. tantivy loses documents when two threads share a writer."""

    def __init__(self, writer: tantivy.IndexWriter, schema: tantivy.Schema) -> None:
        self._writer = writer
        self._schema = schema

    def add(self, document: Mapping[str, object]) -> None:
        """Add a document: strings for text, strings or lists of them for keywords, bytes for blobs, whole
        numbers for numbers."""
        made = tantivy.Document.from_dict(dict(document), self._schema)
        try:
            self._writer.add_document(made)
        except (ValueError, RuntimeError) as error:
            raise OSError(str(error)) from error

    def remove(self, field: str, value: str) -> None:
        """Remove every document whose keyword field has this value. Raises OSError when the writer has died."""
        try:
            self._writer.delete_documents_by_term(field, value)
        except (ValueError, RuntimeError) as error:
            raise OSError(str(error)) from error

    def commit(self) -> None:
        """Make all of it durable and visible to the next `Index.snapshot`. Raises OSError when the disk refuses."""
        try:
            self._writer.commit()
        except (ValueError, RuntimeError) as error:
            raise OSError(str(error)) from error

    def collect_garbage(self) -> None:
        """Delete the files of segments that nothing refers to any more."""
        try:
            self._writer.garbage_collect_files()
        except (ValueError, RuntimeError) as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        """Wait for merges, then give the writer up; it cannot be used afterwards."""
        try:
            self._writer.wait_merging_threads()
        except (ValueError, RuntimeError) as error:
            raise OSError(str(error)) from error


class Snapshot:
    """One committed state of an index; it answers the same however much is written meanwhile."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = schema

    @property
    def count(self) -> int:
        """How many documents it holds."""
        return int(self._searcher.num_docs)

    def frequency(self, field: str, token: str) -> int:
        """In how many documents a token stands."""
        return int(self._searcher.doc_freq(field, token))

    def search(self, query: tantivy.Query, limit: int, offset: int = 0) -> list[Found]:
        """The best documents from `offset` on, best first; ties in a fixed order.

        :raises Unusable: when the files turn out to be damaged.
        """
        try:
            hits = self._searcher.search(query, limit, count=False, offset=offset).hits
            return [Found(float(score), self._searcher.doc(address).to_dict()) for score, address in hits]
        except BaseException as error:
            # A panic in Rust arrives as an exception of its own, which is no `Exception`.
            if isinstance(error, ValueError | RuntimeError | OSError) or type(error).__name__ == "PanicException":
                raise Unusable(str(error)) from error
            raise

    def any_term(self, weights: Mapping[str, Mapping[str, float]]) -> tantivy.Query:
        """Documents that hold any of the tokens: field -> token -> weight; the more and the rarer, the better."""
        clauses = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, field, token), weight),
            )
            for field, tokens in weights.items()
            for token, weight in tokens.items()
        ]
        return tantivy.Query.boolean_query(clauses) if clauses else tantivy.Query.empty_query()

    def filtered(
        self, query: tantivy.Query, require: Sequence[tantivy.Query], exclude: Sequence[tantivy.Query] = ()
    ) -> tantivy.Query:
        """The query, kept to documents that match every one of `require` and none of `exclude`; scores unchanged."""
        if not require and not exclude:
            return query
        clauses = [(tantivy.Occur.Must, query)]
        clauses += [(tantivy.Occur.Must, tantivy.Query.const_score_query(each, 0.0)) for each in require]
        clauses += [(tantivy.Occur.MustNot, each) for each in exclude]
        return tantivy.Query.boolean_query(clauses)

    def all(self) -> tantivy.Query:
        """Every document, with no score."""
        return tantivy.Query.const_score_query(tantivy.Query.all_query(), 0.0)

    def also(self, query: tantivy.Query, scored: tantivy.Query) -> tantivy.Query:
        """The documents of a query, those of `scored` with its scores added."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Should, scored)])

    def one_of(self, field: str, values: Iterable[str] | Iterable[int]) -> tantivy.Query:
        """Documents whose keyword or number field has one of the values, with any score; for `filtered`.

        1,000 numbers among 50,000 take 3 ms.
        """
        wanted = list(values)
        if len(wanted) > FEW_VALUES:
            return tantivy.Query.term_set_query(self._schema, field, wanted)
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(self._schema, field, value)) for value in wanted]
        return tantivy.Query.boolean_query(terms) if terms else tantivy.Query.empty_query()

    def either(self, clauses: Sequence[tantivy.Query]) -> tantivy.Query:
        """Documents that match at least one clause, with any score; for `filtered`."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])

    def matching(self, field: str, expression: str) -> tantivy.Query:
        """Documents whose keyword field matches a regular expression as a whole.

        :raises ValueError: for an expression that cannot be compiled.
        """
        return tantivy.Query.regex_query(self._schema, field, expression)
