"""What the tests of search do again and again."""

import hashlib
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from attrs import define, field

from vademecum.embedding.embedder import Embedder
from vademecum.files.buffers import Buffers
from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings
from vademecum.search.build import CATALOGUE
from vademecum.search.candidates import Candidate
from vademecum.search.service import Search
from vademecum.search.settings import SearchSettings
from vademecum.search.spare import Spare
from vademecum.search.types import Answer, IndexState, Query, Status
from vademecum.search.weights import Weights
from vademecum.work import Cancel

_T = TypeVar("_T")

PATIENCE = 60.0
"""Seconds after which something that should have happened has not."""


def eventually(condition: Callable[[], _T], what: str = "it") -> _T:
    """The first true value of a condition. Fails after a while."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {PATIENCE} seconds")
        time.sleep(0.02)
    return value


@define
class Opened:
    """A running search."""

    search: Search
    gate: Gate
    root: Path
    statuses: list[Status] = field(factory=list)

    def ready(self) -> "Opened":
        """Wait until the index agrees with the folder."""

        def done() -> bool:
            status = self.search.status()
            return status.state is IndexState.READY and status.complete and not status.pending

        eventually(done, f"a ready index ({self.search.status()})")
        return self

    def settled(self) -> "Opened":
        """Wait until no file has to be read again for its stamp to be trusted: those that were indexed right after they
        were written have, those that a busy machine came to later have not.
        """
        (catalogue,) = self.ready().search.home.glob(f"build-*/{CATALOGUE}")

        def none_left() -> bool:
            with closing(sqlite3.connect(f"{catalogue.as_uri()}?mode=ro", uri=True)) as db:
                return db.execute("SELECT 1 FROM files WHERE settled = 0 AND attempts = 0").fetchone() is None

        eventually(none_left, "settling")
        return self

    def ask(self, text: str, **fields: object) -> Answer:
        """One query."""
        return self.search.query(Query(text=text, **fields), Cancel())  # type: ignore[arg-type]

    def paths(self, text: str, **fields: object) -> list[str]:
        """The files of one answer, in order."""
        return [hit.path for hit in self.ask(text, **fields).hits]

    def finds(self, text: str, path: str) -> None:
        """Wait until a query finds a file, with the word in what is shown and nothing stale."""
        eventually(
            lambda: any(
                hit.path == path and not hit.stale and text.lower() in hit.snippet.lower()
                for hit in self.ask(text).hits
            ),
            f"{text!r} in {path}",
        )

    def loses(self, text: str) -> None:
        """Wait until the index itself knows nothing of a word any more."""
        eventually(lambda: not self.ask(text).hits, f"{text!r} gone")


def open_search(
    root: Path,
    cache: Path,
    settings: SearchSettings,
    weights: Weights | None = None,
    spare: Spare | None = None,
    embedder: Embedder | None = None,
) -> Opened:
    """Start a search on a folder."""
    gate = Gate(root, FileSettings(), Buffers())
    statuses: list[Status] = []
    search = Search(root, gate, cache, settings, statuses.append, weights, embedder or Embedder(settings), spare)
    search.start()
    return Opened(search, gate, root, statuses)


def write(root: Path, files: dict[str, str]) -> None:
    """Write some files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def candidate(path: str, start: int = 1, end: int = 10, symbol: str | None = None, **fields: object) -> Candidate:
    """A candidate without a score."""
    key = hashlib.sha256(f"{path}:{start}".encode()).digest()
    values: dict[str, object] = {
        "path": path,
        "start": start,
        "end": end,
        "digest": key,
        "symbol": symbol,
        "kind": "function" if symbol else None,
        "language": "python",
        "content": "code",
        "defines": frozenset(),
        "clean": bytes(16),
        "vector": key[:16],
        "words": b"",
    }
    return Candidate(**{**values, **fields})  # type: ignore[arg-type]
