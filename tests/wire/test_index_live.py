"""What changes while a folder is open: rules, repositories, settings, and the folder itself."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import git

WORD = "live_word"
Start = Callable[..., Client]


def put(folder: Path, *names: str, text: str = f"{WORD} = 1\n") -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def found(client: Client) -> set[str]:
    answer = client.request("search/query", {"query": WORD, "limit": 50})
    return {item["path"] for item in answer["items"] if WORD in item["snippet"]}


def becomes(client: Client, names: set[str], what: str) -> None:
    client.wait_for(lambda: found(client) == names, f"{what} (now {found(client)}, not {names})")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with some files and no repository."""
    put(tmp_path / "outer/folder", "a.py", "b.py", "gen/c.py", "build/d.py")
    return tmp_path / "outer/folder"


@pytest.fixture
def opened(start: Start, folder: Path) -> Client:
    client = start()
    client.initialize(folder)
    client.indexed()
    return client


def test_every_kind_of_rule_takes_effect_at_once(opened: Client, folder: Path) -> None:
    assert found(opened) == {"a.py", "b.py", "gen/c.py"}  # without git, `build` is taken for output
    put(folder, ".gitignore", text="gen/\n")
    assert "gen/c.py" not in found(opened)
    put(folder, ".vademecumignore", text="b.py\n!build/d.py\n")
    assert "b.py" not in found(opened)
    becomes(opened, {"a.py", "build/d.py"}, "a file forced in")
    put(folder, "gen/.gitignore", text="*.tmp\n")
    put(folder, ".gitignore", text="")
    becomes(opened, {"a.py", "gen/c.py", "build/d.py"}, "a rule taken back")
    (folder / ".vademecumignore").unlink()
    becomes(opened, {"a.py", "b.py", "gen/c.py"}, "rules taken away")


def test_a_repository_made_in_the_opened_folder(opened: Client, folder: Path) -> None:
    git(folder, "init", "-q")
    becomes(opened, {"a.py", "b.py", "gen/c.py", "build/d.py"}, "git's rules alone")
    (folder / ".git/info/exclude").write_text("b.py\n")
    assert "b.py" not in found(opened)
    git(folder, "add", "-f", "b.py")
    becomes(opened, {"a.py", "b.py", "gen/c.py", "build/d.py"}, "a tracked file")
    git(folder, "rm", "-q", "--cached", "b.py")
    becomes(opened, {"a.py", "gen/c.py", "build/d.py"}, "a file that is not tracked any more")
    shutil.rmtree(folder / ".git")
    becomes(opened, {"a.py", "b.py", "gen/c.py"}, "no repository any more")


def test_a_repository_made_around_the_opened_folder(opened: Client, folder: Path) -> None:
    put(folder.parent, "other.py", ".gitignore", text=f"{WORD} = 1\nb.py\n")
    git(folder.parent, "init", "-q")
    becomes(opened, {"folder/a.py", "folder/gen/c.py", "folder/build/d.py"}, "paths from the repository's top")
    items = opened.request("search/query", {"query": WORD})["items"]
    assert {item["uri"] for item in items} == {(folder / name).as_uri() for name in ("a.py", "gen/c.py", "build/d.py")}
    verified = opened.request("evidence/verify", {"references": [item["reference"] for item in items]})
    assert verified["allValid"]
    shutil.rmtree(folder.parent / ".git")
    becomes(opened, {"a.py", "b.py", "gen/c.py"}, "the folder on its own again")


