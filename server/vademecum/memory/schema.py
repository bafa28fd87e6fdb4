"""The front matter of a memory's file: which keys it has, what each may hold, and what that means.

There is one such place. `record` reads files by it, what an editor is told and offered comes from it (`editing`), and a
test holds the table in docs/files.md to it. What may be chosen comes from the types, so that neither can know more.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from attrs import frozen

from vademecum.memory.types import Category, MemoryStatus, Origin, Provenance, Type

#: Longest title, in characters; a longer one in a file is shown cut.
TITLE_CHARACTERS = 200

#: What a caller or a file may use as an id. Ids that CodeBuddy and people make are shorter and longer than ours.
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,63}")

_OUR_TIME = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z")
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})

E = TypeVar("E", bound=StrEnum)


class Form(StrEnum):
    """What kind of value a key has."""

    TEXT = "text"
    ID = "id"
    CHOICE = "choice"
    """One of the values that are listed."""
    LABEL = "label"
    """One of the values that are listed, or a word of the user's own."""
    FLAG = "flag"
    WORDS = "words"
    REFERENCES = "references"
    TIME = "time"
    MEMORY = "memory"
    """The id of another memory."""


@frozen
class Choice:
    """A value that may be chosen, and what it means."""

    text: str
    meaning: str


@frozen
class Key:
    """A key of the front matter.

    :param meaning: what it is for, in a sentence.
    :param missing: what counts when it is left out.
    :param choices: the values to choose from.
    :param also: what people and other programs call it.
    :param by_hand: whether people write it; Vademecum writes the others.
    """

    name: str
    form: Form
    meaning: str
    missing: str
    choices: tuple[Choice, ...] = ()
    also: tuple[str, ...] = ()
    by_hand: bool = True

    @property
    def is_list(self) -> bool:
        """Whether it holds a list of texts."""
        return self.form in (Form.WORDS, Form.REFERENCES)

    def is_readable(self, text: str) -> bool:
        """Whether a text that is not empty is one of the values that the key may hold."""
        return self.name not in _READERS or _READERS[self.name](text) is not None


# Reading values -------------------------------------------------------------------------------------------------------


def id(text: str) -> str | None:
    """Return the id, None for what cannot be one."""
    return text if ID.fullmatch(text) else None


def category(text: str) -> Category | None:
    """Return the category that a text names, in any case of its letters."""
    return _named(Category, text)


def status(text: str) -> MemoryStatus | None:
    """Return the status that a file may say. `stale` is found out and never said."""
    found = _named(MemoryStatus, text)
    return None if found is MemoryStatus.STALE else found


def provenance(text: str) -> Provenance | None:
    """Return the provenance that a text names."""
    return _named(Provenance, text)


def origin(text: str) -> Origin | None:
    """Return the origin that a text names."""
    return _named(Origin, text)


def flag(text: str) -> bool | None:
    """Return what a text says of yes and no; None when it says neither."""
    word = text.lower()
    return True if word in _YES else False if word in _NO else None


def time(text: str) -> str | None:
    """Return a time that a file gives, in the one form by which times compare as text; None when it is no time."""
    if not text or _OUR_TIME.fullmatch(text):
        return text or None
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return stamp(moment)


def stamp(moment: datetime) -> str:
    """Return a time in UTC as text, to the millisecond: `2026-11-29T22:42:00.000Z`."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _named(kind: type[E], text: str) -> E | None:
    word = text.lower()
    return next((member for member in kind if member.value.lower() == word), None)


_READERS: Mapping[str, Callable[[str], object | None]] = {
    "id": id,
    "category": category,
    "pinned": flag,
    "provenance": provenance,
    "status": status,
    "created": time,
    "updated": time,
    "supersedes": id,
    "origin": origin,
}


# The keys -------------------------------------------------------------------------------------------------------------

_CATEGORIES: Mapping[Category, str] = {
    Category.KNOWLEDGE: "a fact; told to models as something to know",
    Category.RULE: "what is to be done or left; told as something to follow",
    Category.EXPERIENCE: "what was learnt by doing: a fault and its mending, a way that worked",
}
_TYPES: Mapping[Type, str] = {
    Type.USER: "who the user is and what they like",
    Type.FEEDBACK: "what the user said of an answer or of how work is done",
    Type.PROJECT: "decisions, dates and ways of this project that the code does not tell",
    Type.REFERENCE: "where something is to be found",
}
_PROVENANCES: Mapping[Provenance, str] = {
    Provenance.MANUAL: "somebody asked for it",
    Provenance.AUTO: "it was captured from a conversation",
}
_STATUSES: Mapping[MemoryStatus, str] = {
    MemoryStatus.PENDING: "it waits for your review and is told to nobody; without this line it is accepted",
    MemoryStatus.SUPERSEDED: "another memory replaced it; it is told to nobody",
}
_ORIGINS: Mapping[Origin, str] = {
    Origin.REPOSITORY: "the text came with a repository and was moved here; it is told as somebody else's word",
}
_FLAGS = (Choice("true", "before others in the prompt"), Choice("false", "as any other"))


def _choices(meanings: Mapping[E, str]) -> tuple[Choice, ...]:
    return tuple(Choice(member.value, meaning) for member, meaning in meanings.items())


KEYS: tuple[Key, ...] = (
    Key(
        "id",
        Form.ID,
        "What the memory is known by: letters, digits, `-` and `_`; 2 to 64. No two memories have the same.",
        "made from place and file name, and written at the first change",
        by_hand=False,
    ),
    Key(
        "title", Form.TEXT, "One line, 200 characters at most.", "the first heading, else the file name", (), ("name",)
    ),
    Key("category", Form.CHOICE, "How the memory is to be used.", "`Knowledge`", _choices(_CATEGORIES), ("kind",)),
    Key("type", Form.LABEL, "What it is about, or a label of your own.", "`reference`", _choices(_TYPES)),
    Key(
        "description",
        Form.TEXT,
        "One line that stands for a long memory where there is no room for all of it.",
        "made from the content",
        (),
        ("summary",),
    ),
    Key(
        "keywords",
        Form.WORDS,
        "Words that it is found by besides those in its text: a list, or a text with commas.",
        "none",
        (),
        ("tags",),
    ),
    Key("pinned", Form.FLAG, "Whether it comes before others.", "`false`", _FLAGS),
    Key(
        "provenance",
        Form.CHOICE,
        "Whether somebody asked for it.",
        "`manual`",
        _choices(_PROVENANCES),
        by_hand=False,
    ),
    Key("status", Form.CHOICE, "Whether it is told.", "active", _choices(_STATUSES)),
    Key(
        "created",
        Form.TIME,
        "When it was made, as ISO 8601 (`2026-11-29T22:42:00Z`, `2026-11-29`).",
        "the file's time",
        (),
        ("date",),
        by_hand=False,
    ),
    Key(
        "updated",
        Form.TIME,
        "When it was last changed, as ISO 8601 (`2026-11-29T22:42:00Z`, `2026-11-29`).",
        "the file's time",
        (),
        ("modified",),
        by_hand=False,
    ),
    Key(
        "evidence",
        Form.REFERENCES,
        "References to the lines of code that it rests on, `path:start-end@hash`. Whether they hold is found out "
        "whenever the memory is shown, and never written.",
        "none",
        (),
        ("references",),
    ),
    Key("supersedes", Form.MEMORY, "The id of the memory that this one replaced, or will when accepted.", "none"),
    Key(
        "origin",
        Form.CHOICE,
        "Whose text it is.",
        "yours",
        _choices(_ORIGINS),
        by_hand=False,
    ),
)

BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}
