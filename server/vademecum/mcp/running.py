"""Calls on threads: what is asked may take a while, and the agent may cancel it or want to hear how far it is."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

import anyio
from mcp.server.context import ServerRequestContext

from vademecum.api.calls import Call, Turn
from vademecum.work import Cancel
from vademecum.workspaces import Workspaces

R = TypeVar("R")

_INTERVAL_SECONDS = 0.1  # more often than this nobody can read it


async def in_thread(function: Callable[[], R]) -> R:
    """Run `function` beside the loop. Whoever is cancelled does not wait for its end."""
    return await anyio.to_thread.run_sync(function, abandon_on_cancel=True)


async def run(context: ServerRequestContext, workspaces: Workspaces, function: Callable[[Call], R]) -> R:
    """Run a call of the desk. Cancelled by the agent, it stops at its next check; what writes and has begun goes on."""
    turn = Turn(cancel := Cancel(), writes=False)
    call = Call(workspaces, cancel, _Progress(context), settle=turn.settle)

    def work() -> R:
        turn.begin()
        return function(call)

    try:
        return await in_thread(work)
    except anyio.get_cancelled_exc_class():
        turn.cancel()
        raise


class _Progress:
    """The progress of one call, sent under the token that the agent gave with it, if it gave one."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._done = 0

    def __call__(self, done: int, total: int | None, message: str) -> None:
        """Report `done` of `total`; called on the worker's thread. The protocol wants numbers that only rise."""
        if done <= self._done or time.monotonic() - self._last < _INTERVAL_SECONDS:
            return
        self._last, self._done = time.monotonic(), done
        report = self._session.report_progress(done, total, message)
        try:
            asyncio.run_coroutine_threadsafe(report, self._loop)
        except RuntimeError:  # the loop closed in between: there is nobody to tell any more
            report.close()
