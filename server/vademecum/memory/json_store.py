"""A JSON file of memories in CodeBuddy's form: an array of items with `id, category, content, title, keywords, scope,
timestamp`. What Vademecum knows beyond that stands in further keys; foreign keys, items and layout stay.

A file that is not such an array is never written to.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from attrs import evolve

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import durable
from vademecum.files.plain_yaml import Value
from vademecum.memory import json_text
from vademecum.memory.access import CannotRead, Corner, Stamp
from vademecum.memory.folder_store import writing
from vademecum.memory.json_text import Element, NotAnArray
from vademecum.memory.record import UNTITLED, Change, NotText, Record, decode, from_values, keys_of, one_line
from vademecum.memory.schema import stamp
from vademecum.memory.settings import Format
from vademecum.memory.store import Flaw, Item, Scan, digest_of, revision_of
from vademecum.memory.types import Scope, StoreKind

#: What a file that is not there holds: always the same object, so that what was made of it is known to hold still.
_NOTHING = Scan((), ())


class JsonStore:
    """The items of one JSON file. `corner.top` is set for a file that came with a repository."""

    format = Format.JSON

    def __init__(self, kind: StoreKind, scope: Scope, corner: Corner, name: str) -> None:
        self.kind = kind
        self.scope = scope
        self._corner = corner
        self._name = name
        self._guard = threading.Lock()
        self._scan: Scan | None = None
        self._seen: tuple[Stamp, str] | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._corner.path / self._name

    def scan(self) -> Scan:
        """Return what the file holds now. It is read each time, being one file, and parsed when its bytes changed."""
        with self._guard:
            now = self._corner.stamp(self._name)
            if now is None:
                self._scan = None
                return _NOTHING
            try:
                data = self._corner.read(self._name)
                if data is None:
                    return _NOTHING
                seen = (now, digest_of(data))
                if self._scan is None or self._seen != seen:
                    self._scan = self._parse(data, now)
                    self._seen = seen
                return self._scan
            except (CannotRead, NotText, NotAnArray) as error:
                self._scan = None
                return Scan((), (Flaw(self._name, str(error)),))

    def forget(self) -> None:
        """Drop what earlier scans read."""
        with self._guard:
            self._scan = None

    def read(self, item: Item) -> bytes:
        """Return the item's own JSON text."""
        text, element = self._find(item)
        return text[element.start : element.end].encode("utf-8")

    def read_all(self, items: Sequence[Item]) -> tuple[bytes, ...]:
        """Return the items' own JSON texts; the file is read once."""
        text = self._text()
        there = json_text.elements(text)
        found = [self._among(there, item) for item in items]
        return tuple(text[element.start : element.end].encode("utf-8") for element in found)

    def add(self, record: Record) -> Item:
        """Append an item."""
        return self._append(self._values({}, keys_of(record), record.content))

    def form(self, record: Record) -> tuple[str, bytes]:
        """Return the item of a record as its JSON text; it has no name before it has a place."""
        values = self._values({}, keys_of(record), record.content)
        return "", json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def put_all(self, pieces: Sequence[tuple[str, bytes]], done: Callable[[int], None]) -> tuple[Item, ...]:
        """Append many items with one write."""
        values = [json.loads(data.decode("utf-8", "surrogatepass")) for _, data in pieces]
        if not values:
            return ()
        text = self._text()
        there = len(json_text.elements(text))
        self._write(json_text.append(text, *values))
        done(len(values))
        return tuple(item_of(str(there + place), value) for place, value in enumerate(values))

    def change(self, item: Item, changes: Change, content: str | None) -> Item:
        """Change keys of an item; its other keys and all other items stay."""
        text, element = self._find(item)
        assert isinstance(element.value, dict)
        value = self._values(element.value, changes, content)
        self._write(json_text.replace(text, element, value))
        return item_of(item.name, value)

    def put(self, name: str, data: bytes, over: Item | None = None) -> Item:
        """Store the text of an earlier version, or of an item from elsewhere: over an item, or at the end."""
        value = json.loads(data)
        if over is None:
            return self._append(value)
        text, element = self._find(over)
        self._write(json_text.replace(text, element, value))
        return item_of(over.name, value)

    def remove(self, item: Item) -> None:
        """Remove an item from the array."""
        text, element = self._find(item)
        self._write(json_text.remove(text, element))

    def uri(self, item: Item) -> str:
        """Return the URI of the file, with the item's id as its fragment."""
        return f"{self.path.as_uri()}#{item.record.id or item.name}"

    def _parse(self, data: bytes, now: Stamp) -> Scan:
        items: list[Item] = []
        flaws: list[Flaw] = []
        for index, element in enumerate(json_text.elements(decode(data)[1])):
            value = element.value
            if isinstance(value, dict) and isinstance(value.get("content"), str):
                items.append(evolve(item_of(str(index), value), modified=now.modified))
            else:
                flaws.append(Flaw(f"{self._name}, item {index + 1}", "not a memory: it has no text `content`"))
        return Scan(tuple(items), tuple(flaws))

    def _values(self, value: Mapping[str, object], changes: Change, content: str | None) -> dict[str, object]:
        out = dict(value)
        for key, new in changes.items():
            if new is None and key != "keywords":
                out.pop(key, None)
            elif key == "keywords":
                out[key] = "|".join(new or ())
            elif key == "pinned":
                out[key] = True
            else:
                out[key] = list(new) if isinstance(new, tuple) else new
        if content is not None:
            out["content"] = content
        out["scope"] = self.scope.value
        updated = changes.get("updated")
        if isinstance(updated, str):
            out["timestamp"] = int(datetime.fromisoformat(updated).timestamp() * 1000)
        return out

    def _append(self, value: dict[str, object]) -> Item:
        text = self._text()
        self._write(json_text.append(text, value))
        return item_of(str(len(json_text.elements(text))), value)

    def _find(self, item: Item) -> tuple[str, Element]:
        text = self._text()
        return text, self._among(json_text.elements(text), item)

    def _among(self, there: Sequence[Element], item: Item) -> Element:
        index = int(item.name)
        if index < len(there):
            value = there[index].value
            if isinstance(value, dict) and "content" in value and item_of(item.name, value).revision == item.revision:
                return there[index]
        raise VademecumError(ErrorKind.CONFLICT, "The memory's file was changed just now; read it and try again.")

    def _text(self) -> str:
        """The file's text, checked to be an array; a missing file is an empty one."""
        try:
            data = self._corner.read(self._name)
            text = "[]\n" if data is None else "".join(decode(data))
            json_text.elements(text)
        except (CannotRead, NotText, NotAnArray) as error:
            raise VademecumError(
                ErrorKind.STORE_UNREADABLE,
                f"{self._name} is left as it is: {error}. Mend or move the file, then try again.",
            ) from error
        return text

    def _write(self, text: str) -> None:
        private = self.kind is not StoreKind.SHARED
        with writing(self._name):
            target = self._corner.target(self._name)
            durable.make_folder(target.parent, private=private)
            durable.sweep(target.parent)
            durable.write(target, text.encode("utf-8"), private=private)


def item_of(name: str, value: Mapping[str, object]) -> Item:
    """Return the memory that an element of the array is; `name` is its place in it."""
    # The file is shared by all items, so a version is named by the item's own text in one fixed form.
    data = json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    content = str(value["content"]).encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    texts = {key: _text(entry) for key, entry in value.items()}
    when = value.get("timestamp")
    if texts.get("updated") in (None, "") and isinstance(when, int | float) and not isinstance(when, bool):
        texts["updated"] = _moment(when)
    record = from_values(texts, content.strip("\n").rstrip())
    if not record.title:
        record = evolve(record, title=one_line(content.split("\n", 1)[0]) or UNTITLED)
    return Item(name, record, revision_of(data), digest_of(data), 0)


def _text(value: object) -> Value:
    """A JSON value as the text that a Markdown head would hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return tuple(entry.encode("utf-8", "replace").decode("utf-8") for entry in value)
    return None


def _moment(milliseconds: float) -> str:
    try:
        return stamp(datetime.fromtimestamp(milliseconds / 1000, UTC))
    except (OverflowError, ValueError, OSError):
        return ""
