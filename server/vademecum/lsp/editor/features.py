"""The features together: what is always offered, and what depends on the client."""

from typing import TYPE_CHECKING

from vademecum.lsp.editor import actions, completion, definition, diagnostics, hover, links, symbols
from vademecum.lsp.editor.client import ClientCan
from vademecum.lsp.editor.references import References
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.editor.upkeep import Upkeep

if TYPE_CHECKING:
    from vademecum.lsp.server import VademecumServer


class EditorFeatures:
    """References in the documents of one client.

    :ivar upkeep: is told of every change.
    """

    def __init__(self, server: "VademecumServer") -> None:
        self._references = References(server)
        self.upkeep = Upkeep(server, self._references)
        for feature in (links, hover, definition, symbols, completion):
            feature.register(self._references)

    def snapshot(self, uri: str) -> Snapshot | None:
        """An open document as it is now, from any thread; None for one that the client has not opened."""
        return self._references.snapshot(uri)

    @property
    def can(self) -> ClientCan:
        """What the client can take."""
        return self._references.can

    def begin(self) -> None:
        """Offer what this client can take, now that it has said so; while `initialize` is answered."""
        self._references.can = ClientCan.of(self._references.server.client_capabilities)
        if self._references.can.actions or self._references.can.commands:
            actions.register(self._references)
        if self._references.can.pull:
            diagnostics.register(self._references, self.upkeep.pulled)
