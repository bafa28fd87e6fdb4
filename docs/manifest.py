"""The settings of the server and its tools in the manifest of the VS Code extension, written from the code.

Only `contributes.languageModelTools`, and the groups of `contributes.configuration` that hold the server's settings are
written; those of the extension's own settings, and everything else in the manifest, stay as they are.
"""

import json
import re
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import attrs
from contributed_tools import contributed_tools

from vademecum.api.docstrings import field_docs, member_docs
from vademecum.embedding.settings import NAMES, USERS_ALONE
from vademecum.settings import OtherSystem, Settings, camel, settable

MANIFEST = Path(__file__).parents[1] / "client-vscode" / "package.json"
SECTION = "vademecum"
WIDTH = 120

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}

TITLES = {
    "memory": "Memory",
    "knowledge": "Documents",
    "search": "Search",
    "files": "What Is Read",
    "ranking": "Ranking of What Is Found",
    "evidence": "What a Chat Was Given",
    "session": "Chat Histories",
    "model": "Language Model That Is Lent",
    "tools": "Tools",
}
"""What the groups of the server's settings are called, in the order in which they are shown."""

LISTED = {"tools.aliases": OtherSystem}
"""What a list may hold, where that is not any text."""

CHOICES = {
    "search.model": {
        "auto": "MiniLM, or the static model where there is too much for it (see `#vademecum.search.staticAbove#`).",
        "minilm": "A small transformer; finds best, and takes 20 ms of one core for a passage.",
        "static": "Word vectors; some sixty times as fast, and finds a little less.",
        "multilingual": "Reads a hundred languages; larger and slower, and a package of its own.",
        "none": "Words alone.",
    }
}
"""What may be chosen of a setting that is a text; the rest is for `config.toml`, where no repository can write."""
assert tuple(CHOICES["search.model"]) == NAMES

NOT_OFFERED = frozenset({"knowledge.shared"})
"""Settings of which the server takes no value from an editor."""

MACHINE = frozenset(
    {
        "search.model",
        "search.modelThreads",
        "search.modelIdleSeconds",
        "search.staticAbove",
        "search.unusedVectorsDays",
        "search.unusedVectorsBytes",
        "search.workers",
        "evidence.retentionDays",
        "evidence.maxDeliveries",
        "model.timeoutSeconds",
    }
)
"""Settings of what the machine is to give: processors, room on the disk, what is installed. No repository sets them."""

IN_FOLDER = "files."
"""Settings that each of several open folders may have for itself."""

APPLICATION = frozenset(
    {"memory.capture", "memory.recallModel", "session.history", "session.historyDays", "session.historyEntries"}
)
"""Settings of what is kept of the user's own words, or goes to a model: no repository says that more of it is, or for
longer."""

OUTERMOST = 1 << 41
"""Beyond every bound of a setting."""
FINEST = 1_000_000
"""Bounds of settings that are no whole numbers are found in millionths."""


def manifest() -> str:
    """The whole of the extension's package.json."""
    text = MANIFEST.read_text("utf-8")
    present, start, end = _part(text, "configuration")
    groups = [*_groups(), *_own(present)]
    for order, group in enumerate(groups, 1):
        group["order"] = order
        for place, told in enumerate(group["properties"].values(), 1):
            told["order"] = place
    text = text[:start] + laid_out(groups, 4) + text[end:]
    _, start, end = _part(text, "languageModelTools")
    return text[:start] + laid_out(contributed_tools(), 4) + text[end:]


def _part(text: str, name: str) -> tuple[Any, int, int]:
    """A list of the manifest, and where it begins and ends."""
    start = text.index(f'"{name}": [') + len(f'"{name}": ')
    present, end = json.JSONDecoder().raw_decode(text, start)
    return present, start, end


