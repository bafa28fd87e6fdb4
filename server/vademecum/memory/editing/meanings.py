"""What the word at the cursor means in a memory's file: keys and values in its head, other memories in its body."""

from attrs import frozen

from vademecum.memory.editing.layout import lay_out
from vademecum.memory.editing.mentions import mention
from vademecum.memory.editing.types import Neighbour, Subject
from vademecum.memory.schema import BY_NAME, Form, Key


@frozen
class Meaning:
    """What is said of the text from `start` to `end`, as Markdown.

    :param memory: the other memory that is meant, which can be gone to.
    """

    start: int
    end: int
    text: str
    memory: Neighbour | None = None


def meaning(text: str, place: int, subject: Subject) -> Meaning | None:
    """Return what is meant at a place of the text; None where there is nothing to say."""
    layout = lay_out(text)
    if place >= layout.body:
        found = mention(text, layout.body, place, subject)
        if found is None:
            return None
        told = f"A {found.memory.scope} memory: {_escaped(found.memory.title)}"
        return Meaning(found.start, found.end, told, found.memory)
    at = place - layout.start
    for entry in layout.entries or ():
        key = BY_NAME.get(entry.key)
        if key is None:
            continue
        if entry.start <= at <= entry.end:
            return Meaning(layout.start + entry.start, layout.start + entry.end, about_key(key))
        if entry.value_start <= at <= entry.value_end and isinstance(entry.value, str):
            told, memory = _about_value(key, entry.value.strip(), subject)
            if told:
                return Meaning(layout.start + entry.value_start, layout.start + entry.value_end, told, memory)
    return None


def about_key(key: Key) -> str:
    """Return what a key is for and what it may hold."""
    parts = [f"**{key.name}**: {key.meaning}"]
    if key.choices:
        parts.append("\n".join(f"- `{choice.text}`: {choice.meaning}" for choice in key.choices))
    parts.append(f"When it is missing: {key.missing}.")
    if not key.by_hand:
        parts.append("Vademecum writes it.")
    return "\n\n".join(parts)


def _about_value(key: Key, value: str, subject: Subject) -> tuple[str, Neighbour | None]:
    for choice in key.choices:
        if choice.text.lower() == value.lower():
            return f"**{choice.text}**: {choice.meaning}", None
    if key.form is Form.LABEL and value:
        return "A label of your own.", None
    if key.form in (Form.MEMORY, Form.ID) and value:
        # An id of this file's own that another memory has means that other one.
        among = subject.neighbours or () if key.form is Form.MEMORY else subject.others
        found = next((each for each in among if each.id == value), None)
        if found is not None:
            return f"The id of a {found.scope} memory: {_escaped(found.title)}", found
    return "", None


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>#|~" else character for character in text)
