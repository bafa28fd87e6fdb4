"""The life of a document: imported, published, imported again, withdrawn, removed; and what lies on the disk."""

import os
import stat
import time
from pathlib import Path

import pytest

from unit.knowledge.conftest import GUIDE, Open, everything, served, write
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import Document, DocumentForm, DocumentStatus, ImportedFolder, Owner
from vademecum.work import Cancel, Cancelled


def imported(knowledge: Knowledge, path: Path, **arguments: object) -> Document:
    done = knowledge.import_path(path, **arguments)  # type: ignore[arg-type]
    assert isinstance(done, Document)
    return done


def imported_folder(knowledge: Knowledge, path: Path, **arguments: object) -> ImportedFolder:
    done = knowledge.import_path(path, **arguments)  # type: ignore[arg-type]
    assert isinstance(done, ImportedFolder)
    return done


def kind_of(error: pytest.ExceptionInfo[VademecumError]) -> ErrorKind:
    return error.value.kind


def test_a_text_waits_for_review_and_is_served_once_published(knowledge: Knowledge) -> None:
    document = knowledge.import_text(GUIDE, "My widgets")
    assert (document.title, document.status, document.owner) == ("My widgets", DocumentStatus.PENDING, Owner.PERSONAL)
    assert (document.sections, document.source, document.form) == (4, "text", DocumentForm.MARKDOWN)
    assert document.characters == len(GUIDE)
    knowledge.attach([document.id])
    assert knowledge.map().items == ()
    assert knowledge.publish(document.id).status is DocumentStatus.READY
    (item,) = knowledge.map().items
    assert (item.id, item.title, item.sections) == (document.id, "My widgets", 4)
    assert knowledge.withdraw(document.id).status is DocumentStatus.PENDING
    assert knowledge.map().items == ()


def test_two_documents_of_one_title_are_two(knowledge: Knowledge) -> None:
    first = served(knowledge, "# Same\n\napples\n", "Same")
    second = served(knowledge, "# Same\n\npears\n", "Same")
    assert first.id != second.id
    assert [hit.id for hit in knowledge.search("apples").items] == [first.id]
    knowledge.remove(first.id)
    assert [item.id for item in knowledge.map().items] == [second.id]
    assert knowledge.read_section(second.id, "same").text == "# Same\n\npears"


def test_publishing_one_document_again_leaves_another_alone(knowledge: Knowledge) -> None:
    """As when indexing one collection wiped another (bartolli/codanna#100)."""
    first = served(knowledge, "# A\n\napples\n", "A")
    second = served(knowledge, "# B\n\npears\n", "B")
    knowledge.import_text("# A\n\napples and plums\n", id=first.id)
    knowledge.publish(first.id)
    assert [hit.id for hit in knowledge.search("pears").items] == [second.id]
    assert [hit.id for hit in knowledge.search("plums").items] == [first.id]


def test_import_again_returns_it_to_review_and_clears_the_summary(knowledge: Knowledge, tmp_path: Path) -> None:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE)
    first = imported(knowledge, path)
    assert first.source == path.as_uri()
    knowledge.attach([first.id])
    knowledge.publish(first.id)
    summary = knowledge.summarize(first.id, first.revision, "All about widgets.")
    assert (summary.summary, knowledge.map().items[0].summary) == ("All about widgets.", "All about widgets.")
    same = imported(knowledge, path)
    assert (same.status, same.revision, same.summary) == (DocumentStatus.READY, first.revision, "All about widgets.")
    path.write_text(GUIDE + "\n## Selling\n\nNever.\n")
    second = imported(knowledge, path)
    assert (second.id, second.status, second.summary, second.sections) == (first.id, DocumentStatus.PENDING, None, 5)
    assert knowledge.search("brush").items == ()
    with pytest.raises(VademecumError) as late:
        knowledge.summarize(first.id, first.revision, "Late.")
    assert kind_of(late) is ErrorKind.CONFLICT
    assert knowledge.publish(first.id, second.revision).summary is None
    assert knowledge.search("selling").items[0].anchor == "widgets/selling"


def test_only_the_reviewed_revision_is_published(knowledge: Knowledge) -> None:
    first = knowledge.import_text("# A\n", "A")
    second = knowledge.import_text("# A\n\nchanged\n", id=first.id)
    with pytest.raises(VademecumError) as error:
        knowledge.publish(first.id, first.revision)
    assert (kind_of(error), error.value.data["revision"]) == (ErrorKind.CONFLICT, second.revision)
    assert knowledge.publish(first.id, second.revision).status is DocumentStatus.READY


