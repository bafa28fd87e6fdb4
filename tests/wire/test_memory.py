"""Memory over the pipe: what is acknowledged is kept, seen everywhere it belongs, and nowhere else."""

import contextlib
import json
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import git, make_repository

RULE = {"title": "Use pnpm, never npm", "content": "The lockfile is pnpm's.", "category": "Rule", "scope": "project"}


def add(client: Client, **fields: Any) -> dict[str, Any]:
    return client.request("memory/add", RULE | fields)


def titles(client: Client, **params: Any) -> list[str]:
    return [item["title"] for item in client.request("memory/list", params)["items"]]


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def everything(folder: Path) -> bytes:
    texts = []
    for path in files(folder):
        with contextlib.suppress(FileNotFoundError):  # what the indexer is replacing just now
            texts.append(path.read_bytes())
    return b"".join(texts)


def deleting(id: str) -> dict[str, object]:
    """Arguments of the tool that deletes a memory."""
    return {"action": "delete", "memory": {"id": id}}


def test_a_memory_is_kept_as_markdown_and_read_back(client: Client, home: Path) -> None:
    added = add(client, keywords=["pnpm", "install"], description="Package manager")
    assert added["category"] == "Rule"
    assert added["scope"] == "project"
    assert added["type"] == "project"
    assert added["provenance"] == "manual"
    assert added["origin"] == "user"
    assert added["status"] == "active"
    assert added["keywords"] == ["pnpm", "install"]
    assert client.request("memory/get", {"id": added["id"]}) == added
    path = Path(added["uri"].removeprefix("file://"))
    text = path.read_text("utf-8")
    assert text.startswith("---\n")
    assert "category: Rule" in text
    assert "The lockfile is pnpm's." in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert home in path.parents


def test_a_restart_forgets_nothing(start: Callable[..., Client], repository: Path) -> None:
    first = start()
    first.initialize(repository)
    added = add(first)
    first.process.kill()
    second = start()
    second.initialize(repository)
    assert second.request("memory/get", {"id": added["id"]}) == added


def test_the_same_title_overwrites_nothing(client: Client) -> None:
    one = add(client, content="One text.")
    two = add(client, content="Quite another text.")
    assert one["id"] != two["id"]
    assert client.request("memory/get", {"id": one["id"]})["content"].strip() == "One text."
    assert titles(client) == [RULE["title"]] * 2


def test_the_same_content_is_named_as_a_duplicate(client: Client) -> None:
    added = add(client)
    error = client.fails("memory/add", RULE | {"title": "Another title"})
    assert error.kind == "duplicate"
    assert error.data["id"] == added["id"]
    assert client.request("memory/add", RULE | {"scope": "user"})["scope"] == "user"


def test_updates_keep_what_was_before(client: Client) -> None:
    added = add(client)
    changed = client.request(
        "memory/update", {"id": added["id"], "content": "New text.", "revision": added["revision"]}
    )
    assert changed["content"].strip() == "New text."
    assert changed["revision"] != added["revision"]
    late = client.fails("memory/update", {"id": added["id"], "content": "Late.", "revision": added["revision"]})
    assert late.kind == "conflict"
    assert client.fails("memory/delete", {"id": added["id"], "revision": added["revision"]}).kind == "conflict"
    # A model's call is for the memory that its user was shown.
    called = {"name": "manage_core_memory", "revision": added["revision"]}
    for action in ({"action": "update", "memory": {"id": added["id"], "content": "Late."}}, deleting(added["id"])):
        assert client.fails("tools/call", {**called, "arguments": action}).kind == "conflict"
    assert client.request("memory/get", {"id": added["id"]})["content"] == "New text."
    unfit = {"name": "memory_recall", "arguments": {"prompt": "x"}, "revision": added["revision"]}
    assert "revision" in client.fails("tools/call", unfit).message
    history = client.request("memory/history", {"id": added["id"]})["items"]
    assert [version["content"].strip() for version in history] == [RULE["content"]]
    back = client.request("memory/restore", {"id": added["id"], "revision": history[0]["revision"]})
    assert back["content"].strip() == RULE["content"]


