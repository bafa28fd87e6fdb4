"""What is put into a file of an agent's or an editor's, and taken out again: each a function from text to text.

The text of a file that is not there is None, and None is the text of one that is to go. Everything raises `Unreadable`
for a file that it does not understand, and that file is then left alone.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vademecum.cli.install import jsonc
from vademecum.cli.install.jsonc import Unreadable

Text = str | None


@frozen
class Piece:
    """One file, and what is done to it.

    :param what: what is in it then, for the one who decides.
    :param put: the text with ours in it.
    :param take: the text without ours.
    """

    path: Path
    what: str
    put: Callable[[Text], Text]
    take: Callable[[Text], Text]


def json_entry(path: Path, what: str, keys: Sequence[str], entry: Mapping[str, Any], **also: Any) -> Piece:
    """A member of a JSON file. What the user added to it stays when it is put again.

    :param also: members of the root that the file must have, where it is new.
    """

    def put(text: Text) -> Text:
        now = text or ""
        root = jsonc.read(now)
        for key, value in also.items():
            if key not in (root.members or {}):
                now = jsonc.put(now, [key], value)
        there = jsonc.find(jsonc.read(now), keys)
        if there is None:
            return jsonc.put(now, keys, dict(entry))
        if there.members is None:
            raise Unreadable(f"{'.'.join(keys)} is no object")
        for key, value in entry.items():
            now = jsonc.put(now, [*keys, key], value)
        return now

    def take(text: Text) -> Text:
        return None if text is None else _without_husk(text, jsonc.take(text, keys), also)

    return Piece(path, what, put, take)


def json_item(
    path: Path, what: str, keys: Sequence[str], item: Mapping[str, Any], is_ours: Callable[[Any], bool], **also: Any
) -> Piece:
    """An item of an array in a JSON file, known by what it holds."""

    def place(text: str) -> int | None:
        there = jsonc.find(jsonc.read(text), keys)
        if there is None:
            return None
        if there.items is None:
            raise Unreadable(f"{'.'.join(keys)} is no array")
        return next((n for n, one in enumerate(there.items) if is_ours(one.value.data)), None)

    def put(text: Text) -> Text:
        now = text or ""
        root = jsonc.read(now)
        for key, value in also.items():
            if key not in (root.members or {}):
                now = jsonc.put(now, [key], value)
        found = place(now)
        if found is not None:
            there = jsonc.find(jsonc.read(now), [*keys, found])
            if there is not None and there.data == item:
                return now
            now = jsonc.take(now, [*keys, found])
        return jsonc.append(now, keys, dict(item))

    def take(text: Text) -> Text:
        now = text
        while now is not None and (found := place(now)) is not None:
            now = _without_husk(now, jsonc.take(now, [*keys, found]), also)
        return now

    return Piece(path, what, put, take)


def _without_husk(before: str, after: str, also: Mapping[str, Any]) -> Text:
    """None for a file that holds nothing but what we put there; its comments are somebody's."""
    if after != before and jsonc.read(after).data in ({}, dict(also)) and not _has_comments(after):
        return None
    return after


def _has_comments(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return True
    return False


def toml_table(path: Path, what: str, table: str, name: str, entry: Mapping[str, Any]) -> Piece:
    """A table `[table.name]` of a TOML file; comments, order and layout stay."""

    def written() -> str:
        import tomlkit

        return tomlkit.dumps({table: {name: dict(entry)}})

    def put(text: Text) -> Text:
        import tomlkit  # only needed where there is such a file

        now = text or ""
        document = _toml(now)
        parent = document.get(table)
        if parent is not None and not isinstance(parent, Mapping):
            raise Unreadable(f"{table} is no table")
        mine: Any = None if parent is None else parent.get(name)
        if mine is None:
            # Written behind all that is there, so that no comment is parted from what it is about.
            return _checked(now + _behind(now, written()))
        if not isinstance(mine, Mapping):
            raise Unreadable(f"{table}.{name} is no table")
        if all(mine.get(key) == value for key, value in entry.items()):
            return text
        mine.update(entry)  # type: ignore[attr-defined]
        return _checked(tomlkit.dumps(document))

    def take(text: Text) -> Text:
        import tomlkit

        if text is None:
            return None
        document = _toml(text)
        parent = document.get(table)
        if not isinstance(parent, Mapping) or name not in parent:
            return text
        if text.endswith(ours := _behind(text, written())):
            return _checked(text.removesuffix(ours))  # to the byte what was there before
        del parent[name]  # type: ignore[attr-defined]
        if not parent:
            del document[table]
        return _checked(tomlkit.dumps(document)) if document or "#" in text else None

    return Piece(path, what, put, take)


def _behind(text: str, table: str) -> str:
    """A table as it is written behind a text: on a line of its own, and with lines that end as those there do."""
    end = "\r\n" if "\r\n" in text else "\n"
    return (end if text else "") + table.replace("\n", end)


def _toml(text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        tomllib.loads(text)
        return tomlkit.parse(text)
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise Unreadable(str(error)) from error


def _checked(text: str) -> str:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # the library wrote what is no TOML: then it is not written
        raise Unreadable(f"it could not be changed safely ({error})") from error
    return text


def own_file(path: Path, what: str, content: str) -> Piece:
    """A file that is ours as a whole, and says so in its first line. Another one of that name is not replaced."""

    def is_ours(text: str) -> bool:
        return "vademecum" in text.split("\n", 1)[0].lower()

    def put(text: Text) -> Text:
        if text is not None and not is_ours(text):
            raise Unreadable("there is a file of another kind by this name")
        return content

    def take(text: Text) -> Text:
        return None if text is not None and is_ours(text) else text

    return Piece(path, what, put, take)
