"""What may be written at the cursor in the front matter of a memory: keys that are missing, and values that fit."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

from attrs import evolve, frozen

from vademecum.files.plain_yaml import emit, emit_list
from vademecum.memory.editing.layout import Layout, lay_out
from vademecum.memory.editing.types import Edit, Subject
from vademecum.memory.library import new_id
from vademecum.memory.schema import BY_NAME, KEYS, Form, Key

MOST = 500
"""Memories or keywords that are offered at most; the client picks from them as more is typed."""

_WORD = re.compile(r"[\w-]*")
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w-]*)(?P<colon>[ \t]*:)(?P<gap>[ \t]*)")
_COMMENT = re.compile(r"[ \t]#")
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_LISTED = re.compile(r"[ \t]*(?P<text>[^,\[\]{}\"'#|]*)\Z")
_NOTHING_BUT_OPENING = re.compile(r"(\ufeff?---[ \t]*(?:\r\n|\n|\r))\s*\Z")
_CARET = "\0"


class OfferKind(StrEnum):
    """What is offered."""

    KEY = "key"
    VALUE = "value"
    MEMORY = "memory"
    WORD = "word"
    HEAD = "head"


@frozen
class Offer:
    """Something that may be written.

    :param shown: what it is called in the list, and is matched by.
    :param edit: what is written; it is on one line of the text, and the cursor is in it or at its ends.
    :param caret: where in the new text the cursor is best put; None at its end.
    :param more: whether what comes next can be chosen, too.
    """

    kind: OfferKind
    shown: str
    edit: Edit
    detail: str
    meaning: str = ""
    caret: int | None = None
    more: bool = False
    plain: str | None = None
    """What is written instead where the cursor cannot be put into the text."""


@frozen
class Cited:
    """At the cursor a reference to code is written; `quote` is what must stand around it."""

    quote: str


def offers(text: str, place: int, subject: Subject) -> tuple[Offer, ...] | Cited | None:
    """Return what may be written at a place of the text; None outside of the front matter.

    Where a reference to code is written, whoever knows the code offers it.
    """
    layout = _begun(lay_out(text))
    if not layout.has_head:
        return _head(layout, place, subject)
    if not _is_in(layout, place):
        return None
    start, end = _line(text, place)
    found = _KEY.match(text, start, end)
    item = _ITEM.match(text, start, end) if found is None else None
    if item is not None and place >= item.end():
        return _in_item(layout, _owner(text, layout.start, start), item.end(), place, subject)
    if found is None or place < found.end("colon"):
        return tuple(_keys(layout, start, end, place, found, subject)) if _WORD.fullmatch(text, start, place) else ()
    key = BY_NAME.get(found["key"])
    if key is None or _COMMENT.search(text, found.end("colon"), place):
        return ()
    return _values(layout, key, found.end("colon"), place, subject)


def _begun(layout: Layout) -> Layout:
    """A text that holds nothing but the opening line of a front matter is about to have one."""
    found = _NOTHING_BUT_OPENING.match(layout.text)
    if layout.has_head or found is None:
        return layout
    end = len(layout.text)
    return evolve(layout, start=found.end(1), end=end, body=end, has_head=True, entries=())


def _is_in(layout: Layout, place: int) -> bool:
    if not layout.has_head or place < layout.start:
        return False
    return _line(layout.text, place)[0] < layout.end or (not layout.is_closed and place <= layout.end)


def _line(text: str, place: int) -> tuple[int, int]:
    start = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    found = re.compile(r"[\r\n]|\Z").search(text, place)
    assert found is not None  # the end of the text is one
    return start, found.start()


def _head(layout: Layout, place: int, subject: Subject) -> tuple[Offer, ...] | None:
    """A whole front matter, on the first line of a text that has none."""
    start, end = _line(layout.text, place)
    if start > layout.start or layout.text[layout.start : end].strip("-").strip():
        return None
    n = layout.newline
    new = f"---{n}id: {new_id()}{n}title: {_CARET}{n}category: Knowledge{n}created: {subject.now}{n}---{n}"
    edit = Edit(layout.start, end, new.replace(_CARET, ""))
    about = "The lines at the head of a memory that say what it is."
    return (Offer(OfferKind.HEAD, "---", edit, "front matter of a memory", about, new.index(_CARET)),)


# Keys -----------------------------------------------------------------------------------------------------------------


def _keys(
    layout: Layout, start: int, end: int, place: int, found: "re.Match[str] | None", subject: Subject
) -> Iterator[Offer]:
    """The keys that are not there, those first that people write."""
    text = layout.text
    word = _WORD.match(text, place, end)
    assert word is not None  # it matches nothing, too
    after = word.end()
    if found is None and text[after:end].strip():
        return
    here = found["key"] if found else ""
    others = Counter(layout.keys())
    others[here] -= 1
    for key in sorted(KEYS, key=lambda key: not key.by_hand):
        if others[key.name] > 0:
            continue
        if found is not None:  # it has its colon, and may have its value
            new, caret, more = key.name, None, False
        else:
            new, caret, more = _line_of(key, subject)
        edit = Edit(start, after, new)
        plain = f"{key.name}: " if caret is not None else None
        about = f"{key.meaning}\n\nWhen it is missing: {key.missing}."
        detail = "key of a memory" if key.by_hand else "key of a memory that Vademecum writes"
        yield Offer(OfferKind.KEY, key.name, edit, detail, about, caret, more, plain)


def _line_of(key: Key, subject: Subject) -> tuple[str, int | None, bool]:
    """What is written for a key, where the cursor is to go in it, and whether there is something to choose then."""
    match key.form:
        case Form.ID:
            return f"{key.name}: {new_id()}", None, False
        case Form.TIME:
            return f"{key.name}: {subject.now}", None, False
        case Form.WORDS:
            return f"{key.name}: []", len(key.name) + 3, True
        case Form.REFERENCES:
            return f'{key.name}: [""]', len(key.name) + 4, False
        case _:
            return f"{key.name}: ", None, key.form is not Form.TEXT


# Values ---------------------------------------------------------------------------------------------------------------


def _values(layout: Layout, key: Key, start: int, place: int, subject: Subject) -> tuple[Offer, ...] | Cited:
    text = layout.text
    if key.is_list:
        return _in_list(layout, key, start, place, subject)
    written = re.compile(r"[ \t]*").match(text, start, place)
    assert written is not None
    begin = written.end()
    if begin < place and text[begin] in "\"'[{|>&*!":
        return ()  # somebody knows what they do
    gap = "" if begin > start else " "
    rest = re.compile(r"[\w.:+-]*").match(text, place)
    assert rest is not None
    end = rest.end()
    match key.form:
        case Form.CHOICE | Form.LABEL | Form.FLAG:
            told = [(choice.text, choice.meaning) for choice in key.choices]
            if key.form is Form.LABEL:
                known = {choice.text for choice in key.choices}
                own = Counter(each.type for each in subject.others if each.type.lower() not in known)
                told += [(label, "a label of your own") for label, _ in own.most_common(MOST)]
            return tuple(
                Offer(OfferKind.VALUE, value, Edit(begin, end, gap + _emitted(key, value)), meaning, meaning)
                for value, meaning in told
            )
        case Form.TIME:
            day = subject.now[:10]
            times = ((subject.now, "now"), (day, "today"))
            return tuple(Offer(OfferKind.VALUE, t, Edit(begin, end, gap + t), about) for t, about in times)
        case Form.ID:
            return (Offer(OfferKind.VALUE, new := new_id(), Edit(begin, end, gap + new), "a new id"),)
        case Form.MEMORY:
            return tuple(_memories(subject, Edit(begin, end, gap)))
        case _:
            return ()


def _emitted(key: Key, value: str) -> str:
    """Return a value as YAML; those of flags need no quotes, being meant as flags."""
    return value if key.form is Form.FLAG else emit(value)


def _memories(subject: Subject, edit: Edit) -> Iterator[Offer]:
    for each in subject.others[:MOST]:
        new = Edit(edit.start, edit.end, edit.text + emit(each.id))
        shown = f"{each.title} ({each.id})"
        yield Offer(OfferKind.MEMORY, shown, new, f"{each.scope} memory {each.id}")


def _in_list(layout: Layout, key: Key, start: int, place: int, subject: Subject) -> tuple[Offer, ...] | Cited:
    """In a list on the line of its key: `[a, b|`, `a, b|`, or nothing yet."""
    text = layout.text
    before = text[start:place]
    is_bracketed = before.lstrip().startswith("[")
    if key.form is Form.REFERENCES:
        quoted = before.count('"') % 2 or before.count("'") % 2
        return Cited("" if quoted else '"')
    found = _LISTED.search(before)
    if found is None or (is_bracketed and before.count('"') % 2):
        return ()
    begin = place - len(found["text"])
    rest = re.compile(r"[^,\[\]{}\"'#|\s]*").match(text, place)
    assert rest is not None
    is_first = not before.strip()
    gap = " " if is_first and not before else ""
    opened, closed = ("[", "]") if is_first and not text[rest.end() : _line(text, place)[1]].strip() else ("", "")
    made = []
    for word, count in _words(layout, subject):
        new = emit_list((word,))[1:-1]
        if not is_bracketed and not opened and new != word:
            continue  # in a text with commas nothing is in quotes
        edit = Edit(begin, rest.end(), f"{gap}{opened}{new}{closed}")
        made.append(Offer(OfferKind.WORD, word, edit, _used(count)))
    return tuple(made)


def _owner(text: str, head: int, start: int) -> Key | None:
    """The key whose list an item is of, which is on a line of its own above."""
    while start > head:
        start = _line(text, start - 1 - text.endswith("\r\n", 0, start))[0]
        if (found := _KEY.match(text, start)) is not None:
            return BY_NAME.get(found["key"])
        if _ITEM.match(text, start) is None:
            return None
    return None


def _in_item(layout: Layout, key: Key | None, start: int, place: int, subject: Subject) -> tuple[Offer, ...] | Cited:
    """In a list of which each item has a line."""
    text = layout.text
    if key is None or not key.is_list:
        return ()
    quoted = text[start : start + 1] in ("'", '"') and place > start
    if key.form is Form.REFERENCES:
        return Cited("" if quoted else '"')
    end = _line(text, place)[1]
    if quoted or "#" in text[start:end]:
        return ()
    return tuple(
        Offer(OfferKind.WORD, word, Edit(start, end, emit(word)), _used(count))
        for word, count in _words(layout, subject)
    )


def _used(count: int) -> str:
    return "keyword of another memory" if count == 1 else f"keyword of {count} other memories"


def _words(layout: Layout, subject: Subject) -> Iterable[tuple[str, int]]:
    """The keywords of other memories that this one does not have, the commonest first."""
    here = {
        word.casefold() for entry in layout.entries or () if entry.key == "keywords" for word in _texts(entry.value)
    }
    counted = Counter(word for each in subject.others for word in each.keywords)
    return [(word, count) for word, count in counted.most_common() if word.casefold() not in here][:MOST]


def _texts(value: object) -> tuple[str, ...]:
    from vademecum.memory.record import listed

    return listed(value) if isinstance(value, str | tuple) else ()
