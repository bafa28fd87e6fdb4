"""What is amiss with a memory's file as it stands in the editor, by the rules that it is read by."""

import re
from collections.abc import Iterator

from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.frontmatter import Entry
from vademecum.memory import checks
from vademecum.memory.access import LARGEST_FILE
from vademecum.memory.editing import ways
from vademecum.memory.editing.layout import Layout, lay_out
from vademecum.memory.editing.names import nearest, short_id_in
from vademecum.memory.editing.types import Fault, FaultKind, Fix, Subject
from vademecum.memory.folder_store import SHORT_ID
from vademecum.memory.record import GENERATED_MARK, listed, parse
from vademecum.memory.schema import BY_NAME, Form, Key
from vademecum.memory.types import MemoryStatus

# What a YAML reader says, and what a person makes of it.
_IN_PLAIN_WORDS = (
    ("mapping values are not allowed", "a value that holds a colon and a blank must be in quotes"),
    ("could not find expected ':'", "this line has no `:`"),
    ("found unexpected end of stream", "what begins here is never ended"),
    ("cannot start any token", "a value that begins like this must be in quotes"),
    ("found undefined alias", "a value that begins with `*` must be in quotes"),
)


def faults(text: str, subject: Subject) -> tuple[Fault, ...]:
    """Return what is amiss, in the order of the text."""
    found = list(_as_a_file(text))
    if not found:
        layout = lay_out(text)
        found += _form(layout)
        found += _secrets(layout)
        if not text.removeprefix("\ufeff").startswith(GENERATED_MARK):
            found += _keys(layout, subject)
    return tuple(sorted(found, key=lambda fault: (fault.start, fault.end)))


def is_generated(text: str) -> bool:
    """Whether the text is one of our own making rather than a memory."""
    return text.removeprefix("\ufeff").startswith(GENERATED_MARK)


def edited_table(text: str) -> Fault:
    """Return what is told of a table of contents that is not as it was written."""
    end = re.search(r"[\r\n]|\Z", text)
    assert end is not None  # every text has an end
    return Fault(
        FaultKind.GENERATED,
        0,
        max(end.start(), 1) if text else 0,
        "Vademecum writes this table of contents anew after every change, so what is changed here is lost. Change the "
        "memories' own files instead.",
    )


def _as_a_file(text: str) -> Iterator[Fault]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if "\0" in text:
        place = text.index("\0")
        yield Fault(FaultKind.LEFT_ALONE, place, place + 1, "A file that holds NUL is no text, so it is left alone.")
    elif size > LARGEST_FILE:
        about = f"A file larger than {LARGEST_FILE:,} bytes is left alone; this one has {size:,}."
        yield Fault(FaultKind.LEFT_ALONE, 0, _line_end(text, 0), about)


def _form(layout: Layout) -> Iterator[Fault]:
    """The front matter as YAML."""
    if layout.has_head and not layout.is_closed:
        start = layout.start - _opening(layout)
        yield Fault(
            FaultKind.SYNTAX,
            start,
            _line_end(layout.text, start),
            "The front matter is not ended, so it counts as text. Put `---` on a line of its own after it.",
            (ways.close(layout),),
        )
    broken = layout.broken
    if broken is not None:
        place = layout.start + (broken.place if broken.place is not None else 0)
        place = min(max(place, layout.start), layout.end)
        end = max(_line_end(layout.text, place), min(place + 1, len(layout.text)))
        about = next((told for part, told in _IN_PLAIN_WORDS if part in str(broken)), str(broken).partition(": ")[2])
        about = f"The front matter cannot be read as YAML: {about or broken}."
        yield Fault(FaultKind.SYNTAX, place, end, about, ways.quote(layout, place))
    seen: set[str] = set()
    for entry in layout.entries or ():
        if entry.key in seen:
            about = f"The key `{entry.key[:60]}` is there twice."
            way = ways.remove(layout, entry, "Remove this one")
            yield _at(layout, entry, FaultKind.DUPLICATE_KEY, about, way)
        seen.add(entry.key)


def _secrets(layout: Layout) -> Iterator[Fault]:
    """By the text as it stands; what only shows once it is read (in full width, say) is told of the whole."""
    from vademecum.files.secrets import find

    found = find(layout.text)
    about = (
        "This looks like a secret ({}). Memories are plain files and are told to models: leave it out, and say where "
        "it is kept instead."
    )
    for each in found:
        way = ways.take_out(layout, each.start, each.end, each.rule)
        yield Fault(FaultKind.SECRET, each.start, each.end, about.format(each.rule), (way,))
    if found:
        return
    try:
        checks.no_secrets_in(parse(layout.text.encode("utf-8", "replace"), ""))
    except VademecumError as error:
        if error.kind is ErrorKind.SECRET:
            field = next((entry for entry in layout.entries or () if entry.key == error.data["field"]), None)
            rule = str(error.data["rule"])
            if field is not None:
                yield _at(layout, field, FaultKind.SECRET, about.format(rule), value=True)
            else:
                start = _text_start(layout)
                yield Fault(FaultKind.SECRET, start, _line_end(layout.text, start), about.format(rule))


