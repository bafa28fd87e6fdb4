"""Files are not looked at while nothing changed, and every change is seen by the next scan all the same."""

import os
from pathlib import Path

import pytest

from vademecum.memory.access import Corner
from vademecum.memory.folder_store import FolderStore
from vademecum.memory.types import Scope, StoreKind

TEXT = "---\nid: {id}\ntitle: A title\n---\n{text}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "a.md").write_text(TEXT.format(id="aaaaaaaa", text="first"))
    os.utime(folder / "a.md", (1, 1))
    return folder


def _store(folder: Path) -> FolderStore:
    return FolderStore(StoreKind.USER, Scope.USER, Corner(folder))


def _texts(store: FolderStore) -> list[str]:
    return [item.record.content for item in store.scan().items]


def test_a_scan_of_what_did_not_change_is_the_same_object(folder: Path) -> None:
    store = _store(folder)
    first = store.scan()
    assert store.scan() is first
    (folder / "notes.txt").write_text("no memory")
    assert store.scan() is first


def test_changes_by_hand_are_seen_by_the_next_scan(folder: Path) -> None:
    store = _store(folder)
    assert _texts(store) == ["first"]
    for number in range(20):
        (folder / "a.md").write_text(TEXT.format(id="aaaaaaaa", text=f"text {number:02}"))
        assert _texts(store) == [f"text {number:02}"]
    (folder / "b.md").write_text(TEXT.format(id="bbbbbbbb", text="second"))
    assert _texts(store) == ["text 19", "second"]
    (folder / "a.md").unlink()
    assert _texts(store) == ["second"]


def test_a_folder_that_is_made_later_is_seen(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    assert _texts(store) == [] and _texts(store) == []
    folder.mkdir()
    (folder / "a.md").write_text(TEXT.format(id="aaaaaaaa", text="first"))
    assert _texts(store) == ["first"]
    folder.rename(tmp_path / "aside")
    assert _texts(store) == []
    (tmp_path / "aside").rename(folder)
    (folder / "a.md").write_text(TEXT.format(id="aaaaaaaa", text="other"))
    assert _texts(store) == ["other"]


@pytest.mark.parametrize("link", ["hard", "symbolic"])
def test_changes_under_another_name_are_seen(folder: Path, link: str) -> None:
    elsewhere = folder.parent / "elsewhere.md"
    elsewhere.write_text(TEXT.format(id="bbbbbbbb", text="there"))
    os.utime(elsewhere, (1, 1))
    if link == "hard":
        (folder / "b.md").hardlink_to(elsewhere)
    else:
        (folder / "b.md").symlink_to(elsewhere)
    store = _store(folder)
    assert _texts(store) == ["first", "there"] == _texts(store)
    elsewhere.write_text(TEXT.format(id="bbbbbbbb", text="changed"))
    assert _texts(store) == ["first", "changed"]


def test_the_linked_name_of_a_folder_may_lead_elsewhere_later(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.md").write_text(TEXT.format(id="cccccccc", text="other"))
    link = tmp_path / "link"
    link.symlink_to(folder)
    store = _store(link)
    assert _texts(store) == ["first"] == _texts(store)
    link.unlink()
    link.symlink_to(other)
    assert _texts(store) == ["other"]
