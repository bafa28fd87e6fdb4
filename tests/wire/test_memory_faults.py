"""Faults that others had, each as a whole kind, over the pipe: what a store holds stays, and stays where it belongs."""

import contextlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from vademecum.api.dispatch import METHODS
from wire.client import Client, RequestError
from wire.conftest import make_repository

TOKEN = "ghp_" + "a1B2" * 9


def add(client: Client, content: str, **fields: Any) -> dict[str, Any]:
    note = {"title": "Of a test", "content": content, "category": "Knowledge", "scope": "project"} | fields
    return client.request("memory/add", note)


def total(client: Client, **params: Any) -> int:
    return client.request("memory/list", params)["total"]


def folder_of(memory: dict[str, Any]) -> Path:
    return Path(memory["uri"].removeprefix("file://")).parent


def snapshot(*folders: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()}


def everything(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                yield path, path.read_bytes()


# A broken or foreign file costs nothing else (NousResearch/hermes-agent#26045) ---------------------------------------

ODD = {
    "broken.md": b"\xff\xfe broken\n",
    "nul.md": b"# Title\n\nNUL \0 here\n",
    "by-hand.md": b"A line by hand, no newline at its end",
    "crlf.md": b"\xef\xbb\xbf---\r\ntitle: CRLF  # mine\r\nnew_key: [1, {a: b}]\r\n---\r\nBody\r\n",
    "yaml.md": b"---\ntitle: [unclosed\n---\nText\n",
    "copy.md": b"---\nid: sameid\ntitle: One\n---\nText one\n",
    "copy-2.md": b"---\nid: sameid\ntitle: Two\n---\nText two\n",
    "empty.md": b"",
    "notes.txt": b"no memory at all",
    "MEMORY.MD.bak": b"an old one",
}


def test_writing_beside_what_people_left_there_keeps_every_byte_of_it(
    client: Client, home: Path, repository: Path
) -> None:
    memories = [add(client, "In user scope", scope="user"), add(client, "In the project")]
    shared = client.request("memory/update", {"id": add(client, "To share")["id"], "place": "shared"})
    folders = [folder_of(memory) for memory in (*memories, shared)]
    for folder in folders:
        for name, data in ODD.items():
            (folder / name).write_bytes(data)
    client.request("memory/trust", {"trusted": True})
    for scope in ("user", "project"):
        new = add(client, f"Another for {scope}", scope=scope)
        client.request("memory/update", {"id": new["id"], "content": f"Changed for {scope}", "pinned": True})
        client.request("memory/delete", {"id": new["id"]})
        client.request("memory/restore", {"id": new["id"]})
        client.request("memory/remember", {"note": f"A note for {scope}.", "scope": scope})
    client.request("memory/update", {"id": memories[0]["id"], "scope": "project"})
    client.request("memory/charter", {"content": "# Charter", "confirm": True})
    client.request("memory/prompt", {"session": "s"})
    client.request("memory/reindex")
    for folder in folders:
        for name, data in ODD.items():
            assert (folder / name).read_bytes() == data, (folder, name)
    reported = json.dumps(client.request("memory/status")["unreadable"])
    assert all(name in reported for name in ("broken.md", "nul.md", "yaml.md"))
    listed = [item["title"] for item in client.request("memory/list", {"limit": 200})["items"]]
    assert listed.count("CRLF") == 3 and {"One", "Two"} <= set(listed)


def test_links_that_lead_nowhere_cost_no_other_memory(client: Client, home: Path) -> None:
    kept = add(client, "In user scope", scope="user")
    folder = folder_of(kept)
    (folder / "ring.md").symlink_to("ring.md")
    (folder / "through.md").symlink_to(Path(kept["uri"].removeprefix("file://")) / "x.md")
    (folder / "gone.md").symlink_to(home / "nowhere.md")
    assert total(client) == 1
    assert add(client, "Beside them", scope="user")["id"]
    assert total(client) == 2
    told = client.request("memory/status")["unreadable"]
    assert [(each["path"], each["store"]) for each in told] == [("ring.md", "user"), ("through.md", "user")]


@pytest.mark.parametrize("bad", [b"\xff\xfe[]", b"{", b'{"not": "a list"}', b"[1, 2", b"null"])
def test_a_json_store_that_cannot_be_read_is_never_written_over(
    start: Callable[..., Client], repository: Path, home: Path, bad: bytes
) -> None:
    client = start(env={"VADEMECUM_MEMORY_FORMAT": "json"})
    client.initialize(repository)
    path = Path(add(client, "First")["uri"].removeprefix("file://").split("#")[0])
    path.write_bytes(bad)
    assert client.fails("memory/remember", {"note": "Second"}).kind == "storeUnreadable"
    assert path.read_bytes() == bad
    assert client.request("memory/remember", {"note": "Third", "scope": "user"})["title"] == "Third"


def test_stores_that_are_one_folder_under_two_names_hold_each_memory_once(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    """The home lies in the repository that is open, or is reached through a link."""
    repository = make_repository(tmp_path / "dotfiles")
    home = repository / ".vademecum"
    (tmp_path / "link").symlink_to(home)
    for name in (home, tmp_path / "link"):
        client = start(home=name, env={"VADEMECUM_MEMORY_PROJECT": "private"})
        client.initialize(repository)
        kept = client.request("memory/remember", {"note": "Kept once.", "scope": "user"})
        assert total(client, scope="user") == 1
        assert client.request("memory/get", {"id": kept["id"]})["content"] == "Kept once."


# The same title is another memory (basicmachines-co/basic-memory#625) ------------------------------------------------


def test_one_title_many_times_is_many_memories_whoever_writes(
    start: Callable[..., Client], client: Client, repository: Path
) -> None:
    other = start()
    other.initialize(repository)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: add((client, other)[n % 2], f"Text {n}.", title="Release"), range(16)))
    assert len({memory["id"] for memory in made}) == len({memory["uri"] for memory in made}) == 16
    assert total(other) == 16
    first, second = made[:2]
    client.request("memory/update", {"id": first["id"], "title": "Other"})
    client.request("memory/update", {"id": first["id"], "title": "Release"})
    for memory in made:
        assert other.request("memory/get", {"id": memory["id"]})["content"] == memory["content"]
    client.request("memory/delete", {"id": second["id"]})
    add(client, "Yet another.", title="Release")
    assert client.request("memory/restore", {"id": second["id"]})["content"] == second["content"]
    assert total(client) == 17
    replaced = add(client, "This one replaces it.", title="Release", supersedes=first["id"])
    assert client.request("memory/get", {"id": first["id"]})["status"] == "superseded"
    assert replaced["status"] == "active"


