"""System documents in a shared folder: the same rules, several writers, and readers who cannot write."""

import multiprocessing
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from unit.knowledge.conftest import Open, write
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.settings import KnowledgeSettings
from vademecum.knowledge.types import Document, DocumentStatus, Owner


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o770)
    folder.chmod(0o770)
    return folder


def colleague_of(places: Places, name: str) -> Places:
    """Another user's home, state and cache."""
    return attrs.evolve(places, home=places.home / name, state=places.state / name, cache=places.cache / name)


def test_a_system_document_is_the_teams(open_knowledge: Open, places: Places, shared: Path, tmp_path: Path) -> None:
    one = open_knowledge(shared=shared)
    path = write(tmp_path / "source", guide="# Guide\n\nmarmot\n") / "guide.md"
    document = one.import_path(path, owner=Owner.SYSTEM)
    assert isinstance(document, Document)
    assert (document.owner, document.writable, document.source) == (Owner.SYSTEM, True, "guide.md")
    other = open_knowledge(shared=shared, places=colleague_of(places, "colleague"))
    other.attach([document.id])
    assert other.map().items == ()
    one.publish(document.id)
    assert other.search("marmot").items[0].id == document.id
    assert one.search("marmot").items == (), "attachments are each user's own"
    (file,) = shared.glob("*.md")
    assert stat.S_IMODE(file.stat().st_mode) == 0o660
    assert str(tmp_path) not in file.read_text()
    path.write_text("# Guide\n\nbadger\n")
    again = one.import_path(path, owner=Owner.SYSTEM)
    assert isinstance(again, Document) and (again.id, again.status) == (document.id, DocumentStatus.PENDING)
    assert other.map().items == ()
    other.publish(document.id)
    assert one.list(owner=Owner.SYSTEM).items[0].status is DocumentStatus.READY
    other.remove(document.id)
    assert one.list().items == ()


def test_without_the_setting_there_are_none(open_knowledge: Open, shared: Path) -> None:
    document = open_knowledge(shared=shared).import_text("x", "X", owner=Owner.SYSTEM)
    knowledge = open_knowledge()
    assert knowledge.list().items == ()
    with pytest.raises(InvalidField) as error:
        knowledge.import_text("x", "X", owner=Owner.SYSTEM)
    assert error.value.field == "owner"
    with pytest.raises(VademecumError):
        knowledge.publish(document.id)


def test_a_shared_file_cannot_take_a_personal_documents_id(open_knowledge: Open, places: Places, shared: Path) -> None:
    knowledge = open_knowledge(shared=shared)
    mine = knowledge.import_text("# Mine\n\napples\n", "Mine")
    knowledge.publish(mine.id)
    knowledge.attach([mine.id])
    (file,) = (places.home / "knowledge").glob("*.md")
    (shared / "evil.md").write_text(file.read_text().replace("apples", "poison"))
    (shared / "copy.md").write_text(file.read_text())
    assert knowledge.search("apples poison").items[0].excerpt == "apples"
    assert len(knowledge.search("apples poison").items) == 1
    assert len({document.id for document in knowledge.list().items}) == 3
    knowledge.remove(mine.id)
    assert len(knowledge.list().items) == 2


def test_a_drive_that_is_gone_is_not_made_up(open_knowledge: Open, shared: Path) -> None:
    knowledge = open_knowledge(shared=shared)
    document = knowledge.import_text("# A\n\nmarmot\n", "A", owner=Owner.SYSTEM)
    knowledge.publish(document.id)
    knowledge.attach([document.id])
    shared.rename(shared.with_name("away"))
    assert knowledge.search("marmot").items == ()
    with pytest.raises(VademecumError) as error:
        knowledge.import_text("x", "X", owner=Owner.SYSTEM)
    assert error.value.kind is ErrorKind.STORE_UNREADABLE
    assert not shared.exists()
    shared.with_name("away").rename(shared)
    assert knowledge.search("marmot").items[0].id == document.id


def test_the_shared_folder_is_no_source(open_knowledge: Open, shared: Path, tmp_path: Path) -> None:
    knowledge = open_knowledge(shared=shared)
    knowledge.import_text("# A\n", "A", owner=Owner.SYSTEM)
    for path in (shared, next(shared.glob("*.md"))):
        with pytest.raises(VademecumError) as error:
            knowledge.import_path(path)
        assert (error.value.kind, error.value.data["reason"]) == (ErrorKind.EXCLUDED, "own")


