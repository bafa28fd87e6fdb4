"""What a conversation may keep, and the checks that name the field which holds too much."""

import re
from datetime import UTC, datetime

from vademecum.errors import InvalidField

#: Longest session tag and longest key of a value, in characters.
SESSION_CHARACTERS = 200
KEY_CHARACTERS = 200

#: How long a value lives after its last use, in seconds: half an hour, as in CodeBuddy. A caller may say less or more
#: for a value, up to a day.
LIFE_SECONDS = 1_800
LONGEST_LIFE_SECONDS = 86_400

#: Values of one session, and the bytes of JSON in one value, one session and all sessions of the server.
SESSION_VALUES = 256
VALUE_BYTES = 256 * 1024
SESSION_BYTES = 1024 * 1024
ALL_BYTES = 16 * 1024 * 1024
#: Sessions that have values at the same time.
SESSIONS = 64
#: Arrays and objects within each other in one value. Deeper ones exhaust the stack of many a program that reads them.
DEPTH = 64

#: Entries that one request may append to a history, and the bytes of UTF-8 in one and in all of them.
APPENDED_ENTRIES = 200
ENTRY_BYTES = 256 * 1024
APPENDED_BYTES = 4 * 1024 * 1024
#: Bytes of UTF-8 that the histories of one workspace may hold; the oldest entries go first.
HISTORY_BYTES = 64 * 1024 * 1024
#: Entries of one page.
PAGE_ENTRIES = 500
#: Where a page may begin; past any history, and still a number that the database can hold.
LARGEST_OFFSET = 1_000_000_000

_TIME_CHARACTERS = 40


def session(text: str) -> str:
    """Return the tag of a session, which is any text that a caller made up."""
    return _name("session", text, SESSION_CHARACTERS)


def key(text: str) -> str:
    """Return the key of a value, which may be any text too."""
    return _name("key", text, KEY_CHARACTERS)


def life(seconds: int | None) -> int:
    """Return how long a value is to live after its last use."""
    if seconds is None:
        return LIFE_SECONDS
    if not 1 <= seconds <= LONGEST_LIFE_SECONDS:
        raise InvalidField("ttl", f"must be between 1 and {LONGEST_LIFE_SECONDS:,} seconds")
    return seconds


def moment(field: str, text: str) -> str:
    """Return a time as the history holds it: ISO 8601 in UTC, to the millisecond."""
    wrong = InvalidField(field, "must be a time such as 2026-11-29T22:42:00Z, with its offset from UTC")
    # What `fromisoformat` takes for a time is wider than the extended form, which every other reader knows.
    if len(text) > _TIME_CHARACTERS or not re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text):
        raise wrong
    try:
        given = datetime.fromisoformat(text)
        if given.tzinfo is None:
            raise wrong
        return stamp(given)
    except (ValueError, OverflowError):
        raise wrong from None


def stamp(time: datetime) -> str:
    """Return a time in UTC as text that sorts by time: `2026-11-29T22:42:00.000Z`."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _name(field: str, text: str, most: int) -> str:
    if not text.strip() or len(text) > most:
        raise InvalidField(field, f"must hold text, of {most} characters at most")
    return text
