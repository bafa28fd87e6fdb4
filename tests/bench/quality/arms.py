"""Vademecum's own arms: the real search service on a real index, with one setting or another."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import evolve, field, frozen

from bench.quality.metric import DEPTH, Place
from bench.quality.sources import Tree
from vademecum.embedding.embedder import Embedder
from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings
from vademecum.search.service import Search
from vademecum.search.settings import SearchSettings
from vademecum.search.types import IndexState, Query, VectorsState
from vademecum.search.weights import Fusing, Reranker, Weights
from vademecum.work import Cancel

Ask = Callable[[Sequence[str], Mapping[str, object]], list[list[Place]]]
"""Asks some texts with some `ranking.*` settings; the first ten hits of each, paths from the root of the work tree."""

INDEX_WITHIN = 3_600.0
"""Seconds that the vectors of one repository may take before the run is given up."""


@frozen
class Arm:
    """One way to search.

    :param model: a value of `search.model`; `none` searches by words alone.
    :param changes: `ranking.*` settings that differ from their defaults.
    """

    name: str
    model: str
    changes: Mapping[str, object] = field(factory=dict)


LEXICAL = Arm("Vademecum, words alone", "none")
STATIC = Arm("Vademecum, static", "static")
MINILM = Arm("Vademecum, MiniLM (default)", "minilm")
MULTILINGUAL = Arm("Vademecum, multilingual", "multilingual")
ARMS = {"lexical": LEXICAL, "static": STATIC, "minilm": MINILM, "multilingual": MULTILINGUAL}

_NO_DEFINITIONS = {
    "named_definition": 0.0,
    "named_qualified": 0.0,
    "capital_definition": 0.0,
    "phrase_definition": 0.0,
    "worded_definition": 0.0,
}
_NO_PATHS = {"file_words": 0.0, "folder_words": 0.0}
_NO_ROLES = dict.fromkeys(("test", "example", "generated", "vendored", "stub", "reexport", "docs", "data"), 1.0)
_EVERY_HIT = 1_000
_OF_MEANING = {"fusion", "semantic", "symbol_semantic", "sparing_above"}

ABLATIONS: Sequence[tuple[str, Mapping[str, object]]] = (
    ("as it comes", {}),
    ("fusion 0.7 meaning / 0.3 words", {"semantic": 0.7}),
    ("fusion 0.5 / 0.5", {"semantic": 0.5}),
    ("fusion 0.3 / 0.7", {"semantic": 0.3}),
    ("reciprocal rank fusion, k = 60", {"fusion": Fusing.RECIPROCAL, "semantic": 0.5}),
    ("symbols weighed like other queries", {"symbol_semantic": 1.0}),
    ("meaning asked sparingly, as in large trees", {"sparing_above": 0}),
    ("no rules at all", {**_NO_DEFINITIONS, **_NO_PATHS, **_NO_ROLES, "coherence": 0.0, "further": 1.0}),
    ("no gain for definitions", _NO_DEFINITIONS),
    ("… for symbols that are spelled out", {"named_definition": 0.0, "named_qualified": 0.0}),
    ("… for words with a capital", {"capital_definition": 0.0}),
    ("… for words that together spell one", {"phrase_definition": 0.0}),
    ("… for symbols made of the query's words", {"worded_definition": 0.0}),
    ("no gain for paths", _NO_PATHS),
    ("… for the file's name", {"file_words": 0.0}),
    ("… for its folders", {"folder_words": 0.0}),
    ("no coherence of a file", {"coherence": 0.0}),
    ("further chunks of a file not decayed", {"further": 1.0}),
    ("no penalties for tests, examples, generated …", _NO_ROLES),
    ("… for tests", {"test": 1.0}),
    ("… for examples", {"example": 1.0}),
    ("… for re-exports", {"reexport": 1.0}),
    ("any number of hits a file in place", {"per_file": _EVERY_HIT}),
    ("one hit a file in place", {"per_file": 1}),
    ("MMR off", {"diversity": 1.0}),
    ("MMR, lambda 0.5", {"diversity": 0.5}),
    ("decay by last commit, 0.3, half-life 30 days", {"decay": 0.3}),
    ("… half-life a year", {"decay": 0.3, "half_life_days": 365.0}),
)
"""What is left out or put otherwise in turn; each is beside the first."""

RERANKED: Mapping[str, Sequence[tuple[str, Mapping[str, object]]]] = {
    "none": (("reranked by MiniLM", {"reranker": Reranker.MINILM}),),
    "static": (("reranked by MiniLM", {"reranker": Reranker.MINILM}),),
}
"""Rerankers that are no part of what comes, by model."""


def ablations(arm: Arm) -> list[Arm]:
    """The arm as it comes, and with each stage or constant left out."""
    worded = arm.model == "none"
    chosen = [each for each in ABLATIONS if not (worded and _OF_MEANING & each[1].keys())]
    return [evolve(arm, name=name, changes=changes) for name, changes in (*chosen, *RERANKED.get(arm.model, ()))]


@contextmanager
def opened(tree: Tree, model: str, cache: Path) -> Iterator[Ask]:
    """A running search of a tree whose index and vectors are whole; gives a function that asks it.

    Indexes and vectors stay in the cache, those of each model apart.

    :raises TimeoutError: when they are not made in time.
    """
    with _running(tree, model, cache):
        pass
    # Opened anew, so that vectors made just now are taken over in one go, and every question meets the same ones.
    with _running(tree, model, cache) as search:
        top = tree.folder.resolve()

        def one(text: str) -> list[Place]:
            hits = search.query(Query(text=text, limit=DEPTH), Cancel()).hits
            return [Place(hit.absolute.resolve().relative_to(top).as_posix(), hit.start, hit.end) for hit in hits]

        def ask(texts: Sequence[str], changes: Mapping[str, object]) -> list[list[Place]]:
            search.rank_by(evolve(Weights(), **changes))
            return [one(text) for text in texts]

        yield ask


@contextmanager
def _running(tree: Tree, model: str, cache: Path) -> Iterator[Search]:
    settings = SearchSettings(model=model)
    gate = Gate(tree.searched, FileSettings(), Buffers())
    embedder = Embedder(settings)
    folder = cache / f"index-{model}"
    folder.mkdir(parents=True, exist_ok=True)
    search = Search(tree.searched, gate, folder, settings, lambda status: None, embedder=embedder)
    try:
        search.start()
        _wait(lambda: _whole(search, model), f"the index of {tree.folder.name}")
        if model != "none":
            # The server takes vectors over in a thread of its own, a moment after they are there.
            _wait(lambda: _measured(search), f"the vectors of {tree.folder.name}")
        yield search
    finally:
        search.close()
        embedder.close()


def _whole(search: Search, model: str) -> bool:
    status = search.status()
    if status.state is not IndexState.READY or not status.complete or status.pending:
        return False
    vectors = status.vectors
    return model == "none" or (
        vectors.state is VectorsState.READY and vectors.embedded + vectors.failed >= vectors.total
    )


def _measured(search: Search) -> bool:
    """Whether everything that is found has been measured by its vector, too."""
    hits = search.query(Query(text="where is this read and written", limit=50, explain=True), Cancel()).hits
    return bool(hits) and all(hit.signals is not None and "semantic" in hit.signals for hit in hits)


def _wait(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + INDEX_WITHIN
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} could not be made within {INDEX_WITHIN:.0f} seconds")
        time.sleep(0.1)
