"""What a command's result says to a person: one line, or a page of Markdown. Made of the JSON that the client is sent.

References stand in a page as they are, so that in an editor each of them leads to its lines.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

BRIEF_FIELDS = 4
"""A result of so many plain values and no more is told in one line."""

LONGEST_LINE = 300
"""Characters of a line that is shown as a message."""

_BACKTICKS = re.compile(r"`+")

Json = Mapping[str, Any]


@frozen
class Told:
    """A result in words.

    :param text: one line, or Markdown.
    :param is_page: whether it is a page, for a document of its own.
    """

    text: str
    is_page: bool


def told(method: str, result: Any) -> Told:
    """The result of a method (or of a command that is none) in words."""
    if (page := _PAGES.get(method)) is not None and isinstance(result, Mapping):
        return Told("\n".join(page(result)).rstrip() + "\n", is_page=True)
    if isinstance(result, Mapping) and "title" in result and "scope" in result and "id" in result:
        return Told(one_line(_kept(method, result)), is_page=False)
    if isinstance(result, Mapping) and len(result) <= BRIEF_FIELDS and all(map(_is_plain, result.values())):
        return Told(one_line(f"{_title(method)}: {_plain_fields(result)}"), is_page=False)
    return Told("\n".join([f"# {_title(method)}", "", *_anything(result)]).rstrip() + "\n", is_page=True)


def one_line(text: str) -> str:
    """A text as it fits a message."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _title(method: str) -> str:
    return method.removeprefix("vademecum.").replace("/", " ").capitalize()


_VERBS = {
    "memory/update": "Updated",
    "memory/restore": "Restored",
    "memory/review": "Accepted",
    "knowledge/import": "Imported",
    "knowledge/publish": "Published",
    "knowledge/withdraw": "Withdrawn",
}


def _kept(method: str, memory: Json) -> str:
    verb = "Known already:" if memory.get("known") else _VERBS.get(method, "Remembered")
    return f"{verb} {memory['id']} ({memory.get('category', 'memory')}, {memory['scope']}): {memory['title']}"


# Pages ------------------------------------------------------------------------------------------------------------


def _prompt(block: Json) -> Iterator[str]:
    yield from (f"> {notice}\n" for notice in block.get("notices") or ())
    yield block["text"] or "Nothing is remembered yet, so a chat is told nothing.\n"


def _recall(answer: Json) -> Iterator[str]:
    yield "# What fits the prompt"
    yield ""
    yield from (f"> {notice['message']}\n" for notice in answer.get("notices") or ())
    yield answer["text"] or "Nothing that is remembered fits."


def _changes(answer: Json) -> Iterator[str]:
    yield "# What changed since the session's prompt block"
    yield ""
    yield answer["text"] or "Nothing."


def _memories(answer: Json) -> Iterator[str]:
    items = answer["items"]
    yield f"# Memories ({len(items)} of {answer['total']})"
    for item in items:
        yield ""
        yield from _memory(item.get("memory", item), "##")


def _memory(memory: Json, heading: str = "#") -> Iterator[str]:
    yield f"{heading} {memory['title']}"
    yield ""
    facts = [memory["id"], memory["category"], memory["scope"], memory["type"], memory["status"]]
    yield " · ".join([*facts, *(["pinned"] if memory.get("pinned") else []), f"updated {memory['updated']}"])
    if memory.get("description"):
        yield f"\n*{memory['description']}*"
    if memory.get("content"):
        yield f"\n{memory['content']}"
    for evidence in memory.get("evidence") or ():
        yield f"\n- `{evidence['reference']}` {evidence.get('verdict') or ''}".rstrip()
    yield f"\n{memory['uri']}"


def _hits(answer: Json) -> Iterator[str]:
    yield f"# Found: {len(answer['items'])}" if answer["items"] else "# Nothing was found"
    yield from (f"\n> {notice['message']}" for notice in answer["notices"] if notice["kind"] != "noModel")
    for number, item in enumerate(answer["items"], 1):
        named = f" {item['symbol']}" if item.get("symbol") else ""
        yield f"\n## {number}.{named} {item['path']}"
        yield f"\n`{item['reference']}`{' (changed since it was indexed)' if item.get('stale') else ''}\n"
        yield from _fenced(item["snippet"] or "", item["language"])


def _verdicts(answer: Json) -> Iterator[str]:
    yield "# All references hold" if answer["allValid"] else "# References"
    yield ""
    for item in answer["items"]:
        if item.get("error"):
            yield f"- `{item['reference']}`: {item['error']['message']}"
            continue
        now = f", now `{item['relocatedTo']}`" if item.get("relocatedTo") else ""
        moved = f", perhaps now {item['movedTo']}" if item.get("movedTo") else ""
        yield f"- `{item['reference']}`: **{item['verdict']}**{now}{moved}"
    if not answer["items"]:
        yield "There are none."


def _citation(answer: Json) -> Iterator[str]:
    yield f"# {answer['reference']}"
    yield ""
    yield from _fenced(answer["snippet"] or "", "")


def _history(answer: Json) -> Iterator[str]:
    yield f"# Prior versions: {len(answer['items'])}"
    for item in answer["items"]:
        yield f"\n## {item['title']}\n\n{item['revision']} · {item['reason']} {item['replaced']}\n\n{item['content']}"


def _sections(answer: Json) -> Iterator[str]:
    yield f"# Sections: {len(answer['items'])}" if answer["items"] else "# Nothing was found"
    for item in answer["items"]:
        yield f"\n## {' / '.join([*item['path'], item['title']])}\n\n{item['excerpt']}\n\n{item['id']} {item['anchor']}"


def _section(answer: Json) -> Iterator[str]:
    yield answer["text"]


_PAGES: Mapping[str, Callable[[Json], Iterator[str]]] = {
    "memory/prompt": _prompt,
    "memory/recall": _recall,
    "memory/changes": _changes,
    "memory/search": _memories,
    "memory/list": _memories,
    "memory/get": _memory,
    "memory/history": _history,
    "search/query": _hits,
    "search/related": _hits,
    "evidence/verify": _verdicts,
    "evidence/cite": _citation,
    "knowledge/search": _sections,
    "knowledge/readSection": _section,
}


# Whatever else there is --------------------------------------------------------------------------------------------


def _anything(value: Any, indent: str = "") -> Iterator[str]:
    """Any JSON as nested lists."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _is_plain(inner):
                yield from _named(key, inner, indent)
            elif inner:
                yield f"{indent}- {_words(key)}:"
                yield from _anything(inner, indent + "  ")
    elif isinstance(value, list | tuple):
        for inner in value:
            if _is_plain(inner):
                yield f"{indent}- {_plain(inner)}"
            elif isinstance(inner, Mapping) and all(map(_is_plain, inner.values())):
                yield f"{indent}- {_plain_fields(inner)}"
            else:
                yield f"{indent}-"
                yield from _anything(inner, indent + "  ")
    else:
        yield f"{indent}{_plain(value)}"


def _named(key: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield f"{indent}- {_words(key)}:"
        yield ""
        fenced = "\n".join(_fenced(value, "")).split("\n")
        yield from (f"{indent}  {line}".rstrip() for line in fenced)
    else:
        yield f"{indent}- {_words(key)}: {_plain(value)}"


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain_fields(value: Json) -> str:
    return ", ".join(f"{_words(key)} {_plain(inner)}" for key, inner in value.items()) or "done"


def _words(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key).lower()


def _fenced(text: str, language: str) -> Iterator[str]:
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    yield f"{fence}{language}"
    yield text
    yield fence
