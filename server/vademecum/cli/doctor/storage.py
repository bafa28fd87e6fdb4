"""The folders that Vademecum keeps things in, and the settings file in one of them."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from vademecum.cli.doctor.check import Check, fail, ok, warn
from vademecum.cli.quantities import size
from vademecum.settings import Locations, Problem

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# Permissions of so many files are looked at; an index is a few dozen, a memory is one.
_MOST_FILES = 20_000
# Beneath the cache: parsers unpacked from a library. They are programs, and hold nothing of the user's.
_PUBLIC = "grammars"
# Indexing a large repository takes tens of megabytes; below this, writes are soon to fail.
_LITTLE_SPACE = 200_000_000


def writable(places: Locations) -> Iterator[Check]:
    """Whether each folder can be written, or made."""
    for subject, folder in (("home", places.home), ("state", places.state), ("cache", places.cache)):
        yield _writable(subject, folder)


def _writable(subject: str, folder: Path) -> Check:
    advice = "Make it yours and writable, or name another place with VADEMECUM_HOME."
    if not folder.exists():
        parent = next((above for above in folder.parents if above.exists()), None)
        if parent is None or not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            return fail(subject, f"{folder} cannot be made: {parent} is not writable", advice)
        return ok(subject, f"{folder} (made when it is needed)")
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"Vademecum")
            file.flush()
    except OSError as error:
        return fail(subject, f"{folder} cannot be written: {error.strerror}", advice)
    free = shutil.disk_usage(folder).free
    if free < _LITTLE_SPACE:
        return warn(subject, f"{folder}: only {size(free)} are free", "Make room on the disk.")
    return ok(subject, str(folder))


def permissions(places: Locations) -> Iterator[Check]:
    """Whether only this user can read what is kept. Not asked on Windows, where folders pass on who may."""
    if os.name != "posix":
        return
    open_paths: list[Path] = []
    count = 0
    for folder in _outermost(places):
        for path in _paths(folder, places.cache / _PUBLIC):
            count += 1
            if count > _MOST_FILES:
                break
            if _others_may(path):
                open_paths.append(path)
    if open_paths:
        named = ", ".join(map(str, open_paths[:3])) + (", …" if len(open_paths) > 3 else "")
        folders = " ".join(str(folder) for folder in _outermost(places) if folder.exists())
        yield warn(
            "permissions",
            f"others on this machine may read {len(open_paths):,} of {count:,} files and folders: {named}",
            f"chmod -R go= {folders}",
        )
    else:
        yield ok("permissions", f"{count:,} files and folders, for this user alone")


def _outermost(places: Locations) -> list[Path]:
    folders = [places.home, places.state, places.cache]
    return [one for one in folders if not any(other != one and other in one.parents for other in folders)]


def _paths(folder: Path, left_out: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    yield folder
    for parent, folders, files in os.walk(folder):
        if Path(parent) == left_out:
            folders.clear()
            continue
        for name in (*folders, *files):
            yield Path(parent, name)


def _others_may(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    if stat.S_ISLNK(mode):
        return False
    allowed = _PRIVATE_FOLDER if stat.S_ISDIR(mode) else _PRIVATE_FILE
    return bool(stat.S_IMODE(mode) & 0o077 & ~allowed)


def settings(config: str, problems: tuple[Problem, ...]) -> Iterator[Check]:
    """Whether every setting can be used."""
    for problem in problems:
        yield warn("settings", str(problem), f"Correct it in {problem.source}.")
    if not problems:
        yield ok("settings", f"{config} and the environment hold nothing that cannot be used")
