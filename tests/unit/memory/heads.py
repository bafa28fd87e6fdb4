"""Files of memories as somebody edits them by hand, and what is done with what is found."""

from pathlib import Path

from vademecum.memory.editing.faults import faults
from vademecum.memory.editing.offers import Offer
from vademecum.memory.editing.types import Fault, Fix, Neighbour, Subject
from vademecum.memory.types import Scope

NOW = "2026-11-30T10:00:00.000Z"
REFERENCE = "src/a.py:1-2@3f9a2c1b7d4e8a90"
TOKEN = "ghp_" + "0123456789abcdefghij" * 2

OTHER = Neighbour(
    "7k2m9p4x1qd80", "Use pnpm", "code-style", ("pnpm", "npm install", "a: b"), Scope.USER, Path("/h/memory/a.md")
)


def subject(name: str = "b.md", *neighbours: Neighbour, known: bool = True) -> Subject:
    return Subject(Path("/h/memory") / name, Scope.USER, (neighbours or (OTHER,)) if known else None, NOW)


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def taken(text: str, offer: Offer) -> str:
    return text[: offer.edit.start] + offer.edit.text + text[offer.edit.end :]


def found(text: str, about: Subject | None = None) -> list[tuple[str, str]]:
    """Each fault, with the text that it is about."""
    return [(each.kind.value, text[each.start : each.end]) for each in faults(text, about or subject())]


def one(text: str, about: Subject | None = None) -> Fault:
    (only,) = faults(text, about or subject())
    return only


def head(*lines: str, body: str = "# T\n") -> str:
    return "\n".join(("---", *lines, "---", body))
