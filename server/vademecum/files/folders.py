"""The folders of a workspace that the walk keeps, with their files: what the watcher watches and scans."""

import os
from collections.abc import Callable, Iterator

from vademecum.files.content import Reason
from vademecum.files.gate import Gate
from vademecum.files.git_rules import GitRules
from vademecum.work import Cancel

_FORCEABLE = frozenset({Reason.IGNORED, Reason.DEPENDENCY})


def tracked_though_ignored(gate: Gate) -> frozenset[str]:
    """Return the tracked files that an ignore pattern matches: they are read, in folders that would be left out."""
    paths: set[str] = set()
    for owner in gate.ignores.owners():
        if isinstance(owner.rules, GitRules):
            before = f"{owner.prefix}/" if owner.prefix else ""
            paths.update(before + path for path in owner.rules.tracked_though_matched())
    return frozenset(paths)


def descend(
    gate: Gate, start: str, exceptions: frozenset[str], cancel: Cancel, enter: Callable[[str], None]
) -> Iterator[str]:
    """Go through the kept folders from `start` (kept itself) downwards and yield the files in them, kept or not.

    Level by level, so that git is asked once a level.

    :param exceptions: what `tracked_though_ignored` gave.
    :param enter: called with each folder before it is listed, so that a watch placed by it misses nothing.
    """
    wanted = {folder for path in exceptions for folder in _folders_above(path)}
    level = [start]
    while level:
        below: list[str] = []
        for folder in level:
            cancel.check()
            enter(folder)
            before = f"{folder}/" if folder else ""
            try:
                with os.scandir(gate.top / folder) as entries:
                    listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            except OSError:
                continue
            for name, is_folder in listed:
                if is_folder:
                    below.append(before + name)
                else:
                    yield before + name
        level = kept(gate, below, wanted)


def closed_above(gate: Gate, path: str) -> bool:
    """Whether a folder above `path` is left out, so that the file itself need not be spoken of."""
    folders = [each for each in _folders_above(path) if len(each) > len(gate.prefix)]
    for folder in folders:
        if gate.refuse_folder(folder, gate.own_rules.verdict(folder, is_folder=True)) is not None:
            return True
        if isinstance(gate.ignores.nested_owner(folder), Reason):
            return True
    return bool(gate.ignores.ignored(folders))


def kept(gate: Gate, folders: list[str], wanted: set[str]) -> list[str]:
    """Return those of the folders (whose parents are kept) that are kept too.

    :param wanted: folders kept for what git tracks in them.
    """
    candidates: list[str] = []
    result: list[str] = []
    for folder in folders:
        refused = gate.refuse_folder(folder, gate.own_rules.verdict(folder, is_folder=True))
        if refused is None:
            nested = gate.ignores.nested_owner(folder)
            if not isinstance(nested, Reason):
                candidates.append(folder)
        elif refused.reason in _FORCEABLE and gate.own_rules.may_force_below(folder):
            result.append(folder)
    ignored = gate.ignores.ignored(candidates)
    return result + [
        folder
        for folder in candidates
        if folder not in ignored or folder in wanted or gate.own_rules.may_force_below(folder)
    ]


def _folders_above(path: str) -> Iterator[str]:
    place = path.find("/")
    while place >= 0:
        yield path[:place]
        place = path.find("/", place + 1)
