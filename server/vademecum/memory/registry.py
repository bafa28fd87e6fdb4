"""Which project a folder is: found again after it moved, gained a remote, or was opened under another name.

A folder is recognised, in this order, by being the very folder that was registered, by its remote's address, by its
first commit, and by its path. A path that is new and merely claims what another path is known by may be a stranger's,
so it joins that project only when the workspace is trusted; until then it is a project of its own.
"""

import hashlib
import os
import sqlite3
from pathlib import Path

from attrs import frozen

from vademecum.memory.repository import (
    Repository,
    find_repository,
    fingerprint,
    is_folder,
    read_first_commit,
    read_origin,
)
from vademecum.memory.slug import printable, slug
from vademecum.memory.state import State

#: The folder of shared memory inside a working tree; it also marks the top of a project that is not under git.
SHARED_FOLDER = ".vademecum"

#: The folder of the home in which each project has a private one.
PROJECTS_FOLDER = "projects"


@frozen
class Project:
    """A project as it is open here. `folders`: its private folders, the first being the one that is written to."""

    key: str
    root: Path
    folders: tuple[Path, ...]


@frozen
class Place:
    """What can be told about an open folder by looking at it alone. `path` stands for all worktrees of a repository."""

    root: Path
    path: str
    device: int
    fingerprint: str
    repository: Repository | None
    origin: str | None


def look(folder: Path, home: Path) -> Place:
    """Look at an open folder; neither its spelling (case, slashes, symlinks) nor a folder inside it makes a difference.

    :param home: Vademecum's own folder, which marks no project.
    """
    real = Path(os.path.realpath(folder))
    repository = find_repository(real)
    if repository is None:
        root = path = _marked(real, home)
        mark = f"folder:{_status(root).st_ino}"
    else:
        root, path = repository.root, repository.home
        mark = fingerprint(repository)
    origin = read_origin(repository) if repository else None
    return Place(root, printable(str(path)), _status(path).st_dev, mark, repository, origin and printable(origin))


def resolve(place: Place, *, trusted: bool, state: State, home: Path, now: str) -> Project:
    """Return the project that the place is, registering what is new about it.

    :raises VademecumError: when the state database cannot be used.
    """
    with state.read() as db:
        known = _registered(db, place)
        may_join = known is not None and trusted and _is_provisional(db, known)
        commits_matter = (
            place.origin is None
            or db.execute(
                "SELECT 1 FROM project_commits c WHERE NOT EXISTS"
                " (SELECT 1 FROM project_origins o WHERE o.project = c.project) LIMIT 1"
            ).fetchone()
        )
    # Asking git takes time on a long history, so it is asked only when the answer can matter, and outside the lock.
    commit = None
    if place.repository and commits_matter and (may_join or not (known and place.origin)):
        commit = read_first_commit(place.repository)
    with state.write() as db:
        project = _known(db, place, commit)
        claimed = _claimed(db, place, commit)
        if project is None or (claimed not in (None, project) and trusted and _is_provisional(db, project)):
            left, project = project, claimed if claimed and trusted else None
            if project is None:
                project = left or _register(db, place, commit, home, now, provisional=claimed is not None)
            elif left:
                _bring_along(db, left, project)
        _note(db, place, project, commit, now, owns=claimed in (None, project))
        folders = [db.execute("SELECT folder FROM projects WHERE key = ?", (project,)).fetchone()[0]]
        folders += [row[0] for row in db.execute("SELECT folder FROM project_folders WHERE project = ?", (project,))]
    return Project(project, place.root, tuple(home / PROJECTS_FOLDER / folder for folder in folders))


@frozen
class Registered:
    """What a project is known by, wherever it lies.

    :param folder: the name of its private folder.
    :param joined: those of projects that have turned out to be this one.
    """

    key: str
    folder: str
    identity: str
    origins: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()


def registered(state: State) -> tuple[Registered, ...]:
    """Return every project that was ever opened, or adopted from an archive."""
    with state.read() as db:
        rows = db.execute("SELECT key, folder, identity FROM projects ORDER BY key").fetchall()
        return tuple(
            Registered(
                str(key),
                str(folder),
                str(identity),
                tuple(sorted(_all(db, "SELECT origin FROM project_origins WHERE project = ?", key))),
                tuple(sorted(_all(db, "SELECT first_commit FROM project_commits WHERE project = ?", key))),
                tuple(sorted(_all(db, "SELECT folder FROM project_folders WHERE project = ?", key))),
            )
            for key, folder, identity in rows
        )


def recognised(state: State, about: Registered) -> Registered | None:
    """Return the project here that another registry knew as `about`: by its key, its remote's address, its commit."""
    here = registered(state)
    for each in here:
        if each.key == about.key:
            return each
    for each in here:
        same_commit = not set(each.commits).isdisjoint(about.commits) and not (each.origins and about.origins)
        if same_commit or not set(each.origins).isdisjoint(about.origins):
            return each
    return None


def adopt(state: State, about: Registered, now: str) -> None:
    """Register a project that another registry knew, so that its folder is found once it is opened here."""
    with state.write() as db:
        db.execute("INSERT OR IGNORE INTO projects VALUES (?, ?, ?, ?)", (about.key, about.folder, about.identity, now))
        for table, values in (("project_origins", about.origins), ("project_commits", about.commits)):
            db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", [(each, about.key) for each in values])


