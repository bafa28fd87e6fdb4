"""JSON-RPC as a hostile or careless client meets it: exactly one reply to each request, and the next one works."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vademecum.api.dispatch import METHODS
from wire.client import DEADLINE, Client

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, FAILED = -32002, -32800, -32803

NOTE = {"title": "T", "content": "Something worth keeping", "category": "Knowledge", "scope": "user"}


def works(client: Client) -> bool:
    return "items" in client.request("memory/list", {})


def test_before_initialize_every_request_is_refused(start: Callable[..., Client]) -> None:
    client = start()
    for method in ("memory/list", "search/query", "no/such", "shutdown"):
        assert client.fails(method, {}).code == NOT_INITIALIZED
    client.initialize()
    assert works(client)


def test_initialize_is_taken_once(alone: Client) -> None:
    assert alone.fails("initialize", {"processId": None, "rootUri": None, "capabilities": {}}).code == INVALID_REQUEST
    assert works(alone)


def test_a_broken_initialize_is_refused_and_can_be_sent_again(start: Callable[..., Client]) -> None:
    client = start()
    assert client.fails("initialize", {"capabilities": 5}).code == INVALID_PARAMS
    assert client.fails("initialize").code == INVALID_PARAMS
    client.initialize()
    assert works(client)


def test_after_shutdown_every_request_is_refused_and_exit_is_zero(alone: Client) -> None:
    assert alone.request("shutdown") is None
    assert alone.fails("memory/list", {}).code == INVALID_REQUEST
    assert alone.fails("shutdown").code == INVALID_REQUEST
    alone.notify("exit")
    assert alone.process.wait(DEADLINE) == 0


def test_exit_without_shutdown_is_not_orderly(alone: Client) -> None:
    alone.notify("exit")
    assert alone.process.wait(DEADLINE) == 1


def test_unknown_methods_are_named(shared: Client) -> None:
    error = shared.fails("memory/levitate", {})
    assert error.code == METHOD_NOT_FOUND
    assert "memory/levitate" in error.message
    shared.notify("memory/levitate", {})
    shared.notify("$/whatever", {"a": 1})
    assert works(shared)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_params_may_be_left_out_or_null(shared: Client, method: str) -> None:
    """VS Code's client leaves `params` out altogether; each method answers, if only by naming what it needs."""
    for params in (..., None):
        try:
            shared.request(method, params)
        except Exception as error:
            assert getattr(error, "code", None) in (INVALID_PARAMS, FAILED), error
    assert works(shared)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("params", [[], "text", 5, True], ids=repr)
def test_params_that_are_no_object_are_refused(shared: Client, method: str, params: Any) -> None:
    error = shared.fails(method, params)
    assert error.code == INVALID_PARAMS
    assert error.fields == {"params"}


def test_every_wrong_field_is_named_and_nothing_is_converted(alone: Client) -> None:
    error = alone.fails(
        "memory/add", {"title": 5, "content": ["x"], "category": "Wish", "scope": 1, "keywords": "a|b", "colour": "red"}
    )
    assert error.code == INVALID_PARAMS
    assert error.fields == {"title", "content", "category", "scope", "keywords", "colour"}
    assert alone.request("memory/list")["total"] == 0


def test_missing_fields_are_named(shared: Client) -> None:
    error = shared.fails("memory/add", {})
    assert error.fields == {"title", "content", "category", "scope"}
    assert "is required" in error.message


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("search/query", {"query": "x", "limit": "10"}, "limit"),
        ("search/query", {"query": "x", "limit": True}, "limit"),
        ("search/query", {"query": "x", "limit": 10.5}, "limit"),
        ("search/query", {"query": "x", "limit": 51}, "limit"),
        ("search/query", {"query": "x", "limit": 0}, "limit"),
        ("search/query", {"query": "x" * 1001}, "query"),
        ("search/query", {"query": "x", "paths": ["a", 5]}, "paths[1]"),
        ("search/query", {"query": "x", "mode": "psychic"}, "mode"),
        ("memory/list", {"limit": 2001}, "limit"),
        ("memory/list", {"offset": -1}, "offset"),
        ("memory/search", {"query": "x" * 1001}, "query"),
        ("memory/clear", {"scope": "user", "confirm": False}, "confirm"),
        ("memory/clear", {"scope": "user"}, "confirm"),
        ("memory/add", NOTE | {"title": "x" * 201}, "title"),
        ("memory/add", NOTE | {"content": "x" * (64 * 1024 + 1)}, "content"),
        ("memory/add", NOTE | {"keywords": [str(i) for i in range(33)]}, "keywords"),
        ("memory/remember", {"note": "x" * (8 * 1024 + 1)}, "note"),
        ("memory/remember", {"note": "  \n "}, "note"),
        ("memory/add", NOTE | {"title": "half a pair \ud83d"}, "title"),
        ("evidence/cite", {"uri": "file:///x", "range": {"start": {"line": 0}}}, "range.end"),
    ],
)
def test_values_out_of_bounds_name_their_field(shared: Client, method: str, params: Any, field: str) -> None:
    error = shared.fails(method, params)
    assert error.code == INVALID_PARAMS
    assert field in error.fields
    assert works(shared)


