"""The settings of the files room."""

from pathlib import Path
from typing import Any

from attrs import field, frozen

#: Files larger than this are not read, in bytes: 1 MiB, the limit of the system whose evidence rules this follows.
MAX_FILE_BYTES = 1_048_576


def _readable(_instance: Any, _attribute: Any, value: int) -> None:
    if not 1 <= value <= 64 * MAX_FILE_BYTES:
        raise ValueError(f"must be between 1 and {64 * MAX_FILE_BYTES:,}")


@frozen
class FileSettings:
    """What a user may decide about which files are read. A value that cannot be used raises ValueError."""

    max_file_bytes: int = field(default=MAX_FILE_BYTES, validator=_readable)
    """Files (and unsaved texts, as UTF-8) larger than this many bytes are not read."""

    exclude: tuple[str, ...] = ()
    """Patterns as in a `.gitignore` file, relative to the repository's top; they win over every ignore file."""

    own_folders: tuple[Path, ...] = ()
    """Absolute folders that this product writes to. When one of them lies inside a workspace it is neither read nor
    watched, so that an indexer can never trigger itself."""
