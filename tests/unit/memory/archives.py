"""Writing archives and bringing them back, for the tests."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vademecum.memory.service import Memories
from vademecum.memory.transfer.gathering import from_text
from vademecum.memory.transfer.judging import Wish
from vademecum.memory.transfer.types import ExportFormat, ImportAction, Imported
from vademecum.memory.types import Scope

OpenElsewhere = Callable[..., Memories]


def exported(memories: Memories, *scopes: Scope) -> str:
    return memories.transfer.take_out(ExportFormat.ARCHIVE, scopes or tuple(Scope)).text


def restored(memories: Memories, text: str, **wish: Any) -> Imported:
    return memories.transfer.bring_in(from_text(text, None), Wish(**wish))


def refused(done: Imported) -> list[str]:
    return [f"{item.where}: {item.reason}" for item in done.items if item.action is ImportAction.REFUSE]


def files(home: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.suffix in (".md", ".json")
    }


def all_of(memories: Memories) -> list[Any]:
    return [memories.get(head.id) for head in memories.list(limit=2_000).items]