def test_null_stands_for_a_field_left_out(alone: Client) -> None:
    added = alone.request("memory/add", NOTE | {"type": None, "keywords": None, "workspace": None})
    assert added["title"] == "T"
    assert alone.fails("memory/add", NOTE | {"title": None}).fields == {"title"}


def test_frame_tokens_are_no_params(alone: Client) -> None:
    assert alone.request("memory/list", {"workDoneToken": "t", "partialResultToken": 5})["total"] == 0


def test_text_may_hold_any_json(alone: Client) -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "exit", "params": {"jsonrpc": "1.0"}})
    added = alone.request("memory/add", NOTE | {"content": text})
    assert alone.request("memory/get", {"id": added["id"]})["content"].strip() == text
    assert alone.fails("memory/list", {"jsonrpc": "2.0"}).fields == {"jsonrpc"}
    nested = alone.fails("memory/list", {"scope": {"jsonrpc": "2.0", "id": 7, "method": "exit"}})
    assert nested.fields == {"scope"}


@pytest.mark.parametrize("msg_id", ["a string", "", "1", 0, -5, 2**40])
def test_ids_may_be_strings_or_integers(shared: Client, msg_id: Any) -> None:
    assert "total" in shared.request("memory/list", {}, msg_id=msg_id)


@pytest.mark.parametrize("msg_id", [None, 1.5, True, [], {}], ids=repr)
def test_unusable_ids_are_answered_with_null(alone: Client, msg_id: Any) -> None:
    alone.send({"jsonrpc": "2.0", "id": msg_id, "method": "memory/list", "params": {}})
    alone.wait_for(lambda: alone.stray, "the reply")
    assert alone.stray[0]["id"] is None
    assert alone.stray[0]["error"]["code"] == INVALID_REQUEST
    assert works(alone)


@pytest.mark.parametrize(
    "message",
    [[], [{"jsonrpc": "2.0", "id": 1, "method": "memory/list"}], 5, "x", None],
    ids=repr,
)
def test_what_is_no_message_is_answered(alone: Client, message: Any) -> None:
    alone.send(message)
    alone.wait_for(lambda: alone.stray, "the reply")
    assert alone.stray[0]["error"]["code"] == INVALID_REQUEST
    assert works(alone)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 200_000], ids=lambda b: repr(b[:10]))
def test_what_is_no_json_is_answered(alone: Client, body: bytes) -> None:
    alone.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    alone.wait_for(lambda: alone.stray, "the reply")
    assert alone.stray[0]["error"]["code"] == PARSE_ERROR
    assert works(alone)


def test_odd_headers_are_read(alone: Client) -> None:
    body = b'{"jsonrpc":"2.0","id":"odd","method":"memory/list"}'
    alone.send_bytes(b"\r\ncontent-type: x\r\ncontent-length:%d\r\n\r\n%b" % (len(body), body))
    alone.wait_for(lambda: alone.stray, "the reply")
    assert alone.stray[0]["id"] == "odd"
    assert alone.stray[0]["result"]["total"] == 0


def test_a_second_request_with_an_open_id_is_not_answered_in_its_name(client: Client) -> None:
    first = client.start_request("search/reindex", {"force": True}, msg_id="same")
    client.send({"jsonrpc": "2.0", "id": "same", "method": "memory/list"})
    client.wait_for(lambda: client.stray, "the refusal")
    assert client.stray[0]["error"]["code"] == INVALID_REQUEST
    assert "files" in first()


