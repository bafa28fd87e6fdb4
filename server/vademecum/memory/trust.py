"""Whether memory that came with a repository may be used: the editor's word, else the user's, else no.

The user's word holds for the very folder it was given for. When another folder lies at that path, it says nothing.
"""

from vademecum.memory.places import ProjectMemory
from vademecum.memory.registry import Place
from vademecum.memory.slug import printable
from vademecum.memory.state import State
from vademecum.memory.types import Trust, TrustSource


def of(state: State, given: ProjectMemory, place: Place) -> Trust:
    """Return whether the folder is trusted, and who says so."""
    if given.trusted is not None:
        return Trust(given.trusted, TrustSource.EDITOR)
    with state.read() as db:
        row = db.execute(
            "SELECT trusted FROM trust WHERE path = ? AND fingerprint = ?", (printable(str(place.root)), _mark(place))
        ).fetchone()
    return Trust(False, TrustSource.UNSAID) if row is None else Trust(bool(row[0]), TrustSource.USER)


def say(state: State, place: Place, trusted: bool, now: str) -> None:
    """Keep the user's word on a folder."""
    with state.write() as db:
        db.execute(
            "INSERT OR REPLACE INTO trust VALUES (?, ?, ?, ?)",
            (printable(str(place.root)), _mark(place), int(trusted), now),
        )


def _mark(place: Place) -> str:
    """What tells this folder from another at its path. The folder's own inode, where git gives no better mark."""
    try:
        return place.fingerprint or f"folder:{place.root.stat().st_ino}"
    except OSError:
        return ""
