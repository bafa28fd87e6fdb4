"""Chance at the wire: frames that are none, params by and against their schemas, bursts, cancellations, all sizes.

What is sent is of a seed, so that a fault comes again. Every request must get exactly one reply, none an internal
error; what was acknowledged must be there in the end. `bench.fuzz` runs it for long, `test_fuzz.py` for a moment.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, field
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from vademecum.api.dispatch import METHODS
from vademecum.api.schema import schema
from vademecum.api.tools.table import TOOLS
from wire.client import Client, RequestError

INTERNAL_ERROR = -32603
CANCELLED = -32800

# What would rightly lose what the run counts on, and what reads or writes files that are named at random.
LEFT_OUT = frozenset({"memory/clear", "memory/purge", "memory/trust", "memory/import", "memory/export"})
PARAMS_LEFT_OUT = {"knowledge/import": {"source", "follow"}}

NAMES = sorted(METHODS.keys() - LEFT_OUT)
READS = [name for name in NAMES if not METHODS[name].writes and not METHODS[name].long]

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["", "\x00", "\ud800", "a" * 5_000, "..", "file:///", "1970-01-01", "{id}", "\U0001f469\u200d", "\u202e"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
"""Any JSON, the odd kinds often."""


def fitting(told: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema allows; one in ten times any JSON in their place, at every depth."""
    return st.one_of(*[_exactly(told)] * 9, ANYTHING)


