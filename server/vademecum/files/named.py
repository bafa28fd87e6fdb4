"""What may be read (or written) at a path that a user names: files to be imported, folders of them, exports.

A file in an open folder is judged by that folder's gate, so that what it ignores or takes for a secret is not imported
either. Elsewhere the same rules hold, with the named folder (or the file's own) for the opened one. A link is followed
where the user named it, unless it leads out of an open folder.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
from attrs import frozen

from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import names
from vademecum.files.beneath import refused_by
from vademecum.files.content import Reason, Refused, Stamp
from vademecum.files.gate import Gate
from vademecum.files.roots import refuse_root
from vademecum.files.settings import FileSettings


@frozen
class Judged:
    """A path that may be read.

    :param gate: the gate that judges it, with the limit for what is imported.
    :param relative: the path as that gate knows it.
    :param inside: whether it lies in an open folder.
    """

    gate: Gate
    relative: str
    inside: bool


@frozen
class NamedFile:
    """A file that was read.

    :param path: its real path.
    :param stamp: taken before it was read.
    :param inside: whether it lies in an open folder.
    """

    path: Path
    data: bytes
    stamp: Stamp
    inside: bool


class NamedPaths:
    """Judges and reads what a user names.

    :param gates: gives the gates of the open folders.
    :param settings: gives those of the gate.
    :param largest: bytes that a file may have.
    :param what: what a file is taken for, with its article, in what a refusal says: "a document".
    """

    def __init__(
        self,
        gates: Callable[[], Sequence[Gate]],
        settings: Callable[[], FileSettings],
        user_home: Path,
        largest: int,
        what: str,
    ) -> None:
        self._gates = gates
        self._settings = settings
        self._user_home = user_home
        self._largest = largest
        self._what = what

    def read(self, path: Path) -> NamedFile:
        """Read the file at an absolute path.

        :raises VademecumError: as `judge`, and for what the gate refuses.
        """
        judged = self.judge(path)
        read = judged.gate.read_bytes(judged.relative)
        if isinstance(read, Refused):
            raise self.refusal(read)
        return NamedFile(judged.gate.absolute(judged.relative), read[0], read[1], judged.inside)

    def folder(self, path: Path) -> Judged:
        """Return a gate whose root is the folder at an absolute path, to be walked, and whether it is in an open one.

        :raises VademecumError: `excluded` for a folder that may not be read as a whole, `notFound`, and as `judge`.
        """
        real = self._real(path)
        if not os.path.isdir(real):  # noqa: PTH112 - False, too, for a name that no file can have
            raise VademecumError(ErrorKind.NOT_FOUND, "There is no such folder.")
        refusal = refuse_root(real, self._user_home)
        if refusal is not None:
            message = refusal.replace("nothing in it is indexed", "it is not imported as a whole")
            message = message.replace("Open a project's folder instead", "Name a folder or a file in it")
            raise VademecumError(ErrorKind.EXCLUDED, message, reason="root")
        judged = self.judge(path / "x.md", folder=True)
        gate = Gate(real, self._big())
        return Judged(gate, gate.prefix, judged.inside)

    def judge(self, path: Path, *, folder: bool = False) -> Judged:
        """Return the gate that judges an absolute path, and the path as it knows it.

        :param folder: the path stands for its folder, which the rules of the open one must not leave out.
        :raises VademecumError: `outsideWorkspace` for a link that leads out of an open folder, `excluded` (with
            `data.reason`) for our own folders and those of secrets, and for what the rules leave out.
        """
        given = os.path.normpath(path)
        real = self._real(given)
        self._refuse_own(real)
        holding = [gate for gate in self._gates() if is_below(Path(given), gate.root)]
        if holding and not any(is_below(real, gate.root) for gate in holding):
            raise VademecumError(
                ErrorKind.OUTSIDE_WORKSPACE, "It is a link that leads out of the open folder. Name what it leads to."
            )
        inside = [gate for gate in self._gates() if is_below(real, gate.root)]
        root = max((gate.root for gate in inside), key=lambda root: len(root.parts), default=real.parent)
        gate = Gate(root, self._big())
        relative = gate.relative(real)
        if isinstance(relative, Refused):
            raise self.refusal(relative)
        if folder and inside and real.parent != root and relative not in gate.concerned([relative]):
            raise self.refusal(Refused(Reason.IGNORED, "the rules of the open folder leave it out"))
        return Judged(gate, relative, bool(inside))

    def refuse_target(self, path: Path, *, outside: bool) -> None:
        """Refuse an absolute path that nothing is to be written to.

        :param outside: whether it has to lie outside of every open folder.
        :raises VademecumError: `excluded` (with `data.reason`).
        """
        real = self._real(path)
        self._refuse_own(real)
        if outside and any(is_below(real, gate.root) for gate in self._gates()):
            raise VademecumError(
                ErrorKind.EXCLUDED,
                "It lies in an open folder, where search would find it and git might keep it. Name another place.",
                reason="inside",
            )

    def refusal(self, refused: Refused) -> VademecumError:
        """Return the error for what a gate refuses."""
        match refused.reason:
            case Reason.MISSING:
                return VademecumError(ErrorKind.NOT_FOUND, "There is no such file.")
            case Reason.TOO_LARGE:
                return VademecumError(ErrorKind.TOO_LARGE, f"It is too large for {self._what}: {refused.detail} bytes.")
            case Reason.OUTSIDE:
                return VademecumError(ErrorKind.OUTSIDE_WORKSPACE, "It lies outside the open folder.")
            case reason:
                return VademecumError(
                    ErrorKind.EXCLUDED, f"It may not be imported: {self.why(refused)}.", reason=reason.value
                )

    def why(self, refused: Refused) -> str:
        """Return why a file is refused, as a clause for a person."""
        if refused.detail:
            return refused.detail
        told = {
            Reason.IGNORED: "ignore rules leave it out",
            Reason.SECRET_NAME: "its name is one of files that hold secrets",
            Reason.SYMLINK: "links are not followed",
            Reason.TOO_LARGE: f"larger than {self._largest:,} bytes",
            Reason.NO_PERMISSION: "it may not be read",
            Reason.BAD_NAME: "its name is not valid UTF-8",
        }
        return told.get(refused.reason, refused.reason.value)

    def _real(self, path: str | Path) -> Path:
        try:
            return Path(os.path.realpath(path))
        except OSError as error:  # a link that may be seen and not be read, as those in /proc
            raise self.refusal(refused_by(error)) from error

    def _refuse_own(self, real: Path) -> None:
        if any(names.refuse_folder(part) is Reason.SECRET_NAME for part in real.parts[:-1]):
            raise self.refusal(Refused(Reason.SECRET_NAME, "it lies in a folder of secrets"))
        for own in self._settings().own_folders:
            if is_below(real, Path(os.path.realpath(own))):
                raise self.refusal(Refused(Reason.OWN, "it lies in a folder of Vademecum's own"))

    def _big(self) -> FileSettings:
        return attrs.evolve(self._settings(), max_file_bytes=self._largest)


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path is the folder or lies in it."""
    return path == folder or folder in path.parents
