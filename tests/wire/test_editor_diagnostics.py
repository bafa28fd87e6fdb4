"""Diagnostics on references that are no longer true: for every verdict, kept true without a request, never twice."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError
from wire.conftest import LINES, git, make_repository
from wire.editor import PULL, PUSH, Document, cite

WARNING, INFORMATION, HINT = 2, 3, 4

Start = Callable[..., Client]


@pytest.fixture
def editor(start: Start, repository: Path, file: Path) -> Client:
    opened = start()
    opened.initialize(repository, capabilities=PUSH)
    return opened


def invalidated(client: Client, document: Document) -> list[dict[str, Any]]:
    told = [note for note in client.notified("evidence/didInvalidate") if note["uri"] == document.uri]
    return [one for note in told for one in note["references"]]


def remove(file: Path) -> None:
    file.unlink()


def ignore(file: Path) -> None:
    (file.parent / ".gitignore").write_text("build/\nnotes.txt\n")


CHANGES: dict[str, tuple[Callable[[Path], Any], str, int]] = {
    "edited": (lambda file: file.write_text(LINES.replace("line 3", "line three")), "changed", WARNING),
    "moved": (lambda file: file.write_text("a\n" + LINES), "relocated", HINT),
    "twice": (lambda file: file.write_text("a\n" + LINES + LINES), "ambiguous", INFORMATION),
    "removed": (remove, "deleted", WARNING),
    "renamed": (lambda file: file.rename(file.with_name("other.txt")), "deleted", WARNING),
    "ignored": (ignore, "excluded", INFORMATION),
    "binary": (lambda file: file.write_bytes(b"\0\1\2"), "excluded", INFORMATION),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_on_the_disk_is_told_without_a_request(editor: Client, file: Path, change: str) -> None:
    make, verdict, severity = CHANGES[change]
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", f"# Notes\n\nsee `{reference}`, 日本\n")
    editor.indexed()
    assert not document.published()  # what holds is not spoken of
    make(file)
    (told,) = document.shows(verdict)
    assert told["severity"] == severity
    assert told["source"] == "vademecum"
    assert "notes.txt" in told["message"]
    start = {"line": 2, "character": len("see `")}
    assert told["range"] == {"start": start, "end": start | {"character": len("see `") + len(reference)}}
    (gone,) = editor.wait_for(lambda: invalidated(editor, document), "the notification")
    assert (gone["reference"], gone["verdict"]) == (reference, verdict)
    assert gone.get("relocatedTo", "").startswith("notes.txt:3-4@") == (verdict == "relocated")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_file_that_may_not_be_read_any_more(editor: Client, file: Path) -> None:
    document = Document(editor, "untitled:1", cite(editor, file, 2, 3))
    editor.indexed()
    file.chmod(0)
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
    (told,) = document.shows("unreadable")
    assert told["severity"] == INFORMATION


def test_what_is_not_true_when_a_document_is_opened_is_marked_but_did_not_cease(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("other\n")
    document = Document(editor, "untitled:1", reference)
    document.shows("changed")
    assert invalidated(editor, document) == []


def test_it_is_told_once_and_again_when_it_held_in_between(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", f"{reference} {reference}")
    editor.indexed()
    file.write_text("other\n")
    document.shows("changed", "changed")
    file.write_text("yet another\n")
    file.unlink()
    document.shows("deleted", "deleted")
    file.write_text(LINES)
    document.shows()
    file.write_text("other\n")
    document.shows("changed", "changed")
    assert [one["verdict"] for one in invalidated(editor, document)] == ["changed", "changed"]


def test_what_moved_is_told_and_told_again_when_it_is_gone(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    editor.indexed()
    file.write_text("a\n" + LINES)
    document.shows("relocated")
    file.write_text("a\nb\n" + LINES)
    editor.wait_for(lambda: "4-5" in (document.published() or [{"message": ""}])[0]["message"], "the new place")
    file.write_text("other\n")
    document.shows("changed")
    assert [one["verdict"] for one in invalidated(editor, document)] == ["relocated", "changed"]


def test_unsaved_edits_of_the_file_are_told(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    unsaved = Document(editor, file, LINES)
    span = {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 6}}
    unsaved.edit({"range": span, "text": "three"})
    document.shows("changed")
    unsaved.close()
    document.shows()


def test_edits_of_the_document_itself_are_followed(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", "nothing yet\n")
    file.write_text("a\n" + LINES)
    document.change(f"see {reference}\n")
    (told,) = document.shows("relocated")
    assert told["range"]["start"] == {"line": 0, "character": 4}
    document.change(f"above\n\nsee {reference}\n")
    editor.wait_for(lambda: (document.published() or [{}])[0]["range"]["start"]["line"] == 2, "the new place")
    document.change("nothing any more\n")
    document.shows()


def test_a_document_may_refer_to_itself(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, file, LINES + reference + "\n")
    document.change("above\n" + LINES + reference + "\n")
    (told,) = document.shows("relocated")
    assert told["range"]["start"]["line"] == 11


def test_line_ends_alone_change_nothing(editor: Client, file: Path) -> None:
    reference, other = cite(editor, file, 2, 3), cite(editor, file, 9, 9)
    document = Document(editor, "untitled:1", f"{reference}\r\n{other}\r\n")
    editor.indexed()
    file.write_bytes(LINES.replace("line 9", "line nine").replace("\n", "\r\n").encode())
    (told,) = document.shows("changed")
    assert told["range"]["start"] == {"line": 1, "character": 0}


def test_a_closed_document_shows_nothing_any_more(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("other\n")
    document = Document(editor, "untitled:1", reference)
    document.shows("changed")
    document.close()
    document.shows()


def test_what_is_found_out_after_a_document_was_closed_is_not_shown(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("other\n")
    text = f"{reference}\n" * 300
    closed = []
    for number in range(30):
        document = Document(editor, f"untitled:{number}", text)
        for _ in range(number % 5):
            editor.request("memory/status")
        document.close()
        closed.append(document)
    Document(editor, "untitled:last", reference).shows("changed")
    assert [document.published() or [] for document in closed] == [[]] * 30


def test_folders_come_and_go(start: Start, repository: Path, file: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    (other / "b.txt").write_text("one\ntwo\n")
    editor = start()
    editor.initialize(repository, other, capabilities=PUSH)
    reference = cite(editor, other / "b.txt", 1, 2)
    document = Document(editor, repository / "docs" / "guide.md", f"{reference}\n")
    assert document.links()

    def change(**folders: Path) -> None:
        event = {
            key: [{"uri": folders[key].as_uri(), "name": "x"}] if key in folders else [] for key in ("added", "removed")
        }
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    change(removed=other)
    document.shows("deleted")
    change(added=other)
    document.shows()
    editor.indexed(other)
    (other / "b.txt").write_text("zero\none\ntwo\n")
    document.shows("relocated")


def test_files_are_watched_where_nothing_is_indexed(start: Start, repository: Path, file: Path) -> None:
    editor = start()
    editor.initialize(repository, capabilities=PUSH, options={"settings": {"search": {"enabled": False}}})
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    assert document.links()
    file.write_text("a\n" + LINES)
    document.shows("relocated")
    file.write_text(LINES)
    document.shows()


def test_a_hint_of_the_client_is_taken_up(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    file.write_text("a\n" + LINES)
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
    document.shows("relocated")


def test_a_rename_that_git_can_tell_is_deleted(editor: Client, repository: Path) -> None:
    reference = cite(editor, repository / "src/shapes.py", 1, 2)
    document = Document(editor, "untitled:1", reference)
    editor.indexed()
    git(repository, "mv", "src/shapes.py", "src/figures.py")
    document.shows("deleted")


def test_only_the_first_five_hundred_references_are_judged(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("other\n")
    document = Document(editor, "untitled:1", f"{reference}\n" * 600)
    document.shows(*["changed"] * 500)


def test_a_huge_document_holds_up_nobody(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("other\n")
    document = Document(
        editor, "untitled:1", "some words that are no reference, me@example.org\n" * 600_000 + reference
    )
    assert editor.request("evidence/verify", {"references": [reference]})["items"][0]["verdict"] == "changed"
    (told,) = document.shows("changed")
    assert told["range"]["start"] == {"line": 600_000, "character": 0}


# Asked for rather than sent ------------------------------------------------------------------------------------------


def pull(document: Document, previous: str | None = None) -> dict[str, Any]:
    params: dict[str, Any] = {"textDocument": {"uri": document.uri}}
    if previous is not None:
        params["previousResultId"] = previous
    answer: dict[str, Any] = document.client.request("textDocument/diagnostic", params)
    return answer


def test_a_client_that_asks_is_told_to_ask_again_and_sent_nothing(start: Start, repository: Path, file: Path) -> None:
    editor = start()
    refreshes: list[Any] = []
    editor.answers["workspace/diagnostic/refresh"] = refreshes.append
    capabilities = editor.initialize(repository, capabilities=PULL)["capabilities"]
    assert capabilities["diagnosticProvider"]["interFileDependencies"] is True
    assert capabilities["diagnosticProvider"]["workspaceDiagnostics"] is False
    editor.indexed()
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    first = pull(document)
    assert (first["kind"], first["items"]) == ("full", [])
    again = pull(document, first["resultId"])
    assert again["kind"] == "unchanged"
    file.write_text("a\n" + LINES)
    editor.wait_for(lambda: refreshes, "the refresh")
    told = pull(document, first["resultId"])
    assert [item["code"] for item in told["items"]] == ["relocated"]
    assert document.published() is None
    document.close()
    assert document.published() is None
    assert pull(document)["items"] == []


def without(capabilities: dict[str, Any], *path: str) -> dict[str, Any]:
    head, *rest = path
    changed = {key: value for key, value in capabilities.items() if key != head or rest}
    return changed | {head: without(capabilities[head], *rest)} if rest else changed


def test_a_client_that_cannot_be_told_to_ask_again_is_sent_them(start: Start, repository: Path, file: Path) -> None:
    editor = start()
    capabilities = editor.initialize(repository, capabilities=without(PULL, "workspace", "diagnostics"))["capabilities"]
    assert "diagnosticProvider" not in capabilities
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    file.write_text("a\n" + LINES)
    document.shows("relocated")
    with pytest.raises(RequestError) as refused:
        pull(document)
    assert refused.value.code == -32601


def test_a_client_that_takes_none_is_sent_none(start: Start, repository: Path, file: Path) -> None:
    editor = start()
    capabilities = editor.initialize(repository)["capabilities"]
    assert "diagnosticProvider" not in capabilities
    assert "codeActionProvider" not in capabilities
    assert capabilities["hoverProvider"]
    assert capabilities["definitionProvider"]
    assert capabilities["documentLinkProvider"] == {"resolveProvider": True}
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    editor.indexed()
    file.write_text("other\n")
    editor.wait_for(lambda: invalidated(editor, document), "the notification")
    assert document.published() is None


@pytest.mark.parametrize("end", ["\f", "\u2028", "\x85", "\r"])
def test_edits_below_a_strange_line_end_land_where_the_editor_made_them(editor: Client, file: Path, end: str) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    text = f"a{end}b\n{LINES}"
    unsaved = Document(editor, file, text)
    editor.wait_for(lambda: document.codes() == ["relocated"], "the move")
    place = {"line": 3 if end == "\r" else 2, "character": 0}
    unsaved.edit({"range": {"start": place, "end": place}, "text": "not "})
    document.shows("changed")
    back = {"start": place, "end": place | {"character": 4}}
    unsaved.edit({"range": back, "text": ""})
    document.shows("relocated")


def test_a_server_that_does_not_index_itself_sees_changes_too(
    start: Start, editor: Client, repository: Path, file: Path
) -> None:
    editor.indexed()
    second = start()
    second.initialize(repository, capabilities=PUSH)
    second.indexed()
    document = Document(second, "untitled:1", cite(second, file, 2, 3))
    assert document.links()
    file.write_text("a\n" + LINES)
    document.shows("relocated")


def test_strange_texts_are_texts(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("a\n" + LINES)
    text = f"\ud83d\0 {reference}\ud83d\n\ud83da.py:1-2@0123456789abcdef\n\0b.py:1-2@0123456789abcdef"
    document = Document(editor, "untitled:1", text)
    document.shows("relocated", "deleted", "deleted")
    assert document.hover(reference)
