"""The settings of the files room."""

from pathlib import Path

from attrs import frozen

#: Files larger than this are not read, in bytes: 1 MiB, the limit of the system whose evidence rules this follows.
MAX_FILE_BYTES = 1_048_576


@frozen
class FileSettings:
    """What a user may decide about which files are read.

    :param max_file_bytes: files (and unsaved texts, as UTF-8) larger than this are refused as `tooLarge`.
    :param exclude: patterns in the syntax of `.gitignore`, relative to the top folder. They win over every ignore file.
    :param own_folders: absolute folders that this product writes to (home, state, cache). When one of them lies inside
        a workspace it is neither read nor watched, so that an indexer can never trigger itself.
    """

    max_file_bytes: int = MAX_FILE_BYTES
    exclude: tuple[str, ...] = ()
    own_folders: tuple[Path, ...] = ()
