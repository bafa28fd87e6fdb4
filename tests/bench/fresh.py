"""Whether an index is what a fresh one would be: both catalogues and both full-text indexes, row by row."""

import sqlite3
from pathlib import Path

from vademecum.lexical.index import Index
from vademecum.search.build import CATALOGUE, LEXICAL
from vademecum.search.entry import FIELDS
from vademecum.search.published import read
from vademecum.search.stored import unpack

_FILES = "SELECT path, hex(digest), language, refusal, chunks, attempts FROM files"
_CHUNKS = "SELECT path, start, stop, hex(digest), symbol, kind FROM chunks"
_SKIPPED = "SELECT path, reason FROM skipped"


def held(cache: Path) -> dict[str, set[tuple[object, ...]]]:
    """All that the one index in a cache folder holds, but for times and numbers of runs."""
    (home,) = (folder for folder in (cache / "code").iterdir() if folder.is_dir())
    published = read(home)
    assert published is not None, "nothing is published"
    build = home / published.build
    database = sqlite3.connect(f"file:{build / CATALOGUE}?mode=ro", uri=True)
    try:
        tables = {
            name: set(database.execute(query).fetchall())
            for name, query in (("files", _FILES), ("chunks", _CHUNKS), ("skipped", _SKIPPED))
        }
    finally:
        database.close()
    snapshot = Index(FIELDS, build / LEXICAL).snapshot()
    everything = snapshot.matching("path", ".*")
    found = snapshot.search(everything, max(1, snapshot.count))
    tables["documents"] = {tuple(unpack(each.blob("stored"))[:4]) for each in found}
    tables["documents"].add(("count", snapshot.count))
    return tables


def differences(index: Path, fresh: Path) -> list[str]:
    """What one cache's index holds and the other's does not, in words."""
    one, other = held(index), held(fresh)
    lines: list[str] = []
    for name in one:
        lines += [f"{name}: only in the index: {row}" for row in sorted(one[name] - other[name], key=str)]
        lines += [f"{name}: only in a fresh one: {row}" for row in sorted(other[name] - one[name], key=str)]
    return lines


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