def _known(db: sqlite3.Connection, place: Place, commit: str | None) -> str | None:
    """The project that this very folder was registered as, here or before it was moved."""
    if found := _registered(db, place):
        return found
    row = db.execute("SELECT project, fingerprint FROM project_paths WHERE path = ?", (place.path,)).fetchone()
    if row is None:
        return None
    # The path is known but the folder is another one: a fresh clone or a restored backup, or something else altogether.
    project = str(row[0])
    origins = _all(db, "SELECT origin FROM project_origins WHERE project = ?", project)
    commits = _all(db, "SELECT first_commit FROM project_commits WHERE project = ?", project)
    if place.repository is None:
        return None if origins or commits else project
    if place.origin in origins or (commit is not None and commit in commits and not (origins and place.origin)):
        return project
    became_repository = str(row[1]).startswith("folder:")
    return project if not commits and not origins and (became_repository or commit is None) else None


def _registered(db: sqlite3.Connection, place: Place) -> str | None:
    if not place.fingerprint:
        return None
    rows = db.execute(
        "SELECT project, path FROM project_paths WHERE fingerprint = ? AND (path = ? OR device = ?)",
        (place.fingerprint, place.path, place.device),
    ).fetchall()
    for project, path in rows:
        # A repository's fingerprint proves the move. A plain folder has no more than an inode number, so there the old
        # path must still lead to it: another spelling of its case, or a second mount.
        if path == place.path or place.repository or _is_same_folder(path, place.path):
            return str(project)
    return None


def _claimed(db: sqlite3.Connection, place: Place, commit: str | None) -> str | None:
    """The project that another path is known as and this one looks like."""
    if place.origin is not None:
        row = db.execute("SELECT project FROM project_origins WHERE origin = ?", (place.origin,)).fetchone()
        if row:
            return str(row[0])
    if commit is None:
        return None
    # A fork has its parent's first commit but another origin, so a first commit counts only where no origin is known.
    row = db.execute(
        "SELECT project FROM project_commits WHERE first_commit = ?1 AND (?2 OR NOT EXISTS"
        " (SELECT 1 FROM project_origins o WHERE o.project = project_commits.project))",
        (commit, place.origin is None),
    ).fetchone()
    return str(row[0]) if row else None


def _register(
    db: sqlite3.Connection, place: Place, commit: str | None, home: Path, now: str, *, provisional: bool
) -> str:
    if provisional:
        identity = f"claim:{place.path}"
    elif place.origin is not None:
        identity = f"origin:{place.origin}"
    else:
        identity = f"commit:{commit}" if commit else f"path:{place.path}"
    key = hashlib.sha256(identity.encode("utf-8")).hexdigest()[:16]
    # Should the state directory have been lost, the folder of before is found by its end, whatever its readable part.
    before = sorted(path.name for path in (home / PROJECTS_FOLDER).glob(f"*-{key}"))
    name = (place.origin or place.path).rstrip("/").rpartition("/")[2]
    db.execute(
        "INSERT INTO projects VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (key, before[0] if before else f"{slug(name, 'project')}-{key}", identity, now),
    )
    return key


def _note(db: sqlite3.Connection, place: Place, project: str, commit: str | None, now: str, *, owns: bool) -> None:
    """Keep what the place is known by; only the day of `now` is kept, so that opening a folder again writes nothing."""
    row = (place.path, project, place.device, place.fingerprint, now[:10])
    if db.execute("SELECT * FROM project_paths WHERE path = ?", row[:1]).fetchone() != row:
        db.execute("INSERT OR REPLACE INTO project_paths VALUES (?, ?, ?, ?, ?)", row)
    if not owns:
        return
    if place.origin is not None:
        db.execute("INSERT INTO project_origins VALUES (?, ?) ON CONFLICT DO NOTHING", (place.origin, project))
    if commit is not None:
        db.execute("INSERT INTO project_commits VALUES (?, ?) ON CONFLICT DO NOTHING", (commit, project))


def _bring_along(db: sqlite3.Connection, left: str, joined: str) -> None:
    """Let what was remembered in `left` while it was a project of its own be read in `joined` too."""
    db.execute(
        "INSERT OR IGNORE INTO project_folders SELECT ?, folder FROM projects WHERE key = ?"
        " UNION SELECT ?, folder FROM project_folders WHERE project = ?",
        (joined, left, joined, left),
    )


def _is_provisional(db: sqlite3.Connection, project: str) -> bool:
    row = db.execute("SELECT identity FROM projects WHERE key = ?", (project,)).fetchone()
    return row is not None and str(row[0]).startswith("claim:")


def _all(db: sqlite3.Connection, query: str, project: str) -> set[str]:
    return {str(row[0]) for row in db.execute(query, (project,))}


def _marked(folder: Path, home: Path) -> Path:
    """The nearest folder above that holds shared memory, else the folder itself."""
    own = os.path.realpath(home)
    for above in (folder, *folder.parents):
        mark = above / SHARED_FOLDER
        if is_folder(mark) and os.path.realpath(mark) != own:
            return above
    return folder


def _is_same_folder(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError:
        return os.stat_result((0,) * 10)
