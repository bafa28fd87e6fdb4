"""Which folders are taken as a workspace at all, and when two names mean the same folder."""

import os
import posixpath
import re
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

#: Folders of the system, refused themselves; and those below which nothing is anybody's source.
_SYSTEM_FOLDERS = frozenset(
    {"/bin", "/boot", "/etc", "/lib", "/media", "/mnt", "/opt", "/root", "/sbin", "/srv", "/tmp", "/usr", "/var"}
)
_SYSTEM_TREES = ("/proc", "/sys", "/dev")

_WINDOWS_PATH = re.compile(r"/?([A-Za-z]):(?:[/\\].*)?", re.DOTALL)


def refuse_root(path: Path, home: Path) -> str | None:
    """Return why the folder at the absolute `path` is not indexed, as a sentence for its user; None when it may be.

    :param home: the user's home directory. It and the folders above it are refused, folders in it are not.
    """
    real = Path(os.path.realpath(path))  # unlike `resolve`, it takes links that lead in a ring
    if real.parent == real:
        return f"{real} is the root of a file system, so nothing in it is indexed. Open a project's folder instead."
    if real == home.resolve():
        return "This is the home directory, so nothing in it is indexed. Open a project's folder instead."
    if real in home.resolve().parents:
        return "This folder holds the home directory, so nothing in it is indexed. Open a project's folder instead."
    text = real.as_posix()
    if text in _SYSTEM_FOLDERS or any(text == tree or text.startswith(f"{tree}/") for tree in _SYSTEM_TREES):
        return f"{text} is a folder of the system, so nothing in it is indexed. Open a project's folder instead."
    return None


def normal_root(root: str | PurePath) -> str:
    """Return the key of a folder given as a path or a `file:` URI; two names of one folder have one key.

    A pure function of the text: it asks no file system, so symlinks are the caller's to resolve. A path with a drive
    letter, or of a network share, follows the rules of Windows on every system: letter case does not matter, and `\\`
    is `/`. Everything else follows POSIX.
    """
    text = str(root)
    host = ""
    if text[:5].lower() == "file:":
        try:
            parsed = urlsplit(text, allow_fragments=False)
        except ValueError:  # brackets that hold no address: the text names nothing, but still equals itself
            return text
        host = "" if parsed.netloc.lower() == "localhost" else unquote(parsed.netloc)
        text = unquote(parsed.path)
        if host:
            return _windows_key(f"//{host}{text}")
    if text.startswith("\\\\"):
        return _windows_key(text)
    if _WINDOWS_PATH.fullmatch(text):
        return _windows_key(text.removeprefix("/"))
    normal = posixpath.normpath(text or "/")
    return normal[1:] if normal.startswith("//") else normal


def _windows_key(text: str) -> str:
    text = text.replace("\\", "/")
    share = text.startswith("//")
    drive, rest = ("", text) if share else (text[:2], text[2:])
    normal = posixpath.normpath(f"/{rest.lstrip('/')}")
    return (f"/{normal}" if share else f"{drive}{normal}").casefold()
