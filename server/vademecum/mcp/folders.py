"""Which folders a connection is about: those named on the command line, else the agent's roots, else where it started.

Roots are asked for once the agent is initialized, and again whenever it says that they changed. Since 2026-07-28 the
protocol lets no server ask by itself: there they are asked for with the first call of a tool.
"""

import logging
from collections.abc import Sequence

import anyio
import mcp.types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from vademecum.mcp.running import in_thread
from vademecum.workspaces import Workspaces

logger = logging.getLogger(__name__)

KEY = "roots"
"""Names the question for roots in an answer that needs input."""

SECONDS = 5.0
"""How long an agent may take to name its roots; calls wait for that."""


class Folders:
    """The open folders of one connection.

    :param workspaces: with the folders open that the process was started for.
    :param are_named: whether the user named them; roots change nothing then.
    """

    def __init__(self, workspaces: Workspaces, *, are_named: bool) -> None:
        self._workspaces = workspaces
        self._are_named = are_named
        self._asked = False
        self._known = anyio.Event()
        self._turn = anyio.Lock()

    async def begin(self, context: ServerRequestContext) -> None:
        """Ask an agent that has just been initialized for its roots, where it has some."""
        try:
            if _has_roots(context):
                await self.ask(context)
        finally:
            self._known.set()

    async def ask(self, context: ServerRequestContext) -> None:
        """Open the agent's roots in place of the folders before. Where it does not tell any, those stay."""
        if self._are_named:
            return
        async with self._turn:  # the last answer is to stand, not the slowest
            try:
                request = types.ListRootsRequest()
                told = await context.session.send_request(request, types.ListRootsResult, SECONDS)
            except (MCPError, ValueError, TimeoutError) as error:
                logger.warning("The agent did not tell its roots (%s); going on without", type(error).__name__)
                return
            await self.take(told)

    async def known(self, context: ServerRequestContext) -> None:
        """Return once the agent's roots are known, or it takes too long to tell them."""
        if context.session.can_send_request and not self._are_named and _has_roots(context):
            with anyio.move_on_after(SECONDS):
                await self._known.wait()
            self._known.set()

    def question(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.InputRequiredResult | None:
        """What to ask before a first call where only an answer can ask; None when nothing is to be asked."""
        is_old = context.session.can_send_request
        if is_old or self._are_named or self._asked or not _has_roots(context) or params.input_responses:
            return None
        self._asked = True
        return types.InputRequiredResult(input_requests={KEY: types.ListRootsRequest()})

    async def take(self, told: types.ListRootsResult) -> None:
        """Have these roots open, and no other folder."""
        uris = [str(root.uri) for root in told.roots]
        if not uris:
            return
        before = [folder.uri for folder in self._workspaces.folders]
        self._enter(uris)
        left = self._workspaces.leave([uri for uri in before if uri not in uris])

        def settle() -> None:
            for each in left:
                each.close()
            self._workspaces.start()

        await in_thread(settle)

    def _enter(self, uris: Sequence[str]) -> None:
        for refusal in self._workspaces.enter(uris):
            logger.warning("%s", refusal)


def _has_roots(context: ServerRequestContext) -> bool:
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.roots is not None