# No request looks past its project (rohitg00/agentmemory#868) --------------------------------------------------------


def test_no_request_of_any_family_tells_of_another_project(start: Callable[..., Client], tmp_path: Path) -> None:
    """Every method that there is, so that a new one is asked, too."""
    a, b = make_repository(tmp_path / "a", "https://x.org/a"), make_repository(tmp_path / "b", "https://x.org/b")
    one, two = start(), start()
    one.initialize(a)
    two.initialize(b)
    told = add(one, "plutonium plutonium", title="Plutonium", keywords=["plutonium"], description="plutonium")
    one.request("memory/update", {"id": told["id"], "content": "plutonium again"})
    one.request("memory/charter", {"content": "# Plutonium", "confirm": True})
    one.request("memory/prompt", {"session": "chat-1"})
    one.request("memory/recall", {"prompt": "plutonium", "session": "chat-1"})
    one.request("session/set", {"session": "chat-1", "key": "plan", "value": "plutonium"})
    entry = {"role": "user", "content": "plutonium"}
    one.request("session/history/append", {"session": "chat-1", "entries": [entry]})
    two.indexed()
    known = {
        "{id}": told["id"],
        "{pending}": told["id"],
        "{deleted}": told["id"],
        "{uri}": (b / "src/shapes.py").as_uri(),
        "{document}": "nodocument",
    }

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        return known.get(value, value) if isinstance(value, str) else value

    for name, method in METHODS.items():
        params = filled(dict(method.example or {}))
        for key in ("query", "prompt", "question"):
            params |= {key: "plutonium"} if key in params else {}
        try:
            answer = json.dumps(two.request(name, params))
        except RequestError as error:
            answer = error.message + json.dumps(error.data)
            if "{id}" in json.dumps(method.example) and name.startswith("memory/"):
                assert error.kind == "notFound", name
        assert "lutonium" not in answer, name
        assert told["id"] not in answer.replace(json.dumps(params), ""), name
    names = [tool["name"] for tool in two.request("tools/list")["items"]]
    for name in names:
        for arguments in ({}, {"query": "plutonium"}, {"prompt": "plutonium"}, {"id": told["id"]}):
            with contextlib.suppress(RequestError):
                answer = two.request("tools/call", {"name": name, "arguments": arguments})
                assert "lutonium" not in json.dumps(answer).replace('"plutonium"', ""), name
    assert one.request("memory/get", {"id": told["id"]})["content"] == "plutonium again"