def test_an_empty_string_blanks_an_optional_field_and_scope_moves(client: Client) -> None:
    added = add(client, description="A line")
    blank = client.request("memory/update", {"id": added["id"], "description": ""})
    assert "A line" not in blank["description"]
    moved = client.request("memory/update", {"id": added["id"], "scope": "user", "pinned": True})
    assert (moved["scope"], moved["pinned"], moved["id"]) == ("user", True, added["id"])
    assert client.request("memory/list", {"scope": "project"})["total"] == 0


def test_a_deleted_memory_is_in_no_answer_and_can_be_restored(
    start: Callable[..., Client], client: Client, repository: Path
) -> None:
    added = add(client, content="The word xylophone is here.")
    client.request("memory/prompt", {"session": "s"})
    assert client.request("memory/delete", {"id": added["id"]}) == {"id": added["id"]}
    again = start()
    again.initialize(repository)
    for server in (client, again):
        assert server.fails("memory/get", {"id": added["id"]}).kind == "notFound"
        assert server.request("memory/search", {"query": "xylophone"})["items"] == []
        assert server.request("memory/list")["total"] == 0
        assert "xylophone" not in server.request("memory/prompt", {"session": "s"})["text"]
        assert "xylophone" not in server.request("memory/prompt", {})["text"]
    assert client.request("memory/restore", {"id": added["id"]})["content"].strip() == "The word xylophone is here."
    assert client.request("memory/list")["total"] == 1


def test_purging_leaves_no_byte(client: Client, home: Path) -> None:
    added = add(client, title="Chrysanthemum", content="The word xylophone is here.")
    client.request("memory/update", {"id": added["id"], "content": "Now it says zither."})
    client.request("memory/prompt", {"session": "s"})
    client.request("memory/delete", {"id": added["id"]})
    client.request("memory/purge", {"id": added["id"]})
    assert client.fails("memory/restore", {"id": added["id"]}).kind == "notFound"
    left = everything(home)
    for word in (b"xylophone", b"zither", b"hrysanthemum"):
        assert word not in left


def test_purge_wants_one_target_and_clear_wants_to_be_meant(client: Client) -> None:
    assert client.fails("memory/purge", {}).fields == {"id"}
    assert client.fails("memory/purge", {"id": "a", "scope": "user"}).fields == {"id"}
    add(client)
    add(client, scope="user", content="For everywhere.")
    assert client.request("memory/clear", {"scope": "project", "confirm": True}) == {"removed": 1}
    assert client.request("memory/list")["total"] == 1
    assert client.request("memory/clear", {"scope": "all", "confirm": True}) == {"removed": 1}


def test_search_finds_substrings_words_and_other_scripts(client: Client) -> None:
    add(client, title="Deploys", content="Releases go out on Tuesdays.", keywords=["release-train"])
    add(client, title="登录", content="用户登录校验走 SSO。")
    add(client, title="Other", content="Nothing to see.")
    for query, title in [
        ("ease-tra", "Deploys"),
        ("TUESDAY", "Deploys"),
        ("when do releases go out?", "Deploys"),
        ("登录", "登录"),
    ]:
        found = client.request("memory/search", {"query": query})["items"]
        assert found[0]["memory"]["title"] == title, query
    assert client.request("memory/search", {})["total"] == 3
    assert client.request("memory/search", {"query": "qqqqq"})["items"] == []


@pytest.mark.parametrize("query", ["(", '"', "a AND", "*", "\\", "[", "😀", "\u0000", "' OR 1=1 --"])
def test_no_search_is_an_error(client: Client, query: str) -> None:
    add(client)
    assert isinstance(client.request("memory/search", {"query": query})["items"], list)


def test_remember_makes_a_title_and_doubles_nothing(client: Client) -> None:
    one = client.request("memory/remember", {"note": "Deploys go out on Tuesdays. Ask Ana first."})
    assert one["title"] == "Deploys go out on Tuesdays"
    assert (one["scope"], one["category"]) == ("project", "Knowledge")
    two = client.request("memory/remember", {"note": "  Deploys go out on  Tuesdays. Ask Ana first.\n"})
    assert two["id"] == one["id"]
    assert client.request("memory/list")["total"] == 1


def test_without_a_folder_notes_are_the_users(alone: Client) -> None:
    assert alone.request("memory/remember", {"note": "I like tea."})["scope"] == "user"
    error = alone.fails("memory/add", RULE)
    assert error.code == -32602
    assert "scope" in error.fields or "workspace" in error.fields


