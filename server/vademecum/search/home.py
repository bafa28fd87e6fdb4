"""Where the index of a folder is kept, and how its place says whose it is."""

import contextlib
import hashlib
import json
import os
import re
import threading
import time
from pathlib import Path

FOLDER = "code"
"""Of all indexes, in the cache."""

GRAMMARS = "grammars"
"""Of unpacked parsers, in the cache; a folder a release in it."""

LOCK = "writer.lock"
"""In each index: held by the one process that writes it."""

ROOT_FILE = "root.json"
"""Beside the builds: which folder they are of, for whoever cleans up."""


def index_home(cache: Path, root: Path, prefix: str = "") -> Path:
    """Where the index of a folder is kept: readable by its name, unique by the hash of its real path.

    :param prefix: the folder relative to the repository around it, since paths in the index begin with it.
    """
    real = os.path.realpath(root)
    slug = re.sub(r"[^a-z0-9]+", "-", Path(real).name.lower()).strip("-")[:40] or "root"
    key = os.fsencode(real) + (b"\0" + os.fsencode(prefix) if prefix else b"")
    return cache / FOLDER / f"{slug}-{hashlib.sha256(key).hexdigest()[:16]}"


def read_root(home: Path) -> Path | None:
    """Whose index it is, an absolute path; None when that is not known."""
    try:
        root = Path(json.loads((home / ROOT_FILE).read_bytes())["root"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return root if root.is_absolute() else None


def write_root(home: Path, root: Path) -> None:
    """Note whose index this is, and that it was used now. Raises OSError."""
    text = json.dumps({"root": str(root), "used": int(time.time())})
    temporary = home / f".{ROOT_FILE}-{os.getpid()}-{threading.get_ident()}"
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(0o600)
        temporary.replace(home / ROOT_FILE)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