def test_a_followed_folder_of_system_documents_waits_for_its_setting(
    open_knowledge: Open, shared: Path, tmp_path: Path
) -> None:
    folder = write(tmp_path / "docs", a="# A\n")
    open_knowledge(shared=shared).import_path(folder, owner=Owner.SYSTEM, follow=True)
    write(folder, b="# B\n")
    assert open_knowledge().list().items == ()
    assert [document.title for document in open_knowledge(shared=shared).list().items] == ["A", "B"]


def test_links_in_the_shared_folder_are_not_followed(open_knowledge: Open, shared: Path, tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text("# Private\n")
    (shared / "link.md").symlink_to(tmp_path / "private.md")
    assert open_knowledge(shared=shared).list().items == ()


@pytest.mark.parametrize("path", ["relative/folder", "~/docs"])
def test_the_setting_is_a_full_path(path: str) -> None:
    with pytest.raises(ValueError, match="full path"):
        KnowledgeSettings(shared=path)


@contextmanager
def somebody_else() -> Iterator[None]:
    """For a while this process is a user who owns nothing."""
    os.setresgid(65534, 65534, 0)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.mark.skipif(not hasattr(os, "setresuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_who_cannot_write_the_folder_reads_it(open_knowledge: Open) -> None:
    with tempfile.TemporaryDirectory() as name:  # not below the folder of the tests, which nobody else may enter
        Path(name).chmod(0o755)
        shared, own = Path(name) / "shared", Path(name) / "own"
        shared.mkdir(mode=0o755)
        own.mkdir()
        os.chown(own, 65534, 65534)
        owner = open_knowledge(shared=shared)
        document = owner.import_text("# Guide\n\nmarmot\n", "Guide", owner=Owner.SYSTEM)
        owner.publish(document.id)
        reader = open_knowledge(shared=shared, places=Places(own / "h", own / "s", own / "c", own))
        changes: tuple[Callable[[], object], ...] = (
            lambda: reader.import_text("x", "X", owner=Owner.SYSTEM),
            lambda: reader.withdraw(document.id),
            lambda: reader.remove(document.id),
            lambda: reader.summarize(document.id, document.revision, "x"),
        )
        with somebody_else():
            reader.attach([document.id])
            assert reader.search("marmot").items[0].id == document.id
            assert reader.list().items[0].writable is False
            for change in changes:
                with pytest.raises(VademecumError) as error:
                    change()
                assert error.value.kind is ErrorKind.STORE_UNREADABLE
                assert "cannot be written by you" in error.value.message
            reader.close()
        assert owner.list().items[0].status is DocumentStatus.READY
        assert owner.list().items[0].writable is True


def _write_many(shared: str, home: str, name: str, count: int) -> None:
    own = Path(home) / name
    knowledge = Knowledge(Places(own / "h", own / "s", own / "c", own), KnowledgeSettings(shared=shared))
    for number in range(count):
        document = knowledge.import_text(f"# {name} {number}\n\nold {name}{number}\n", name, owner=Owner.SYSTEM)
        knowledge.publish(document.id)
        knowledge.import_text(f"# {name} {number}\n\nnew {name}{number}\n", id=document.id)
        knowledge.publish(document.id)
        if number % 3 == 0:
            knowledge.remove(document.id)
    knowledge.close()


def test_several_writers_lose_nothing(open_knowledge: Open, shared: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_write_many, args=(str(shared), str(tmp_path), name, 9))
        for name in ("ada", "ben", "cyd")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    knowledge = open_knowledge(shared=shared)
    documents = knowledge.list().items
    assert len(documents) == 18
    assert {document.status for document in documents} == {DocumentStatus.READY}
    knowledge.attach([document.id for document in documents])
    assert len(knowledge.search('"new"', limit=50).items) == 18
    assert knowledge.search('"old"').items == ()
    assert not list(shared.glob(".*tmp"))


def test_a_folder_that_is_held_is_busy(open_knowledge: Open, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    monkeypatch.setattr("vademecum.knowledge.shelf.LOCK_SECONDS", 0.2)
    knowledge = open_knowledge(shared=shared)
    document = knowledge.import_text("x", "X", owner=Owner.SYSTEM)
    with FileLock(shared / ".vademecum.lock"):
        with pytest.raises(VademecumError) as error:
            knowledge.publish(document.id)
        assert error.value.kind is ErrorKind.BUSY
        assert knowledge.list().items[0].id == document.id, "reading waits for nobody"
    assert knowledge.publish(document.id).status is DocumentStatus.READY
