"""Code actions on references: what each verdict offers, and the text after it was applied."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import LINES
from wire.editor import PUSH, Document, cite

Start = Callable[..., Client]


@pytest.fixture
def editor(start: Start, repository: Path, file: Path) -> Client:
    opened = start()
    told = opened.initialize(repository, capabilities=PUSH)
    kinds = told["capabilities"]["codeActionProvider"]["codeActionKinds"]
    assert kinds == ["quickfix", "source.fixAll.vademecum", "vademecum.remember"]
    return opened


def titles(actions: list[dict[str, Any]]) -> list[str]:
    return [action["title"] for action in actions]


@pytest.mark.parametrize("text", ["see {}\n", "日本😀 `{}`.\r\nmore\r\n", "a\u2028b\f {}\n"])
def test_relocate(editor: Client, file: Path, text: str) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("a\n" + LINES)
    document = Document(editor, "untitled:1", text.format(reference))
    (shown,) = document.shows("relocated")
    relocate, remove = document.actions(reference)
    assert titles([relocate, remove]) == ["Relocate to lines 3-4", "Remove the reference"]
    assert (relocate["kind"], relocate["isPreferred"], relocate["diagnostics"]) == ("quickfix", True, [shown])
    assert document.apply(relocate) == text.format(cite(editor, file, 3, 4))
    document.shows()
    assert document.actions("notes.txt") == []


def test_cite_what_stands_there_now(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text(LINES.replace("line 3", "line three"))
    document = Document(editor, "untitled:1", f"see {reference}\n")
    document.shows("changed")
    current, remove = document.actions(reference)
    assert titles([current, remove]) == ["Cite current lines 2-3", "Remove the reference"]
    assert "isPreferred" not in current
    assert document.apply(current) == f"see {cite(editor, file, 2, 3)}\n"
    document.shows()


def test_nothing_is_cited_where_no_lines_are(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 4, 5)
    file.write_text("line 1\n")
    document = Document(editor, "untitled:1", f"see {reference}\n")
    document.shows("changed")
    assert titles(document.actions(reference)) == ["Remove the reference"]


def test_an_ambiguous_one_can_go_to_each_place(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("x\n" + LINES + LINES)
    document = Document(editor, "untitled:1", f"see {reference}\n")
    document.shows("ambiguous")
    actions = document.actions(reference)
    assert titles(actions) == ["Relocate to lines 3-4", "Relocate to lines 13-14", "Remove the reference"]
    assert document.apply(actions[1]) == f"see {cite(editor, file, 13, 14)}\n"
    document.shows()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("see {} there", "see there"),
        ("see `{}`.", "see."),
        ("see ({}), then", "see, then"),
        ("{}", ""),
        ("a\n- `{}`\nb\n", "a\nb\n"),
        ("evidence:\r\n  - {}\r\nb\r\n", "evidence:\r\nb\r\n"),
        ('x = "{}"\n', 'x = ""\n'),
        ('[\n  "{}",\n  "b"\n]', '[\n  "b"\n]'),
        ('[\n  "b",\n  "{}"\n]', '[\n  "b",\n  ""\n]'),
        ("- 'a'\n- '{}'\n", "- 'a'\n"),
        ("| {} |", "| |"),
        ("日本😀{}日本", "日本😀日本"),
    ],
)
def test_remove(editor: Client, file: Path, before: str, after: str) -> None:
    reference = cite(editor, file, 2, 3)
    file.unlink()
    document = Document(editor, "untitled:1", before.format(reference))
    document.shows("deleted")
    (remove,) = document.actions(reference)
    assert remove["title"] == "Remove the reference"
    assert document.apply(remove) == after
    document.shows()


def test_everything_that_moved_at_once(editor: Client, file: Path) -> None:
    one, two, gone, same = (cite(editor, file, *span) for span in ((2, 3), (5, 5), (7, 7), (1, 1)))
    file.write_text(LINES.replace("line 2", "new\nline 2").replace("line 7\n", ""))
    document = Document(editor, "untitled:1", f"{one} {two}\n{gone}\n{same}\n{one}\n")
    document.shows("relocated", "relocated", "changed", "relocated")
    for only in (["source.fixAll"], ["source"], ["source.fixAll.vademecum"]):
        (action,) = document.actions(same, only)
        assert action["kind"] == "source.fixAll.vademecum"
    assert titles(document.actions(one)) == [
        "Relocate to lines 3-4",
        "Remove the reference",
        "Relocate all references that moved (3)",
    ]
    assert titles(document.actions(one, ["quickfix"])) == ["Relocate to lines 3-4", "Remove the reference"]
    assert document.actions(one, ["refactor"]) == []
    moved = (cite(editor, file, 3, 4), cite(editor, file, 6, 6))
    assert document.apply(action) == f"{moved[0]} {moved[1]}\n{gone}\n{same}\n{moved[0]}\n"
    document.shows("changed")
    assert document.actions(same, ["source.fixAll"]) == []


def test_edits_without_versions_for_clients_that_know_none(start: Start, repository: Path, file: Path) -> None:
    editor = start()
    editor.initialize(repository, capabilities=PUSH | {"workspace": {}})
    reference = cite(editor, file, 2, 3)
    file.write_text("a\n" + LINES)
    document = Document(editor, repository / "docs" / "guide.md", reference)
    document.shows("relocated")
    relocate, _ = document.actions(reference)
    assert list(relocate["edit"]["changes"]) == [document.uri]
    assert document.apply(relocate) == cite(editor, file, 3, 4)


def test_in_a_document_that_is_not_open_there_is_nothing_to_do(editor: Client, repository: Path) -> None:
    place = {"line": 0, "character": 0}
    params = {
        "textDocument": {"uri": (repository / "docs/guide.md").as_uri()},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    assert editor.request("textDocument/codeAction", params) == []