# What is gone is gone from every way to it (ruvnet/ruflo#2815) -------------------------------------------------------


@pytest.mark.parametrize("how", ["delete", "clear", "by hand", "supersede", "reject"])
def test_what_was_removed_is_in_no_answer_also_after_a_restart(
    start: Callable[..., Client], client: Client, repository: Path, how: str
) -> None:
    memory = add(client, "The xylophone is tuned on Mondays.", title="Xylophone", keywords=["xylophone"])
    asked = {"prompt": "when is the xylophone tuned?"}
    assert client.request("memory/recall", asked)["items"]
    client.request("memory/prompt", {"session": "s"})
    path = Path(memory["uri"].removeprefix("file://"))
    match how:
        case "delete":
            client.request("memory/delete", {"id": memory["id"]})
        case "clear":
            client.request("memory/clear", {"scope": "project", "confirm": True})
        case "by hand":
            path.unlink()
        case "supersede":
            add(client, "Tuning is over.", supersedes=memory["id"])
        case _:
            path.write_text(path.read_text().replace("category:", "status: pending\ncategory:", 1))
            client.request("memory/review", {"id": memory["id"], "verdict": "reject"})
    again = start()
    again.initialize(repository)
    for server in (client, again):
        for method, params in [
            ("memory/list", {}),
            ("memory/search", {"query": "xylophone"}),
            ("memory/search", {}),
            ("memory/recall", asked),
            ("memory/prompt", {}),
            ("memory/prompt", {"session": "s" if how != "supersede" else "other"}),
            ("memory/prompt", {"session": "new", "explain": True}),
            ("tools/call", {"name": "search_memory", "arguments": {"query": "xylophone"}}),
            ("workspace/symbol", {"query": "xylophone"}),
        ]:
            try:
                answer = json.dumps(server.request(method, params))
            except RequestError as error:
                answer = error.message
            assert "ylophone" not in answer, (method, params)


def test_purging_leaves_no_byte_in_store_index_vectors_history_or_log(
    start: Callable[..., Client], client: Client, home: Path, repository: Path
) -> None:
    memory = add(client, "The xylophone is tuned on Mondays.", title="Xylophone")
    client.request("memory/update", {"id": memory["id"], "content": "The xylophone is tuned on Tuesdays."})
    client.request("memory/update", {"id": memory["id"], "place": "shared"})
    for session in ("s", "t"):
        client.request("memory/prompt", {"session": session})
        client.request("memory/recall", {"prompt": "who tunes the xylophone?", "session": session})
    client.request("memory/delete", {"id": memory["id"]})
    client.request("memory/purge", {"id": memory["id"]})
    client.shut_down()
    for top in (home, repository):
        for path, data in everything(top):
            assert b"ylophone" not in data and b"tuned on" not in data, path
    assert "ylophone" not in client.log()
    again = start()
    again.initialize(repository)
    assert again.fails("memory/restore", {"id": memory["id"]}).kind == "notFound"


# Contradictions and repeats (mem0ai/mem0#4896) -----------------------------------------------------------------------


