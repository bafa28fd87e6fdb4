"""Writes docs/protocol.md, settings.md and tools.md, the settings in the VS Code extension's manifest, and the JSON
Schema of the protocol from the code.

A test fails when they differ from what this would write.

Run `make docs` after changing a request, a type or a setting.
"""

import inspect
import json
import sys
import types as pytypes
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from manifest import manifest
from protocol_schema import protocol_schema
from toolpages import tools

from vademecum.api.calls import Method
from vademecum.api.dispatch import METHODS
from vademecum.api.docstrings import field_docs
from vademecum.api.errors import Code
from vademecum.api.reuse import NO_REUSE
from vademecum.errors import ErrorKind
from vademecum.lsp.announcements import KNOWLEDGE_DID_CHANGE, MEMORY_DID_CHANGE, SEARCH_DID_CHANGE_STATUS
from vademecum.lsp.editor.snapshot import MAX_REFERENCES
from vademecum.lsp.editor.upkeep import EVIDENCE_DID_INVALIDATE
from vademecum.lsp.model import CHARACTERS_PER_TOKEN
from vademecum.model import Lack, Purpose
from vademecum.search.types import NoticeKind
from vademecum.settings import ENVIRONMENT_PREFIX, Settings, camel, settable

HERE = Path(__file__).parent
SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", object: "unknown"}
SETTING_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false"}


def typescript(kind: Any, named: dict[str, type]) -> str:
    """The TypeScript of a type; classes and enums it mentions are put into `named`."""
    if kind in SCALARS:
        return SCALARS[kind]
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, pytypes.UnionType):
        return " | ".join(typescript(arg, named) for arg in args)
    if origin is Literal:
        return " | ".join(json.dumps(arg) for arg in args)
    if origin is tuple:
        inner = typescript(args[0], named)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return f"Record<{typescript(args[0], named)}, {typescript(args[1], named)}>"
    if named.setdefault(kind.__name__, kind) is not kind:
        raise ValueError(f"two types are named {kind.__name__}")
    return kind.__name__


def interface(cls: type, named: dict[str, type]) -> str:
    """A class as a TypeScript interface, or an enum as a union."""
    if issubclass(cls, Enum):
        return f"type {cls.__name__} = " + " | ".join(json.dumps(member.value) for member in cls)
    attrs.resolve_types(cls)
    docs = field_docs(cls)
    lines = [f"interface {cls.__name__} {{"]
    for field in attrs.fields(cls):
        optional = field.default is not attrs.NOTHING
        kind = typescript(field.type, named)
        if optional:
            kind = kind.removesuffix(" | null")
        default = field.default
        shown = ""
        if optional and default is not None and not isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            value = default.value if isinstance(default, Enum) else default
            shown = f" Default: {json.dumps(list(value) if isinstance(value, tuple) else value)}."
        comment = (docs.get(field.name, "") + shown).strip()
        lines.append(f"  {camel(field.name)}{'?' if optional else ''}: {kind}" + (f"  // {comment}" if comment else ""))
    return "\n".join([*lines, "}"])


def closure(names: dict[str, type]) -> dict[str, type]:
    """`names` and every type that they mention."""
    done: dict[str, type] = {}
    todo = dict(names)
    while todo:
        name, cls = todo.popitem()
        done[name] = cls
        seen = done | todo
        interface(cls, seen)
        todo = {key: kind for key, kind in seen.items() if key not in done}
    return done


def method_section(method: Method[Any, Any], shared: dict[str, type]) -> str:
    """One request, alike for all: what it does, its types, an example."""
    result = typescript(method.result, shared)
    text = [f"### `{method.name}`", "", inspect.cleandoc(method.run.__doc__ or ""), ""]
    marks = [
        *(["changes what is kept"] if method.writes else []),
        *(["may take seconds: send a `workDoneToken` for progress, cancel it as you like"] if method.long else []),
    ]
    if marks:
        text += [f"*{'; '.join(marks)}.*", ""]
    text += ["```ts", f"// params\n{interface(method.params, shared)}\n// result: {result}", "```", ""]
    request = {"jsonrpc": "2.0", "id": 1, "method": method.name, "params": method.example}
    text += ["```json", json.dumps(request, ensure_ascii=False), "```", ""]
    return "\n".join(text)