def _keys(layout: Layout, subject: Subject) -> Iterator[Fault]:
    """The keys and their values; of a head that is no YAML nothing is said beyond that."""
    entries = layout.entries
    if entries is None or (layout.has_head and not layout.is_closed):
        return
    present = {entry.key for entry in entries}
    for entry in entries:
        key = BY_NAME.get(entry.key)
        if key is None:
            yield from _unknown(layout, entry, present)
        elif entry.value is None or (isinstance(entry.value, tuple) and not key.is_list):
            yield _wrong_type(layout, entry, key)
        else:
            yield from _value(layout, entry, key, subject)
    yield from _content(layout)
    yield from _title(layout, subject)


def _unknown(layout: Layout, entry: Entry, present: set[str]) -> Iterator[Fault]:
    remove = ways.remove(layout, entry, f"Remove `{entry.key[:60]}`")
    near = nearest(entry.key)
    if near is None:
        about = f"`{entry.key[:60]}` is no key of a memory. It stays, and nothing reads it."
        yield _at(layout, entry, FaultKind.UNKNOWN_KEY, about, remove)
        return
    also = " It is there already." if near in present else ""
    about = f"`{entry.key[:60]}` is no key of a memory, so nothing reads it. `{near}` is.{also}"
    rename = () if near in present else (ways.rename(layout, entry, near),)
    yield _at(layout, entry, FaultKind.MISSPELT_KEY, about, *rename, remove)


def _wrong_type(layout: Layout, entry: Entry, key: Key) -> Fault:
    wants = "a list of texts" if key.is_list else "a text in one line"
    about = f"`{key.name}` holds {wants}; what stands here counts as left out."
    made = ways.as_text(layout, entry, key) if not key.is_list else ()
    remove = ways.remove(layout, entry, f"Remove `{key.name}`")
    return _at(layout, entry, FaultKind.WRONG_TYPE, about, *made, remove, value=True)


def _value(layout: Layout, entry: Entry, key: Key, subject: Subject) -> Iterator[Fault]:
    text = entry.value.strip() if isinstance(entry.value, str) else ""
    if isinstance(entry.value, str) and not text:
        return  # as if the key were not there; somebody may be about to write it
    remove = ways.remove(layout, entry, f"Remove `{key.name}`")
    if key.is_list:
        yield from _items(layout, entry, key)
    elif not key.is_readable(text):
        about = f"{_wanted(key)} Until then it counts as left out: {key.missing}."
        yield _at(
            layout, entry, FaultKind.BAD_VALUE, about, *ways.values(layout, entry, key, subject), remove, value=True
        )
    elif key.form is Form.ID:
        yield from _identity(layout, entry, text, subject)
    elif key.form is Form.MEMORY:
        yield from _replaced(layout, entry, text, subject)
    else:
        yield from _limits(layout, entry, key, text, subject)


def _wanted(key: Key) -> str:
    match key.form:
        case Form.CHOICE | Form.FLAG:
            texts = " or ".join(f"`{choice.text}`" for choice in key.choices)
            return f"`{key.name}` may be {texts}."
        case Form.TIME:
            return f"`{key.name}` is a time in ISO 8601, such as `2026-11-29` or `2026-11-29T22:42:00Z`."
        case _:
            return f"`{key.name}` is an id: letters, digits, `-` and `_`; 2 to 64 of them."


def _items(layout: Layout, entry: Entry, key: Key) -> Iterator[Fault]:
    values = entry.value if isinstance(entry.value, tuple) else listed(entry.value, None)
    places = entry.items if isinstance(entry.value, tuple) else ((entry.value_start, entry.value_end),)
    if key.form is Form.REFERENCES:
        from vademecum.evidence import reference

        for value, place in zip(values, places, strict=True):
            if not value.strip():
                continue
            try:
                reference.parse(" ".join(value.split()))
            except VademecumError as error:
                way = ways.drop_item(layout, entry, place)
                yield Fault(
                    FaultKind.BAD_VALUE, *_spot(layout, *place), f"{error.message} Nobody can verify it.", (way,)
                )
        return
    words = listed(entry.value)
    try:
        checks.keywords(words)
    except InvalidField as error:
        yield _at(layout, entry, FaultKind.TOO_LONG, f"`keywords` {error.message}.", value=True)


