"""The functions behind `tools/*`: which tools are offered now, and one call of one."""

from typing import Any

from vademecum.api import knowledge, wire
from vademecum.api.calls import Call
from vademecum.api.errors import InvalidParams
from vademecum.api.schema import schema, unfit
from vademecum.api.tools.guidance import guidance
from vademecum.api.tools.table import TOOLS
from vademecum.api.tools.tool import Access, Asked, Need, Tool
from vademecum.api.types.knowledge import MapDocuments
from vademecum.api.types.tools import CallTool, ListTools, ToolAnswer, ToolHints, ToolItem, ToolList
from vademecum.errors import InvalidField, VademecumError


class UnknownTool(InvalidField):
    """A tool was called that is not offered; names those that are."""


def list_(call: Call, params: ListTools) -> ToolList:
    """The tools that a model may be given now, with descriptions and schemas, and guidance for the head of its chat.

    Those of memory while memory is on, those of search while search is on, those of documents while the task sees one;
    the steps of reading (`list_documents`, `read_doc`, `search_docs`, `read_section`) only where the client lends no
    model. Names of other systems by the setting `tools.aliases`. Nothing that clears, purges, publishes or changes
    trust is a tool. [tools.md](tools.md) has them all.
    """
    call.workspaces.chosen(params.workspace)  # one that is named must be open
    tools = offered(call, params.task)
    return ToolList(tuple(item(tool) for tool in tools), guidance(tools))


def offered(call: Call, task: str) -> tuple[Tool[Any, Any], ...]:
    """The tools that are offered for a task now."""
    met = {need for need in Need if _is_met(call, need, task)}
    return tuple(tool for tool in TOOLS.values() if tool.need in met and _is_wanted(call, tool))


def _is_wanted(call: Call, tool: Tool[Any, Any]) -> bool:
    wanted = call.workspaces.settings.tools.aliases
    return not tool.systems or any(system in wanted for system in tool.systems)


def _is_met(call: Call, need: Need, task: str) -> bool:
    settings = call.workspaces.settings
    match need:
        case Need.NOTHING:
            return True
        case Need.MEMORY:
            return settings.memory.enabled
        case Need.SEARCH:
            return settings.search.enabled
        case Need.DOCUMENTS:
            return _sees_documents(call, task)
        case Need.DOCUMENTS_ALONE:
            return not call.workspaces.lends_model and _sees_documents(call, task)


def _sees_documents(call: Call, task: str) -> bool:
    try:
        return knowledge.map_(call, MapDocuments(task, limit=1)).total > 0
    except VademecumError:  # a store that cannot be read now is told of by the requests for documents, not here
        return False


def item(tool: Tool[Any, Any]) -> ToolItem:
    """A tool as a model is shown it."""
    return ToolItem(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema(tool.arguments),
        output_schema=schema(tool.result),
        hints=ToolHints(
            read_only=tool.access is Access.READS,
            destructive=tool.access is Access.CHANGES,
            idempotent=tool.idempotent or tool.access is Access.READS,
        ),
        requests=tool.requests,
    )


def call_(call: Call, params: CallTool) -> ToolAnswer:
    """Call a tool for a model: its answer as text to give to the model, and as values.

    Refused with the names of those that are offered when it is not one of them; each wrong argument is named as the
    model gave it (`query`). What cannot be done fails as the request behind the tool does. A tool that writes is
    carried to its end once it has begun.
    """
    call.workspaces.chosen(params.workspace)
    tool = TOOLS.get(params.name)
    if tool is None or not _is_wanted(call, tool) or not _is_met(call, tool.need, params.task):
        names = ", ".join(each.name for each in offered(call, params.task))
        raise UnknownTool("name", f"{params.name[:100]!r} is no tool that is offered here; there are: {names}")
    arguments = wire.structure(dict(params.arguments or {}), tool.arguments)
    if wrong := unfit(arguments):
        raise InvalidParams(wrong)
    if params.revision is not None and tool.access is not Access.CHANGES:
        raise InvalidField("revision", f"is for a tool that changes or deletes what is there; {tool.name} does not")
    if tool.writes:
        call.settle()
    answered = tool.run(Asked(call, params.task, params.workspace, params.revision), arguments)
    return ToolAnswer(answered.text, wire.unstructure(answered.result))
