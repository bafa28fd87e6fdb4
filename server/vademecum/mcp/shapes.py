"""Tools, answers and failures as the protocol has them."""

from typing import Any

import mcp.types as types

from vademecum.api import wire
from vademecum.api.errors import Code, failure
from vademecum.api.types.tools import ToolAnswer, ToolItem


def whole(value: Any) -> Any:
    """JSON without halves of surrogate pairs, as stand in the path of a folder whose name is no UTF-8.

    The library writes no such text, and its writer would end with the first one.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def tool_of(item: ToolItem) -> types.Tool:
    """A tool as an agent is told of it."""
    return types.Tool(
        name=item.name,
        title=item.title,
        description=item.description,
        input_schema=dict(item.input_schema),
        output_schema=dict(item.output_schema),
        annotations=types.ToolAnnotations(
            title=item.title,
            read_only_hint=item.hints.read_only,
            destructive_hint=item.hints.destructive,
            idempotent_hint=item.hints.idempotent,
            open_world_hint=False,
        ),
    )


def answered(answer: ToolAnswer) -> types.CallToolResult:
    """What a tool answers."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=whole(answer.text))],
        structured_content=whole(wire.unstructure(answer.result)),
    )


def failed(error: Exception) -> types.CallToolResult:
    """What could not be done, for the model to read: it may mend its arguments, or tell the user."""
    told = failure(error)
    data: dict[str, Any] = dict(told.data or {})
    kind = data.get("kind") or ("invalidParams" if told.code is Code.INVALID_PARAMS else "internalError")
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=whole(f"Not done ({kind}): {told.message}"))], is_error=True
    )
