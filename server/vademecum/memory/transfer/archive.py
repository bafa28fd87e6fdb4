"""Our own archive: one JSON file that holds memories byte for byte, with all that is kept beside their files.

```
{"vademecum": "archive", "version": 1, "created": "…", "parts": [
  {"project": null or {"key", "folder", "identity", "origins", "commits"},
   "memories": [{"id", "store", "format", "name", "data", "own", "recallCount", "lastRecalledAt",
                 "versions": [{"store", "format", "name", "revision", "reason", "replaced", "data"}]}],
   "deleted": [{"id", "versions"}],
   "charters": [{"store", "data", "own", "versions"}]}]}
```

`data` is the text of the file (or of the item in a JSON file). Who reads an archive believes nothing of it: a part that
is not of this form is told and left out, and names are plain ones that lead out of no folder.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

from attrs import frozen

from vademecum.memory.registry import Registered
from vademecum.memory.schema import ID
from vademecum.memory.settings import Format
from vademecum.memory.transfer.types import Malformed
from vademecum.memory.types import StoreKind, VersionReason

VERSION = 1

_E = TypeVar("_E", bound=StrEnum)

_MARK = re.compile(r'\{\s*"vademecum"\s*:\s*"archive"')
_NAME = re.compile(r"[^/\\:\x00-\x1f.][^/\\:\x00-\x1f]{0,200}\.md", re.IGNORECASE)
_NAME_BYTES = 240
#: Instead of a name that no file should have; a second one gets another end.
_UNNAMED = "restored.md"
_NUMBER = re.compile(r"\d{1,9}")
_HEX = re.compile(r"[0-9a-f]{16}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_LONE = re.compile("[\ud800-\udfff]")


class NotAnArchive(Exception):
    """The text is no archive of ours; the message says why."""


@frozen
class Piece:
    """Bytes as a store had them, and what it called them."""

    store: StoreKind
    format: Format
    name: str
    data: bytes


@frozen
class ArchivedVersion:
    """A prior version."""

    piece: Piece
    revision: str
    reason: VersionReason
    replaced: str


@frozen
class ArchivedMemory:
    """A memory; `piece` is None for a deleted one, of which only versions are left.

    :param own: whether this user wrote or accepted it, which matters for what is shared through git.
    """

    id: str
    piece: Piece | None
    own: bool = True
    recall_count: int = 0
    last_recalled_at: str | None = None
    versions: tuple[ArchivedVersion, ...] = ()


@frozen
class ArchivedCharter:
    """A charter: `USER.md`, or the private or shared `PROJECT.md`, with its prior versions.

    :param own: whether this user wrote or accepted it, which matters for what is shared through git.
    """

    store: StoreKind
    data: bytes | None
    own: bool = True
    versions: tuple[ArchivedVersion, ...] = ()


@frozen
class Part:
    """What belongs to the user (`project` None) or to one project."""

    project: Registered | None
    memories: tuple[ArchivedMemory, ...] = ()
    charters: tuple[ArchivedCharter, ...] = ()


def is_archive(text: str) -> bool:
    """Whether a text begins like an archive."""
    return _MARK.match(text[:1_000].lstrip()) is not None


def write(parts: tuple[Part, ...], created: str) -> str:
    """Return the archive of the parts."""
    value = {
        "vademecum": "archive",
        "version": VERSION,
        "created": created,
        "parts": [_part(part) for part in parts],
    }
    text = json.dumps(value, ensure_ascii=False, indent=1)
    # Bytes that are no UTF-8 are halves of surrogate pairs here, which only the escaped form can hold.
    return (json.dumps(value, indent=1) if _LONE.search(text) else text) + "\n"


def read(text: str) -> tuple[tuple[Part, ...], tuple[Malformed, ...]]:
    """Return the parts of an archive, and what in them is not of its form.

    :raises NotAnArchive: when the text is none, or one of a later version.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotAnArchive(f"it ceases to be JSON{line}") from None
    if not isinstance(value, dict) or value.get("vademecum") != "archive":
        raise NotAnArchive("it does not begin as an archive of Vademecum does")
    if value.get("version") != VERSION:
        raise NotAnArchive("it was written by a newer Vademecum; update this one")
    parts = value.get("parts")
    if not isinstance(parts, list):
        raise NotAnArchive("it holds no parts")
    flaws: list[Malformed] = []
    return tuple(part for number, each in enumerate(parts, 1) for part in _read_part(each, number, flaws)), tuple(flaws)


def _part(part: Part) -> dict[str, object]:
    project = part.project
    return {
        "project": None
        if project is None
        else {
            "key": project.key,
            "folder": project.folder,
            "identity": project.identity,
            "origins": list(project.origins),
            "commits": list(project.commits),
        },
        "memories": [_memory(memory) for memory in part.memories if memory.piece is not None],
        "deleted": [
            {"id": memory.id, "versions": [_version(version) for version in memory.versions]}
            for memory in part.memories
            if memory.piece is None
        ],
        "charters": [
            {
                "store": charter.store.value,
                "data": None if charter.data is None else _characters(charter.data),
                "own": charter.own,
                "versions": [_version(version) for version in charter.versions],
            }
            for charter in part.charters
        ],
    }


def _memory(memory: ArchivedMemory) -> dict[str, object]:
    assert memory.piece is not None
    return {
        "id": memory.id,
        **_piece(memory.piece),
        "own": memory.own,
        "recallCount": memory.recall_count,
        "lastRecalledAt": memory.last_recalled_at,
        "versions": [_version(version) for version in memory.versions],
    }


