"""What the client can take: read from its capabilities, once, when it initializes."""

from attrs import frozen
from lsprotocol import types


@frozen
class ClientCan:
    """The choices that depend on the client.

    :param pull: it asks for diagnostics itself, and can be told to ask again.
    :param push: diagnostics are sent to it. Never together with `pull`: it would show everything twice.
    :param refresh: it can be told to ask for diagnostics again.
    :param markdown: it renders Markdown in a hover.
    :param links: it takes `LocationLink`s for a definition.
    :param actions: it takes code actions with their edits, rather than commands alone.
    :param preferred: it knows that a code action can be the preferred one.
    :param versioned: it takes edits that name the version of the document they are for.
    """

    pull: bool = False
    push: bool = False
    refresh: bool = False
    markdown: bool = False
    links: bool = False
    actions: bool = False
    preferred: bool = False
    versioned: bool = False

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
        return cls(
            pull=pull,
            push=takes and not pull,
            refresh=pull and refresh,
            markdown=bool(hover and types.MarkupKind.Markdown in (hover.content_format or ())),
            links=bool(text.definition and text.definition.link_support),
            actions=bool(action and action.code_action_literal_support),
            preferred=bool(action and action.is_preferred_support),
            versioned=bool(workspace.workspace_edit and workspace.workspace_edit.document_changes),
        )