def _exactly(told: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in told:
        return st.sampled_from(told["enum"])
    if "anyOf" in told:
        return st.one_of(*map(fitting, told["anyOf"]))
    match told.get("type"):
        case "object" if "properties" in told:
            needed = {name: fitting(told["properties"][name]) for name in told.get("required", ())}
            free = {name: fitting(of) for name, of in told["properties"].items() if name not in needed}
            return st.fixed_dictionaries(needed, optional=free)
        case "array":
            return st.lists(fitting(told["items"]), max_size=min(4, told.get("maxItems", 4)))
        case "string":
            return st.text(max_size=min(40, told.get("maxLength", 40)))
        case "integer":
            return st.integers(told.get("minimum", -5), told.get("maximum", 300))
        case "number":
            return st.floats(0, 100)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return ANYTHING


def requests() -> st.SearchStrategy[tuple[str, Any]]:
    """A method and params for it, by its schema or against it; a tool by its own."""

    def params(name: str) -> st.SearchStrategy[tuple[str, Any]]:
        told = schema(METHODS[name].params)
        for left_out in PARAMS_LEFT_OUT.get(name, ()):
            told["properties"].pop(left_out)
        told["properties"].pop("workspace", None)
        return st.tuples(st.just(name), fitting(told))

    def tool(name: str) -> st.SearchStrategy[tuple[str, Any]]:
        arguments = fitting(schema(TOOLS[name].arguments))
        return st.tuples(st.just("tools/call"), st.fixed_dictionaries({"name": st.just(name), "arguments": arguments}))

    return st.sampled_from(NAMES).flatmap(params) | st.sampled_from(sorted(TOOLS)).flatmap(tool)


def calls(count: int, number: int) -> list[tuple[str, dict[str, Any]]]:
    """So many calls of tools with arguments by and against their schemas, of the seed `number`."""
    drawn: list[tuple[str, dict[str, Any]]] = []

    def arguments(name: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
        told = fitting(schema(TOOLS[name].arguments)).filter(lambda value: isinstance(value, dict))
        return st.tuples(st.just(name), told)

    @seed(number)
    @settings(_PLAIN, max_examples=count)
    @given(st.sampled_from(sorted(TOOLS)).flatmap(arguments))
    def draw(call: tuple[str, dict[str, Any]]) -> None:
        drawn.append(call)

    draw()
    return drawn


_PLAIN = settings(
    database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), derandomize=False
)
"""Chance alone: a failure is told as it came, with the seed, and nothing is kept for the next run."""


@define
class Fuzz:
    """One server under a hail of chance."""

    client: Client
    chance: random.Random
    kept: dict[str, str] = field(factory=dict)
    """Contents of the memories that were acknowledged, by id."""
    sent: int = 0
    replies: dict[str, int] = field(factory=dict)
    """How often each outcome came: `ok`, or the code of the error."""

    # One request -----------------------------------------------------------------------------------------------------

    def settle(self, method: str, wait: Callable[[], Any]) -> Any:
        """Wait for the one reply of a request, and count it; None for an error."""
        self.sent += 1
        try:
            result = wait()
        except RequestError as error:
            self.replies[str(error.code)] = self.replies.get(str(error.code), 0) + 1
            assert error.code != INTERNAL_ERROR, (method, error.message, self.client.log()[-3000:])
            return None
        self.replies["ok"] = self.replies.get("ok", 0) + 1
        return result

    def keep(self) -> None:
        """Have something remembered, and do not forget that it was acknowledged."""
        note = f"Fact {self.chance.getrandbits(60):x} is known."
        kept = self.client.request("memory/remember", {"note": note, "scope": "user"})
        self.kept[kept["id"]] = note

    # Rounds ----------------------------------------------------------------------------------------------------------

    def random_params(self, examples: int) -> None:
        """So many requests with params by and against their schemas."""
        kept = tuple(self.kept)

        @seed(self.chance.getrandbits(32))
        @settings(_PLAIN, max_examples=examples)
        @given(requests())
        def run(request: tuple[str, Any]) -> None:
            method, params = request
            if any(id in json.dumps(params) for id in kept):
                return  # drawn by chance it would rightly change what was kept
            self.settle(method, self.client.start_request(method, params))

        run()

    def bad_frames(self, count: int) -> None:
        """What is no frame, no JSON, no message; each followed by a frame that is, and must be answered."""
        for _ in range(count):
            self.client.send_bytes(self.chance.choice(list(_bad_frames(self.chance))))
            if self.chance.random() < 0.3:
                self.alive()
        self.alive()

    def burst(self, count: int) -> None:
        """So many requests at once, a third of them cancelled at some time; each is answered once."""
        waiting = []
        for number in range(count):
            method = self.chance.choice(READS)
            example = METHODS[method].example
            wait = self.client.start_request(method, dict(example))
            waiting.append((method, wait))
            if self.chance.random() < 1 / 3:
                victim = self.chance.choice(waiting[-200:])[1]
                self.client.notify("$/cancelRequest", {"id": victim.id})  # type: ignore[attr-defined]
            if number % 1_000 == 0:
                self.keep()
        for method, wait in waiting:
            self.settle(method, wait)

    def sizes(self) -> None:
        """The smallest and the largest."""
        for value in ({}, [], "", 0, None, {"jsonrpc": "2.0"}, {"id": 1}):
            self.client.send(value)
        new = f"{self.chance.random()} "
        for size in (1, 65_536, 65_537, 1 << 20, 8 << 20):
            for method, params in (
                ("memory/remember", {"note": "x" * size}),
                (
                    "memory/add",
                    {
                        "title": "t",
                        "content": new + "ä" * size,
                        "category": "Rule",
                        "scope": "user",
                    },
                ),
                ("search/query", {"query": "q" * size}),
                ("evidence/verify", {"references": ["r" * min(size, 100)] * min(size // 100 + 1, 5_000)}),
                ("session/set", {"session": "s", "key": "k", "value": "v" * size}),
                ("tools/call", {"name": "search_workspace", "arguments": {"query": "q" * size}}),
                ("tools/call", {"name": "n" * size}),
            ):
                result = self.settle(method, self.client.start_request(method, params))
                if method == "memory/add" and result is not None:
                    self.client.request("memory/purge", {"id": result["id"]})
        uri = "file:///nowhere/large.txt"
        document = {"uri": uri, "languageId": "text", "version": 1, "text": "line\n" * 1_000_000}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.alive()

    def notifications(self, count: int) -> None:
        """Notifications with anything in them."""

        @seed(self.chance.getrandbits(32))
        @settings(_PLAIN, max_examples=count)
        @given(st.sampled_from(_NOTIFICATIONS), ANYTHING)
        def run(method: str, params: Any) -> None:
            self.client.notify(method, params)

        run()
        self.alive()

    # Judgment --------------------------------------------------------------------------------------------------------

    def alive(self) -> None:
        """The server answers, and finds what it found before."""
        assert self.client.request("memory/status")["enabled"] is True
        assert self.client.request("search/query", {"query": "circle area"})["items"]

    def nothing_is_lost(self) -> None:
        """Whatever was acknowledged is there, and no request was answered twice."""
        for id, note in self.kept.items():
            assert self.client.request("memory/get", {"id": id})["content"] == note
        twice = [message for message in self.client.stray if message["id"] is not None]
        assert twice == [], "a reply that nobody waited for"
        assert self.client.raw_errors == []
        assert "Traceback" not in self.client.log()


_NOTIFICATIONS = [
    "initialized",
    "$/cancelRequest",
    "$/setTrace",
    "$/progress",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "workspace/didChangeWatchedFiles",
    "window/workDoneProgress/cancel",
    "no/such/notification",
]


def _framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _bad_frames(chance: random.Random) -> Iterator[bytes]:
    """One of each kind; what would swallow the frame behind it is left out."""
    noise = bytes(chance.choices(range(32, 127), k=chance.randrange(1, 200)))
    yield noise + b"\r\n\r\n"
    yield b"\r\n\r\n\r\n"
    yield b"Content-Length: -1\r\n\r\n"
    yield b"Content-Length: 99999999999999\r\n\r\n"
    yield b"Content-Length: x\r\n\r\n"
    yield b"Content-Type: application/json\r\n\r\n"
    yield b"content-length:2\r\nX: " + noise.replace(b":", b"") + b"\r\n\r\n{}"
    yield _framed(b"")
    yield _framed(noise)
    yield _framed(bytes(chance.choices(range(256), k=50)))
    yield _framed(b"\xff\xfe{\x00}\x00")
    yield _framed(b"[" * 100_000)
    yield _framed(b'{"a":' * 50_000)
    yield _framed(b"[" + b"{}," * 200 + b"{}]")
    yield _framed(b"NaN")
    yield _framed(b'{"jsonrpc": "2.0", "id": NaN, "method": "memory/list"}')
    for msg_id in (None, True, 1.5, [], {}):
        yield _framed(json.dumps({"jsonrpc": "2.0", "id": msg_id, "method": "memory/list"}).encode())
    for method in (None, 5, [], {}, ""):
        yield _framed(json.dumps({"jsonrpc": "2.0", "id": None, "method": method}).encode())
    yield _framed(json.dumps({"jsonrpc": "1.0", "id": None, "method": "memory/list"}).encode())
    yield _framed(json.dumps({"jsonrpc": "2.0", "id": chance.getrandbits(40), "result": {"a": [1] * 100}}).encode())
    yield _framed(json.dumps({"jsonrpc": "2.0", "id": chance.getrandbits(40), "error": noise.decode()}).encode())
