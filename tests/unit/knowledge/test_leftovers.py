"""What a program that was killed leaves, and what somebody else removed: nothing of it is served, and it goes."""

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unit.knowledge.conftest import Open, everything, served, write
from vademecum.errors import ErrorKind, VademecumError
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.shelf import Shelf
from vademecum.knowledge.state import State
from vademecum.knowledge.types import DocumentStatus, Owner


class Killed(BaseException):
    """The process ends here."""


def killed(*_: object) -> None:
    raise Killed


def kill_in(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, call: Callable[[], object]) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises(Killed):
            call()


def test_an_older_revision_never_waits_beside_a_newer_one(
    open_knowledge: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_knowledge()
    folder = write(tmp_path / "docs", a="# A\n\none\n")
    knowledge.import_path(folder, follow=True)
    (document,) = knowledge.list().items
    knowledge.publish(document.id)
    knowledge.attach([document.id])
    write(folder, a="# A\n\ntwo\n")
    assert knowledge.list().items[0].pending_revision is not None
    write(folder, a="# A\n\nthree\n")
    kill_in(monkeypatch, Shelf, "drop", lambda: knowledge.import_path(folder / "a.md"))
    after = open_knowledge()
    (found,) = after.list().items
    assert (found.status, found.pending_revision) == (DocumentStatus.PENDING, None)
    after.publish(document.id)
    assert [hit.excerpt for hit in after.search("one two three").items] == ["three"]
    assert not list(tmp_path.rglob("pending/*")), "what was left is gone"


def test_a_published_revision_does_not_come_back_over_an_edit_by_hand(
    open_knowledge: Open, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_knowledge()
    folder = write(tmp_path / "docs", a="# A\n\none\n")
    knowledge.import_path(folder, follow=True)
    (document,) = knowledge.list().items
    knowledge.publish(document.id)
    knowledge.attach([document.id])
    write(folder, a="# A\n\ntwo\n")
    knowledge.refresh()
    kill_in(monkeypatch, Shelf, "drop", lambda: knowledge.publish(document.id))
    (file,) = (places.home / "knowledge").glob("*.md")
    other = file.with_suffix(".new")
    other.write_text(file.read_text().replace("two", "by hand"))
    other.replace(file)
    after = open_knowledge()
    after.publish(document.id)
    assert [hit.excerpt for hit in after.search("one two hand").items] == ["by hand"]


def test_revisions_are_dated_one_after_the_other_whatever_the_clock_says(open_knowledge: Open, tmp_path: Path) -> None:
    times = [datetime(2030, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)]
    knowledge = open_knowledge(now=lambda: times[0])
    folder = write(tmp_path / "docs", a="# A\n\none\n")
    knowledge.import_path(folder, follow=True)
    (document,) = knowledge.list().items
    knowledge.publish(document.id)
    write(folder, a="# A\n\ntwo\n")
    behind = open_knowledge(now=lambda: times[1])
    (changed,) = behind.refresh().documents
    assert changed.pending_revision is not None
    assert behind.publish(document.id).updated == "2030-01-01T00:00:00.001Z"


@pytest.mark.parametrize("how", ["killed", "by hand", "by another"])
def test_headings_of_a_removed_document_do_not_stay_in_the_cache(
    open_knowledge: Open, places: Places, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    knowledge = open_knowledge()
    document = served(knowledge, "# Marmots\n\ntext\n", "One")
    served(knowledge, "# Badgers\n\ntext\n", "Two")
    if how == "killed":
        kill_in(monkeypatch, State, "removed", lambda: knowledge.remove(document.id))
    elif how == "by hand":
        next((places.home / "knowledge").glob("one-*.md")).unlink()
    else:
        other = open_knowledge()
        other.search("text")
        knowledge.remove(document.id)
        # As by a server that was reading it when it went.
        (places.cache / "knowledge" / f"{document.id}-{document.revision}.outline").write_text("Marmots")
    assert [each.title for each in open_knowledge().list().items] == ["Two"]
    assert b"Marmots" not in everything(places.home, places.cache)
    assert b"Badgers" in everything(places.cache)


def test_links_in_a_shared_folder_lead_no_writer_out_of_it(open_knowledge: Open, tmp_path: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    shared.chmod(0o775)
    private.mkdir(mode=0o700)
    knowledge = open_knowledge(shared=shared)
    document = knowledge.import_text("# A\n", "A", owner=Owner.SYSTEM)
    (file,) = shared.glob("*.md")
    (private / file.name).write_text("precious")
    (private / ".vademecum-1.tmp").write_text("precious")
    (shared / "pending").symlink_to(private)
    for change in (knowledge.publish, knowledge.withdraw, knowledge.remove):
        with pytest.raises(VademecumError) as error:
            change(document.id)
        assert error.value.kind is ErrorKind.STORE_UNREADABLE
        assert "`pending`" in error.value.message
    assert sorted(path.name for path in private.iterdir()) == [".vademecum-1.tmp", file.name]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    (shared / "pending").unlink()
    knowledge.publish(document.id)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_lock_of_a_shared_folder_opens_no_file_to_others(open_knowledge: Open, tmp_path: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    shared.chmod(0o777)
    private.write_text("precious")
    private.chmod(0o600)
    knowledge = open_knowledge(shared=shared)
    os.link(private, shared / ".vademecum.lock")
    knowledge.import_text("# A\n", "A", owner=Owner.SYSTEM)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    (shared / ".vademecum.lock").unlink()
    (shared / ".vademecum.lock").symlink_to(private)
    with pytest.raises(VademecumError):
        knowledge.import_text("# B\n", "B", owner=Owner.SYSTEM)
    assert private.read_text() == "precious"


def test_a_file_with_nothing_of_others_in_its_front_matter_is_written_afresh(
    open_knowledge: Open, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_knowledge()
    document = served(knowledge, "# A\n\none\n", 'A: "b" #c')
    changed = []
    with monkeypatch.context() as patch:
        patch.setattr("vademecum.files.frontmatter.change", lambda *_: changed.append(1))  # parses in full, slowly
        knowledge.import_text("# A\n\ntwo\n", id=document.id)
        knowledge.publish(document.id)
    assert not changed
    (file,) = (places.home / "knowledge").glob("*.md")
    file.write_text(file.read_text().replace("---\n", "---\n# mine\nreviewer: me\n", 1))
    knowledge.summarize(document.id, knowledge.list().items[0].revision, "About A.")
    assert "# mine\nreviewer: me\n" in file.read_text() and "summary: About A." in file.read_text()
