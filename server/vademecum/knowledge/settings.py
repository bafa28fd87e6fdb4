"""What a user can set about the knowledge base. The values come from `vademecum.settings`."""

from pathlib import Path
from typing import Any

from attrs import field, frozen

from vademecum.embedding.settings import USERS_ALONE


def _folder(_instance: Any, _attribute: Any, value: str) -> None:
    if value and not Path(value).is_absolute():
        raise ValueError("must be the full path of a folder, or empty")


def _names_a_folder(value: str) -> bool:
    """A repository that could name a folder could have its own documents taken for the team's."""
    return bool(value)


@frozen
class KnowledgeSettings:
    """The `knowledge` section of the settings. A value that cannot be used raises ValueError."""

    shared: str = field(default="", validator=_folder, metadata={USERS_ALONE: _names_a_folder})
    """Full path of a folder with system documents, which a team shares: a checkout or a network drive. Whoever can
    write it can import and publish there. Empty: there are none. Taken from `config.toml` and the environment alone,
    since an editor may have it from the repository."""