SECRETS = [
    "AKIA" + "Q3EXAMPLE7ABCDEF",
    "ghp_" + "a1B2" * 9,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "db.password=hunter2-hunter2",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "https://user:pa55word@host.example.org/x",
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda s: s[:8])
def test_secrets_are_refused_everywhere_and_never_written(client: Client, home: Path, secret: str) -> None:
    added = add(client)
    for method, params in [
        ("memory/add", RULE | {"content": f"The key is {secret}"}),
        ("memory/add", RULE | {"content": "c2", "title": f"Key {secret}"[:190].replace("\n", " ")}),
        ("memory/add", RULE | {"content": "c3", "description": f"Key {secret}".replace("\n", " ")}),
        ("memory/add", RULE | {"content": "c4", "keywords": [secret]}),
        ("memory/remember", {"note": f"The key is {secret}"}),
        ("memory/remember", {"note": f"The key is {secret[:3]}\u200b{secret[3:]}"}),
        ("memory/add", RULE | {"content": "c5", "type": secret[:200]}),
        ("memory/update", {"id": added["id"], "type": secret[:200]}),
        ("memory/update", {"id": added["id"], "content": f"The key is {secret}"}),
    ]:
        error = client.fails(method, params)
        if error.code == -32803:
            assert error.kind == "secret"
        assert secret[:16] not in error.message + json.dumps(error.data)
    core = secret.splitlines()[0][4:24].encode()
    assert core not in everything(home)
    assert core.decode() not in client.log()


def test_no_request_shows_another_projects_memory(start: Callable[..., Client], tmp_path: Path) -> None:
    a, b = make_repository(tmp_path / "a"), make_repository(tmp_path / "b")
    (b / "x.txt").write_text("other history\n")
    git(b, "add", "-A")
    git(b, "commit", "-q", "--amend", "-m", "Another first commit")
    one = start()
    one.initialize(a)
    secret = add(one, title="Plutonium", content="plutonium plutonium")
    one.request("memory/prompt", {"session": "s"})
    two = start()
    two.initialize(b)
    for method, params in [
        ("memory/list", {}),
        ("memory/search", {}),
        ("memory/search", {"query": "plutonium"}),
        ("memory/prompt", {}),
        ("memory/prompt", {"session": "s"}),
        ("memory/changes", {"session": "s"}),
        ("memory/status", {}),
        ("memory/reindex", {}),
        ("search/query", {"query": "plutonium"}),
    ]:
        assert "lutonium" not in json.dumps(two.request(method, params)), method
    for method in ("memory/get", "memory/delete", "memory/update", "memory/restore", "memory/purge"):
        assert two.fails(method, {"id": secret["id"]}).kind == "notFound", method
    try:
        assert two.request("memory/history", {"id": secret["id"]})["items"] == []
    except Exception as error:
        assert getattr(error, "kind", None) == "notFound"
    assert one.request("memory/get", {"id": secret["id"]})["title"] == "Plutonium"


def test_worktrees_and_clones_share_a_project_and_neighbours_do_not(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    main = make_repository(tmp_path / "foo", origin="git@example.org:team/foo.git")
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    (main / "sub").mkdir()
    link = tmp_path / "link"
    link.symlink_to(main)
    client = start()
    client.initialize(main)
    added = add(client)
    for same in (tmp_path / "linked", main / "sub", link, Path(f"{main}/")):
        other = start()
        other.initialize(same)
        assert other.request("memory/get", {"id": added["id"]})["title"] == RULE["title"], same
    neighbour = make_repository(tmp_path / "foo-api", origin="git@example.org:team/foo-api.git")
    stranger = start()
    stranger.initialize(neighbour)
    assert stranger.request("memory/list")["total"] == 0


def test_a_clone_of_a_local_repository_joins_its_project_once_it_is_trusted(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    original = make_repository(tmp_path / "original")
    git(tmp_path, "clone", "-q", str(original), "clone")
    one = start()
    one.initialize(original)
    added = add(one)
    other = start()
    other.initialize(tmp_path / "clone")
    assert other.request("memory/list")["total"] == 0
    other.request("memory/trust", {"trusted": True})
    assert other.request("memory/get", {"id": added["id"]})["title"] == RULE["title"]


def test_two_servers_writing_at_once_lose_nothing(start: Callable[..., Client], repository: Path) -> None:
    servers = [start(), start()]
    for server in servers:
        server.initialize(repository)
    notes = [
        (server, f"Fact number {n} of server {i}: the word is {i}{n}.")
        for i, server in enumerate(servers)
        for n in range(50)
    ]
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda one: one[0].request("memory/remember", {"note": one[1]}), notes))
    assert len({memory["id"] for memory in kept}) == 100
    for server in servers:
        assert server.request("memory/list")["total"] == 100


