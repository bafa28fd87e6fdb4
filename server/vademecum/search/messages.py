"""What the server and its indexer say to each other: one JSON object a line."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from attrs import asdict

from vademecum.files.settings import FileSettings
from vademecum.search.settings import SearchSettings


class Do(StrEnum):
    """What the server asks (`do`)."""

    BEGIN = "begin"
    """First, and once: `root`, `home` (the index's folder), `vectors` (the repository's), `grammars`, `files` and
    `search` (settings)."""
    CHANGED = "changed"
    """`paths`: files that the server has reason to believe changed."""
    BUFFER = "buffer"
    """`path` (absolute), `text` (None when the document was closed) and `version`: an unsaved text."""
    REINDEX = "reindex"
    """`id`, `force`."""
    CANCEL = "cancel"
    """`id` of a re-index."""
    PING = "ping"
    """To be answered with a `pong` at once, whatever is being done."""
    WAKE = "wake"
    """Nothing but that there is something to do; from the indexer to itself."""


class Event(StrEnum):
    """What the indexer tells (`event`)."""

    STATE = "state"
    """`writer`: whether this indexer writes; `published`: the state as it is in the file."""
    PROGRESS = "progress"
    """`id` of the re-index (None for work nobody asked for), `done`, `total` (or None), `message`."""
    DONE = "done"
    """`id`, `files`, `chunks`, `seconds`."""
    FAILED = "failed"
    """`id`, `reason` ("cancelled" or "failed"), `message`."""
    PONG = "pong"
    """`silent`: seconds since the work last went a step further."""
    REFUSAL = "refusal"
    """`message`: why the index cannot be kept at present; None when that is over."""


def line(message: Mapping[str, object]) -> bytes:
    """A message as it goes through the pipe."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def begin(
    root: Path, home: Path, vectors: Path, grammars: Path, files: FileSettings, search: SearchSettings
) -> dict[str, object]:
    """The first message to an indexer."""
    return {
        "do": Do.BEGIN,
        "root": str(root),
        "home": str(home),
        "vectors": str(vectors),
        "grammars": str(grammars),
        "files": {**asdict(files), "own_folders": [str(folder) for folder in files.own_folders]},
        "search": asdict(search),
    }


def file_settings(raw: Mapping[str, object]) -> FileSettings:
    """The settings in a first message. Raises TypeError or ValueError for what `begin` did not make."""
    values = dict(raw)
    values["exclude"] = tuple(str(pattern) for pattern in _list(values["exclude"]))
    values["own_folders"] = tuple(Path(str(folder)) for folder in _list(values["own_folders"]))
    return FileSettings(**values)  # type: ignore[arg-type]


def search_settings(raw: Mapping[str, object]) -> SearchSettings:
    """The settings in a first message."""
    return SearchSettings(**raw)  # type: ignore[arg-type]


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value
