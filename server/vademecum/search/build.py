"""One build of an index: a folder with the full-text index and the catalogue that belong together."""

import hashlib
import importlib.metadata
import json
import logging
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

import vademecum
from vademecum.lexical.index import SMALL_HEAP, WRITER_HEAP, Index, Unusable, Writer
from vademecum.lexical.tokens import TOKENS_VERSION
from vademecum.search.catalogue import Catalogue, CatalogueUnusable
from vademecum.search.chunk import CHUNKER_VERSION
from vademecum.search.entry import ENTRY_VERSION, FIELDS
from vademecum.search.settings import SearchSettings

log = logging.getLogger(__name__)

FORMAT = 2
"""Raised with any change of the layout on the disk."""

PREFIX = "build-"
CATALOGUE = "catalogue.sqlite"
LEXICAL = "lexical"

COMPACT_SHARE = 0.4
"""Deleted documents, as a share of the living ones, past which a build is made afresh: tantivy never merges a large
segment for its deletions alone, and the folder must stay below twice the size of a fresh one."""

COMPACT_LEAST = 500
"""Below so many deleted documents nobody minds them."""


class Discard(Exception):
    """A build that cannot be used: another version, damaged, or its two halves disagree."""


def stamp(settings: SearchSettings) -> str:
    """What an index depends on, besides the files; another stamp means that it must be made again."""
    parts = {
        "format": FORMAT,
        "chunker": CHUNKER_VERSION,
        "tokens": TOKENS_VERSION,
        "entry": ENTRY_VERSION,
        # Rules about secrets change with releases, and a secret that one finds must not stay in an older one's index.
        "vademecum": vademecum.__version__,
        "chunk_lines": settings.chunk_lines,
        "tantivy": ".".join(importlib.metadata.version("tantivy").split(".")[:2]),
        "grammars": importlib.metadata.version("semble-grammars"),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Build:
    """An open build; belongs to the one thread that writes."""

    def __init__(self, folder: Path, catalogue: Catalogue, index: Index, writer: Writer) -> None:
        self.folder = folder
        self.catalogue = catalogue
        self.index = index
        self.writer = writer
        self.large = True

    @property
    def name(self) -> str:
        """Its folder's name."""
        return self.folder.name

    @property
    def is_there(self) -> bool:
        """Whether nobody has removed it while it is open."""
        return (self.folder / CATALOGUE).exists()

    @property
    def bloated(self) -> bool:
        """Whether so much of it is dead that it should be made afresh."""
        weight = weigh(self.folder / LEXICAL)
        return weight.deleted > COMPACT_LEAST and weight.deleted > COMPACT_SHARE * weight.documents

    def size(self) -> int:
        """Bytes on the disk."""
        total = 0
        for file in self.folder.rglob("*"):
            try:
                total += file.stat().st_size
            except OSError:
                continue
        return total

    def settle(self) -> None:
        """After the large work of a first index: wait for merges, drop dead files, and keep only a small writer."""
        if self.large:
            self.writer.close()
            self.writer = self.index.writer(SMALL_HEAP)
            self.large = False
        self.writer.collect_garbage()

    def close(self) -> None:
        """Let go of the files, without waiting for merges."""
        self.writer = None  # type: ignore[assignment]
        self.catalogue.close()


def create(home: Path, settings: SearchSettings) -> Build:
    """A new, empty build in an index's folder. Raises OSError when the disk refuses."""
    folder = home / f"{PREFIX}{secrets.token_hex(6)}"
    folder.mkdir(mode=0o700)
    catalogue = Catalogue(folder / CATALOGUE)
    catalogue.set_meta({"stamp": stamp(settings)})
    index = Index(FIELDS, folder / LEXICAL)
    return Build(folder, catalogue, index, index.writer(WRITER_HEAP))


def reopen(home: Path, name: str, settings: SearchSettings) -> Build:
    """The build of that name, as the last process that wrote it left it.

    :raises Discard: when it cannot be used, with the reason.
    :raises OSError: when the disk refuses or another process writes it.
    """
    folder = home / name
    if not (folder / CATALOGUE).is_file():
        raise Discard("it is not there")
    try:
        catalogue = Catalogue(folder / CATALOGUE)
    except CatalogueUnusable as error:
        raise Discard(f"its catalogue is damaged: {error}") from error
    try:
        if catalogue.meta("stamp") != stamp(settings):
            raise Discard("it was made by another version or with other settings")
        if not (folder / LEXICAL / "meta.json").is_file():
            raise Discard("its full-text index is gone")
        index = Index(FIELDS, folder / LEXICAL)
        # Everything that is recorded, and of what is marked anything from nothing to all: only a difference without
        # marks shows that the halves parted (a power cut may lose the catalogue's last transactions, or a file).
        if not catalogue.marked() and index.snapshot().count != catalogue.totals().chunks:
            raise Discard("its catalogue and its full-text index disagree")
        build = Build(folder, catalogue, index, index.writer(SMALL_HEAP))
        build.large = False
        build.writer.collect_garbage()
        return build
    except Unusable as error:
        catalogue.close()
        raise Discard(f"its full-text index is damaged: {error}") from error
    except BaseException:
        catalogue.close()
        raise


def others(home: Path, name: str) -> Iterator[Path]:
    """The folders of every build but the one of that name."""
    for folder in home.glob(f"{PREFIX}*"):
        if folder.name != name:
            yield folder


def discard(folder: Path) -> None:
    """Remove a build that nothing is published of; what another process still reads goes with its last reader."""
    shutil.rmtree(folder, ignore_errors=True)


@frozen
class Weight:
    """How much of an index is alive."""

    documents: int
    deleted: int


def weigh(folder: Path) -> Weight:
    """Count living and deleted documents from a full-text index's own list of segments; (0, 0) when there is none."""
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        total = sum(int(segment["max_doc"]) for segment in segments)
        deleted = sum(int((segment.get("deletes") or {}).get("num_deleted_docs", 0)) for segment in segments)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Weight(0, 0)
    return Weight(total - deleted, deleted)
