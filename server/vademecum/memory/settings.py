"""What a user can set about memory. The values come from `vademecum.settings`; here they are named and bounded."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from attrs import field, frozen


class Format(StrEnum):
    """In which form a new memory is written. Both forms are always read, so that switching hides nothing."""

    MARKDOWN = "markdown"
    """A Markdown file for each memory, to be read, edited and versioned."""
    JSON = "json"
    """One JSON file for each scope, in CodeBuddy's form."""


class ProjectPlace(StrEnum):
    """Where new memories of project scope go."""

    PRIVATE = "private"
    """Into your home, where git has no hand in them."""
    SHARED = "shared"
    """Into the repository's `.vademecum`, and with git to others."""


class Capture(StrEnum):
    """What becomes of memories that are found in conversations unasked."""

    OFF = "off"
    """Nothing is looked for."""
    REVIEW = "review"
    """They wait until you accept or reject them."""
    ON = "on"
    """They are kept at once."""


class RecallModel(StrEnum):
    """Who chooses the memories that fit a message."""

    OFF = "off"
    """The ranking by words and meaning alone: at once, and nothing leaves this machine."""
    AUTO = "auto"
    """The language model that the editor lends, for messages where the ranking is in doubt."""


def _between(low: float, high: float) -> Callable[[Any, Any, Any], None]:
    def check(_instance: Any, _attribute: Any, value: float) -> None:
        if not low <= value <= high:
            raise ValueError(f"must be between {low:,} and {high:,}")

    return check


@frozen
class MemorySettings:
    """The `memory` section of the settings. Characters are Unicode code points of the final text.

    A value that cannot be used raises ValueError.
    """

    enabled: bool = True
    """Off means off: nothing is loaded, written, injected or offered as a tool."""

    format: Format = Format.MARKDOWN
    """The form in which a new memory is written; both are always read. `json` is CodeBuddy's file."""

    project: ProjectPlace = ProjectPlace.PRIVATE
    """Where new project memories go: into your home (`private`), or into the repository's `.vademecum` (`shared`)."""

    prompt_entries: int = field(default=32, validator=_between(0, 200))
    """Memories that a prompt block holds in full, at most."""

    prompt_characters: int = field(default=12_000, validator=_between(0, 200_000))
    """Length of a prompt block, charters aside, at most."""

    charter_characters: int = field(default=24_000, validator=_between(0, 200_000))
    """What the charters (`USER.md`, `PROJECT.md`) may add to a prompt block; a longer one is cut at a heading."""

    change_characters: int = field(default=4_000, validator=_between(200, 200_000))
    """Length of what one answer of `memory/changes` tells, at most."""

    capture: Capture = Capture.REVIEW
    """Whether conversations are looked through for what is worth keeping, where the editor lends a language model:
    `review` has what is found wait for your word, `on` keeps it at once."""

    recall_top_k: int = field(default=5, validator=_between(1, 5))
    """Memories that one recall gives, at most."""

    recall_min_score: float = field(default=0.5, validator=_between(0, 1))
    """Score that the best memory must reach for any to be recalled; those beside it need six tenths of that. Lower
    finds more, and more that does not fit."""

    recall_model: RecallModel = RecallModel.OFF
    """Whether the language model that the editor lends may choose what is recalled: `auto` asks it where the ranking is
    in doubt, with the message and the titles and descriptions of up to 200 memories; four seconds at most."""

    leave_out_stale: bool = False
    """Leave out memories whose evidence no longer holds, rather than marking them."""