def test_removal_leaves_nothing_behind(knowledge: Knowledge, places: Places, tmp_path: Path) -> None:
    path = tmp_path / "source" / "xylophone.md"
    write(path.parent, xylophone="# Xylophone\n\nquagga words\n")
    document = imported(knowledge, path)
    other = served(knowledge, "# Other\n\nother words\n", "Other")
    knowledge.attach([document.id], "task-1")
    knowledge.publish(document.id)
    knowledge.summarize(document.id, document.revision, "A zeugma.")
    assert knowledge.search("quagga", "task-1").items
    knowledge.remove(document.id)
    with pytest.raises(VademecumError) as error:
        knowledge.outline(document.id, "task-1")
    assert kind_of(error) is ErrorKind.NOT_FOUND
    knowledge.close()
    left = everything(places.home, places.state, places.cache)
    for word in ("quagga", "ylophone", "zeugma", document.id):
        assert word.encode() not in left
    assert knowledge.search("other").items[0].id == other.id
    assert path.read_text() == "# Xylophone\n\nquagga words\n"


def test_files_are_the_truth_and_the_users_alone(open_knowledge: Open, places: Places) -> None:
    document = served(open_knowledge())
    (path,) = (places.home / "knowledge").glob("*.md")
    assert document.uri == path.as_uri()
    assert path.read_text("utf-8").startswith(f"---\nid: {document.id}\ntitle: Widgets\n")
    assert path.read_text("utf-8").endswith(f"---\n{GUIDE}")
    for each in (*places.home.rglob("*"), *places.state.rglob("*"), *places.cache.rglob("*")):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each
    path.rename(path.with_name("renamed.md"))
    assert open_knowledge().search("brush").items[0].id == document.id
    renamed = path.with_name("renamed.md")
    renamed.write_text(renamed.read_text().replace("title: Widgets", "title: Gadgets  # by hand\nmine: kept"))
    assert open_knowledge().map().items[0].title == "Gadgets"
    open_knowledge().summarize(document.id, document.revision, "Told.")
    assert "title: Gadgets  # by hand\nmine: kept\n" in renamed.read_text()


def test_a_text_changed_by_hand_waits_for_review(knowledge: Knowledge, places: Places) -> None:
    document = served(knowledge)
    (path,) = (places.home / "knowledge").glob("*.md")
    path.write_text(path.read_text().replace("soft hair", "hard hair"))
    end = time.monotonic() + 60
    while knowledge.map().items and time.monotonic() < end:
        time.sleep(0.01)
    assert knowledge.map().items == ()
    assert knowledge.list().items[0].status is DocumentStatus.PENDING
    knowledge.publish(document.id)
    assert "hard hair" in knowledge.read_section(document.id, "widgets/painting").text


def test_a_file_put_there_by_hand_is_a_document(knowledge: Knowledge, places: Places) -> None:
    folder = places.home / "knowledge"
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text("---\ntitle: Own front matter\n---\n\n# Notes\n\nmarmot\n")
    (document,) = knowledge.list().items
    assert (document.title, document.status) == ("notes", DocumentStatus.PENDING)
    knowledge.attach([document.id])
    knowledge.publish(document.id)
    hit = knowledge.search("marmot").items[0]
    assert (hit.id, hit.line) == (document.id, 7)
    assert (folder / "notes.md").read_text().endswith("---\ntitle: Own front matter\n---\n\n# Notes\n\nmarmot\n")


def test_files_that_are_no_documents_are_left_alone(knowledge: Knowledge, places: Places) -> None:
    folder = places.home / "knowledge"
    folder.mkdir(parents=True)
    (folder / "binary.md").write_bytes(b"\0\1\2")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "pipe.md").symlink_to("/etc/hostname")
    os.mkfifo(folder / "fifo.md")
    served(knowledge)
    assert [document.title for document in knowledge.list().items] == ["Widgets"]
    assert (folder / "latin.md").read_bytes() == b"caf\xe9"


def test_caches_can_be_deleted(open_knowledge: Open, places: Places) -> None:
    document = served(open_knowledge())
    before = open_knowledge().outline(document.id)
    for path in (places.cache / "knowledge").iterdir():
        path.write_text("vademecum outline 1\nnonsense")
    assert open_knowledge().outline(document.id) == before
    for path in (places.cache / "knowledge").iterdir():
        path.unlink()
    assert open_knowledge().outline(document.id) == before


