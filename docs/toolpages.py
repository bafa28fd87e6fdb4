"""docs/tools.md, written from the table of tools."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vademecum.api.schema import schema
from vademecum.api.tools.readiness import SECONDS
from vademecum.api.tools.room import CHARACTERS
from vademecum.api.tools.table import OWN, TOOLS
from vademecum.api.tools.tool import Access, Need, Tool

HEAD = Path(__file__).parent / "tools.head.md"

DOES = {
    Access.READS: "reads",
    Access.ADDS: "adds, and changes nothing that is there",
    Access.CHANGES: "changes what is there",
}
OFFERED = {
    Need.NOTHING: "always",
    Need.MEMORY: "while memory is on",
    Need.SEARCH: "while search is on",
    Need.DOCUMENTS: "while the task sees a document",
    Need.DOCUMENTS_ALONE: "while the task sees a document and no model is lent",
}


def tools() -> str:
    """The whole of docs/tools.md."""
    head = HEAD.read_text("utf-8").rstrip()
    text = [head.replace("{characters}", f"{CHARACTERS:,}").replace("{seconds}", f"{SECONDS:.0f}"), ""]
    text += ["| tool | what it does to memory and files | offered | requests |", "|---|---|---|---|"]
    text += [_row(tool) for tool in OWN]
    for tool in OWN:
        text += ["", *_section(tool)]
    text += ["", "## Under other names", ""]
    text += [
        "The setting `tools.aliases` offers tools under the names that users of other systems know, with what those "
        "take by another way than ours (a memory by its name, a symbol); several names of our own are theirs already. "
        "A name that is not switched on is not answered.",
        "",
        "| name | of | arguments | requests |",
        "|---|---|---|---|",
    ]
    for tool in TOOLS.values():
        if tool.systems:
            names = ", ".join(f"`{name}`" for name in schema(tool.arguments)["properties"])
            text.append(f"| `{tool.name}` | {', '.join(tool.systems)} | {names} | {_requests(tool)} |")
    return "\n".join([*text, ""])


def _row(tool: Tool[Any, Any]) -> str:
    return f"| [`{tool.name}`](#{tool.name}) | {DOES[tool.access]} | {OFFERED[tool.need]} | {_requests(tool)} |"


def _requests(tool: Tool[Any, Any]) -> str:
    return ", ".join(f"`{name}`" for name in tool.requests)


def _section(tool: Tool[Any, Any]) -> Iterator[str]:
    yield from (f"### `{tool.name}`", "", tool.description, "")
    arguments = schema(tool.arguments)
    if arguments["properties"]:
        yield from ("| argument | type | what it is |", "|---|---|---|")
        yield from _rows(arguments, "")
        yield ""
    yield "```json"
    yield json.dumps({"name": tool.name, "arguments": tool.example}, ensure_ascii=False)
    yield "```"


def _rows(shape: Mapping[str, Any], before: str) -> Iterator[str]:
    for name, told in shape["properties"].items():
        needed = "" if name in shape.get("required", ()) else "?"
        default = f" Default: `{json.dumps(told['default'])}`." if "default" in told else ""
        bounds = "".join(f" {words} {told[key]:,}." for key, words in BOUNDS.items() if key in told)
        about = f"{told.get('description', '')}{bounds}{default}".strip()
        yield f"| `{before}{name}`{needed} | {_type(told)} | {about} |"
        if "properties" in told:
            yield from _rows(told, f"{before}{name}.")


BOUNDS = {
    "minimum": "At least",
    "maximum": "At most",
    "maxLength": "Longest, in characters:",
    "maxItems": "Items at most:",
}


def _type(told: Mapping[str, Any]) -> str:
    if "enum" in told:
        return " or ".join(f"`{value}`" for value in told["enum"])
    if told.get("type") == "array":
        return f"list of {_type(told['items'])}s"
    return str(told.get("type", "anything"))
