"""Which folders a command is about."""

from collections.abc import Sequence
from pathlib import Path

from vademecum.cli.outcome import Usage
from vademecum.files.repository import enclosing_folder
from vademecum.files.roots import refuse_root


def folders(named: Sequence[str], directory: Path, user_home: Path) -> tuple[Path, ...]:
    """The folders named on the command line as they are, or else the one that the shell stands in.

    Without a name it is the top of the git repository that holds `directory`, so that a command means the same in
    every corner of a repository. Where that top is never indexed (a home folder kept in git) it is `directory` itself.

    :raises Usage: when a folder that was named is not there.
    """
    if named:
        return tuple(dict.fromkeys(_existing(directory / name) for name in named))
    top = enclosing_folder(directory)
    if top is None or refuse_root(top, user_home) is not None:
        return (directory,)
    return (top,)


def _existing(path: Path) -> Path:
    if not path.is_dir():
        raise Usage(f"-C/--workspace: there is no folder {path}")
    return path.resolve()