def _limits(layout: Layout, entry: Entry, key: Key, text: str, subject: Subject) -> Iterator[Fault]:
    way: tuple[Fix, ...] = ()
    kind = FaultKind.TOO_LONG
    try:
        if key.name == "title":
            checks.title(text)
        elif key.name == "description":
            checks.description(text)
        elif key.name == "type":
            checks.type_label(text, subject.scope)
            usual = [choice.text for choice in key.choices]
            near = nearest(text, usual)
            if near is not None and near != text.lower():
                about = f"`{text}` is a label of your own. The usual one is `{near}`."
                way = (ways.value(layout, entry, near),)
                yield _at(layout, entry, FaultKind.OTHER_LABEL, about, *way, value=True)
    except InvalidField as error:
        yield _at(layout, entry, kind, f"`{error.field}` {error.message}.", *way, value=True)


def _identity(layout: Layout, entry: Entry, id: str, subject: Subject) -> Iterator[Fault]:
    new = ways.new_identity(layout, entry)
    other = next((each for each in subject.others if id in (each.id, each.written)), None)
    if other is not None:
        about = f"{other.title!r} has this id, too, so one of the two is known by another one. Give the copy its own."
        yield _at(layout, entry, FaultKind.DOUBLED_ID, about, *new, value=True)
        return
    named = short_id_in(subject.file.stem)
    if named is not None and id[:SHORT_ID] not in subject.file.stem:
        about = f"The file's name ends in the beginning of another id, `{named}`: is this a copy of another memory?"
        yield _at(layout, entry, FaultKind.OTHER_NAME, about, *new, value=True)


def _replaced(layout: Layout, entry: Entry, id: str, subject: Subject) -> Iterator[Fault]:
    remove = ways.remove(layout, entry, "Remove `supersedes`")
    values = {each.key: each.value for each in layout.entries or ()}
    if values.get("id") == id:
        yield _at(layout, entry, FaultKind.BAD_VALUE, "A memory cannot replace itself.", remove, value=True)
        return
    is_known = subject.neighbours is None or any(each.id == id for each in subject.neighbours)
    # Of one that was accepted the former memory may be long gone.
    if not is_known and values.get("status") == MemoryStatus.PENDING.value:
        about = "There is no memory of this id, so accepting this one will replace nothing."
        yield _at(layout, entry, FaultKind.UNKNOWN_MEMORY, about, remove, value=True)


def _content(layout: Layout) -> Iterator[Fault]:
    body = layout.text[layout.body :]
    if len(body) * 4 <= checks.CONTENT_BYTES:
        return
    try:
        checks.content(body.encode("utf-8", "replace").decode("utf-8"))
    except InvalidField as error:
        start = _text_start(layout)
        yield Fault(FaultKind.TOO_LONG, start, _line_end(layout.text, start), f"The text {error.message}.")


def _title(layout: Layout, subject: Subject) -> Iterator[Fault]:
    if any((entry.key == "title" and entry.value) or _is_title(entry) for entry in layout.entries or ()):
        return
    record = parse(layout.text.encode("utf-8", "replace"), "")
    if record.title != parse(b"", "").title:
        return  # a heading gives it
    from_name = parse(b"", subject.file.stem).title
    about = f"It has neither a `title` nor a heading, so it is shown under the name of its file: {from_name}."
    titled = next((entry for entry in layout.entries or () if entry.key == "title"), None)
    if titled is not None:
        yield _at(layout, titled, FaultKind.NO_TITLE, about, ways.value(layout, titled, from_name))
        return
    start = layout.start - _opening(layout) if layout.has_head else _text_start(layout)
    end = _line_end(layout.text, start)
    yield Fault(FaultKind.NO_TITLE, start, end, about, ways.add(layout, "title", from_name))


def _is_title(entry: Entry) -> bool:
    """Whether it is a title whose key is misspelt, which is told already."""
    return entry.key not in BY_NAME and nearest(entry.key) == "title"


def _at(layout: Layout, entry: Entry, kind: FaultKind, message: str, *fixes: Fix, value: bool = False) -> Fault:
    span = (entry.value_start, entry.value_end) if value and entry.value_end > entry.value_start else None
    return Fault(kind, *_spot(layout, *(span or (entry.start, entry.end))), message, fixes)


def _spot(layout: Layout, start: int, end: int) -> tuple[int, int]:
    return layout.start + start, layout.start + end


def _opening(layout: Layout) -> int:
    """How many characters the opening line takes."""
    return layout.start - (1 if layout.text.startswith("\ufeff") else 0)


def _text_start(layout: Layout) -> int:
    """Where the first line of the body that says something begins; where the text begins, if none does."""
    found = re.compile(r"[ \t]*\S").search(layout.text, layout.body)
    return found.start() if found else 0


def _line_end(text: str, place: int) -> int:
    found = re.compile(r"[\r\n]|\Z").search(text, place)
    assert found is not None
    return found.start()
