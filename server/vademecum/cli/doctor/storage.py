"""The folders that Vademecum keeps things in, and the settings file in one of them."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from vademecum.cli.doctor.check import Check, fail, ok, warn
from vademecum.quantities import size
from vademecum.settings import Locations, Problem

_OTHERS, _OTHERS_ENTER = 0o077, 0o011
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
    """Whether only this user can read what is kept. Not asked on Windows, where folders pass on who may.

    In a folder that others cannot enter, a file made with an editor may have any permissions.
    """
    if os.name != "posix":
        return
    open_paths: list[Path] = []
    count = 0
    for folder in _outermost(places):
        for path in _paths(folder, places.cache / _PUBLIC):
            count += 1
            if count > _MOST_FILES:
                break
            if _permissions(path) & _OTHERS:
                open_paths.append(path)
    if open_paths:
        named = ", ".join(map(str, open_paths[:3])) + (", …" if len(open_paths) > 3 else "")
        folders = " ".join(str(folder) for folder in _outermost(places) if folder.exists())
        yield warn(
            "permissions",
            f"others on this machine may get at {len(open_paths):,} files and folders: {named}",
            f"chmod -R go= {folders}",
        )
    else:
        yield ok("permissions", "what is kept is for this user alone")


def _outermost(places: Locations) -> list[Path]:
    folders = [places.home, places.state, places.cache]
    return [one for one in folders if not any(other != one and other in one.parents for other in folders)]


def _paths(folder: Path, left_out: Path) -> Iterator[Path]:
    """The folder, and what is in those that others can enter."""
    if not folder.is_dir():
        return
    yield folder
    for parent, folders, files in os.walk(folder):
        if Path(parent) == left_out or not _permissions(Path(parent)) & _OTHERS_ENTER:
            folders.clear()
            continue
        for name in (*folders, *files):
            yield Path(parent, name)


def _permissions(path: Path) -> int:
    """The permission bits; none for a symbolic link, which has no meaningful ones, and for what has just gone."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return 0
    return 0 if stat.S_ISLNK(mode) else stat.S_IMODE(mode)


def settings(config: str, problems: tuple[Problem, ...]) -> Iterator[Check]:
    """Whether every setting can be used."""
    for problem in problems:
        yield warn("settings", str(problem), f"Correct it in {problem.source}.")
    if not problems:
        yield ok("settings", f"{config} and the environment hold nothing that cannot be used")
