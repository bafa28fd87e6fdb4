"""What other systems call the project that is open, so that nothing of another project is imported into it."""

import hashlib
import re
from pathlib import Path

from vademecum.memory.repository import Repository, raw_origin
from vademecum.memory.transfer.types import ImportFormat

#: Longest name that YottaCode gives a project.
_SLUG = 128


def names_of(format: ImportFormat, root: Path, repository: Repository | None) -> frozenset[str]:
    """Return the names under which a format may keep what belongs to the project at `root`; none where it has none."""
    address = raw_origin(repository) if repository else None
    if format is ImportFormat.CODEWHALE:
        return frozenset({hashlib.sha256(address.encode()).hexdigest()} if address else ())
    if format is ImportFormat.YOTTACODE:
        return frozenset({_slug(address or root.name), _slug(root.name)})
    if format is ImportFormat.CLAUDE_CODE:
        # Each character that is neither letter nor digit becomes a hyphen, whichever worktree was open.
        places = {root, *([repository.home] if repository else ())}
        return frozenset(re.sub(r"[^A-Za-z0-9]", "-", str(place)) for place in places)
    return frozenset()


def _slug(text: str) -> str:
    """YottaCode's own rule: scheme, credentials and `.git` go, all that is no letter or digit becomes one hyphen."""
    text = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip(), flags=re.IGNORECASE)
    text = re.sub(r"^[^/@]*@", "", text).rstrip("/").removesuffix(".git")
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_SLUG] or "default"
