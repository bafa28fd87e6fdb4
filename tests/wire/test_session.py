"""The session cache and chat histories, over real pipes."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import make_repository

KEY = "sk-proj-abcdefghijklmnop" + "qrstuvwxyz0123456789"


def said(*texts: str) -> dict[str, Any]:
    return {"session": "chat-1", "entries": [{"role": "user", "content": text} for text in texts]}


def texts(client: Client, **more: Any) -> list[str]:
    return [item["content"] for item in client.request("session/history/read", {"session": "chat-1", **more})["items"]]


@pytest.mark.parametrize(
    "value", [None, False, 0, -1.5e300, "日本 \ud83d \u0000 🙂", [], {}, {"a": [1, {"b": None}], "": ""}, 2**70]
)
def test_any_json_value_is_given_back(client: Client, value: Any) -> None:
    given = {"session": "chat-1", "key": "k", "value": value}
    assert client.request("session/set", given) == {"key": "k", "seconds": 1800}
    told = client.request("session/get", {"session": "chat-1", "key": "k"})
    assert told == {"found": True, "value": value, "seconds": 1800}


def test_what_is_not_there_is_no_error(client: Client) -> None:
    assert client.request("session/get", {"session": "chat-1", "key": "k"}) == {"found": False, "value": None}
    assert client.request("session/keys", {"session": "chat-1"}) == {"items": []}
    assert client.request("session/delete", {"session": "chat-1"}) == {"removed": 0}


def test_keys_and_deleting(client: Client) -> None:
    for key in ("b", "a"):
        client.request("session/set", {"session": "chat-1", "key": key, "value": key, "ttl": 60})
    items = client.request("session/keys", {"session": "chat-1"})["items"]
    assert [(item["key"], item["bytes"]) for item in items] == [("a", 3), ("b", 3)]
    assert all(0 < item["seconds"] <= 60 for item in items)
    assert client.request("session/delete", {"session": "chat-1", "key": "a"}) == {"removed": 1}
    assert client.request("session/delete", {"session": "chat-1"}) == {"removed": 1}


@pytest.mark.parametrize(
    ("method", "params", "fields"),
    [
        ("session/set", {"session": "s", "key": "k"}, {"value"}),
        ("session/set", {"session": "s", "key": "k", "value": "x" * 300_000}, {"value"}),
        ("session/set", {"session": "s", "key": "k", "value": 1, "ttl": 0}, {"ttl"}),
        ("session/set", {"session": "s", "key": "k", "value": 1, "ttl": "60"}, {"ttl"}),
        ("session/set", {"session": "", "key": "k", "value": 1}, {"session"}),
        ("session/get", {"session": "s", "key": "k" * 201}, {"key"}),
        ("session/get", {"session": "s", "key": "k", "workspace": "file:///nowhere"}, {"workspace"}),
        ("session/keys", {}, {"session"}),
        ("session/history/append", {"session": "s", "entries": []}, {"entries"}),
        ("session/history/append", {"session": "s", "entries": [{"role": "user"}]}, {"entries[0].content"}),
        ("session/history/append", {"session": "s", "entries": [{"role": "me", "content": "x"}]}, {"entries[0].role"}),
        (
            "session/history/append",
            {"session": "s", "entries": [{"role": "user", "content": "x", "at": "noon"}]},
            {"entries[0].at"},
        ),
        ("session/history/read", {"session": "s", "limit": 501}, {"limit"}),
        ("session/history/read", {"session": "s", "offset": -1}, {"offset"}),
        ("session/history/read", {"session": "s", "offset": 2**63}, {"offset"}),
        ("session/history/read", {"session": "s", "order": "random"}, {"order"}),
        ("session/history/clear", {}, {"session"}),
        ("session/history/clear", {"session": "s", "all": True}, {"session"}),
        ("session/history/clear", {"all": False}, {"all"}),
    ],
)
def test_what_cannot_be_done_names_its_field(shared: Client, method: str, params: Any, fields: set[str]) -> None:
    assert shared.fails(method, params).fields == fields


def test_a_history_is_read_in_pages(client: Client) -> None:
    entries = [
        {"role": "user", "content": "Where?", "at": "2026-01-01T00:00:00Z"},
        {"role": "tool", "content": "there"},
    ]
    told = client.request("session/history/append", {"session": "chat-1", "entries": entries})
    assert (told["total"], told["redacted"], len(told["numbers"])) == (2, 0, 2)
    page = client.request("session/history/read", {"session": "chat-1", "limit": 1})
    assert page["items"][0] | {"number": 0} == {
        "number": 0,
        "role": "user",
        "content": "Where?",
        "at": "2026-01-01T00:00:00.000Z",
    }
    assert (page["total"], page["nextOffset"]) == (2, 1)
    last = client.request("session/history/read", {"session": "chat-1", "limit": 1, "offset": 1})
    assert last["items"][0]["content"] == "there" and "nextOffset" not in last
    assert texts(client, order="newest") == ["there", "Where?"]
    (chat,) = client.request("session/history/list")["items"]
    assert (chat["session"], chat["entries"], chat["bytes"]) == ("chat-1", 2, 11)


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_history_outlives_the_server_and_its_values_do_not(
    start: Callable[..., Client], repository: Path, home: Path
) -> None:
    first = start()
    first.initialize(repository)
    first.request("session/history/append", said("before"))
    first.request("session/set", {"session": "chat-1", "key": "k", "value": 1})
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    second = start()
    second.initialize(repository)
    assert texts(second) == ["before"]
    assert second.request("session/get", {"session": "chat-1", "key": "k"})["found"] is False
    assert (home / "state/chats.sqlite").stat().st_mode & 0o777 == 0o600


def test_two_servers_share_a_history_and_each_has_its_values(start: Callable[..., Client], repository: Path) -> None:
    one, two = start(), start()
    one.initialize(repository)
    two.initialize(repository)
    one.request("session/history/append", said("a"))
    two.request("session/history/append", said("b"))
    assert texts(one) == texts(two) == ["a", "b"]
    one.request("session/set", {"session": "chat-1", "key": "k", "value": 1})
    assert two.request("session/get", {"session": "chat-1", "key": "k"})["found"] is False
    assert two.request("session/history/clear", {"session": "chat-1"}) == {"removed": 2}
    assert texts(one) == []


def test_folders_have_histories_and_values_of_their_own(start: Callable[..., Client], tmp_path: Path) -> None:
    folders = [make_repository(tmp_path / name) for name in ("one", "two")]
    client = start()
    client.initialize(*folders)
    one, two = (folder.as_uri() for folder in folders)
    assert client.fails("session/history/append", said("x")).fields == {"workspace"}
    assert client.fails("session/set", {"session": "chat-1", "key": "k", "value": 1}).fields == {"workspace"}
    assert client.fails("session/history/clear", {"all": True}).fields == {"workspace"}
    client.request("session/history/append", {**said("first"), "workspace": one})
    client.request("session/history/append", {**said("second"), "workspace": two})
    client.request("session/set", {"session": "chat-1", "key": "k", "value": 2, "workspace": two})
    assert texts(client, workspace=one) == ["first"]
    assert texts(client) == ["first", "second"]
    assert client.request("session/get", {"session": "chat-1", "key": "k", "workspace": one})["found"] is False
    assert client.request("session/get", {"session": "chat-1", "key": "k"})["value"] == 2
    assert client.request("session/history/clear", {"all": True, "workspace": one}) == {"removed": 1}
    assert texts(client) == ["second"]


def test_without_a_folder_there_is_a_place_too(alone: Client) -> None:
    alone.request("session/history/append", said("x"))
    assert texts(alone) == ["x"]


def test_chats_never_reach_the_log_and_secrets_never_the_disk(client: Client, home: Path) -> None:
    assert client.request("session/history/append", said(f"use {KEY} for elephants"))["redacted"] == 1
    assert texts(client) == ["use [redacted: api key] for elephants"]
    client.fails("session/history/append", {**said("elephants"), "session": ""})
    client.shut_down()
    assert b"elephants" not in client.stderr_path.read_bytes()
    assert all(KEY.encode() not in path.read_bytes() for path in (home / "state").iterdir() if path.is_file())


def test_with_memory_off_no_history_is_kept(start: Callable[..., Client], repository: Path, home: Path) -> None:
    client = start(env={"VADEMECUM_MEMORY": "0"})
    client.initialize(repository)
    assert client.fails("session/history/append", said("x")).kind == "memoryDisabled"
    assert client.fails("session/history/read", {"session": "chat-1"}).kind == "memoryDisabled"
    assert client.request("session/history/clear", {"all": True}) == {"removed": 0}
    assert not (home / "state/chats.sqlite").exists()


def test_purging_everything_takes_the_chats_along(client: Client, home: Path) -> None:
    client.request("session/history/append", said("purple elephants"))
    client.request("session/set", {"session": "chat-1", "key": "k", "value": 1})
    client.request("memory/purge", {"scope": "user"})
    assert texts(client) == ["purple elephants"]
    client.request("memory/purge", {"scope": "all"})
    assert texts(client) == []
    assert client.request("session/get", {"session": "chat-1", "key": "k"})["found"] is False
    assert all(b"elephants" not in path.read_bytes() for path in (home / "state").iterdir() if path.is_file())
