"""What a user can set about memory. The values come from `vademecum.settings`; here they are named and bounded."""

from enum import StrEnum

from attrs import frozen


class Format(StrEnum):
    """In which form a new memory is written. Both forms are always read, so that switching hides nothing."""

    MARKDOWN = "markdown"
    JSON = "json"


class ProjectPlace(StrEnum):
    """Where new memories of project scope go."""

    PRIVATE = "private"
    SHARED = "shared"


@frozen
class MemorySettings:
    """The `memory` section of the settings.

    `prompt_entries` and `prompt_characters` bound the prompt block; `charter_characters` bounds what the charters
    (`USER.md`, `PROJECT.md`) add to it; `change_characters` bounds one answer of `memory/changes`. All are counted in
    Unicode code points of the final text.
    """

    enabled: bool = True
    format: Format = Format.MARKDOWN
    project: ProjectPlace = ProjectPlace.PRIVATE
    prompt_entries: int = 32
    prompt_characters: int = 12_000
    charter_characters: int = 24_000
    change_characters: int = 4_000
    leave_out_stale: bool = False
