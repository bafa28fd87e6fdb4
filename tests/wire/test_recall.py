"""`memory/recall` through the public request."""

from typing import Any


def test_recall_gives_what_fits_and_nothing_of_what_was_deleted(client: Any) -> None:
    params = {"title": "Release day", "content": "Releases go out on Tuesdays.", "category": "Rule", "scope": "project"}
    id = client.request("memory/add", params)["id"]
    found = client.request("memory/recall", {"prompt": "release day"})
    assert [item["memory"]["id"] for item in found["items"]] == [id] and id in found["text"]
    client.request("memory/delete", {"id": id})
    assert client.request("memory/recall", {"prompt": "release day"}) == {"items": [], "text": ""}


def test_what_a_chat_makes_ready_keeps_no_server_alive(client: Any) -> None:
    client.request("memory/prompt", {"session": "chat"})
    client.shut_down()
    assert client.process.wait(60) == 0
