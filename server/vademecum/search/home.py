"""Where the index and the vectors of a folder are kept, and how their places say whose they are."""

import contextlib
import hashlib
import json
import os
import re
import threading
import time
from pathlib import Path

from vademecum.files.gate import Gate

FOLDER = "code"
"""Of all indexes, in the cache."""

VECTORS = "vectors"
"""Of vectors, in the cache; a folder a repository in it."""

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
    key = os.fsencode(real) + (b"\0" + os.fsencode(prefix) if prefix else b"")
    return cache / FOLDER / _name(Path(real).name, key)


def vectors_home(cache: Path, gate: Gate) -> Path:
    """Where the vectors of a folder's chunks are kept: one place for all worktrees and folders of a repository."""
    repository = gate.ignores.top_owner.repository
    if repository is None:
        return cache / VECTORS / _name(gate.top.name, os.fsencode(gate.top))
    common = Path(os.path.realpath(repository.common_dir))
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    return cache / VECTORS / _name(name, os.fsencode(common))


def _name(readable: str, unique: bytes) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", readable.lower()).strip("-")[:40] or "root"
    return f"{slug}-{hashlib.sha256(unique).hexdigest()[:16]}"


def read_root(home: Path) -> Path | None:
    """Whose index it is, an absolute path; None when that is not known."""
    try:
        root = Path(json.loads((home / ROOT_FILE).read_bytes())["root"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return root if root.is_absolute() else None


def read_vectors(home: Path) -> str | None:
    """The name of the folder with the vectors of an index's chunks; None when it is not known."""
    try:
        name = json.loads((home / ROOT_FILE).read_bytes())["vectors"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return name if isinstance(name, str) else None


def write_root(home: Path, root: Path, vectors: Path) -> None:
    """Note whose index this is, where the vectors of its chunks are kept, and that it was used now. Raises OSError."""
    text = json.dumps({"root": str(root), "vectors": vectors.name, "used": int(time.time())})
    temporary = home / f".{ROOT_FILE}-{os.getpid()}-{threading.get_ident()}"
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(0o600)
        temporary.replace(home / ROOT_FILE)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
