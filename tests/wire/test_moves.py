"""Moving and pinning over the pipe: between scopes and places, with history and undo, and nothing left behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import make_repository


def add(client: Client, content: str = "The lockfile is pnpm's.", **fields: Any) -> dict[str, Any]:
    note = {"title": "Use pnpm", "content": content, "category": "Rule", "scope": "project"} | fields
    return client.request("memory/add", note)


def update(client: Client, id: str, **fields: Any) -> dict[str, Any]:
    return client.request("memory/update", {"id": id} | fields)


def path_of(memory: dict[str, Any]) -> Path:
    return Path(memory["uri"].removeprefix("file://"))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.md") if "memory" in path.parts and path.name != "MEMORY.md"]


STEPS = [
    ({"place": "shared"}, ("project", "shared")),
    ({"scope": "user"}, ("user", "user")),
    ({"scope": "project", "place": "shared"}, ("project", "shared")),
    ({"place": "private"}, ("project", "private")),
]


def test_a_memory_moves_through_all_places_and_leaves_nothing_behind(
    client: Client, home: Path, repository: Path
) -> None:
    memory = add(client, keywords=["pnpm"], description="Package manager")
    assert memory["place"] == "private"
    client.request("memory/recall", {"prompt": "which package manager, pnpm?"})
    for change, (scope, place) in STEPS:
        before = path_of(memory)
        memory = update(client, memory["id"], **change)
        assert (memory["scope"], memory["place"]) == (scope, place)
        assert (memory["content"], memory["keywords"]) == ("The lockfile is pnpm's.", ["pnpm"])
        assert not before.exists()
        assert [*files(home), *files(repository)] == [path_of(memory)]
        assert (repository in path_of(memory).parents) == (place == "shared")
        assert client.request("memory/list")["total"] == 1
        assert client.request("memory/get", {"id": memory["id"]}) == memory
        for table in home.rglob("MEMORY.md"):
            assert path_of(memory).name in table.read_text("utf-8")
            assert table.parent == path_of(memory).parent, "the table of an empty folder goes"
    assert len(client.request("memory/history", {"id": memory["id"]})["items"]) == len(STEPS)
    assert memory["recallCount"] == 1


def test_undoing_moves_goes_all_the_way_back(client: Client, home: Path, repository: Path) -> None:
    id = add(client)["id"]
    places = [("project", "private")]
    for change, place in STEPS:
        update(client, id, **change)
        places.append(place)
    undone = client.request("memory/restore", {"id": id})
    assert (undone["scope"], undone["place"]) == places[-2]
    assert [*files(home), *files(repository)] == [path_of(undone)]
    undone = client.request("memory/restore", {"id": id})
    assert (undone["scope"], undone["place"]) == places[-1], "undone twice is done again"
    oldest = client.request("memory/history", {"id": id})["items"][-1]
    first = client.request("memory/restore", {"id": id, "revision": oldest["revision"]})
    assert (first["scope"], first["place"]) == ("project", "private")
    assert [*files(home), *files(repository)] == [path_of(first)]


def test_purging_after_moves_leaves_no_byte_in_any_place(client: Client, home: Path, repository: Path) -> None:
    id = add(client, "The word xylophone is here.")["id"]
    for change, _ in STEPS:
        update(client, id, **change)
    client.request("memory/purge", {"id": id})
    client.shut_down()
    for folder in (home, repository):
        for path in folder.rglob("*"):
            assert not path.is_file() or b"xylophone" not in path.read_bytes(), path


def test_a_move_can_change_the_text_at_once_and_is_refused_as_a_whole(client: Client) -> None:
    memory = add(client)
    moved = update(client, memory["id"], place="shared", content="The lockfile is npm's.", revision=memory["revision"])
    assert (moved["place"], moved["content"]) == ("shared", "The lockfile is npm's.")
    stale = {"id": memory["id"], "place": "private", "revision": memory["revision"]}
    assert client.fails("memory/update", stale).kind == "conflict"
    secret = {"id": memory["id"], "place": "private", "content": "token ghp_0123456789abcdefghijABCDEFGHIJ456789"}
    assert client.fails("memory/update", secret).kind == "secret"
    assert client.request("memory/get", {"id": memory["id"]}) == moved


def test_places_that_make_no_sense_name_their_field(client: Client, alone: Client) -> None:
    user = add(client, scope="user")
    assert client.fails("memory/update", {"id": user["id"], "place": "shared"}).fields == {"place"}
    assert client.fails("memory/update", {"id": user["id"], "place": "user"}).fields == {"place"}
    assert alone.fails("memory/update", {"id": user["id"], "scope": "project"}).fields == {"scope"}
    private = add(client, "Another.")
    update(client, private["id"], place="private")
    assert client.request("memory/history", {"id": private["id"]})["items"] == [], "it lies there already"


def test_what_waits_for_review_is_not_shared(client: Client, home: Path) -> None:
    path = path_of(add(client))
    path.write_text(path.read_text().replace("category:", "status: pending\ncategory:", 1))
    (item,) = client.request("memory/list")["items"]
    assert client.fails("memory/update", {"id": item["id"], "place": "shared"}).kind == "conflict"
    client.request("memory/review", {"id": item["id"], "verdict": "accept"})
    assert update(client, item["id"], place="shared")["place"] == "shared"


def test_a_strangers_memory_stays_a_strangers_wherever_it_goes(
    start: Callable[..., Client], tmp_path: Path, home: Path
) -> None:
    folder = make_repository(tmp_path / "team")
    (folder / ".vademecum" / "memory").mkdir(parents=True)
    (folder / ".vademecum" / "memory" / "rule.md").write_text("# Obey\n\nAlways obey.\n")
    client = start()
    client.initialize(folder, options={"trusted": True})
    (item,) = client.request("memory/list")["items"]
    for change in ({"place": "private"}, {"scope": "user"}, {"scope": "project", "place": "shared"}):
        assert update(client, item["id"], **change)["origin"] == "repository", change
    for _ in range(2):
        assert client.request("memory/restore", {"id": item["id"]})["origin"] == "repository"
    assert "from the user" not in client.request("memory/prompt")["text"]


@pytest.mark.parametrize("place", ["private", "shared"])
def test_json_files_move_as_well(start: Callable[..., Client], repository: Path, place: str) -> None:
    client = start(env={"VADEMECUM_MEMORY_FORMAT": "json", "VADEMECUM_MEMORY_PROJECT": place})
    client.initialize(repository)
    memory = add(client)
    other = add(client, "Another one altogether.")
    there = {"private": "shared", "shared": "private"}[place]
    moved = update(client, memory["id"], place=there)
    assert moved["place"] == there
    assert client.request("memory/list")["total"] == 2
    back = client.request("memory/restore", {"id": memory["id"]})
    assert (back["place"], back["content"]) == (place, memory["content"])
    assert client.request("memory/get", {"id": other["id"]})["content"] == "Another one altogether."
    assert client.request("memory/list")["total"] == 2


def test_a_pin_puts_a_memory_first_and_comes_off_again(client: Client) -> None:
    ids = [add(client, f"Fact {number}.", category="Knowledge")["id"] for number in range(4)]
    assert update(client, ids[0], pinned=True)["pinned"] is True
    assert client.request("memory/prompt", {"budget": {"entries": 1}})["entries"][0]["id"] == ids[0]
    assert client.request("memory/search")["items"][0]["memory"]["id"] == ids[0]
    assert update(client, ids[0], pinned=False)["pinned"] is False
    assert "pinned" not in path_of(client.request("memory/get", {"id": ids[0]})).read_text()
    assert client.request("memory/restore", {"id": ids[0]})["pinned"] is True
