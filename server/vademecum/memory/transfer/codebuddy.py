"""CodeBuddy's memories: a JSON array of objects with `content`, `title`, `category`, `keywords`, `scope`, `timestamp`.

The same shape is our own JSON form, whose further keys are understood.
"""

from collections.abc import Iterator

from attrs import evolve

from vademecum.memory import json_text
from vademecum.memory.json_store import item_of
from vademecum.memory.json_text import NotAnArray
from vademecum.memory.transfer.types import Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Scope

#: The names of its files, and the scope of what is in each.
FILES = {"memory.json": Scope.PROJECT, "user-memory.json": Scope.USER}


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield the memories of a file; an item that is none is told, and one that is broken JSON ends the file."""
    try:
        elements = json_text.elements(source.text)
    except NotAnArray as error:
        yield Malformed(source.path, f"{error}; CodeBuddy's file is an array of objects")
        return
    for number, element in enumerate(elements, 1):
        where = f"{source.path} item {number}".strip()
        value = element.value
        if not isinstance(value, dict) or not isinstance(value.get("content"), str):
            yield Malformed(where, "it has no text `content`")
            continue
        record = item_of(str(number), value).record
        scope = value.get("scope")
        known = Scope(scope) if scope in list(Scope) else FILES.get(source.name)
        created = record.created or record.updated
        yield Incoming(evolve(record, id=None, created=created), where, known)
