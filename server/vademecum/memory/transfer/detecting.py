"""Whose files they are, and which of them are read: told from names and first lines."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import frozen

from vademecum.errors import InvalidField
from vademecum.memory.transfer import (
    archive,
    claude_code,
    codebuddy,
    codewhale,
    codewhale_rows,
    listed,
    yottacode,
)
from vademecum.memory.transfer.types import ImportFormat, Parsed, SourceText


@frozen
class Reader:
    """How a format is read: which files of a folder belong to it, and what one of them holds."""

    wants: Callable[[str], bool]
    parse: Callable[[SourceText], Iterator[Parsed]]


def _codewhale(source: SourceText) -> Iterator[Parsed]:
    return codewhale_rows.parse(source) if codewhale_rows.is_exported(source.text) else codewhale.parse(source)


def _instructions(path: str) -> bool:
    """Only those at the top, and the one in `.github`: others are about a part of the project."""
    return path.removeprefix(".github/").removeprefix(".claude/").lower() in listed.FILES


def _listed(path: str) -> bool:
    return _instructions(path) or path in listed.RULES


READERS: Mapping[ImportFormat, Reader] = {
    ImportFormat.CODEBUDDY: Reader(lambda path: path.removeprefix(".codebuddy/") in codebuddy.FILES, codebuddy.parse),
    ImportFormat.CODEWHALE: Reader(codewhale.wants, _codewhale),
    ImportFormat.YOTTACODE: Reader(yottacode.wants, yottacode.parse),
    ImportFormat.CLAUDE_CODE: Reader(claude_code.wants, claude_code.parse),
    ImportFormat.LIST: Reader(_listed, listed.parse),
}
"""All formats but our own archive, which is no list of memories."""

#: Endings of files that any format has.
SUFFIXES = (".md", ".json", ".jsonl", ".txt", ".cursorrules", ".windsurfrules", ".clinerules", ".codebuddyrules")


def told(found: ImportFormat | None) -> ImportFormat:
    """Return the format that was found.

    :raises InvalidField: `format`, when it could not be told.
    """
    if found is None:
        formats = ", ".join(f'"{each}"' for each in ImportFormat)
        raise InvalidField("format", f"cannot be told from the source, so it must be named: one of {formats}")
    return found


def of_file(source: SourceText) -> ImportFormat | None:
    """Return the format of a file or of a text."""
    text = source.text.lstrip()
    if archive.is_archive(text):
        return ImportFormat.ARCHIVE
    if codewhale_rows.is_exported(text):
        return ImportFormat.CODEWHALE
    if text.startswith("["):
        return ImportFormat.CODEBUDDY
    if source.name.lower() in listed.FILES:
        return ImportFormat.LIST
    first = text.split("\n", 1)[0]
    if first.startswith("# ") and codewhale.is_exported(first[2:].strip()):
        return ImportFormat.CODEWHALE
    if ".yottacode" in source.above:
        return ImportFormat.YOTTACODE
    if claude_code.is_memory(source):
        return ImportFormat.CLAUDE_CODE
    if source.name == codewhale.FILE:
        is_whale = source.above[-1:] == ("global",) or source.above[-2:-1] == ("workspace",)
        return ImportFormat.CODEWHALE if is_whale else ImportFormat.CLAUDE_CODE
    return ImportFormat.LIST if source.name.lower().endswith((".md", ".txt", "rules")) or not source.name else None


def of_folder(sources: Sequence[SourceText]) -> ImportFormat | None:
    """Return the format of the files of a folder, as far as their names and what is known of their texts tell it."""
    paths = [source.path for source in sources]
    above = sources[0].above if sources else ()
    if any(map(_instructions, paths)):
        return ImportFormat.LIST
    if any(READERS[ImportFormat.CODEBUDDY].wants(path) for path in paths):
        return ImportFormat.CODEBUDDY
    if any(source.name == codewhale.FILE and _is_whales(source) for source in sources):
        return ImportFormat.CODEWHALE
    if ".yottacode" in above or any(_is_yottas(path) for path in paths):
        return ImportFormat.YOTTACODE
    if any(map(claude_code.is_memory, sources)) or any(source.name == claude_code.INDEX for source in sources):
        return ImportFormat.CLAUDE_CODE
    return ImportFormat.LIST if any(path in listed.RULES for path in paths) else None


def _is_whales(source: SourceText) -> bool:
    return source.folders[-1:] == ("global",) or source.folders[-2:-1] == ("workspace",)


def _is_yottas(path: str) -> bool:
    return path in ("YOTTACODE.md", "USER.md") or path.startswith(("memory/user/", "memory/projects/"))