def test_settings_that_concern_the_index_are_taken_up(opened: Client, folder: Path) -> None:
    put(folder, "long.py", text="".join(f"{WORD}_{number} = {WORD}\n" for number in range(300)))
    chunks = opened.wait_for(lambda: opened.request("search/status")["files"] == 4 and chunk_count(opened), "the file")
    configure(opened, {"search": {"chunkLines": 12}})
    opened.wait_for(lambda: chunk_count(opened) > 2 * chunks, "smaller chunks")
    configure(opened, {"search": {"chunkLines": 12}, "files": {"exclude": ["gen/", "long.py"]}})
    becomes(opened, {"a.py", "b.py"}, "files left out")
    configure(opened, {"files": {"maxFileBytes": 5}})
    becomes(opened, set(), "too large, all of them")
    opened.wait_for(lambda: opened.request("search/status")["files"] == 0, "an empty index")
    configure(opened, {"search": {"enabled": False}})
    opened.wait_for(
        lambda: "disabled" in {one["kind"] for one in opened.request("search/query", {"query": WORD})["notices"]}, "off"
    )
    configure(opened, {"search": {"enabled": True}})
    opened.wait_for(lambda: "a.py" in found(opened), "on again")
    # An unsaved text reaches the one indexer there is, however often it was started again.
    uri = (folder / "a.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "unsaved_after_all = 1\n"}
    opened.notify("textDocument/didOpen", {"textDocument": document})
    opened.wait_for(
        lambda: any(
            item["path"] == "a.py" for item in opened.request("search/query", {"query": "unsaved_after_all"})["items"]
        ),
        "the unsaved text",
    )


def chunk_count(client: Client) -> int:
    return int(client.request("search/status")["chunks"])


def configure(client: Client, section: dict[str, Any]) -> None:
    client.notify("workspace/didChangeConfiguration", {"settings": {"vademecum": section}})


def test_a_folder_that_goes_and_comes_back(opened: Client, folder: Path) -> None:
    shutil.rmtree(folder)
    assert found(opened) == set()
    put(folder, "new.py")
    becomes(opened, {"new.py"}, "another folder in its place")
    folder.rename(folder.with_name("elsewhere"))
    assert found(opened) == set()
    put(folder.with_name("elsewhere"), "while_away.py")
    time.sleep(0.5)
    folder.with_name("elsewhere").rename(folder)
    becomes(opened, {"new.py", "while_away.py"}, "the same folder back")


def test_another_folder_takes_the_place_of_one_that_was_moved_away(opened: Client, folder: Path) -> None:
    here = found(opened)
    folder.rename(folder.with_name("elsewhere"))
    put(folder, "other.py")
    becomes(opened, {"other.py"}, "the other folder")
    put(folder, "later.py")
    becomes(opened, {"other.py", "later.py"}, "what is saved in it")
    shutil.rmtree(folder)
    folder.with_name("elsewhere").rename(folder)
    becomes(opened, here, "the first folder back")


def test_a_saved_file_that_is_ignored_is_not_listed_on_its_own(start: Start, repository: Path) -> None:
    client = start()
    client.initialize(repository)
    before = client.indexed()
    skipped = client.request("search/skipped")
    for name in ("build/generated.py", ".git/config", "src/shapes.py"):
        client.notify("textDocument/didSave", {"textDocument": {"uri": (repository / name).as_uri()}})
    put(repository, "src/after.py")
    client.wait_for(lambda: found(client) == {"src/after.py"}, "what came after")
    assert client.request("search/skipped") == skipped
    assert client.request("search/status")["files"] == before["files"] + 1


def test_the_size_is_that_on_the_disk_when_it_says_ready(start: Start, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "some"
    for number in range(150):
        put(folder, f"f{number}.py", text=f"def number_{number}():\n" + "    common = 1\n" * 30)
    client = start()
    client.initialize(folder)
    told = client.indexed()["bytes"]
    (build,) = (home / "cache/code").glob("*/build-*")
    there = sum(file.stat().st_size for file in build.rglob("*") if file.is_file())
    assert 0.4 * there <= told <= 2.5 * there, (told, there)


def test_a_query_right_after_initialize_on_a_cold_folder(start: Start, tmp_path: Path) -> None:
    # MinishLab/semble#133, #130
    folder = tmp_path / "cold"
    for number in range(2000):
        put(folder, f"d{number % 20}/f{number}.py", text=f"def {WORD}_{number}():\n    return {number}\n" * 10)
    client = start()
    began = time.monotonic()
    client.initialize(folder)
    answer = client.request("search/query", {"query": WORD})
    print(f"first answer after {time.monotonic() - began:.2f} s, {len(answer['items'])} items")  # noqa: T201
    assert answer["items"] or answer["partial"]
    assert client.indexed()["files"] == 2000
