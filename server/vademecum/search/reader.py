"""The side of an index that answers: always one committed state, changed only when its generation does."""

import logging
import threading
from pathlib import Path

from attrs import frozen

from vademecum.lexical.index import Index, Snapshot, Unusable
from vademecum.search.build import LEXICAL
from vademecum.search.entry import FIELDS
from vademecum.search.published import Published, read

log = logging.getLogger(__name__)


@frozen
class View:
    """What a query searches: a snapshot, and what its writer said of it."""

    snapshot: Snapshot
    published: Published


class Reader:
    """Follows what is published in an index's folder. May be used from every thread."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._build: str | None = None
        self._view: View | None = None
        self._news = threading.Condition()

    @property
    def view(self) -> View | None:
        """The newest state that could be opened; None while there is none."""
        return self._view

    def wait(self, seconds: float, seen: View | None) -> View | None:
        """The newest state, waiting some seconds for another than the one that was seen."""
        with self._news:
            self._news.wait_for(lambda: self._view is not seen, seconds)
        return self._view

    def refresh(self, published: Published | None = None) -> None:
        """Take over what was published: given by the indexer, or read from the folder."""
        with self._lock:
            published = published or read(self._home)
            if published is None:
                return
            view = self._view
            if view is not None and published.build == self._build:
                if published.generation == view.published.generation:
                    self._show(View(view.snapshot, published))
                    return
                if published.generation < view.published.generation:
                    return
            try:
                if self._index is None or published.build != self._build:
                    folder = self._home / published.build / LEXICAL
                    # Opening would create it: a reader must not.
                    if not (folder / "meta.json").is_file():
                        return
                    self._index, self._build = Index(FIELDS, folder), published.build
                self._show(View(self._index.snapshot(), published))
            except (Unusable, OSError) as error:
                # The one that writes finds out too, and makes it again; until then the former view answers.
                log.warning("the index cannot be read now: %s", error)
                self._index, self._build = None, None

    def _show(self, view: View) -> None:
        with self._news:
            self._view = view
            self._news.notify_all()
