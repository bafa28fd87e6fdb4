"""A client that means no good, or has lost its mind: the server answers, goes on, and goes when it should."""

import itertools
import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from vademecum.lsp import stdio
from wire.client import DEADLINE, Client, RequestError
from wire.conftest import make_repository

INTERNAL_ERROR = -32603


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def test_an_id_may_be_used_again_once_its_cancelled_request_was_answered(alone: Client) -> None:
    """The work of the cancelled one may still be ending; its end must not answer the new one."""
    for number in range(30):
        alone.request("memory/remember", {"note": f"Note {number} that search returns."})
    for _ in range(60):
        others = [alone.start_request("memory/search", {"limit": 200}, msg_id=f"b{n}") for n in range(8)]
        first = alone.start_request("memory/search", {"limit": 200}, msg_id="same")
        alone.notify("$/cancelRequest", {"id": "same"})
        try:
            first()
        except RequestError as error:
            assert error.code == -32800
        assert "enabled" in alone.request("memory/status", {}, msg_id="same")
        for wait in others:
            wait()
    assert alone.stray == []
    assert "Traceback" not in alone.log()


def test_no_name_of_a_folder_stops_the_others(start: Callable[..., Client], tmp_path: Path) -> None:
    project = make_repository(tmp_path / "p")
    ring = tmp_path / "ring"
    ring.symlink_to(ring)
    (tmp_path / "file.txt").write_text("x")
    odd = [
        "file://[not-an-address",
        "file:",
        "file:relative",
        "",
        "\ud800",
        "file:///tmp/\ud800",
        "file:///a%00b",
        "C:\\x",
        "file://another-machine/share",
        "//x/y",
        "file:///" + "a" * 5000,
        "untitled:x",
        ring.as_uri(),
        (tmp_path / "file.txt").as_uri(),
    ]
    client = start()
    folders = [{"uri": uri, "name": "n"} for uri in (*odd, project.as_uri())]
    client.initialize(params={"workspaceFolders": folders, "rootUri": None})
    client.indexed(project)
    for workspace in (None, *odd):
        for method, params in [
            ("memory/list", {}),
            ("memory/remember", {"note": "Known to the user.", "scope": "user"}),
            ("memory/prompt", {"session": "s"}),
            ("search/status", {}),
            ("search/query", {"query": "circle area"}),
            ("evidence/cite", {"uri": workspace or "", "range": {"start": position(0, 0), "end": position(0, 1)}}),
        ]:
            try:
                client.request(method, params | {"workspace": workspace})
            except RequestError as error:
                assert error.code != INTERNAL_ERROR, (method, workspace, error)
    items = client.request("search/query", {"query": "circle area"})["items"]
    assert items[0]["uri"] == (project / "src/shapes.py").as_uri()
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [], "removed": [folder for folder in folders if folder["uri"] != project.as_uri()]}},
    )
    assert client.request("memory/list")["total"] == 1


def test_one_folder_under_many_names_is_one(start: Callable[..., Client], repository: Path) -> None:
    uri = repository.as_uri()
    names = [uri, f"{uri}/", uri.replace("p", "%70"), uri.replace("file://", "file://localhost"), f"{uri}/src/.."]
    client = start()
    client.initialize(params={"workspaceFolders": [{"uri": name, "name": "n"} for name in names]})
    assert client.request("memory/add", {"title": "T", "content": "C.", "category": "Rule", "scope": "project"})["id"]
    client.indexed()
    paths = [item["path"] for item in client.request("search/query", {"query": "circle area"})["items"]]
    assert len(paths) == len(set(paths)) > 0
    for name in names:
        assert client.request("search/status", {"workspace": name})["workspace"] == uri


def test_a_root_counts_where_no_folders_are_listed(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.initialize(repository, params={"workspaceFolders": []})
    assert client.request("search/status")["workspace"] == repository.as_uri()


@pytest.mark.parametrize("pid", [-5, 0, 2**31 - 1, None])
def test_a_client_with_an_impossible_process_is_served(start: Callable[..., Client], pid: int | None) -> None:
    client = start()
    client.initialize(params={"processId": pid})
    assert client.request("memory/list")["total"] == 0


def test_edits_of_no_document_or_beyond_its_end_are_survived(client: Client, repository: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    uri = (repository / "src/shapes.py").as_uri()
    client.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": "a\nb😀c\n"}},
    )
    edges = [(0, 0, 2**31 - 1, 2**31 - 1), (2**31 - 1, 5, 0, 0), (-1, -1, 0, 0), (2**63, 0, 2**70, 0), (1, 2, 1, 2)]
    for number, (line, character, end_line, end) in enumerate(edges):
        change = {"range": {"start": position(line, character), "end": position(end_line, end)}, "text": "zz"}
        for target in (uri, pipe.as_uri(), "file:///no/such/file", "untitled:x"):
            document = {"uri": target, "version": number + 2}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": [{"text": "new\n"}]})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///never/opened"}})
    assert client.request("memory/list")["total"] == 0


def test_a_message_beyond_the_limit_is_refused_and_the_next_one_served(alone: Client) -> None:
    alone.send_bytes(b"Content-Length: %d\r\n\r\n" % (stdio.MAX_FRAME_BYTES + 1))
    for _ in range(64):
        alone.send_bytes(b" " * (1024 * 1024))
    alone.send_bytes(b" ")
    assert alone.request("memory/list")["total"] == 0
    assert alone.stray[0]["error"]["code"] == -32700


