"""Every request that the product answers: name, types, function, example. The faces route by this table alone."""

from typing import Any

from vademecum.api import audit, evidence, knowledge, memory, search, session, transfer
from vademecum.api.calls import Method
from vademecum.api.tools import calling
from vademecum.api.types import audit as audit_types
from vademecum.api.types import evidence as evidence_types
from vademecum.api.types import knowledge as knowledge_types
from vademecum.api.types import memory as memory_types
from vademecum.api.types import search as search_types
from vademecum.api.types import session as session_types
from vademecum.api.types import tools as tool_types
from vademecum.api.types import transfer as transfer_types
from vademecum.api.types.common import Gone, Id, Nothing
from vademecum.knowledge import types as documents
from vademecum.memory import prompt_types as prompts
from vademecum.memory import types as remembered
from vademecum.memory.charters import CharterFile
from vademecum.memory.transfer import types as moved
from vademecum.session import types as said

_NOTE = {"title": "Use pnpm, never npm", "content": "The lockfile is pnpm's.", "category": "Rule", "scope": "project"}
_SPAN = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}

# A file gives one document, a folder several.
_IMPORTED: Any = documents.Document | documents.ImportedFolder

# An accepted memory, or the id of a rejected one.
_REVIEWED: Any = remembered.Memory | Gone

# A memory, or the project's charter.
_RESTORED: Any = remembered.Memory | CharterFile

