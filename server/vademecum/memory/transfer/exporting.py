"""Export: memories as a text, in one of three forms, and the file that it is written to."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from attrs import evolve, frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.durable import sync_folder
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import Entry
from vademecum.memory.record import Record
from vademecum.memory.transfer import archive
from vademecum.memory.transfer.archiving import parts_of
from vademecum.memory.transfer.gathering import LARGEST_SOURCE
from vademecum.memory.transfer.types import Exported, ExportFormat
from vademecum.memory.types import Category, MemoryStatus, Scope
from vademecum.work import Cancel, Progress

_HEADINGS = {
    Category.RULE: "Rules",
    Category.KNOWLEDGE: "Knowledge",
    Category.EXPERIENCE: "Experience",
}


@frozen
class Text:
    """What was exported, and its text."""

    about: Exported
    text: str


def export(held: Holdings, format: ExportFormat, scopes: Sequence[Scope], cancel: Cancel, progress: Progress) -> Text:
    """Return the memories of the scopes in a form.

    An archive holds everything; the others hold what is told to a model: neither what waits for review nor what was
    superseded.

    :raises InvalidField: when projects are meant and it is not plain which one.
    :raises VademecumError: `tooLarge` for what could not be imported again; `storeUnreadable`.
    """
    if format is ExportFormat.ARCHIVE:
        parts = parts_of(held, scopes, cancel, progress)
        there = [memory for part in parts for memory in part.memories]
        charters = [charter for part in parts for charter in part.charters]
        text = archive.write(parts, held.now())
        about = Exported(
            format,
            memories=sum(memory.piece is not None for memory in there),
            versions=sum(len(each.versions) for each in there) + sum(len(each.versions) for each in charters),
            charters=sum(charter.data is not None for charter in charters),
            bytes=0,
        )
    else:
        entries = [
            entry
            for entry in held.library().entries.values()
            if entry.scope in scopes and entry.item.record.status is MemoryStatus.ACTIVE
        ]
        text = _codebuddy(entries) if format is ExportFormat.CODEBUDDY else _listed(entries)
        about = Exported(format, memories=len(entries), versions=0, charters=0, bytes=0)
    size = len(text.encode("utf-8"))
    if size > LARGEST_SOURCE:
        raise VademecumError(
            ErrorKind.TOO_LARGE,
            f"The export would have {size:,} bytes, and {LARGEST_SOURCE:,} can be imported. Export scope by scope.",
        )
    return Text(evolve(about, bytes=size), text)


def write(target: Path, text: str) -> None:
    """Write an export to a new file that is for its owner alone; never over another one.

    :raises VademecumError: `conflict` when something is there; `notFound` when its folder is not; `storeUnreadable`
        when the file system refuses.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        opened = os.open(target, flags, 0o600)
    except FileExistsError:
        raise VademecumError(ErrorKind.CONFLICT, "There is a file of that name already; name another one.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise VademecumError(ErrorKind.NOT_FOUND, "There is no such folder to write the export to.") from None
    except OSError as error:
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"The export cannot be written: {error.strerror or error}."
        ) from error
    try:
        with open(opened, "wb") as stream:  # noqa: PTH123 - it takes over the descriptor
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        sync_folder(target.parent)
    except OSError as error:
        with suppress(OSError):
            target.unlink()
        raise VademecumError(
            ErrorKind.STORE_UNREADABLE, f"The export cannot be written: {error.strerror or error}."
        ) from error


def _codebuddy(entries: Sequence[Entry]) -> str:
    """An array as CodeBuddy has it, with no keys but its own."""
    items = [
        {
            "id": entry.id,
            "category": record.category.value,
            "content": record.content,
            "keywords": "|".join(record.keywords),
            "title": record.title,
            "scope": entry.scope.value,
            "timestamp": int(datetime.fromisoformat(entry.updated).timestamp() * 1000),
        }
        for entry in entries
        for record in (entry.item.record,)
    ]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _listed(entries: Sequence[Entry]) -> str:
    """A list under a heading for each category, rules first."""
    lines: list[str] = []
    for category, heading in _HEADINGS.items():
        records = [entry.item.record for entry in entries if entry.item.record.category is category]
        if records:
            lines += [*([""] if lines else []), f"## {heading}", ""]
            lines += [_item(record) for record in sorted(records, key=lambda record: record.title.casefold())]
    return "\n".join([*lines, ""]) if lines else ""


def _item(record: Record) -> str:
    first, *rest = record.content.split("\n")
    return "\n".join([f"- {first}", *(f"  {line}" if line.strip() else "" for line in rest)])