def _version(version: ArchivedVersion) -> dict[str, object]:
    return {
        **_piece(version.piece),
        "revision": version.revision,
        "reason": version.reason.value,
        "replaced": version.replaced,
    }


def _piece(piece: Piece) -> dict[str, object]:
    return {
        "store": piece.store.value,
        "format": piece.format.value,
        "name": piece.name,
        "data": _characters(piece.data),
    }


def _characters(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class _Wrong(Exception):
    """A value that is not of the form; the message names it."""


def _read_part(value: object, number: int, flaws: list[Malformed]) -> Iterator[Part]:
    where = f"part {number}"
    try:
        fields = _mapping(value)
        project = fields.get("project")
        about = None if project is None else _read_project(_mapping(project))
    except _Wrong as error:
        flaws.append(Malformed(where, str(error)))
        return
    memories: list[ArchivedMemory] = []
    for key in ("memories", "deleted"):
        for place, each in enumerate(_sequence(fields.get(key)), 1):
            try:
                memories.append(_read_memory(_mapping(each), is_there=key == "memories", is_user=about is None))
            except _Wrong as error:
                flaws.append(Malformed(f"{where}, {key} {place}", str(error)))
    charters: list[ArchivedCharter] = []
    for place, each in enumerate(_sequence(fields.get("charters")), 1):
        try:
            charters.append(_read_charter(_mapping(each), is_user=about is None))
        except _Wrong as error:
            flaws.append(Malformed(f"{where}, charters {place}", str(error)))
    yield Part(about, tuple(memories), tuple(charters))


def _read_project(fields: Mapping[str, object]) -> Registered:
    key = _text(fields, "key", _HEX)
    folder = _text(fields, "folder")
    if not folder.endswith(f"-{key}") or re.search(r"[/\\:\x00-\x1f]", folder) or folder.startswith("."):
        raise _Wrong("`folder` is no name of a project's folder")
    if len(folder.encode("utf-8", "replace")) > 200:
        raise _Wrong("`folder` is too long for a name")
    return Registered(
        key,
        folder,
        _text(fields, "identity"),
        tuple(each for each in _sequence(fields.get("origins")) if isinstance(each, str)),
        tuple(each for each in _sequence(fields.get("commits")) if isinstance(each, str)),
    )


def _read_memory(fields: Mapping[str, object], *, is_there: bool, is_user: bool) -> ArchivedMemory:
    count = fields.get("recallCount", 0)
    last = fields.get("lastRecalledAt")
    return ArchivedMemory(
        id=_text(fields, "id", ID),
        piece=_read_piece(fields, is_user=is_user) if is_there else None,
        own=fields.get("own") is not False,
        recall_count=count if isinstance(count, int) and 0 <= count < 2**53 else 0,
        last_recalled_at=last if isinstance(last, str) and _TIME.fullmatch(last) else None,
        versions=tuple(_read_version(_mapping(each)) for each in _sequence(fields.get("versions"))),
    )


def _read_charter(fields: Mapping[str, object], *, is_user: bool) -> ArchivedCharter:
    data = None if fields.get("data") is None else _text(fields, "data").encode("utf-8", "surrogateescape")
    versions = tuple(_read_version(_mapping(each)) for each in _sequence(fields.get("versions")))
    return ArchivedCharter(_store(fields, is_user=is_user), data, fields.get("own") is not False, versions)


def _read_version(fields: Mapping[str, object]) -> ArchivedVersion:
    return ArchivedVersion(
        # A version may come from before the memory was moved here, so its place may be any.
        _read_piece(fields, is_user=None),
        _text(fields, "revision", _HEX),
        _one_of(VersionReason, fields, "reason"),
        _text(fields, "replaced", _TIME),
    )


def _read_piece(fields: Mapping[str, object], *, is_user: bool | None) -> Piece:
    form = _one_of(Format, fields, "format")
    name = _text(fields, "name")
    if form is Format.JSON:
        name = _text(fields, "name", _NUMBER)
    elif not _NAME.fullmatch(name) or len(name.encode("utf-8", "surrogateescape")) > _NAME_BYTES:
        name = _UNNAMED
    data = _text(fields, "data").encode("utf-8", "surrogateescape")
    if form is Format.JSON:
        _is_item(data)
    return Piece(_store(fields, is_user=is_user), form, name, data)


def _is_item(data: bytes) -> None:
    try:
        item = json.loads(data)
    except (ValueError, RecursionError):
        item = None
    if not isinstance(item, dict) or not isinstance(item.get("content"), str):
        raise _Wrong("`data` is no memory as JSON")


def _store(fields: Mapping[str, object], *, is_user: bool | None) -> StoreKind:
    store = _one_of(StoreKind, fields, "store")
    if is_user is not None and (store is StoreKind.USER) is not is_user:
        raise _Wrong("`store` is no place for it")
    return store


def _one_of(kind: type[_E], fields: Mapping[str, object], key: str) -> _E:
    try:
        return kind(_text(fields, key))
    except ValueError:
        raise _Wrong(f"`{key}` is none of {', '.join(kind)}") from None


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _Wrong("it is no object")
    return value


def _sequence(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(fields: Mapping[str, object], key: str, form: re.Pattern[str] | None = None) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or (form is not None and not form.fullmatch(value)):
        raise _Wrong(f"`{key}` is missing or not of its form")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise _Wrong(f"`{key}` holds half a character") from None
    return value
