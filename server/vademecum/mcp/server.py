"""The life of an agent's connection, over standard input and output, from start to end."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import anyio
import mcp.types as types
from attrs import frozen
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from vademecum import __version__, lifetime
from vademecum.api import memory
from vademecum.api.calls import Call
from vademecum.api.errors import Code, failure
from vademecum.api.tools import calling
from vademecum.api.tools.guidance import guidance
from vademecum.api.types.memory import Prompt
from vademecum.api.types.tools import CallTool, ListTools, ToolAnswer
from vademecum.errors import VademecumError
from vademecum.mcp import folders, shapes
from vademecum.mcp.folders import Folders
from vademecum.mcp.running import run
from vademecum.mcp.stdio import frames
from vademecum.workspaces import Workspaces

logger = logging.getLogger(__name__)

PROMPT_URI = "vademecum://memory/prompt"
"""The resource that holds the prompt block."""


@frozen
class Agent:
    """What the handlers of one connection share.

    :param task: whose documents the tools read.
    """

    workspaces: Workspaces
    folders: Folders
    task: str

    async def list_tools(
        self, context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer `tools/list`."""
        told = await run(context, self.workspaces, lambda call: calling.list_(call, ListTools(self.task)))
        return types.ListToolsResult(tools=[shapes.tool_of(item) for item in told.items])

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer `tools/call`."""
        if (question := self.folders.question(context, params)) is not None:
            return question
        answers = params.input_responses or {}
        if isinstance(roots := answers.get(folders.KEY), types.ListRootsResult):
            await self.folders.take(roots)
        await self.folders.known(context)
        called = CallTool(params.name, params.arguments, self.task)
        try:
            answer: ToolAnswer = await run(context, self.workspaces, lambda call: calling.call_(call, called))
        except calling.UnknownTool as error:
            raise MCPError(code=types.INVALID_PARAMS, message=shapes.whole(str(error))) from error
        except Exception as error:
            if failure(error).code is Code.INTERNAL_ERROR:
                logger.error("%s failed", params.name, exc_info=error)
            return shapes.failed(error)
        return shapes.answered(answer)

    async def list_resources(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer `resources/list`: the prompt block, while memory is on."""
        if not self.workspaces.settings.memory.enabled:
            return types.ListResourcesResult(resources=[])
        block = types.Resource(
            uri=PROMPT_URI,
            name="memory",
            title="What is remembered",
            description="For the head of a chat: the user's standing wishes, and what is remembered beside them.",
            mime_type="text/markdown",
            annotations=types.Annotations(audience=["assistant"], priority=1.0),
        )
        return types.ListResourcesResult(resources=[block])

    async def read_resource(
        self, context: ServerRequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer `resources/read`."""
        if str(params.uri) != PROMPT_URI:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is one resource here: {PROMPT_URI}")
        await self.folders.known(context)
        try:
            text = await run(context, self.workspaces, _block)
        except VademecumError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=shapes.whole(error.message)) from error
        contents = types.TextResourceContents(uri=PROMPT_URI, mime_type="text/markdown", text=shapes.whole(text))
        return types.ReadResourceResult(contents=[contents])

    async def initialized(self, context: ServerRequestContext, _params: types.NotificationParams) -> None:
        """Heed `notifications/initialized`."""
        await self.folders.begin(context)

    async def roots_changed(self, context: ServerRequestContext, _params: types.NotificationParams) -> None:
        """Heed `notifications/roots/list_changed`."""
        await self.folders.ask(context)


def _block(call: Call) -> str:
    return memory.prompt(call, Prompt()).text


def instructions(workspaces: Workspaces, task: str) -> str:
    """What an agent is told at the head of a chat: how to use the tools, then what is remembered.

    The guidance comes first, since some agents cut what is long (Claude Code at 2 KB). A memory that cannot be read is
    no reason not to serve.
    """
    call = Call(workspaces)
    told = guidance(calling.offered(call, task))
    try:
        return "\n\n".join(part for part in (told, _block(call)) if part)
    except VademecumError as error:
        logger.warning("What is remembered could not be told: %s", error.message)
        return told


def _server(agent: Agent, told: str) -> Server[Any]:
    server: Server[Any] = Server(
        "vademecum",
        version=__version__,
        title="Vademecum",
        instructions=shapes.whole(told),
        on_list_tools=agent.list_tools,
        on_call_tool=agent.call_tool,
        on_list_resources=agent.list_resources,
        on_read_resource=agent.read_resource,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, agent.initialized)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, agent.roots_changed)
    return server


async def _serve(agent: Callable[[], Agent], told: str, stdout: BinaryIO) -> int:
    server = _server(agent(), told)
    loop = asyncio.get_running_loop()
    code = 0
    with anyio.CancelScope() as scope:

        def stop(why: str) -> None:
            nonlocal code
            logger.info("Stopping: %s", why)
            code = 1
            lifetime.end_within_grace(code)
            loop.call_soon_threadsafe(scope.cancel)

        lifetime.end_on_signals(stop)
        ended, broken = partial(lifetime.end_within_grace, 0), partial(lifetime.end_within_grace, 1)
        async with frames(sys.stdin.buffer, stdout, ended, broken) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    return code


def serve(workspaces: Workspaces, begun_with: Sequence[Path], task: str, stdout: BinaryIO, *, are_named: bool) -> None:
    """Serve one agent over this process's standard streams, and do not return before it is over.

    :param workspaces: with no folder open yet; closed in the end.
    :param begun_with: the folders to open until the agent names its roots.
    :param task: whose documents the tools read.
    :param stdout: the real standard output, from `lifetime.take_stdout`.
    :param are_named: whether the user named the folders; the agent's roots change nothing then.
    """
    for refusal in workspaces.enter(folder.as_uri() for folder in begun_with):
        logger.warning("%s", refusal)
    threading.Thread(target=workspaces.start, name="vademecum-start", daemon=True).start()
    told = instructions(workspaces, task)

    def agent() -> Agent:
        return Agent(workspaces, Folders(workspaces, are_named=are_named), task)

    code = 1
    try:
        code = asyncio.run(_serve(agent, told, stdout))
    except* OSError:
        logger.info("The agent no longer reads")
    except* Exception:
        logger.exception("The connection broke off")
    lifetime.end_within_grace(code)
    workspaces.close()
    logging.shutdown()
    # A thread may still read standard input, or do what nobody waits for any more; neither is waited for here.
    os._exit(code)