def test_another_server_sees_at_once_what_one_has_done(open_knowledge: Open) -> None:
    one, other = open_knowledge(), open_knowledge()
    document = served(one)
    assert other.search("brush").items[0].id == document.id
    one.withdraw(document.id)
    assert other.search("brush").items == ()
    other.publish(document.id)
    one.remove(document.id)
    assert other.list().items == ()


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"text": "x", "title": None}, "title"),
        ({"text": "x", "title": "  "}, "title"),
        ({"text": "x", "title": "t" * 201}, "title"),
        ({"text": "a\0b", "title": "t"}, "text"),
        ({"text": "x", "title": "t", "owner": Owner.SYSTEM}, "owner"),
    ],
)
def test_unusable_texts_are_refused(knowledge: Knowledge, arguments: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidField) as error:
        knowledge.import_text(**arguments)  # type: ignore[arg-type]
    assert error.value.field == field
    assert knowledge.list().items == ()


def test_unknown_ids_are_not_found(knowledge: Knowledge) -> None:
    for call in (
        lambda: knowledge.publish("nobody"),
        lambda: knowledge.withdraw("nobody"),
        lambda: knowledge.remove("nobody"),
        lambda: knowledge.summarize("nobody", "0" * 16, "x"),
        lambda: knowledge.attach(["nobody"]),
        lambda: knowledge.import_text("x", "t", id="nobody"),
    ):
        with pytest.raises(VademecumError) as error:
            call()
        assert kind_of(error) is ErrorKind.NOT_FOUND


def test_a_folder_is_imported_whole_or_not_at_all(knowledge: Knowledge, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", **{f"page-{n}": f"# Page {n}\n" for n in range(30)})
    (folder / "code.py").write_text("x = 1\n")
    (folder / "picture.md.png").write_bytes(b"\x89PNG")
    (folder / "old.rst").write_text("Title\n=====\n")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "notes.txt").write_text("# plain\n")
    cancel = Cancel()

    def stop_half_way(done: int, total: int | None, message: str) -> None:
        if done == 15:
            cancel.set()

    with pytest.raises(Cancelled):
        knowledge.import_path(folder, cancel=cancel, progress=stop_half_way)
    assert knowledge.list().total == 0
    told: list[str] = []
    done = imported_folder(knowledge, folder, progress=lambda _done, _total, message: told.append(message))
    assert len(done.documents) == 31
    assert {each.path: each.reason.split(":")[0] for each in done.skipped} == {
        "latin.md": "It is not UTF-8 (line 1); convert it first, for example with `iconv -f ISO-8859-1 -t UTF-8`.",
        "old.rst": "convert it to Markdown first, for example with `pandoc -t gfm`",
    }
    assert done.ignored == 2
    assert any("page-7" in message for message in told)
    assert {document.form for document in done.documents if document.title == "notes"} == {DocumentForm.TEXT}
    again = imported_folder(knowledge, folder)
    assert (again.documents, again.unchanged) == ((), 31)
    (folder / "page-3.md").write_text("# Page 3\n\nnew\n")
    (changed,) = imported_folder(knowledge, folder).documents
    assert (changed.title, changed.status) == ("Page 3", DocumentStatus.PENDING)


def test_secrets_are_kept_but_never_told(knowledge: Knowledge, tmp_path: Path, places: Places) -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
    text = f"# Setup\n\nfirst\n\nexport TOKEN={token}\n\nlast marmot\n"
    path = tmp_path / "setup.md"
    path.write_text(text)
    document = imported(knowledge, path)
    assert document.redacted == 1
    knowledge.attach([document.id])
    knowledge.publish(document.id)
    page = knowledge.read_section(document.id, "setup")
    assert token not in page.text and "[redacted: github token]" in page.text
    assert knowledge.search("marmot").items[0].line == 7
    assert knowledge.search(token).items == ()
    assert token.encode() in everything(places.home)
    assert token.encode() not in everything(places.cache)


def test_a_title_that_was_given_stays_while_the_source_does(knowledge: Knowledge, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", guide="# Guide\n")
    document = imported(knowledge, folder / "guide.md", title="My guide")
    knowledge.publish(document.id)
    assert imported_folder(knowledge, folder).documents == ()
    assert imported(knowledge, folder / "guide.md").title == "My guide"
    renamed = imported(knowledge, folder / "guide.md", title="Our guide")
    assert (renamed.id, renamed.title, renamed.status) == (document.id, "Our guide", DocumentStatus.READY)


def test_what_killed_writers_left_goes_with_the_document(knowledge: Knowledge, places: Places) -> None:
    document = served(knowledge)
    pending = places.home / "knowledge" / "pending"
    pending.mkdir()
    (pending / ".vademecum-00.tmp").write_text("left behind")
    (places.cache / "knowledge" / f"{document.id}-{document.revision}.outline-00ff.tmp").write_text("left behind")
    knowledge.remove(document.id)
    assert b"left behind" not in everything(places.home, places.cache)
    assert not pending.exists()
