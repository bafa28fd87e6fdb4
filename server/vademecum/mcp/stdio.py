"""The frames on standard input and output."""

import math
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from io import TextIOWrapper
from typing import Any, BinaryIO, cast

import anyio
import mcp.types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from vademecum.mcp.refusing import refusal

_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""Escapes in JSON; those that are half of a surrogate pair in a group."""


def well_formed(line: str) -> str:
    """A line of JSON with U+FFFD for each half of a surrogate pair, as for bytes that are no UTF-8.

    Agents in JavaScript send halves where they cut a text within a character; the library drops such a line, and the
    agent would wait for an answer in vain.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPES.sub(lambda found: r"\ufffd" if found[1] else found[0], line)


class _Input:
    """The messages on standard input, telling at once when it ends: by then the writer may be blocked for good."""

    def __init__(
        self, stream: BinaryIO, on_end: Callable[[], None], on_refused: Callable[[types.JSONRPCError], None]
    ) -> None:
        # Lines end with a line feed, which no message holds; a carriage return alone may stand between its values.
        self._lines = anyio.wrap_file(TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n"))
        self._on_end = on_end
        self._on_refused = on_refused

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            if not line.strip():
                continue
            told = well_formed(line)
            if (refused := refusal(told)) is None:
                yield told
            else:
                self._on_refused(refused)
        self._on_end()


class _Output:
    """Standard output, telling at once when nobody reads it: the reader may wait for input for good by then."""

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        self._file = anyio.wrap_file(TextIOWrapper(stream, encoding="utf-8", newline="\n"))
        self._on_broken = on_broken

    async def write(self, text: str) -> None:
        try:
            await self._file.write(text)
        except OSError:
            self._on_broken()
            raise

    async def flush(self) -> None:
        try:
            await self._file.flush()
        except OSError:
            self._on_broken()
            raise


@asynccontextmanager
async def frames(
    stdin: BinaryIO, stdout: BinaryIO, on_end: Callable[[], None], on_broken: Callable[[], None]
) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of a connection, as a context manager.

    :param stdout: the real standard output, which nothing else writes to.
    :param on_end: called when the agent closes standard input.
    :param on_broken: called when the agent no longer reads.
    """
    # Without bound, as are the library's own answers: who reads must not wait for an agent that does not.
    refused, refusals = anyio.create_memory_object_stream[types.JSONRPCError](math.inf)

    def refuse(error: types.JSONRPCError) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            refused.send_nowait(error)

    incoming = cast(Any, _Input(stdin, on_end, refuse))
    async with (
        stdio_server(incoming, cast(Any, _Output(stdout, on_broken))) as (read, write),
        anyio.create_task_group() as group,
    ):
        group.start_soon(_answer, refusals, write.clone())
        with refused:
            yield read, write


async def _answer(refusals: Any, write: Any) -> None:
    """Send what was refused, in turn, until there is no more of it."""
    async with refusals, write:
        async for error in refusals:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await write.send(SessionMessage(error))
