"""`vademecum memories edit`, `move`, `pin`, `undo`, `accept` and so on: one memory, changed by its user."""

from collections.abc import Callable, Mapping
from typing import Any

from vademecum.cli.asking import Asking
from vademecum.cli.editing import edited
from vademecum.cli.job import Job
from vademecum.cli.outcome import Failed, Usage
from vademecum.cli.printable import one_line
from vademecum.files import frontmatter
from vademecum.files.frontmatter import Broken
from vademecum.files.plain_yaml import Value
from vademecum.memory.charters import CharterFile
from vademecum.memory.types import Memory, Scope, StoreKind

_Done = tuple[object, Callable[[], None]]

_ADVICE = "# Change what you like below. An empty field is blanked; title and category must stay."

#: Fields that hold a list, and those without which there is no memory.
_LISTS = frozenset({"keywords", "evidence"})
_NEEDED = frozenset({"title", "category", "scope", "place"})

_TARGETS: Mapping[str, Mapping[str, str]] = {
    "user": {"scope": "user"},
    "project": {"scope": "project"},
    "private": {"scope": "project", "place": "private"},
    "shared": {"scope": "project", "place": "shared"},
}


def edit(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Have the memory changed in an editor: all that changed is one update, refused when it changed meanwhile."""
    memory: Memory = asking.ask("memory/get", {"id": the_id(words)})
    fields = _fields(memory)
    text = _written(fields, memory.content)
    with edited(job, text, f"{memory.id}.md") as new:
        change = _changed(fields, memory.content, new)
        if not change:
            return memory, lambda: job.output.note("nothing was changed")
        updated: Memory = asking.ask("memory/update", {"id": memory.id, "revision": memory.revision, **change})
    return updated, lambda: job.output.line(f"Updated {updated.id}: {one_line(updated.title)}")


def move(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Move the memory: `project` to where new ones of the project go, `private` and `shared` to that very place."""
    if len(words) != 2 or words[1] not in _TARGETS:
        raise Usage("ID: name one memory and where it is to go: user, project, private or shared")
    moved: Memory = asking.ask("memory/update", {"id": words[0], **_TARGETS[words[1]]})
    return moved, lambda: job.output.line(f"{moved.id} is in {moved.uri} ({moved.scope}, {moved.place})")


def pin(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Have the memory told before others."""
    return _pinned(job, asking, words, pinned=True)


def unpin(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Take that back."""
    return _pinned(job, asking, words, pinned=False)


def undo(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Take the latest change of the memory back: an edit, a move, its deletion."""
    back: Memory | CharterFile = asking.ask("memory/restore", {"id": the_id(words)})
    if isinstance(back, CharterFile):
        return back, lambda: job.output.line(f"Restored {back.name} ({back.characters:,} characters)")
    where = f"{back.scope}, {back.place}" if back.place is not StoreKind.USER else back.scope
    return back, lambda: job.output.line(f"Restored {back.id} ({where}): {one_line(back.title)}")


def accept(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Accept a memory that waits for review."""
    memory: Memory = asking.ask("memory/review", {"id": the_id(words), "verdict": "accept"})
    return memory, lambda: job.output.line(f"Accepted {memory.id}: {one_line(memory.title)}")


def reject(job: Job, asking: Asking, words: list[str]) -> _Done:
    """Delete a memory that waits for review."""
    id_ = the_id(words)
    gone = asking.ask("memory/review", {"id": id_, "verdict": "reject"})
    return gone, lambda: job.output.line(f"Rejected {id_}; `vademecum memories undo {id_}` brings it back.")


def the_id(words: list[str]) -> str:
    """The one id that an action is about."""
    if len(words) != 1:
        raise Usage("ID: name one memory, by the id that `vademecum memories` shows")
    return words[0]


def _pinned(job: Job, asking: Asking, words: list[str], *, pinned: bool) -> _Done:
    memory: Memory = asking.ask("memory/update", {"id": the_id(words), "pinned": pinned})
    verb = "Pinned" if pinned else "Unpinned"
    return memory, lambda: job.output.line(f"{verb} {memory.id}: {one_line(memory.title)}")


def _fields(memory: Memory) -> dict[str, str | tuple[str, ...]]:
    fields: dict[str, str | tuple[str, ...]] = {
        "title": memory.title,
        "category": memory.category.value,
        "type": memory.type,
        "description": memory.description,
        "keywords": memory.keywords,
        "pinned": "true" if memory.pinned else "false",
        "scope": memory.scope.value,
    }
    if memory.scope is Scope.PROJECT:
        fields["place"] = memory.place.value
    return fields | {"evidence": tuple(each.reference for each in memory.evidence)}


def _written(fields: Mapping[str, str | tuple[str, ...]], content: str) -> str:
    lines = [frontmatter.line_of(key, value) if value else f"{key}:" for key, value in fields.items()]
    return "\n".join(["---", _ADVICE, *lines, "---", content, ""])


def _changed(fields: Mapping[str, str | tuple[str, ...]], content: str, text: str) -> dict[str, Any]:
    """What the user changed, as fields of `memory/update`.

    :raises Failed: when it cannot be told what they meant.
    """
    parts = frontmatter.split(text.replace("\r\n", "\n"))
    if parts.head is None:
        raise Failed("the fields between the lines --- are gone, so nothing was changed")
    try:
        values = frontmatter.read(parts.head)
    except Broken as error:
        raise Failed(f"the fields between the lines --- cannot be read, so nothing was changed: {error}") from error
    if unknown := sorted(values.keys() - fields.keys()):
        raise Failed(f"there is no field {unknown[0]!r} to change; the fields are {', '.join(fields)}")
    change: dict[str, Any] = {}
    for key, old in fields.items():
        new = _listed(values.get(key)) if key in _LISTS else _text(values.get(key))
        if new == old or (key in _NEEDED and not new):
            continue
        change[key] = _flag(new) if key == "pinned" else list(new) if isinstance(new, tuple) else new
    body = parts.body.strip("\n")
    if body != content.strip("\n"):
        change["content"] = body
    return change


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(value or ())


def _listed(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value or ()


def _flag(value: str | tuple[str, ...]) -> bool:
    if value not in ("true", "false", ""):
        raise Failed("pinned can be true or false, so nothing was changed")
    return value == "true"
