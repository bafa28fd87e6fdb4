"""A drive that hangs holds up nobody: what does not lie on it is listed, found, read and changed as ever."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from unit.files.hanging import hung_mount
from unit.knowledge.conftest import Open
from vademecum.errors import ErrorKind, VademecumError
from vademecum.files import disks
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import Document, Owner, SourceState

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="which disk a path lies on, Linux alone tells")

Hang = Callable[[Path], AbstractContextManager[Path]]


@pytest.fixture(params=["for real", "as a look sees it"])
def hang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Hang:
    """Has a drive hang that is mounted at a folder: one of a real file system, where this user may mount, and one that
    every look at gets stuck at.
    """
    monkeypatch.setattr(disks, "_MOUNTS_SECONDS", 0.0)
    if request.param == "for real":
        monkeypatch.setattr(disks, "SECONDS", 0.3)
        return hung_mount

    def is_never_heard_of(look: Any) -> None:
        look.alive.heard -= 2 * disks.SECONDS

    @contextmanager
    def pretended(folder: Path) -> Any:
        with monkeypatch.context() as patch:
            mounts = {**disks._read_mounts(), str(folder): "nfs4"}
            patch.setattr(disks, "_mounts", lambda: mounts)
            patch.setattr(disks._Look, "start", is_never_heard_of)
            yield folder
        disks._running.clear()

    return pretended


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\napples\n")
    (folder / "two.md").write_text("# Two\n\npears\n")
    return folder


def serve(knowledge: Knowledge, *documents: Document) -> None:
    for document in documents:
        knowledge.publish(document.id)
    knowledge.attach([document.id for document in documents])


def refused(call: Callable[[], object]) -> ErrorKind:
    with pytest.raises(VademecumError) as error:
        call()
    assert "answer" in error.value.message
    return error.value.kind


def test_followed_folders_and_sources(open_knowledge: Open, docs: Path, tmp_path: Path, hang: Hang) -> None:
    knowledge = open_knowledge()
    serve(knowledge, *knowledge.import_path(docs, follow=True).documents)  # type: ignore[union-attr]
    here = tmp_path / "here.md"
    here.write_text("# Here\n\nplums\n")
    serve(knowledge, knowledge.import_path(here))  # type: ignore[arg-type]
    with hang(docs):
        page = knowledge.list()
        states = {document.title: document.source_state for document in page.items}
        assert states["One"] is states["Two"] is SourceState.UNREACHABLE
        assert states["Here"] in (SourceState.CURRENT, None)
        assert page.notice == "docs is followed, and its disk does not answer."
        done = knowledge.refresh()
        assert (done.documents, done.unreachable, done.folders) == ((), ("docs",), 1)
        assert [skipped.path for skipped in done.skipped] == ["docs"]
        assert [hit.title for hit in knowledge.search("apples").items] == ["One"]
        assert [item.title for item in knowledge.map().items] == ["Here", "One", "Two"]
        one = page.items[1]
        assert knowledge.read_section(one.id, "one").text
        assert refused(lambda: knowledge.import_path(docs / "one.md")) is ErrorKind.STORE_UNREADABLE
        assert refused(lambda: knowledge.import_path(docs)) is ErrorKind.STORE_UNREADABLE
        here.write_text("# Here\n\nquinces\n")
        serve(knowledge, knowledge.import_path(here))  # type: ignore[arg-type]
        assert [hit.title for hit in knowledge.search("quinces").items] == ["Here"]
        knowledge.remove(one.id)
    (document,) = (each for each in knowledge.list().items if each.title == "Two")
    assert document.source_state in (SourceState.CURRENT, None)


def test_the_shared_folder(open_knowledge: Open, tmp_path: Path, hang: Hang) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    knowledge = open_knowledge(shared=shared)
    theirs = knowledge.import_text("# Theirs\n\napples\n", "Theirs", owner=Owner.SYSTEM)
    mine = knowledge.import_text("# Mine\n\npears\n", "Mine")
    serve(knowledge, theirs, mine)
    source = tmp_path / "more.md"
    source.write_text("# More\n")
    with hang(shared):
        for opened in (knowledge, open_knowledge(shared=shared)):
            page = opened.list()
            assert [document.title for document in page.items] == ["Mine"]
            assert page.notice == f"{shared} does not answer within {disks.SECONDS:.0f} seconds."
            assert [item.title for item in opened.map().items] == ["Mine"]
            assert [hit.title for hit in opened.search("apples pears").items] == ["Mine"]
            assert opened.health(Owner.SYSTEM).fault == f"does not answer within {disks.SECONDS:.0f} seconds"
        changes: list[Callable[[], object]] = [
            lambda: knowledge.outline(theirs.id),
            lambda: knowledge.withdraw(theirs.id),
            lambda: knowledge.remove(theirs.id),
            lambda: knowledge.import_text("# New\n", "New", owner=Owner.SYSTEM),
        ]
        assert [refused(change) for change in changes] == [ErrorKind.STORE_UNREADABLE] * 4
        serve(knowledge, knowledge.import_path(source))  # type: ignore[arg-type]
        assert knowledge.withdraw(mine.id).id == mine.id
    assert [document.title for document in knowledge.list().items] == ["Mine", "More", "Theirs"]
    assert [hit.title for hit in knowledge.search("apples").items] == ["Theirs"], "it is attached as before"
