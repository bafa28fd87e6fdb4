"""What callers give, made fit to be stored or refused with the field's name. Secrets are refused, never shown."""

import re
import unicodedata
from collections.abc import Sequence

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory.record import Record
from vademecum.memory.schema import TITLE_CHARACTERS
from vademecum.memory.types import Scope, Type

#: Limits of the protocol (docs/protocol.md). KiB count bytes of UTF-8, everything else counts code points.
CONTENT_BYTES = 64 * 1024
NOTE_BYTES = 8 * 1024
DESCRIPTION_CHARACTERS = 1_000
KEYWORDS = 32
KEYWORD_CHARACTERS = 100
QUERY_CHARACTERS = 1_000
SESSION_CHARACTERS = 200

#: A label as YottaCode has it, in any script.
_TYPE_CHARACTERS = 32


#: In source a key's header alone may be a constant; in a memory it is the beginning of something pasted.
_KEY_HEADER = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY")


def title(text: str) -> str:
    """Return a title in one line: line breaks and tabs become spaces, other control characters go."""
    line = _line("title", text)
    if not line:
        raise InvalidField("title", "must hold text")
    if len(line) > TITLE_CHARACTERS:
        raise InvalidField("title", f"may hold {TITLE_CHARACTERS} characters, not {len(line):,}")
    return line


def content(text: str, field: str = "content", limit: int = CONTENT_BYTES) -> str:
    """Return a content with LF line ends and without blank lines around it."""
    size = _bytes(field, text)
    if size > limit:
        raise InvalidField(field, f"may hold {limit // 1024} KiB of text ({limit:,} bytes), not {size:,} bytes")
    lines = re.sub(r"\r\n?", "\n", text).rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    if not any(line.strip() for line in lines):
        raise InvalidField(field, "must hold text")
    return "\n".join(lines)


def note(text: str) -> str:
    """Return a note as content."""
    return content(text, "note", NOTE_BYTES)


def description(text: str) -> str:
    """Return a description in one line; an empty one is none."""
    line = _line("description", text)
    if len(line) > DESCRIPTION_CHARACTERS:
        raise InvalidField("description", f"may hold {DESCRIPTION_CHARACTERS:,} characters, not {len(line):,}")
    return line


def type_label(text: str | None, scope: Scope) -> str:
    """Return the label in its one form (`Code Style` is `code-style`); without one, what the scope suggests."""
    if not text:
        return (Type.USER if scope is Scope.USER else Type.PROJECT).value
    label = re.sub(r"[\s_-]+", "-", _line("type", text).lower()).strip("-")
    if not label or len(label) > _TYPE_CHARACTERS or not re.fullmatch(r"[\w-]+", label):
        raise InvalidField("type", f"may be a word of letters, digits and hyphens, of {_TYPE_CHARACTERS} at most")
    return label


def keywords(given: Sequence[str]) -> tuple[str, ...]:
    """Return the keywords without repeats, each in one line."""
    if len(given) > KEYWORDS:
        raise InvalidField("keywords", f"may hold {KEYWORDS} keywords, not {len(given):,}")
    kept: dict[str, str] = {}
    for word in given:
        line = _line("keywords", word)
        if not line or len(line) > KEYWORD_CHARACTERS or "|" in line or "," in line:
            raise InvalidField(
                "keywords", f"must each hold text, of {KEYWORD_CHARACTERS} characters at most, without '|' and ','"
            )
        kept.setdefault(line.casefold(), line)
    return tuple(kept.values())


def query(text: str | None) -> str:
    """Return the query without space around it; any characters may be in it."""
    if text is None:
        return ""
    if len(text) > QUERY_CHARACTERS:
        raise InvalidField("query", f"may hold {QUERY_CHARACTERS:,} characters, not {len(text):,}")
    return text.strip()


def session(text: str) -> str:
    """Return the session tag, which is any text that a caller made up."""
    if not text.strip() or len(text) > SESSION_CHARACTERS:
        raise InvalidField("session", f"must hold text, of {SESSION_CHARACTERS} characters at most")
    return text


def no_secrets(**fields: str | Sequence[str]) -> None:
    """Refuse texts that hold a password, key or token.

    :raises VademecumError: `secret`, naming field and rule, never the value.
    """
    from vademecum.files.secrets import find

    for field, value in fields.items():
        for text in (value,) if isinstance(value, str) else value:
            found = [finding.rule for form in _forms(text) for finding in find(form)]
            if not found and any(map(_KEY_HEADER.search, _forms(text))):
                found = ["private key"]
            if found:
                rules = ", ".join(sorted(set(found)))
                raise VademecumError(
                    ErrorKind.SECRET,
                    f"The {field} looks as if it held a secret ({rules}). Memories are plain files and are told to "
                    "models, so leave it out and say where it is kept instead.",
                    field=field,
                    rule=found[0],
                )


def no_secrets_in(record: Record) -> None:
    """Refuse a record of which any text holds a password, key or token.

    :raises VademecumError: `secret`, naming field and rule, never the value.
    """
    no_secrets(
        title=record.title,
        content=record.content,
        type=record.type,
        description=record.description,
        keywords=record.keywords,
        evidence=record.evidence,
    )


def _forms(text: str) -> tuple[str, ...]:
    """The text, and what a reader makes of it: in the prompt invisible characters go, and full width is plain."""
    if text.isascii():
        return (text,)
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return (text, unicodedata.normalize("NFKC", visible))


def _line(field: str, text: str) -> str:
    _bytes(field, text)
    visible = (" " if char.isspace() else char for char in text if char.isspace() or not _is_control(char))
    return " ".join("".join(visible).split())


def _is_control(char: str) -> bool:
    """Controls, marks that reorder text, and invisible tags; not the joiners that emoji and Persian need."""
    return (
        unicodedata.category(char) == "Cc"
        or char in "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e"
        or ("\u2066" <= char <= "\u2069" or "\U000e0000" <= char <= "\U000e007f")
    )


def _bytes(field: str, text: str) -> int:
    if "\0" in text:
        raise InvalidField(field, "must be text, without NUL")
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidField(field, "holds half a surrogate pair, which is no character") from None