def protocol() -> str:
    """The whole of docs/protocol.md."""
    shared: dict[str, type] = {}
    families: dict[str, list[str]] = {}
    for name, method in METHODS.items():
        families.setdefault(name.split("/")[0], []).append(method_section(method, shared))
    text = [(HERE / "protocol.head.md").read_text("utf-8").rstrip(), ""]
    text += ["## Errors", "", "| code | name |", "|---|---|"]
    text += [f"| {code.value} | {code.name.replace('_', ' ').capitalize()} |" for code in Code]
    text += ["", "`data.kind` of a failed request is one of " + ", ".join(f"`{kind}`" for kind in ErrorKind) + ".", ""]
    notices = ", ".join(f"`{kind}`" for kind in NoticeKind)
    text += [f"`kind` of a notice is `notIndexed`, `{NO_REUSE}` or one of {notices}.", ""]
    for family, sections in families.items():
        text += [f"## {family}", "", *sections]
    text += ["## From server to client", ""]
    text += [
        f"`{MEMORY_DID_CHANGE}` `{{ scope: Scope, ids: string[] }}`: memories were added, changed, removed, "
        "purged or trusted here; no ids: the whole scope.",
        "",
        f"`{KNOWLEDGE_DID_CHANGE}` `{{ ids: string[] }}`: documents were imported, reviewed, summarised, removed, "
        "attached or detached here; no ids: any of them. What other processes do is not told.",
        "",
        f"`{SEARCH_DID_CHANGE_STATUS}` `SearchStatusResult`: the state of a folder's index changed; "
        "`workspace` says which.",
        "",
        f"`{EVIDENCE_DID_INVALIDATE}` `{{ uri: string, references: {{ reference: string, verdict: Verdict, "
        "relocatedTo?: string }[] }`: references in the open document `uri` ceased to hold, or to hold where they "
        "point; each is told once, and again when it had held in between.",
        "",
        lending(),
        "",
        (HERE / "protocol.editor.md").read_text("utf-8").rstrip().replace("{references}", str(MAX_REFERENCES)),
        "",
    ]
    text += ["## Types", "", "```ts"]
    params = {method.params.__name__ for method in METHODS.values()}
    everything = closure(shared)
    text += [
        "\n\n".join(interface(cls, {}) for name, cls in sorted(everything.items()) if name not in params),
        "```",
        "",
    ]
    return "\n".join(text)


def lending() -> str:
    """The request that goes to the client."""
    text = (HERE / "protocol.model.md").read_text("utf-8").rstrip()
    text = text.replace("{purposes}", " | ".join(json.dumps(purpose.value) for purpose in Purpose))
    text = text.replace("{characters}", str(CHARACTERS_PER_TOKEN))
    return text.replace("{lacks}", ", ".join(f"`{lack}`" for lack in Lack))


def setting_rows() -> Iterator[str]:
    """One table row for each setting, by section."""
    for section in attrs.fields(Settings):
        cls = section.type
        assert cls is not None
        docs = field_docs(cls)
        yield f"\n## `{camel(section.name)}`\n\n| setting | default | variable | what it does |\n|---|---|---|---|"
        for leaf in settable(cls):
            kind = leaf.type
            words = (
                " or ".join(f"`{member.value}`" for member in kind)
                if isinstance(kind, type) and issubclass(kind, Enum)
                else SETTING_WORDS.get(typescript(kind, {}), typescript(kind, {}))
            )
            default = leaf.default.value if isinstance(leaf.default, Enum) else leaf.default
            shown = json.dumps(list(default) if isinstance(default, tuple) else default)
            variable = f"{ENVIRONMENT_PREFIX}{section.name}_{leaf.name}".upper()
            about = docs.get(leaf.name)
            if not about:
                raise ValueError(f"{cls.__name__}.{leaf.name} has no docstring, and users would like to know")
            yield f"| `{camel(section.name)}.{camel(leaf.name)}` ({words}) | `{shown}` | `{variable}` | {about} |"


def settings() -> str:
    """The whole of docs/settings.md."""
    return (HERE / "settings.head.md").read_text("utf-8").rstrip() + "\n" + "\n".join(setting_rows()) + "\n"


PAGES = {
    "protocol.md": protocol,
    "settings.md": settings,
    "tools.md": tools,
    "../client-vscode/package.json": manifest,
    "../server/vademecum/protocol.schema.json": protocol_schema,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), "utf-8")
        sys.stdout.write(f"{(HERE / name).resolve().relative_to(HERE.parent)}\n")


if __name__ == "__main__":
    main()