def test_a_client_that_never_reads_is_left(start: Callable[..., Client], monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers pile up behind a pipe that nobody empties; unbounded, they would fill the memory."""
    limit = 300_000
    code = (
        f"import vademecum.lsp.stdio as s, sys; s.MAX_WAITING_BYTES = {limit};"
        "from vademecum.cli.main import main; sys.exit(main(['serve']))"
    )
    monkeypatch.setattr(Client, "_read", lambda _self: None)
    client = start(args=(), command=("-c", code))
    client.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}})
    note = {"title": "T", "content": "word " * 10_000, "category": "Rule", "scope": "user"}
    client.send({"jsonrpc": "2.0", "id": 1, "method": "memory/add", "params": note})
    # Again and again, since those that come before the note is kept find nothing.
    deadline = time.monotonic() + DEADLINE
    for number in itertools.count(2):
        with suppress(BrokenPipeError):
            client.send({"jsonrpc": "2.0", "id": number, "method": "memory/search", "params": {}})
        if client.process.poll() is not None or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    assert client.process.wait(DEADLINE) == 1


@pytest.mark.parametrize("error", ["StopIteration", "SystemExit", "KeyboardInterrupt", "GeneratorExit", "OSError"])
def test_whatever_a_method_raises_is_answered(start: Callable[..., Client], error: str) -> None:
    code = f"""
import sys, attrs
from vademecum.api import dispatch
def fail(*_):
    raise {error}("with a path of another project")
dispatch.METHODS["memory/list"] = attrs.evolve(dispatch.METHODS["memory/list"], run=fail)
from vademecum.cli.main import main
sys.exit(main(["serve"]))
"""
    client = start(args=(), command=("-c", code))
    client.initialize()
    failed = client.fails("memory/list", {})
    assert failed.code == INTERNAL_ERROR
    assert "another project" not in failed.message
    assert client.request("memory/status")["enabled"] is True


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_server_and_indexer_in_good_order(client: Client, number: int) -> None:
    client.indexed()
    children = psutil.Process(client.process.pid).children(recursive=True)
    client.process.send_signal(number)
    assert client.process.wait(DEADLINE) == 1
    assert psutil.wait_procs(children, timeout=DEADLINE)[1] == []
    assert "Traceback" not in client.log()


UNUSABLE: list[Any] = [
    None,
    5,
    "x",
    [],
    {"vademecum": 5},
    {"vademecum": {"memory": [], "search": None}},
    {"vademecum": {"memory": {"promptEntries": 10**400, "format": {}, "project": [], "enabled": "no"}}},
    {"vademecum": {"search": {"reconcileSeconds": 10**400, "chunkLines": 1e999, "firstAnswerMs": 10**30}}},
    {"vademecum": {"search": {"reconcileSeconds": float("inf")}, "ranking": {"perFile": float("nan")}}},
    {"vademecum": {"files": {"exclude": ["\ud800"], "maxFileBytes": True, "ownFolders": ["/"]}, "": {"": ""}}},
]


def test_settings_of_no_use_change_nothing(client: Client) -> None:
    client.indexed()
    for settings in UNUSABLE:
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        client.request("memory/status")
    client.notify("workspace/didChangeConfiguration", {"settings": {"vademecum": {"memory": {"promptEntries": "end"}}}})
    client.wait_for(lambda: "promptEntries" in json.dumps(client.notified("window/showMessage")), "the last report")
    assert client.request("memory/status")["enabled"] is True
    assert client.request("search/query", {"query": "circle area"})["items"]
    assert "Traceback" not in client.log()


def test_settings_sent_in_a_row_end_as_the_last_one(client: Client) -> None:
    for round_number in range(20):
        for enabled in (False, True):
            memory = {"enabled": enabled, "promptEntries": 100 + round_number}
            client.notify("workspace/didChangeConfiguration", {"settings": {"vademecum": {"memory": memory}}})
        client.start_request("memory/prompt", {"session": "s"})
    bad = {"vademecum": {"memory": {"promptEntries": "the end"}}}
    client.notify("workspace/didChangeConfiguration", {"settings": bad})
    client.wait_for(lambda: "promptEntries" in json.dumps(client.notified("window/showMessage")), "the last report")
    assert client.request("memory/status")["enabled"] is True


@pytest.mark.parametrize("kind", ["binary", "deep", "folder", "pipe", "endless", "ring"])
def test_a_settings_file_that_cannot_be_read_is_reported(start: Callable[..., Client], home: Path, kind: str) -> None:
    home.mkdir()
    config = home / "config.toml"
    match kind:
        case "binary":
            config.write_bytes(b"\xff\xfe\0")
        case "deep":
            config.write_bytes(b"a = " + b"[" * 100_000)
        case "folder":
            config.mkdir()
        case "pipe":
            os.mkfifo(config)
        case "endless":
            config.symlink_to("/dev/zero")
        case _:
            config.symlink_to(config)
    client = start()
    client.initialize()
    client.wait_for(lambda: "config.toml" in json.dumps(client.notified("window/showMessage")), "the report")
    assert client.request("memory/list")["total"] == 0


def test_variables_that_hold_no_number_stop_nothing(start: Callable[..., Client]) -> None:
    names = ("VADEMECUM_MEMORY_PROMPT_ENTRIES", "VADEMECUM_RANKING_PER_FILE", "VADEMECUM_SEARCH_RECONCILE_SECONDS")
    client = start(env=dict(zip(names, ("9" * 5000, "--5", "inf"), strict=True)))
    client.initialize()
    for name in names:
        client.wait_for(lambda name=name: name in json.dumps(client.notified("window/showMessage")), name)
    assert client.request("memory/list")["total"] == 0
