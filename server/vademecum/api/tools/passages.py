"""Hits of a search as a model is shown them: each line behind its number, with the reference to cite."""

import re
from collections.abc import Callable, Sequence

from vademecum.api.tools.room import fitted, joined, shortened
from vademecum.api.tools.tool import Outcome
from vademecum.api.types.search import Item, Items
from vademecum.api.types.tool_results import Passage, Passages
from vademecum.quantities import counted
from vademecum.search.types import NoticeKind
from vademecum.workspace import Workspace

PASSAGE_CHARACTERS = 16_000
"""Longest text of one passage."""

_GONE_CHARACTERS = 1_000
"""Room for the names of what changed; `verify_evidence` tells the rest."""

_LEFT_OUT = re.compile(r"^\s*… (\d+) lines?$")
"""A line of an outline that stands for as many lines as it says."""

# That there is no model, or that its vectors are on their way, is how it is, and no news with every answer.
_QUIET = frozenset({NoticeKind.NO_MODEL.value, NoticeKind.VECTORS_PENDING.value})


def whole(folders: Sequence[Workspace]) -> Callable[[Sequence[Item]], Sequence[bool]]:
    """Says which of some items are shown whole by `outcome`: neither left out nor cut for want of room.

    With the snippets that a session holds withheld they take less room, so that these are shown all the same.
    """

    def of(items: Sequence[Item]) -> Sequence[bool]:
        kept, omitted = _fitted(items, folders)
        return [not passage.cut for passage in kept] + [False] * omitted

    return of


def outcome(folders: Sequence[Workspace], answer: Items) -> Outcome[Passages]:
    """An answer of code search, as many of its passages as there is room for."""
    kept, omitted = _fitted(answer.items, folders)
    notices = tuple(notice.message for notice in answer.notices if notice.kind not in _QUIET)
    gone = answer.memory.invalidated if answer.memory is not None else ()
    parts = [_told(passage) for passage in kept] or ["Nothing was found."]
    if gone:
        named, rest = fitted(((one, f"{one.reference} ({one.verdict})") for one in gone), _GONE_CHARACTERS)
        listed = ", ".join(f"{one.reference} ({one.verdict})" for one, _ in named)
        more = f" and of {rest:,} more: verify the session" if rest else ""
        parts.insert(0, f"No longer as it was given; disregard the earlier text of: {listed}{more}")
    parts += [f"Note: {notice}" for notice in notices]
    if omitted:
        parts.append(f"({counted(omitted, 'more passage')} had no room; ask with a smaller limit.)")
    if answer.next_offset is not None:
        parts.append(f"(There is more: offset {answer.next_offset}.)")
    result = Passages(
        items=tuple(kept),
        notices=notices,
        next_offset=answer.next_offset,
        omitted=omitted or None,
        invalidated=gone or None,
    )
    return Outcome(joined(*parts), result)


def _fitted(items: Sequence[Item], folders: Sequence[Workspace]) -> tuple[list[Passage], int]:
    """The passages that there is room for, and how many are left out."""
    passages = [_passage(item, folders) for item in items]
    kept, omitted = fitted((passage, _told(passage)) for passage in passages)
    return [passage for passage, _ in kept], omitted


def _passage(item: Item, folders: Sequence[Workspace]) -> Passage:
    first = item.range.start.line + 1
    text = None if item.snippet is None else numbered(item.snippet, first, outline=bool(item.skeleton))
    return Passage(
        path=item.path,
        start=first,
        end=item.range.end.line + 1,
        reference=item.reference,
        text=None if text is None else shortened(text, PASSAGE_CHARACTERS),
        symbol=" ".join(word for word in (item.kind, item.symbol) if word) or None,
        folder=_folder(item.uri, folders) if len(folders) > 1 else None,
        score=round(item.score, 3),
        stale=item.stale,
        outline=item.skeleton,
        cut=(text is not None and len(text) > PASSAGE_CHARACTERS) or None,
        reused=item.reused,
    )


def _folder(uri: str, folders: Sequence[Workspace]) -> str | None:
    holding = [folder for folder in folders if uri.startswith(folder.root.as_uri().rstrip("/") + "/")]
    return str(max(holding, key=lambda folder: len(folder.root.parts)).root) if holding else None


def numbered(snippet: str, first: int, *, outline: bool) -> str:
    """The lines of a snippet behind their numbers, as in the file; `… 12 lines` of an outline has none of its own."""
    lines = snippet.split("\n")
    counts = [int(found[1]) if outline and (found := _LEFT_OUT.match(line)) else 0 for line in lines]
    width = len(str(first + sum(count or 1 for count in counts) - 1))
    number = first
    told = []
    for line, count in zip(lines, counts, strict=True):
        told.append(f"{'' if count else number:>{width}}| {line}")
        number += count or 1
    return "\n".join(told)


def _told(passage: Passage) -> str:
    marks = [
        *(["changed since it was indexed; these are today's lines"] if passage.stale else []),
        *(["in outline; … stands for lines left out"] if passage.outline else []),
        *(["its text was given before"] if passage.reused else []),
    ]
    what = f" {passage.symbol}" if passage.symbol else ""
    where = f"{passage.folder}: " if passage.folder else ""
    how = f" ({'; '.join(marks)})" if marks else ""
    head = f"{where}{passage.path}:{passage.start}-{passage.end}{what}{how}"
    lines = [head, f"reference: {passage.reference}"]
    return "\n".join([*lines, *([passage.text] if passage.text is not None else [])])