def test_what_supersedes_leaves_one_active_memory_and_its_history(client: Client) -> None:
    chain = [add(client, "This project uses pnpm.")]
    for tool in ("npm", "yarn"):
        newer = add(client, f"This project uses {tool}.", supersedes=chain[-1]["id"])
        assert newer["id"] != chain[-1]["id"]
        chain.append(newer)
    (active,) = client.request("memory/list")["items"]
    assert active["id"] == chain[-1]["id"]
    assert total(client, status="superseded") == 2
    text = client.request("memory/prompt")["text"]
    assert "yarn" in text and "pnpm" not in text and "npm" not in text
    for old in chain[:-1]:
        items = client.request("memory/history", {"id": old["id"]})["items"]
        assert items[0]["reason"] == "superseded" and items[0]["content"] == old["content"]
    back = client.request("memory/restore", {"id": chain[0]["id"]})
    assert (back["status"], back["content"]) == ("active", "This project uses pnpm.")


def test_a_contradiction_is_kept_and_named_rather_than_merged_or_lost(client: Client) -> None:
    first = add(client, "We deploy on Tuesdays after lunch.")
    second = add(client, "We never deploy on Tuesdays after lunch.")
    assert second["similar"] == [first["id"]]
    assert total(client) == 2


def test_the_same_text_is_kept_exactly_once_however_it_comes(
    start: Callable[..., Client], client: Client, repository: Path
) -> None:
    other = start()
    other.initialize(repository)
    text = "Reviews take two people."

    def once_more(number: int) -> str:
        server = (client, other)[number % 2]
        try:
            if number % 3:
                return server.request("memory/remember", {"note": text})["id"]
            return add(server, text)["id"]
        except RequestError as error:
            assert error.kind == "duplicate"
            return error.data["id"]

    with ThreadPoolExecutor(8) as pool:
        (id,) = set(pool.map(once_more, range(24)))
    for variant in (f"  {text}\n", text.upper(), "Reviews  take\ttwo people", f"- {text}", "Ｒeviews take two people."):
        assert client.fails("memory/add", _note(variant)).data["id"] == id
        assert client.request("memory/remember", {"note": variant})["id"] == id
    assert total(client) == 1
    another = add(client, "Reviews take three people.")
    assert client.fails("memory/update", {"id": another["id"], "content": text}).kind == "duplicate"
    assert client.request("memory/get", {"id": another["id"]})["content"] == "Reviews take three people."
    client.request("memory/delete", {"id": id})
    assert add(client, text)["id"] != id
    assert client.fails("memory/restore", {"id": id}).kind == "duplicate"


def _note(content: str) -> dict[str, Any]:
    return {"title": "T", "content": content, "category": "Knowledge", "scope": "project"}


# Secrets (rohitg00/agentmemory#911) ----------------------------------------------------------------------------------


def test_a_secret_written_by_hand_is_told_by_no_request(client: Client, home: Path, repository: Path) -> None:
    memory = add(client, "Where the deploy key is.", title="Deploy key", category="Rule")
    path = Path(memory["uri"].removeprefix("file://"))
    held = f"The deploy key is {TOKEN} and db.password=hunter2-hunter2 for all."
    path.write_text(path.read_text().replace("Where the deploy key is.", held).replace("Deploy key", f"Key {TOKEN}"))
    (home / "USER.md").write_text(f"# Me\n\nMy token is {TOKEN}.\n")
    client.request("memory/prompt", {"session": "s"})
    path.write_text(path.read_text() + "\nAnd more.\n")
    for method, params in [
        ("memory/prompt", {}),
        ("memory/prompt", {"session": "s", "explain": True}),
        ("memory/changes", {"session": "s"}),
        ("memory/recall", {"prompt": "deploy key"}),
    ]:
        answer = client.request(method, params)
        for told in [answer["text"], json.dumps(answer.get("entries", []))]:
            assert TOKEN not in told and "hunter2" not in told, method
    assert TOKEN not in (folder_of(memory) / "MEMORY.md").read_text()
    assert TOKEN not in client.log()
    assert client.fails("memory/charter", {"content": held, "confirm": True}).kind == "secret"
    client.shut_down()
    for top, allowed in ((home, {path, home / "USER.md"}), (repository, set())):
        for each, data in everything(top):
            assert TOKEN.encode() not in data or each in allowed, each
