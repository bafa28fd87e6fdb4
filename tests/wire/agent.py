"""An agent: the official client library over the real pipes of a real `vademecum mcp`."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp.types as types
from mcp import StdioServerParameters, stdio_client
from mcp.client import Client

from wire.client import heed_signals

WORDS_ALONE = {"VADEMECUM_SEARCH_MODEL": "none"}
"""Settings under which an answer does not change while vectors are made."""

ERAS = ("legacy", "auto")
"""How a connection begins: with a handshake, as most agents do, or without one, as since 2026-07-28."""


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("VADEMECUM_")}
    return kept | {"VADEMECUM_HOME": str(home)} | variables


class Roots:
    """The roots that an agent tells; they may change."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self.asked = 0

    async def __call__(self, _context: Any) -> types.ListRootsResult:
        self.asked += 1
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in self.folders])


@asynccontextmanager
async def agent(
    folder: Path,
    home: Path,
    mode: str = "legacy",
    roots: Roots | None = None,
    args: Sequence[str] = (),
    variables: Mapping[str, str] = WORDS_ALONE,
) -> AsyncIterator[Client]:
    """A connected agent whose server was started in `folder`."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "vademecum", "mcp", *args],
        cwd=str(folder),
        env=environment(home, **variables),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # roots are deprecated, and agents have them for years to come
        with (home.parent / "mcp-stderr.log").open("ab") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=mode, list_roots_callback=roots) as client:
                yield client


class Pipe:
    """A client of lines: what stands on standard output, byte for byte."""

    def __init__(self, folder: Path, home: Path, args: Sequence[str] = (), **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vademecum", "mcp", *args],
            cwd=folder,
            env=environment(home, **{**WORDS_ALONE, **variables}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=heed_signals if os.name == "posix" else None,
        )

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: Any = None, msg_id: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.write(json.dumps(message if msg_id is None else {**message, "id": msg_id}))

    def read(self) -> Any:
        """The next message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (self.process.stderr.read() if self.process.stderr else b"")[-2000:]
        return json.loads(line)

    def reply(self, msg_id: int) -> Any:
        """The reply to a request; notifications and requests before it are passed over."""
        while (message := self.read()).get("id") != msg_id or "method" in message:
            pass
        return message

    def initialize(self, capabilities: Mapping[str, Any] | None = None) -> Any:
        client = {"name": "pipe", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": dict(capabilities or {}), "clientInfo": client}
        self.send("initialize", params, 0)
        result = self.reply(0)
        self.send("notifications/initialized")
        return result

    def call(self, name: str, msg_id: int, **arguments: Any) -> Any:
        self.send("tools/call", {"name": name, "arguments": arguments}, msg_id)
        return self.reply(msg_id)["result"]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