def test_outside_edits_are_seen_at_the_next_request(client: Client) -> None:
    added = add(client)
    path = Path(added["uri"].removeprefix("file://"))
    text = path.read_text("utf-8")
    path.write_text(text.replace("never npm", "never yarn").replace("---\nThe", "---\nBy hand: the"), "utf-8")
    seen = client.request("memory/get", {"id": added["id"]})
    assert seen["title"] == "Use pnpm, never yarn"
    assert seen["content"].strip().startswith("By hand")
    (path.parent / "by-hand.md").write_text("# A note by hand\n\nWritten in an editor.\n", "utf-8")
    assert "A note by hand" in titles(client)
    path.unlink()
    assert client.fails("memory/get", {"id": added["id"]}).kind == "notFound"


def test_an_unreadable_file_is_left_alone_and_reported(client: Client) -> None:
    added = add(client)
    folder = Path(added["uri"].removeprefix("file://")).parent
    broken = folder / "broken.md"
    broken.write_bytes(b"\xff\xfe\x00 a line by hand\n")
    client.request("memory/remember", {"note": "Something else."})
    assert broken.read_bytes() == b"\xff\xfe\x00 a line by hand\n"
    status = client.request("memory/status")
    assert [item["path"] for item in status["unreadable"]] == ["broken.md"]
    assert client.request("memory/list")["total"] == 2


def test_hand_written_front_matter_survives_an_update(client: Client) -> None:
    added = add(client)
    folder = Path(added["uri"].removeprefix("file://")).parent
    path = folder / "mine.md"
    path.write_text(
        "---\n# my own remark\ntitle: By hand\nmy_key: [1, 2]\ncategory: Rule # strong\n---\nBody.\n", "utf-8"
    )
    (mine,) = [item for item in client.request("memory/list")["items"] if item["title"] == "By hand"]
    client.request("memory/update", {"id": mine["id"], "content": "New body."})
    text = path.read_text("utf-8")
    assert "# my own remark" in text
    assert "my_key: [1, 2]" in text
    assert "# strong" in text
    assert "New body." in text


def test_json_files_in_codebuddys_shape(start: Callable[..., Client], repository: Path, home: Path) -> None:
    client = start(env={"VADEMECUM_MEMORY_FORMAT": "json"})
    client.initialize(repository)
    added = add(client, scope="user", keywords=["a", "b"])
    path = home / "user-memory.json"
    stored = json.loads(path.read_text("utf-8"))
    assert isinstance(stored, list)
    (entry,) = stored
    assert {"id", "category", "content", "title", "keywords", "scope", "timestamp"} <= entry.keys()
    assert entry["keywords"] == "a|b"
    entry["foreign"] = {"kept": True}
    path.write_text(json.dumps([entry]), "utf-8")
    client.request("memory/update", {"id": added["id"], "title": "Renamed"})
    (entry,) = json.loads(path.read_text("utf-8"))
    assert entry["title"] == "Renamed"
    assert entry["foreign"] == {"kept": True}
    path.write_text("[{broken", "utf-8")
    error = client.fails("memory/add", RULE | {"scope": "user", "content": "More."})
    assert error.kind == "storeUnreadable"
    assert path.read_text("utf-8") == "[{broken"


def test_shared_memory_lies_in_the_repository_and_a_strangers_is_not_trusted(
    start: Callable[..., Client], repository: Path, tmp_path: Path
) -> None:
    client = start(env={"VADEMECUM_MEMORY_PROJECT": "shared"})
    client.initialize(repository)
    added = add(client)
    assert Path(added["uri"].removeprefix("file://")).parent == repository / ".vademecum/memory"
    assert "pnpm" in client.request("memory/prompt")["text"]
    stranger = start(home=tmp_path / "other-home")
    stranger.initialize(repository)
    assert "pnpm" not in stranger.request("memory/prompt")["text"]
    stranger.request("memory/trust", {"trusted": True})
    text = stranger.request("memory/prompt")["text"]
    assert "pnpm" in text
    stranger.request("memory/trust", {"trusted": False})
    assert "pnpm" not in stranger.request("memory/prompt")["text"]


