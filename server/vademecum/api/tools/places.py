"""Folders and files as a model names them: by path, where the wire has URIs."""

import os
from pathlib import Path

from vademecum.api.tools.tool import Asked
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.content import Refused
from vademecum.files.uris import path_of_uri
from vademecum.workspace import Workspace


def folder_named(asked: Asked, workspace: str | None) -> str | None:
    """The URI of the open folder that the arguments name by path, URI or last name; else the one of the call.

    :raises InvalidField: `workspace`, naming the folders that are open.
    """
    if workspace is None:
        return asked.workspace
    open_ = asked.call.workspaces.folders
    meant = [folder for folder in open_ if workspace in (folder.uri, folder.root.name)]
    if not meant:
        wanted = _path(workspace)
        meant = [folder for folder in open_ if os.path.realpath(folder.root) == wanted]
    if len(meant) != 1:
        raise InvalidField("workspace", f"must be one of the open folders: {_listed(open_)}")
    return meant[0].uri


def _path(text: str) -> str | None:
    try:
        return os.path.realpath(path_of_uri(text, "workspace"))
    except (InvalidField, OSError):  # a link that may be seen and not be read
        return None


def _listed(folders: tuple[Workspace, ...]) -> str:
    return ", ".join(str(folder.root) for folder in folders) or "none is open"


def file_named(asked: Asked, path: str, workspace: str | None) -> Path:
    """The file of an open folder that a model means by an absolute path, or one relative to its repository.

    :raises VademecumError: `notFound`, or `conflict` where several folders have such a file.
    """
    if Path(path).is_absolute() or path.startswith("file:"):
        return path_of_uri(path, "path")
    folders = asked.call.workspaces.chosen(folder_named(asked, workspace))
    there = []
    for folder in folders:
        inside = folder.gate.relative(Path(path))
        if isinstance(inside, Refused) or isinstance(folder.gate.read(inside), Refused):
            continue
        there.append(folder.gate.absolute(inside))
    found = list(dict.fromkeys(there))
    if len(found) > 1:
        raise VademecumError(ErrorKind.CONFLICT, f"Several open folders have such a file; name one: {_listed(folders)}")
    if not found:
        raise VademecumError(
            ErrorKind.NOT_FOUND,
            "There is no such file that may be read in the open folders. Give its path relative to the repository, as "
            "search_workspace does, or its absolute path.",
        )
    return found[0]