def test_wrong_jsonrpc_version_is_refused(alone: Client) -> None:
    alone.send({"id": "v", "method": "memory/list"})
    alone.wait_for(lambda: alone.stray, "the reply")
    assert alone.stray[0]["id"] == "v"
    assert alone.stray[0]["error"]["code"] == INVALID_REQUEST


def test_responses_to_nothing_are_ignored(alone: Client) -> None:
    alone.send({"jsonrpc": "2.0", "id": 999, "result": 1})
    alone.send({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}})
    alone.send({"jsonrpc": "2.0"})
    assert works(alone)


def test_notifications_that_cannot_be_read_are_ignored(client: Client) -> None:
    for method in ("textDocument/didOpen", "textDocument/didChange", "workspace/didChangeWorkspaceFolders"):
        for params in (..., None, {}, [], {"textDocument": 5}, {"event": 1}):
            client.notify(method, params)
    client.notify("$/cancelRequest")
    client.notify("$/cancelRequest", {"id": {"a": 1}})
    client.notify("window/workDoneProgress/cancel", {"token": None})
    assert works(client)


def test_many_requests_at_once_each_get_one_reply(alone: Client) -> None:
    waiting = [alone.start_request("memory/list", {}, msg_id=f"r{i}") for i in range(500)]
    assert all(wait()["total"] == 0 for wait in waiting)
    assert alone.stray == []


def test_cancelling_is_answered_at_once_and_once(client: Client, repository: Path) -> None:
    client.indexed()
    for number in range(400):
        (repository / f"more_{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 50)
    wait = client.start_request("search/reindex", {"force": True}, msg_id="long")
    client.notify("$/cancelRequest", {"id": "long"})
    error = None
    try:
        wait()
    except Exception as caught:
        error = caught
    assert getattr(error, "code", None) == CANCELLED
    assert works(client)
    assert client.stray == []


def test_cancelling_what_is_over_or_never_was_does_nothing(alone: Client) -> None:
    alone.request("memory/list", {}, msg_id=7)
    alone.notify("$/cancelRequest", {"id": 7})
    alone.notify("$/cancelRequest", {"id": "never"})
    assert works(alone)
    assert alone.stray == []


def test_progress_is_sent_under_the_clients_token(client: Client, repository: Path) -> None:
    client.indexed()
    for number in range(300):
        (repository / f"more_{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 30)
    client.request("search/reindex", {"force": True, "workDoneToken": "mine"})
    kinds = [p["value"]["kind"] for p in client.notified("$/progress") if p["token"] == "mine"]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"


def test_the_commands_are_announced(start: Callable[..., Client]) -> None:
    capabilities = start().initialize()["capabilities"]
    named = {f"vademecum.{name.replace('/', '.')}" for name in METHODS}
    assert set(capabilities["executeCommandProvider"]["commands"]) == named | {
        "vademecum.note",
        "vademecum.selection.remember",
    }


def test_every_method_is_a_command(client: Client) -> None:
    added = client.request("workspace/executeCommand", {"command": "vademecum.memory.add", "arguments": [NOTE]})
    assert client.request("memory/get", {"id": added["id"]})["title"] == "T"
    assert client.request("workspace/executeCommand", {"command": "vademecum.memory.list"})["total"] == 1
    unknown = client.fails("workspace/executeCommand", {"command": "rm -rf"})
    assert unknown.code == INVALID_PARAMS
    wrong = client.fails("workspace/executeCommand", {"command": "vademecum.memory.add", "arguments": [{"title": 1}]})
    assert "title" in wrong.fields
    assert client.fails(
        "workspace/executeCommand", {"command": "vademecum.memory.add", "arguments": [1, 2]}
    ).fields == {"arguments"}


def test_errors_hold_no_traceback(client: Client) -> None:
    for method in sorted(METHODS):
        for params in ({}, {"id": "no-such-id"}, {"id": "../../etc/passwd"}, {"query": "\u0000"}, {"references": [""]}):
            try:
                client.request(method, params)
            except Exception as error:
                told = json.dumps([getattr(error, "message", ""), getattr(error, "data", None)])
                assert "Traceback" not in told
                assert "site-packages" not in told
                assert getattr(error, "code", None) in (INVALID_PARAMS, FAILED), (method, params, error)
