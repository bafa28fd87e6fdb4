"""Outlines kept in the cache directory, since finding headings takes most of the time of an import.

One small file a revision, which can be deleted at any time and is made anew. Of a removed document none stays.
"""

import logging
import os
import re
import secrets
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from vademecum.files import durable
from vademecum.knowledge.outline import OUTLINE_VERSION, Heading, Outline, headings_of, outline
from vademecum.knowledge.types import DocumentForm
from vademecum.work import Cancel

logger = logging.getLogger(__name__)

_FIRST = f"vademecum outline {OUTLINE_VERSION}"
_SUFFIX = ".outline"
_TEMPORARY = durable.TEMPORARY_SUFFIX
_NAME = re.compile(rf"(.+)-([0-9a-f]{{16}}){re.escape(_SUFFIX)}(?:-[0-9a-f]+{re.escape(_TEMPORARY)})?")


class Outlines:
    """The kept outlines, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, id: str, revision: str, text: str, form: DocumentForm, cancel: Cancel) -> Outline:
        """Return the outline of a document's told text, read from the cache where it is there."""
        if form is DocumentForm.TEXT:
            return outline(text, None, 0, ())
        path = self._folder / f"{id}-{revision}{_SUFFIX}"
        kept = _read(path)
        if kept is None:
            kept = headings_of(text, cancel)
            self._write(path, *kept)
        return outline(text, *kept)

    def keep(self, id: str, revision: str, made: tuple[str | None, int, tuple[Heading, ...]]) -> None:
        """Keep what was found in a revision before it had a document."""
        self._write(self._folder / f"{id}-{revision}{_SUFFIX}", *made)

    def retain(self, kept: Collection[tuple[str, str]]) -> None:
        """Remove all outlines but those of these documents and revisions."""
        with suppress(OSError), os.scandir(self._folder) as files:
            for file in files:
                # What a writer that was killed has left goes with its revision.
                found = _NAME.fullmatch(file.name)
                if found is not None and (found[1], found[2]) not in kept:
                    with suppress(OSError):  # somebody else has removed it
                        Path(file.path).unlink()

    def _write(self, path: Path, title: str | None, skipped: int, headings: tuple[Heading, ...]) -> None:
        lines = [_FIRST, title or "", str(skipped)]
        lines += [f"{heading.level} {heading.line} {heading.title}" for heading in headings]
        temporary = path.with_name(f"{path.name}-{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            durable.make_folder(self._folder, private=True)
            opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8", newline="\n") as file:
                file.write("\n".join(lines))
            temporary.replace(path)
        except OSError as error:
            logger.debug("An outline is not kept: %s", error.strerror)
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _read(path: Path) -> tuple[str | None, int, tuple[Heading, ...]] | None:
    try:
        first, title, skipped, *rest = path.read_text("utf-8").split("\n")
        headings = []
        for line in rest:
            level, number, heading = line.split(" ", 2)
            headings.append(Heading(int(level), int(number), heading))
        return (title or None, int(skipped), tuple(headings)) if first == _FIRST else None
    except (OSError, ValueError):
        return None
