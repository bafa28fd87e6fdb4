"""Where memories lie: which folders and files hold those of the user and of a project, and which is written to."""

import os
from pathlib import Path

from attrs import frozen

from vademecum.memory.access import Corner
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.json_store import JsonStore
from vademecum.memory.registry import PROJECTS_FOLDER, SHARED_FOLDER, Project
from vademecum.memory.settings import Format, MemorySettings, ProjectPlace
from vademecum.memory.store import Store
from vademecum.memory.types import Scope, StoreKind

_FOLDER = "memory"
_USER_JSON = "user-memory.json"
_PROJECT_JSON = "memory.json"


@frozen
class Places:
    """The home (`~/.vademecum`), which holds memories, and the state directory for what is kept beside them."""

    home: Path
    state: Path


@frozen
class ProjectMemory:
    """A folder that is open. `trusted`: the editor's word on it, which wins over the user's; None when it said none."""

    folder: Path
    trusted: bool | None = None


@frozen
class Placed:
    """A store and whose it is. `project` is '' for user scope; `root` is the project's working tree."""

    store: Store
    project: str
    root: Path | None


def user_stores(places: Places) -> tuple[Placed, ...]:
    """Return the stores of the user's own memories."""
    home = Corner(places.home)
    return (
        Placed(FolderStore(StoreKind.USER, Scope.USER, Corner(places.home / _FOLDER)), "", None),
        Placed(JsonStore(StoreKind.USER, Scope.USER, home, _USER_JSON), "", None),
    )


def project_stores(project: Project, home: Path) -> tuple[Placed, ...]:
    """Return the stores of a project: private ones first, so that nothing from a repository takes their ids."""
    stores: list[Store] = []
    for folder in project.folders:
        stores.append(FolderStore(StoreKind.PRIVATE, Scope.PROJECT, Corner(folder / _FOLDER)))
        stores.append(JsonStore(StoreKind.PRIVATE, Scope.PROJECT, Corner(folder), _PROJECT_JSON))
    shared = project.root / SHARED_FOLDER
    if os.path.realpath(shared) != os.path.realpath(home):  # else the home directory itself is open
        stores.append(FolderStore(StoreKind.SHARED, Scope.PROJECT, Corner(shared / _FOLDER, project.root)))
        stores.append(JsonStore(StoreKind.SHARED, Scope.PROJECT, Corner(shared, project.root), _PROJECT_JSON))
    return tuple(Placed(store, project.key, project.root) for store in stores)


def kind_of(file: Path, home: Path) -> StoreKind | None:
    """Return of which kind of place a file is a memory, by where it lies; None for what is no memory's file.

    A folder of a repository counts whether or not it is open here.
    """
    if file.name.startswith(".") or file.suffix.lower() != ".md" or file.name == file.suffix:
        return None
    real = Path(os.path.realpath(file.parent))
    for folder, above in ((file.parent, home), (real, Path(os.path.realpath(home)))):
        if folder == above / _FOLDER or folder == Path(os.path.realpath(home / _FOLDER)):
            return StoreKind.USER
        if folder.name == _FOLDER and folder.parent.parent == above / PROJECTS_FOLDER:
            return StoreKind.PRIVATE
    return StoreKind.SHARED if file.parent.parts[-2:] == (SHARED_FOLDER, _FOLDER) else None


def charter_corner(placed: Placed) -> Corner:
    """Return the folder in which the charter of the place's project lies: the one that the store lies in."""
    is_shared = placed.store.kind is StoreKind.SHARED
    return Corner(placed.store.path.parent, placed.root if is_shared else None)


def is_written(placed: Placed, settings: MemorySettings) -> bool:
    """Whether new memories of the store's scope go to a store of this kind and form."""
    kind = StoreKind.USER
    if placed.project:
        kind = StoreKind.SHARED if settings.project is ProjectPlace.SHARED else StoreKind.PRIVATE
    return placed.store.kind is kind and placed.store.format is Format(settings.format)