def test_the_editors_word_on_trust_wins(start: Callable[..., Client], repository: Path, tmp_path: Path) -> None:
    shared = repository / ".vademecum/memory"
    shared.mkdir(parents=True)
    (shared / "rule.md").write_text("---\ntitle: Stranger's rule\ncategory: Rule\n---\nDo as the stranger says.\n")
    for trusted in (True, False):
        client = start(home=tmp_path / f"home-{trusted}")
        client.initialize(repository, options={"trusted": trusted})
        assert ("stranger says" in client.request("memory/prompt")["text"]) is trusted


def test_off_means_off(start: Callable[..., Client], repository: Path, home: Path) -> None:
    client = start(env={"VADEMECUM_MEMORY": "off"})
    client.initialize(repository)
    for method, params in [
        ("memory/add", RULE),
        ("memory/list", {}),
        ("memory/prompt", {}),
        ("memory/remember", {"note": "x"}),
    ]:
        assert client.fails(method, params).kind == "memoryDisabled"
    status = client.request("memory/status")
    assert status["enabled"] is False
    assert not list(home.rglob("*.md"))
    client.indexed()


def test_switching_memory_off_in_the_editor_takes_effect_at_once(client: Client) -> None:
    add(client)
    client.notify("workspace/didChangeConfiguration", {"settings": {"vademecum": {"memory": {"enabled": False}}}})
    client.wait_for(lambda: client.request("memory/status")["enabled"] is False, "the change")
    assert client.fails("memory/list", {}).kind == "memoryDisabled"


def test_changes_are_told_once(client: Client) -> None:
    kept, doomed = add(client, content="Kept."), add(client, content="Doomed.", title="Doomed title")
    before = client.request("memory/prompt", {"session": "s"})
    added = add(client, content="Added later.", title="Late title")
    client.request("memory/update", {"id": kept["id"], "content": "Kept and changed."})
    assert client.request("memory/prompt", {"session": "s"})["text"] == before["text"]
    told = client.request("memory/changes", {"session": "s"})
    assert told["added"] == [added["id"]]
    assert told["changed"] == [kept["id"]]
    assert "Added later." in told["text"]
    again = client.request("memory/changes", {"session": "s"})
    assert (again["text"], again["added"], again["changed"], again["removed"]) == ("", [], [], [])
    client.request("memory/delete", {"id": doomed["id"]})
    assert client.request("memory/changes", {"session": "s"})["removed"] == [doomed["id"]]
    assert "Doomed" not in client.request("memory/prompt", {"session": "s"})["text"]


def test_memory_changes_are_announced(client: Client) -> None:
    added = add(client)
    client.wait_for(
        lambda: {"scope": "project", "ids": [added["id"]]} in client.notified("memory/didChange"), "the announcement"
    )


def test_what_is_purged_or_trusted_is_announced_too(client: Client) -> None:
    added = add(client)
    client.request("memory/delete", {"id": added["id"]})
    before = len(client.notified("memory/didChange"))
    client.request("memory/purge", {"id": added["id"]})
    client.wait_for(
        lambda: {"scope": "project", "ids": [added["id"]]} in client.notified("memory/didChange")[before:], "the purge"
    )
    for method, params in (("purge", {"scope": "project"}), ("trust", {"trusted": False})):
        before = len(client.notified("memory/didChange"))
        client.request(f"memory/{method}", params)
        client.wait_for(
            lambda: {"scope": "project", "ids": []} in client.notified("memory/didChange")[before:],  # noqa: B023
            f"the {method}",
        )


@pytest.mark.skipif(os.getuid() != 0 and os.name != "posix", reason="needs POSIX permissions")
def test_everything_kept_is_the_users_alone(client: Client, home: Path) -> None:
    add(client)
    client.request("memory/prompt", {"session": "s"})
    client.indexed()
    loose = [
        str(path.relative_to(home))
        for path in home.rglob("*")
        # Compiled grammars are code that anyone may have; their package sets their mode, and their folder is closed.
        if stat.S_IMODE(path.lstat().st_mode) & 0o077 and path.suffix not in (".so", ".dylib", ".dll")
    ]
    assert loose == []
