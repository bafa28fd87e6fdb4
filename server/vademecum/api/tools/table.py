"""Every tool. Nothing that clears, purges, publishes, attaches or changes trust is one."""

from typing import Any

from vademecum.api.tools import documents, evidence, memory, search
from vademecum.api.tools.aliases import ALIASES
from vademecum.api.tools.tool import Tool

OWN: tuple[Tool[Any, Any], ...] = (
    memory.REMEMBER,
    memory.MANAGE,
    memory.RECALL,
    search.SEARCH,
    search.RELATED,
    evidence.VERIFY,
    search.STATUS,
    documents.ASK,
    documents.LIST,
    documents.READ,
    documents.SEARCH,
    documents.SECTION,
)
"""In the order in which they are offered."""

TOOLS = {tool.name: tool for tool in (*OWN, *ALIASES)}
"""By name."""
