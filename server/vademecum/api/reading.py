"""Files that a request names: what the gate lets through, or an error that says why it does not."""

from pathlib import Path

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files.content import Content, Reason, Refused
from vademecum.workspace import Workspace


def readable(folder: Workspace, path: Path) -> Content:
    """The file as it is now, in the editor or on the disk.

    :raises VademecumError: when it lies outside the folder, is not there, or may not be read.
    """
    relative = folder.gate.relative(path)
    content = folder.gate.read(relative) if isinstance(relative, str) else relative
    if isinstance(content, Refused):
        raise _refusal(path, content)
    return content


def _refusal(path: Path, refused: Refused) -> VademecumError:
    if refused.reason is Reason.OUTSIDE:
        return VademecumError(ErrorKind.OUTSIDE_WORKSPACE, "The file lies outside the open folders.")
    if refused.reason is Reason.MISSING:
        return VademecumError(ErrorKind.NOT_FOUND, f"There is no such file: {path}")
    message = f"The file may not be read: {refused.detail or refused.reason.value}."
    return VademecumError(ErrorKind.EXCLUDED, message, reason=refused.reason.value)
