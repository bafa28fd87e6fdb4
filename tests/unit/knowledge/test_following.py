"""Followed folders: a changed source waits for review beside what is served; a deleted one is told, and served on."""

from pathlib import Path

import pytest

from unit.knowledge.conftest import Open, write
from vademecum.errors import ErrorKind, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import Document, DocumentStatus, ImportedFolder, SourceState


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write(tmp_path / "docs", one="# One\n\napples\n", two="# Two\n\npears\n")


@pytest.fixture
def followed(knowledge: Knowledge, docs: Path) -> Knowledge:
    """A followed folder of two documents, both served."""
    done = knowledge.import_path(docs, follow=True)
    assert isinstance(done, ImportedFolder) and done.followed
    for document in done.documents:
        knowledge.publish(document.id)
    knowledge.attach([document.id for document in done.documents])
    return knowledge


def named(knowledge: Knowledge, title: str) -> Document:
    (document,) = (each for each in knowledge.list().items if each.title == title)
    return document


def test_a_changed_source_waits_beside_what_is_served(followed: Knowledge, docs: Path) -> None:
    write(docs, one="# One\n\nplums\n")
    document = named(followed, "One")
    assert (document.status, document.source_state) == (DocumentStatus.READY, SourceState.CHANGED)
    assert document.pending_revision not in (None, document.revision)
    assert (
        document.pending_uri is not None and "plums" in Path(document.pending_uri.removeprefix("file://")).read_text()
    )
    assert [hit.title for hit in followed.search("apples").items] == ["One"]
    assert followed.search("plums").items == ()
    published = followed.publish(document.id, document.pending_revision)
    assert (published.revision, published.pending_revision) == (document.pending_revision, None)
    assert [hit.title for hit in followed.search("plums").items] == ["One"]
    assert followed.search("apples").items == ()
    assert named(followed, "One").source_state in (SourceState.CURRENT, None)


def test_a_source_that_is_changed_back_waits_no_longer(followed: Knowledge, docs: Path) -> None:
    write(docs, one="# One\n\nplums\n")
    assert named(followed, "One").pending_revision is not None
    write(docs, one="# One\n\napples\n")
    assert named(followed, "One").pending_revision is None


def test_a_late_summary_reaches_the_revision_it_was_made_of(followed: Knowledge, docs: Path) -> None:
    before = named(followed, "One")
    write(docs, one="# One\n\nplums\n")
    document = named(followed, "One")
    assert document.pending_revision is not None
    followed.summarize(document.id, before.revision, "Of apples.")
    followed.summarize(document.id, document.pending_revision, "Of plums.")
    assert [item.summary for item in followed.map().items] == ["Of apples.", None]
    assert followed.publish(document.id).summary == "Of plums."
    with pytest.raises(VademecumError) as error:
        followed.summarize(document.id, before.revision, "Of apples.")
    assert error.value.kind is ErrorKind.CONFLICT


def test_new_and_deleted_sources(followed: Knowledge, docs: Path) -> None:
    write(docs, more__three="# Three\n\ncherries\n")
    (docs / "two.md").unlink()
    refreshed = followed.refresh()
    assert [(document.title, document.status, document.source_state) for document in refreshed.documents] == [
        ("Three", DocumentStatus.PENDING, refreshed.documents[0].source_state),
        ("Two", DocumentStatus.READY, SourceState.MISSING),
    ]
    assert refreshed.documents[0].source_state is not SourceState.MISSING
    assert named(followed, "Two").source_state is SourceState.MISSING
    assert [hit.title for hit in followed.search("pears").items] == ["Two"]
    assert [document.title for document in followed.refresh().documents] == ["Two"], "as long as it is gone"


def test_of_a_source_that_is_gone_nobody_is_told_again(open_knowledge: Open, tmp_path: Path) -> None:
    told: list[tuple[str, ...]] = []
    knowledge = open_knowledge(changed=told.append)
    folder = write(tmp_path / "docs", one="# One\n")
    knowledge.import_path(folder, follow=True)
    (folder / "one.md").unlink()
    told.clear()
    assert knowledge.list().items[0].source_state is SourceState.MISSING
    assert told == [], "whoever lists when told of a change would be told for ever"


def test_a_removed_document_does_not_come_back_by_itself(followed: Knowledge, docs: Path) -> None:
    followed.remove(named(followed, "One").id)
    assert [document.title for document in followed.list().items] == ["Two"]
    write(docs, one="# One\n\nchanged\n")
    assert [document.title for document in followed.list().items] == ["Two"]
    followed.import_path(docs / "one.md")
    assert {document.title for document in followed.list().items} == {"One", "Two"}


def test_a_folder_that_is_gone_changes_nothing(followed: Knowledge, docs: Path, tmp_path: Path) -> None:
    docs.rename(tmp_path / "elsewhere")
    assert {document.source_state for document in followed.list().items} == {SourceState.MISSING}
    assert followed.refresh().skipped[0].path == "docs"
    assert len(followed.search("apples pears").items) == 2


def test_a_source_in_another_encoding_is_told_and_changes_nothing(followed: Knowledge, docs: Path) -> None:
    (docs / "one.md").write_bytes(b"caf\xe9")
    refreshed = followed.refresh()
    assert [(each.path, "UTF-8" in each.reason) for each in refreshed.skipped] == [("one.md", True)]
    assert [hit.title for hit in followed.search("apples").items] == ["One"]


def test_importing_the_folder_without_following_ends_it(followed: Knowledge, docs: Path) -> None:
    followed.import_path(docs)
    write(docs, one="# One\n\nplums\n")
    document = named(followed, "One")
    assert (document.pending_revision, followed.refresh().folders) == (None, 0)


def test_a_followed_folder_is_followed_after_a_restart(followed: Knowledge, docs: Path, open_knowledge: Open) -> None:
    write(docs, one="# One\n\nplums\n")
    other = open_knowledge()
    assert [document.title for document in other.refresh().documents] == ["One"]
    assert named(followed, "One").pending_revision is not None


def test_removal_takes_the_waiting_revision_along(followed: Knowledge, docs: Path, places: Places) -> None:
    write(docs, one="# One\n\nplums\n")
    followed.remove(named(followed, "One").id)
    assert [path.name for path in (places.home / "knowledge").rglob("*.md")] == [
        path.name for path in (places.home / "knowledge").glob("two-*.md")
    ]
    assert not (places.home / "knowledge" / "pending").exists()
