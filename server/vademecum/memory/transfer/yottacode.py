"""YottaCode's folders: the user's `memory/` or `memory/user/`, projects' `projects/<slug>/memory/` or
`memory/projects/<slug>/`.

Tables of contents, archives and histories hold nothing of their own. Charters are for the user to copy.
"""

from collections.abc import Iterator

from vademecum.memory.transfer import headed
from vademecum.memory.transfer.types import Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Scope

_INDEX = "MEMORY.md"
_CHARTERS = {"USER.md": "USER.md", "YOTTACODE.md": "PROJECT.md"}


def wants(path: str) -> bool:
    """Whether a file below the named folder holds a memory, or a charter that the user should hear of."""
    *folders, name = path.split("/")
    return name.lower().endswith(".md") and name != _INDEX and not any(part.startswith(".") for part in folders)


def parse(source: SourceText) -> Iterator[Parsed]:
    """Yield the memory that a file is."""
    where = source.path or "text"
    if source.name in _CHARTERS:
        yield Malformed(where, f"it is a charter, told in full; copy it to {_CHARTERS[source.name]} by hand")
        return
    record = headed.read(source)
    if not record.content.strip():
        yield Malformed(where, "it has no text below its head")
        return
    scope, project = _place(source)
    yield Incoming(record, where, scope, project)


def _place(source: SourceText) -> tuple[Scope | None, str]:
    folders = source.folders
    if ".yottacode" in folders:  # what lies above it says nothing
        folders = folders[len(folders) - folders[::-1].index(".yottacode") :]
    if "projects" in folders[:-1]:
        slug = folders[len(folders) - 1 - folders[::-1].index("projects") + 1]
        # Whoever names one project's folder says which one is meant; in the whole store the path says it.
        return Scope.PROJECT, slug if "projects" in source.path.split("/")[:-1] else ""
    return (Scope.USER, "") if "memory" in folders else (None, "")