_ALL: tuple[Method[Any, Any], ...] = (
    Method("memory/add", memory_types.Add, memory_types.Added, memory.add, _NOTE, writes=True),
    Method(
        "memory/update",
        memory_types.Update,
        remembered.Memory,
        memory.update,
        {"id": "{id}", "title": "Use pnpm"},
        writes=True,
    ),
    Method("memory/delete", memory_types.Delete, Gone, memory.delete, {"id": "{id}"}, writes=True),
    Method("memory/get", Id, remembered.Memory, memory.get, {"id": "{id}"}),
    Method(
        "memory/list", memory_types.ListParams, remembered.HeadPage, memory.list_, {"scope": "project", "limit": 50}
    ),
    Method("memory/search", memory_types.Search, remembered.FoundPage, memory.search, {"query": "package manager"}),
    Method(
        "memory/remember",
        memory_types.Remember,
        memory_types.Kept,
        memory.remember,
        {"note": "Deploys go out on Tuesdays."},
        writes=True,
    ),
    Method(
        "memory/prompt", memory_types.Prompt, prompts.PromptBlock, memory.prompt, {"session": "chat-1"}, writes=True
    ),
    Method(
        "memory/changes",
        memory_types.ChangesParams,
        prompts.Changes,
        memory.changes,
        {"session": "chat-1"},
        writes=True,
    ),
    Method(
        "memory/capture",
        memory_types.CaptureParams,
        memory_types.CaptureResult,
        memory.capture,
        {
            "session": "chat-1",
            "turns": [{"user": "Remember: demos are on Fridays.", "assistant": "I will keep that in mind."}],
        },
        long=True,
    ),
    Method(
        "memory/review",
        memory_types.Review,
        _REVIEWED,
        memory.review,
        {"id": "{pending}", "verdict": "accept"},
        writes=True,
    ),
    Method(
        "memory/recall",
        memory_types.RecallParams,
        remembered.Recall,
        memory.recall,
        {"prompt": "how do I install the dependencies?"},
    ),
    Method(
        "memory/charter",
        memory_types.CharterParams,
        CharterFile,
        memory.charter,
        {"content": "# Shop\n\nMoney is counted in cents.", "confirm": True},
        writes=True,
    ),
    Method("memory/history", Id, memory_types.History, memory.history, {"id": "{id}"}),
    Method("memory/restore", memory_types.Restore, _RESTORED, memory.restore, {"id": "{deleted}"}, writes=True),
    Method("memory/purge", memory_types.Purge, remembered.Purged, memory.purge, {"id": "{id}"}, writes=True),
    Method(
        "memory/clear",
        memory_types.Clear,
        memory_types.Removed,
        memory.clear,
        {"scope": "project", "confirm": True},
        writes=True,
    ),
    Method(
        "memory/import",
        transfer_types.ImportMemories,
        moved.Imported,
        transfer.import_,
        {"source": "{uri}", "format": "list", "dryRun": True},
        long=True,
    ),
    Method(
        "memory/export",
        transfer_types.ExportMemories,
        moved.Exported,
        transfer.export,
        {"format": "list", "scope": "project"},
        long=True,
    ),
    Method(
        "memory/audit",
        audit_types.AuditParams,
        audit_types.AuditResult,
        audit.audit,
        {"scope": "project", "kinds": ["nearCopies", "contradiction"]},
        long=True,
    ),
    Method("memory/trust", memory_types.SetTrust, remembered.Trust, memory.trust, {"trusted": True}, writes=True),
    Method("memory/reindex", Nothing, remembered.Reindexed, memory.reindex, {}, writes=True),
    Method("memory/status", Nothing, memory_types.MemoryStatusResult, memory.status, {}),
    Method(
        "search/query", search_types.QueryParams, search_types.Items, search.query, {"query": "circle area", "limit": 5}
    ),
    Method(
        "search/related",
        search_types.RelatedParams,
        search_types.Items,
        search.related,
        {"uri": "{uri}", "position": {"line": 0, "character": 0}, "limit": 5},
    ),
    Method("search/status", Nothing, search_types.SearchStatusResult, search.status, {}),
    Method("search/skipped", search_types.SkippedParams, search_types.Skipped, search.skipped, {"limit": 50}),
    Method(
        "search/reindex",
        search_types.Reindex,
        search_types.ReindexedResult,
        search.reindex,
        {"force": False},
        long=True,
    ),
    Method(
        "evidence/cite",
        evidence_types.Cite,
        evidence_types.Citation,
        evidence.cite,
        {"uri": "{uri}", "range": _SPAN},
    ),
    Method(
        "evidence/verify",
        evidence_types.Verify,
        evidence_types.Verified,
        evidence.verify_,
        {"references": ["{reference}"]},
    ),
    Method(
        "evidence/forget",
        evidence_types.Forget,
        evidence_types.Forgotten,
        evidence.forget,
        {"session": "chat-1"},
        writes=True,
    ),
    Method("evidence/collect", Nothing, evidence_types.Forgotten, evidence.collect, {}, writes=True),
    Method(
        "knowledge/import",
        knowledge_types.ImportDocument,
        _IMPORTED,
        knowledge.import_,
        {"source": "{uri}"},
        long=True,
    ),
    Method(
        "knowledge/publish",
        knowledge_types.Publish,
        documents.Document,
        knowledge.publish,
        {"id": "{document}"},
        writes=True,
    ),
    Method("knowledge/withdraw", Id, documents.Document, knowledge.withdraw, {"id": "{document}"}, writes=True),
    Method("knowledge/remove", Id, Gone, knowledge.remove, {"id": "{document}"}, writes=True),
    Method(
        "knowledge/list",
        knowledge_types.ListDocuments,
        documents.DocumentPage,
        knowledge.list_,
        {"status": "pending"},
        long=True,
    ),
    Method("knowledge/refresh", Nothing, documents.Refreshed, knowledge.refresh, {}, long=True),
    Method(
        "knowledge/attach",
        knowledge_types.AttachDocuments,
        documents.Attached,
        knowledge.attach,
        {"task": "chat-1", "ids": ["{document}"]},
        writes=True,
    ),
    Method(
        "knowledge/detach",
        knowledge_types.AttachDocuments,
        documents.Attached,
        knowledge.detach,
        {"task": "chat-1", "ids": ["{document}"]},
        writes=True,
    ),
    Method("knowledge/map", knowledge_types.MapDocuments, documents.DocumentMap, knowledge.map_, {"task": "chat-1"}),
    Method(
        "knowledge/outline",
        knowledge_types.ReadOutline,
        documents.OutlinePage,
        knowledge.outline,
        {"task": "chat-1", "id": "{document}"},
    ),
    Method(
        "knowledge/search",
        knowledge_types.FindSections,
        documents.SectionHits,
        knowledge.search,
        {"task": "chat-1", "query": 'circle "how to paint"'},
    ),
    Method(
        "knowledge/readSection",
        knowledge_types.ReadSection,
        documents.SectionPage,
        knowledge.read_section,
        {"task": "chat-1", "id": "{document}", "anchor": "guide"},
    ),
    Method(
        "knowledge/summarize",
        knowledge_types.Summarize,
        documents.Document,
        knowledge.summarize,
        {"id": "{document}", "revision": "{revision}", "summary": "How to paint a circle."},
        writes=True,
    ),
    Method(
        "knowledge/ask",
        knowledge_types.Ask,
        documents.Answer,
        knowledge.ask,
        {"task": "chat-1", "question": "How do I paint a circle?"},
        long=True,
    ),
    Method(
        "session/set",
        session_types.SetValue,
        session_types.ValueSet,
        session.set_,
        {"session": "chat-1", "key": "plan", "value": {"step": 2}},
        writes=True,
    ),
    Method(
        "session/get", session_types.GetValue, session_types.Value, session.get, {"session": "chat-1", "key": "plan"}
    ),
    Method("session/keys", session_types.ListKeys, session_types.Keys, session.keys, {"session": "chat-1"}),
    Method(
        "session/delete",
        session_types.DeleteValues,
        memory_types.Removed,
        session.delete,
        {"session": "chat-1", "key": "plan"},
        writes=True,
    ),
    Method(
        "session/history/append",
        session_types.AppendHistory,
        said.Appended,
        session.append,
        {"session": "chat-1", "entries": [{"role": "user", "content": "Where is the area computed?"}]},
        writes=True,
    ),
    Method(
        "session/history/read",
        session_types.ReadHistory,
        said.HistoryPage,
        session.read,
        {"session": "chat-1", "order": "newest", "limit": 20},
    ),
    Method("session/history/list", Nothing, session_types.Chats, session.list_, {}),
    Method(
        "session/history/clear",
        session_types.ClearHistory,
        memory_types.Removed,
        session.clear,
        {"session": "chat-1"},
        writes=True,
    ),
    Method("tools/list", tool_types.ListTools, tool_types.ToolList, calling.list_, {}),
    Method(
        "tools/call",
        tool_types.CallTool,
        tool_types.ToolAnswer,
        calling.call_,
        {"name": "search_workspace", "arguments": {"query": "circle area", "limit": 5}},
        long=True,
    ),
)

METHODS = {method.name: method for method in _ALL}
"""By the name of the request."""

COMMANDS = {f"vademecum.{method.name.replace('/', '.')}": method for method in _ALL}
"""By the name of the command that does the same, for editors that can send no custom request."""
