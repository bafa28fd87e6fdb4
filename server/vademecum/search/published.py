"""What the one that writes an index tells all who read it, in a small file beside the builds."""

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from vademecum.embedding.types import Kind
from vademecum.files.watch import WatcherState
from vademecum.search.types import IndexState, VectorsState, VectorsStatus

NAME = "state.json"


@frozen(kw_only=True)
class Published:
    """The state of an index, as its writer last said. Field names are those in the file."""

    build: str
    """Name of the folder, beside this file, that holds the current build."""
    generation: int
    """Raised by one with every commit; never falls for one folder."""
    state: IndexState
    complete: bool
    """Whether every file has been indexed at least once in this build."""
    files: int
    chunks: int
    pending: int
    counted: bool
    watcher: WatcherState
    watcher_reason: str | None
    indexed_at: str | None
    bytes: int
    files_read: int
    refusal: str | None
    pid: int
    silent: tuple[str, ...] = ()
    """Folders at which disks are mounted that do not answer."""
    vectors: VectorsStatus = field(factory=VectorsStatus)


_TYPES: dict[str, type | tuple[type, ...]] = {
    "build": str,
    "generation": int,
    "complete": bool,
    "files": int,
    "chunks": int,
    "pending": int,
    "counted": bool,
    "watcher_reason": (str, type(None)),
    "indexed_at": (str, type(None)),
    "bytes": int,
    "files_read": int,
    "refusal": (str, type(None)),
    "pid": int,
}

_VECTORS_TYPES: dict[str, type | tuple[type, ...]] = {
    "name": (str, type(None)),
    "id": (str, type(None)),
    "dimensions": int,
    "embedded": int,
    "total": int,
    "failed": int,
    "generation": int,
    "graph": (str, type(None)),
    "former": (str, type(None)),
    "reason": (str, type(None)),
}


def from_json(text: str | bytes) -> Published:
    """The state in a text that `to_json` made. Raises ValueError for anything else."""
    raw = json.loads(text)
    if not isinstance(raw, dict):
        raise ValueError("not a state")
    try:
        values = _checked(raw, _TYPES)
        if Path(raw["build"]).name != raw["build"]:
            raise ValueError("build is not a plain name")
        return Published(
            state=IndexState(raw["state"]),
            watcher=WatcherState(raw["watcher"]),
            vectors=_vectors(raw["vectors"]),
            silent=tuple(str(folder) for folder in raw["silent"]),
            **values,
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a state: {error}") from error


def _vectors(raw: dict[str, Any]) -> VectorsStatus:
    values = _checked(raw, _VECTORS_TYPES)
    graph = values["graph"]
    if graph is not None and Path(graph).name != graph:
        raise ValueError("graph is not a plain name")
    kind = None if raw["kind"] is None else Kind(raw["kind"])
    return VectorsStatus(state=VectorsState(raw["state"]), kind=kind, **values)


def _checked(raw: dict[str, Any], types: dict[str, type | tuple[type, ...]]) -> dict[str, Any]:
    for name, kind in types.items():
        if not isinstance(raw[name], kind):
            raise ValueError(f"{name} has another type")
    return {name: raw[name] for name in types}


def to_json(published: Published) -> str:
    """The state as one line of JSON."""
    return json.dumps(asdict(published), separators=(",", ":"))


def read(folder: Path) -> Published | None:
    """What was published last; None when there is nothing that can be read."""
    try:
        return from_json((folder / NAME).read_bytes())
    except (OSError, ValueError):
        return None


def write(folder: Path, published: Published) -> None:
    """Publish: readers see the former state or this one, never a part. Raises OSError."""
    handle, temporary = tempfile.mkstemp(prefix=".state-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(to_json(published))
        Path(temporary).replace(folder / NAME)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