def _own(present: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the manifest has of the extension's own settings: all that the server does not know."""
    known = {
        f"{SECTION}.{camel(section.name)}.{camel(leaf.name)}"
        for section in attrs.fields(Settings)
        for leaf in settable(section.type)
    }
    for group in present:
        own = {name: told for name, told in group["properties"].items() if name not in known}
        if own:
            yield {**group, "properties": own}


def _groups() -> Iterator[dict[str, Any]]:
    sections = {section.name: section.type for section in attrs.fields(Settings)}
    if unnamed := sections.keys() - TITLES.keys():
        raise ValueError(f"{', '.join(unnamed)} has no title; give it one in {Path(__file__).name}")
    for name, title in TITLES.items():
        section = sections[name]
        assert section is not None
        offered = {
            f"{SECTION}.{full}": contributed(section, leaf, full)
            for leaf in settable(section)
            if (full := f"{camel(name)}.{camel(leaf.name)}") not in NOT_OFFERED
        }
        if offered:
            yield {"title": title, "order": 0, "properties": offered}


def contributed(section: type, leaf: "attrs.Attribute[Any]", name: str) -> dict[str, Any]:
    """A setting as VS Code is told of it: type, choices, bounds, default, who may set it, and what it does."""
    kind, optional = leaf.type, False
    if get_origin(kind) in (Union, UnionType):
        (kind,), optional = set(get_args(kind)) - {type(None)}, True
    told: dict[str, Any]
    if get_origin(kind) is tuple:
        told = {"type": "array", "items": {"type": "string"}}
        if name in LISTED:
            told = {"type": "array", "items": {"type": "string", **_choices(LISTED[name])}, "uniqueItems": True}
    elif isinstance(kind, type) and issubclass(kind, Enum):
        told = {"type": "string", **_choices(kind)}
    elif name in CHOICES:
        told = {
            "type": "string",
            "enum": list(CHOICES[name]),
            "markdownEnumDescriptions": list(CHOICES[name].values()),
        }
    elif kind in (int, float):
        told = {"type": TYPES[kind], **bounds(section, leaf.name, kind)}
    else:
        assert isinstance(kind, type)
        told = {"type": TYPES[kind]}
    if optional:
        told["type"] = [told["type"], "null"]
    if USERS_ALONE in leaf.metadata and name not in CHOICES:
        raise ValueError(f"{name} is for the user alone; say in {Path(__file__).name} what an editor may set")
    default = leaf.default.value if isinstance(leaf.default, Enum) else leaf.default
    scope = "application" if name in APPLICATION else "machine" if name in MACHINE else "window"
    if scope == "window" and name.startswith(IN_FOLDER):
        scope = "resource"
    return {
        **told,
        "default": _plain(list(default) if isinstance(default, tuple) else default),
        "scope": scope,
        "markdownDescription": _linked(field_docs(section)[leaf.name], section, name),
    }


def _choices(kind: type[Enum]) -> dict[str, list[str]]:
    """The members of an enum, each with its docstring."""
    docs = member_docs(kind)
    if missing := [member.name for member in kind if not docs.get(member.name)]:
        raise ValueError(f"{kind.__name__}.{missing[0]} has no docstring, and users would like to know")
    return {
        "enum": [member.value for member in kind],
        "markdownEnumDescriptions": [docs[member.name] for member in kind],
    }


def _linked(text: str, section: type, name: str) -> str:
    """The text with links to the settings beside this one that it names."""
    group = name.split(".")[0]
    beside = {camel(leaf.name) for leaf in settable(section)} - {name.split(".")[1]}

    def link(found: "re.Match[str]") -> str:
        return f"`#{SECTION}.{group}.{found[1]}#`" if found[1] in beside else found[0]

    return re.sub(r"`([A-Za-z]+)`", link, text)


def bounds(section: type, field: str, kind: type) -> dict[str, float]:
    """The least and the greatest number that a setting takes, found by asking its section; it must be an interval."""
    default = getattr(section(), field)
    unit = 1 if kind is int else FINEST

    def number(steps: int) -> Any:
        return steps if kind is int else steps / unit

    def takes(steps: int) -> bool:
        try:
            attrs.evolve(section(), **{field: number(steps)})
        except ValueError:
            return False
        return True

    inside = round((1 if default is None else default) * unit)
    found: dict[str, float] = {}
    for outside, name, exclusive in (
        (-OUTERMOST * unit, "minimum", "exclusiveMinimum"),
        (OUTERMOST * unit, "maximum", "exclusiveMaximum"),
    ):
        if takes(outside):
            continue
        last, refused = _edge(takes, inside, outside)
        if last % unit and not refused % unit:
            found[exclusive] = refused // unit
        else:
            found[name] = _plain(number(last))
    return found


def _edge(takes: Callable[[int], bool], inside: int, outside: int) -> tuple[int, int]:
    """The last number that is taken on the way to the outside, and the first that is not."""
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if takes(middle) else (inside, middle)
    return inside, outside


def _plain(value: Any) -> Any:
    """Whole numbers without a point, as JSON has only one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def laid_out(value: Any, indent: int) -> str:
    """JSON as the rest of the manifest is written: lists on one line where that is short, objects over several."""
    inner = " " * (indent + 2)
    if isinstance(value, dict) and (len(value) > 1 or any(isinstance(item, dict) for item in value.values())):
        lines = ",\n".join(f"{inner}{json.dumps(key)}: {laid_out(item, indent + 2)}" for key, item in value.items())
        return "{\n" + lines + "\n" + " " * indent + "}"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)}: {laid_out(item, indent)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        line = json.dumps(value, ensure_ascii=False)
        if len(line) + indent < WIDTH - 30 and not any(isinstance(item, dict) for item in value):
            return line
        return "[\n" + ",\n".join(inner + laid_out(item, indent + 2) for item in value) + "\n" + " " * indent + "]"
    return json.dumps(value, ensure_ascii=False)
