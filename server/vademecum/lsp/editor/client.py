"""What the client can take: read from its capabilities, once, when it initializes."""

from attrs import frozen
from lsprotocol import types

FIRST_KINDS = frozenset(range(1, 19))
"""Kinds of symbols of the first version of the protocol, which every client knows."""


@frozen
class ClientCan:
    """The choices that depend on the client.

    :param pull: it asks for diagnostics itself, and can be told to ask again.
    :param push: diagnostics are sent to it. Never together with `pull`: it would show everything twice.
    :param refresh: it can be told to ask for diagnostics again.
    :param markdown: it renders Markdown in a hover.
    :param described: it renders Markdown beside what it completes.
    :param snippets: it puts the cursor where what is completed says.
    :param links: it takes `LocationLink`s for a definition.
    :param actions: it takes code actions with their edits, rather than commands alone.
    :param preferred: it knows that a code action can be the preferred one.
    :param versioned: it takes edits that name the version of the document they are for.
    :param commands: it executes commands of ours: whoever takes code actions does, since they may hold some.
    :param documents: it opens a file that we name.
    :param symbols: the numbers of the kinds of symbols that it knows.
    :param shows: results of commands are shown to its user; it says `experimental.vademecum.commands: "return"` where
        it does so itself.
    """

    pull: bool = False
    push: bool = False
    refresh: bool = False
    markdown: bool = False
    described: bool = False
    snippets: bool = False
    links: bool = False
    actions: bool = False
    preferred: bool = False
    versioned: bool = False
    commands: bool = False
    documents: bool = False
    symbols: frozenset[int] = FIRST_KINDS
    shows: bool = True

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> "ClientCan":
        """What these capabilities say.

        A client that can ask for diagnostics but not be told to ask again would show old ones when a file changes
        beside the document, so they are sent to it, if it takes them.
        """
        text = capabilities.text_document or types.TextDocumentClientCapabilities()
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        refresh = bool(workspace.diagnostics and workspace.diagnostics.refresh_support)
        takes = text.publish_diagnostics is not None
        pull = text.diagnostic is not None and (refresh or not takes)
        hover, action = text.hover, text.code_action
        item = text.completion and text.completion.completion_item
        window = capabilities.window
        kinds = workspace.symbol and workspace.symbol.symbol_kind and workspace.symbol.symbol_kind.value_set
        ours = capabilities.experimental.get("vademecum") if isinstance(capabilities.experimental, dict) else None
        return cls(
            pull=pull,
            push=takes and not pull,
            refresh=pull and refresh,
            markdown=bool(hover and types.MarkupKind.Markdown in (hover.content_format or ())),
            described=bool(item and types.MarkupKind.Markdown in (item.documentation_format or ())),
            snippets=bool(item and item.snippet_support),
            links=bool(text.definition and text.definition.link_support),
            actions=bool(action and action.code_action_literal_support),
            preferred=bool(action and action.is_preferred_support),
            versioned=bool(workspace.workspace_edit and workspace.workspace_edit.document_changes),
            commands=workspace.execute_command is not None or action is not None,
            documents=bool(window and window.show_document and window.show_document.support),
            symbols=frozenset(int(kind) for kind in kinds) if kinds else FIRST_KINDS,
            shows=not (isinstance(ours, dict) and ours.get("commands") == "return"),
        )
