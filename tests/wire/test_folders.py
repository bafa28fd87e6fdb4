"""Several folders, none, and those that nobody should index."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wire.client import Client
from wire.conftest import git, make_repository

RULE = {"title": "T", "content": "Of this project.", "category": "Rule", "scope": "project"}


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    a, b = make_repository(tmp_path / "a"), make_repository(tmp_path / "b")
    (b / "only_b.py").write_text("def only_in_b():\n    pass\n")
    git(b, "add", "-A")
    git(b, "commit", "-q", "--amend", "-m", "Another beginning")
    return a, b


def test_reads_span_all_folders_and_writes_need_one(start: Callable[..., Client], two: tuple[Path, Path]) -> None:
    a, b = two
    client = start()
    client.initialize(a, b)
    error = client.fails("memory/add", RULE)
    assert error.fields == {"workspace"}
    for folder, content in ((a, "Of a."), (b, "Of b.")):
        client.request("memory/add", RULE | {"content": content, "workspace": folder.as_uri()})
    assert client.request("memory/list")["total"] == 2
    assert client.request("memory/list", {"workspace": a.as_uri()})["total"] == 1
    client.indexed(a)
    client.indexed(b)
    paths = [item["uri"] for item in client.request("search/query", {"query": "only_in_b circle area"})["items"]]
    assert (b / "only_b.py").as_uri() in paths
    assert (a / "src/shapes.py").as_uri() in paths
    only = client.request("search/query", {"query": "only_in_b", "workspace": a.as_uri()})["items"]
    assert all(item["uri"].startswith(a.as_uri()) for item in only)


def test_folders_come_and_go(start: Callable[..., Client], two: tuple[Path, Path]) -> None:
    a, b = two
    client = start()
    client.initialize(a)
    client.indexed()
    change = {"added": [{"uri": b.as_uri(), "name": "b"}], "removed": [{"uri": a.as_uri(), "name": "a"}]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    client.indexed(b)
    assert client.fails("search/status", {"workspace": a.as_uri()}).fields == {"workspace"}
    found = client.request("search/query", {"query": "only_in_b"})["items"]
    assert found[0]["uri"] == (b / "only_b.py").as_uri()


def test_without_a_folder_user_memory_is_served_and_the_reason_given(alone: Client) -> None:
    added = alone.request("memory/add", RULE | {"scope": "user"})
    assert added["id"] in alone.request("memory/prompt")["text"]
    status = alone.request("search/status")
    assert "folder" in status["refusal"].lower()
    answer = alone.request("search/query", {"query": "anything"})
    assert answer["items"] == []
    assert answer["notices"][0]["kind"] == "notIndexed"


@pytest.mark.parametrize("folder", ["/", "home"])
def test_the_root_and_the_home_folder_are_not_walked(start: Callable[..., Client], tmp_path: Path, folder: str) -> None:
    user = tmp_path / "user"
    user.mkdir()
    (user / "x.py").write_text("def never_indexed(): pass\n")
    client = start(env={"HOME": str(user)})
    client.initialize(user if folder == "home" else Path("/"))
    assert client.request("search/status")["refusal"]
    assert client.request("search/query", {"query": "never_indexed"})["items"] == []
    assert client.request("memory/remember", {"note": "I like tea."})["scope"] == "user"
    client.wait_for(
        lambda: any("index" in note["message"] for note in client.notified("window/logMessage")),
        "the reason in the log",
    )


def test_folders_on_no_disk_are_declined(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    folders = [{"uri": "vscode-vfs://github/a/b", "name": "b"}, {"uri": repository.as_uri(), "name": "p"}]
    client.initialize(params={"workspaceFolders": folders})
    client.indexed()
    assert any("vscode-vfs" in note["message"] for note in client.notified("window/showMessage"))


def test_a_folder_that_does_not_exist_stops_nothing(start: Callable[..., Client], tmp_path: Path) -> None:
    client = start()
    client.initialize(tmp_path / "not-there")
    assert client.request("search/query", {"query": "x"})["items"] == []
    assert client.request("memory/list")["total"] == 0


@pytest.mark.parametrize(
    "shape",
    [
        {"workspaceFolders": None},
        {"workspaceFolders": None, "rootUri": None, "path": True},
    ],
    ids=["rootUri", "rootPath"],
)
def test_older_ways_to_name_the_folder(
    start: Callable[..., Client], repository: Path, shape: dict[str, object]
) -> None:
    client = start()
    params = {key: value for key, value in shape.items() if key != "path"}
    if "path" in shape:
        params["rootPath"] = str(repository)
    client.initialize(repository, params=params)
    client.indexed()
    assert client.request("search/query", {"query": "circle area"})["items"]


def test_a_folder_in_a_folder_with_a_name_of_every_kind(start: Callable[..., Client], tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "pro ject #1 日本 & ü")
    (folder / "src/日本語.py").write_text("def konnichiwa_world():\n    pass\n", "utf-8")
    (folder / 'naïve "file".py').write_text("def quoted_name():\n    pass\n", "utf-8")
    client = start()
    client.initialize(folder)
    client.indexed()
    for word, name in (("konnichiwa_world", "src/日本語.py"), ("quoted_name", 'naïve "file".py')):
        item = client.request("search/query", {"query": word})["items"][0]
        assert item["path"] == name
        assert item["uri"] == (folder / name).as_uri()


def test_invalid_settings_are_reported_and_the_defaults_used(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.initialize(
        repository, options={"settings": {"memory": {"promptEntries": "many", "project": "everywhere"}, "search": 5}}
    )
    told = client.wait_for(lambda: [n["message"] for n in client.notified("window/showMessage")], "the report")
    client.wait_for(lambda: len(client.notified("window/showMessage")) >= 3, "all three reports")
    told = " ".join(n["message"] for n in client.notified("window/showMessage"))
    assert "memory.promptEntries" in told
    assert "memory.project" in told
    assert "search" in told
    assert client.request("memory/add", RULE)["scope"] == "project"


def test_settings_are_pulled_from_clients_that_have_them(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.configuration = {"memory": {"enabled": False}}
    client.initialize(repository, capabilities={"workspace": {"configuration": True}})
    client.wait_for(lambda: client.request("memory/status")["enabled"] is False, "the pulled setting")
    client.configuration = {"memory": {"enabled": True}}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.wait_for(lambda: client.request("memory/status")["enabled"] is True, "the changed setting")


def test_each_of_several_folders_has_its_own_settings_of_files(
    start: Callable[..., Client], two: tuple[Path, Path], tmp_path: Path
) -> None:
    a, b = two
    client = start()
    client.configuration = {"search": {"chunkLines": 40}}
    client.configuration_of = {a.as_uri(): {"files": {"exclude": ["src/shapes.py"]}}}
    client.initialize(a, capabilities={"workspace": {"configuration": True}})
    found = lambda: {item["uri"] for item in client.request("search/query", {"query": "circle area"})["items"]}  # noqa: E731
    client.wait_for(lambda: (a / "src/shapes.py").as_uri() in found(), "what one folder alone has from the window")

    # A second one comes, and each is asked for.
    change = {"added": [{"uri": b.as_uri(), "name": "b"}], "removed": []}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    there = (b / "src/shapes.py").as_uri()
    client.wait_for(lambda: there in found() and (a / "src/shapes.py").as_uri() not in found(), "each to have its own")
    client.configuration_of = {b.as_uri(): {"files": {"exclude": ["src/shapes.py"]}}}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.wait_for(lambda: there not in found() and (a / "src/shapes.py").as_uri() in found(), "them to be exchanged")


def test_a_repository_inherited_from_a_git_hook_is_not_mistaken_for_the_folders_own(
    start: Callable[..., Client], two: tuple[Path, Path]
) -> None:
    a, b = two
    client = start(env={"GIT_DIR": str(b / ".git"), "GIT_WORK_TREE": str(b), "GIT_INDEX_FILE": str(b / ".git/index")})
    client.initialize(a)
    assert client.indexed()["files"] == 4
    assert client.request("search/query", {"query": "circle area"})["items"][0]["path"] == "src/shapes.py"
    client.request("memory/add", RULE)
    other = start()
    other.initialize(b)
    assert other.request("memory/list")["total"] == 0
