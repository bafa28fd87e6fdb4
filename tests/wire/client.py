"""A client of bytes: it starts the real server and speaks LSP's framing over real pipes, with nothing in between."""

import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SILENT = object()
"""An answer to a request of the server's that is none: it is left waiting."""

DEADLINE = 60.0  # seconds; generous, since it is only ever reached by a failure


class RequestError(Exception):
    """An error reply."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")

    @property
    def kind(self) -> str | None:
        return self.data.get("kind") if isinstance(self.data, dict) else None

    @property
    def fields(self) -> set[str]:
        return {item["field"] for item in self.data["fields"]}


class ServerGone(Exception):
    """The server ended before it replied."""


def heed_signals() -> None:
    """In the child: as in a terminal, even where the tests run in the background and inherit ignored signals."""
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


class Client:
    """One server process and the one connection to it.

    :param prefix: a command that becomes the server, such as `nice`.
    """

    def __init__(
        self,
        home: Path,
        env: Mapping[str, str] | None = None,
        args: tuple[str, ...] = ("serve",),
        command: tuple[str, ...] = ("-m", "vademecum"),
        prefix: tuple[str, ...] = (),
    ) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VADEMECUM_")}
        environment |= {"VADEMECUM_HOME": str(home), **(env or {})}
        self.stderr_path = home.parent / f"{home.name}-stderr-{time.monotonic_ns()}.log"
        self._stderr = self.stderr_path.open("wb")
        self.process = subprocess.Popen(
            [*prefix, sys.executable, *command, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=environment,
            preexec_fn=heed_signals if os.name == "posix" else None,
        )
        self._ids = itertools.count(1)
        self._replies: dict[Any, queue.SimpleQueue[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self.notifications: list[dict[str, Any]] = []
        self.stray: list[dict[str, Any]] = []  # replies that nobody waits for: a second one, or one with id null
        self.raw_errors: list[str] = []
        self.configuration: Any = None
        self.configuration_of: dict[str | None, Any] = {}  # by the URI of a folder that has its own
        self.answers: dict[str, Callable[[Any], Any]] = {}
        self.asked: list[dict[str, Any]] = []  # requests of the server's
        self._arrived = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # Bytes

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            header = stream.readline()
            if not header:
                break
            if not header.startswith(b"Content-Length: "):
                self.raw_errors.append(f"not a frame: {header[:200]!r}")
                continue
            length = int(header.removeprefix(b"Content-Length: "))
            if stream.readline() != b"\r\n":
                self.raw_errors.append("a header without its empty line")
            body = stream.read(length)
            if len(body) < length:
                break  # killed in the middle of a frame
            self._take(json.loads(body))
        with self._arrived:
            self._ended = True
            for waiting in self._replies.values():
                waiting.put({})
            self._arrived.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        with self._arrived:
            if "method" in message and "id" in message:
                self._answer(message)
            elif "method" in message:
                self.notifications.append(message)
            else:
                waiting = self._replies.pop(message["id"], None)
                if waiting is None:
                    self.stray.append(message)
                else:
                    waiting.put(message)
            self._arrived.notify_all()

    def _answer(self, message: dict[str, Any]) -> None:
        result = None
        self.asked.append(message)
        if message["method"] == "workspace/configuration":
            asked = message["params"]["items"]
            result = [self.configuration_of.get(item.get("scopeUri"), self.configuration) for item in asked]
        elif message["method"] in self.answers:
            try:
                result = self.answers[message["method"]](message.get("params"))
            except RequestError as error:
                told = {"code": error.code, "message": error.message, "data": error.data}
                self.send({"jsonrpc": "2.0", "id": message["id"], "error": told})
                return
        if result is SILENT:
            return
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    # Requests

    def start_request(self, method: str, params: Any = ..., msg_id: Any = None) -> Callable[[], Any]:
        """Send a request; call what is returned to wait for its result (or `RequestError`, or `ServerGone`)."""
        msg_id = next(self._ids) if msg_id is None else msg_id
        inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        with self._arrived:
            if self._ended:
                raise ServerGone
            self._replies[msg_id] = inbox
        message = {"jsonrpc": "2.0", "id": msg_id, "method": method}
        if params is not ...:
            message["params"] = params
        self.send(message)

        def wait() -> Any:
            try:
                reply = inbox.get(timeout=DEADLINE)
            except queue.Empty:
                raise AssertionError(f"no reply to {method}; server: {self.log()[-3000:]}") from None
            if not reply:
                raise ServerGone
            if "error" in reply:
                raise RequestError(reply["error"])
            return reply["result"]

        wait.id = msg_id  # type: ignore[attr-defined]
        return wait

    def request(self, method: str, params: Any = ..., msg_id: Any = None) -> Any:
        return self.start_request(method, params, msg_id)()

    def fails(self, method: str, params: Any = ..., msg_id: Any = None) -> RequestError:
        """Send a request that must fail."""
        try:
            result = self.request(method, params, msg_id)
        except RequestError as error:
            return error
        raise AssertionError(f"{method} answered {result!r}")

    def notify(self, method: str, params: Any = ...) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        if params is not ...:
            message["params"] = params
        self.send(message)

    def wait_for(self, found: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
        """Wait until `found()` is true, looking again at each message and every few milliseconds; return it."""
        end = time.monotonic() + deadline
        while True:
            if value := found():
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited {deadline} s for {what}; server: {self.log()[-3000:]}")
            with self._arrived:
                self._arrived.wait(0.02)

    def notified(self, method: str) -> list[Any]:
        return [note["params"] for note in list(self.notifications) if note["method"] == method]

    # Life

    def initialize(
        self,
        *folders: Path,
        options: Any = None,
        capabilities: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        whole = {
            "processId": os.getpid(),
            "rootUri": folders[0].as_uri() if folders else None,
            "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in folders],
            "capabilities": dict(capabilities or {}),
            **({"initializationOptions": options} if options is not None else {}),
            **(params or {}),
        }
        result = self.request("initialize", whole)
        self.notify("initialized", {})
        return result

    def indexed(self, workspace: Path | None = None) -> Any:
        """Wait until the workspace's index is complete; return its status."""
        params = {"workspace": workspace.as_uri()} if workspace else {}

        def ready() -> Any:
            status = self.request("search/status", params)
            return status if status["state"] == "ready" and not status["pending"] else None

        return self.wait_for(ready, "the index")

    def shut_down(self) -> int:
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(DEADLINE)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._stderr.close()

    def log(self) -> str:
        return self.stderr_path.read_text("utf-8", "replace")


@contextmanager
def running(home: Path, **kwargs: Any) -> Iterator[Client]:
    """A server that is gone afterwards, and that spoke nothing but frames."""
    client = Client(home, **kwargs)
    try:
        yield client
        assert client.raw_errors == []
    finally:
        client.kill()
