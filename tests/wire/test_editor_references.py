"""References in the documents of an editor: links, hover, definition, by standard LSP and for every verdict."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, running
from wire.conftest import LINES, git, make_repository
from wire.editor import PUSH, Document, cite, units


@pytest.fixture
def editor(start: Callable[..., Client], repository: Path, file: Path) -> Client:
    opened = start()
    opened.initialize(repository, capabilities=PUSH)
    return opened


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    """An editor, and a file that nobody changes, for all tests that only look."""
    folder = tmp_path_factory.mktemp("still")
    with running(folder / "home") as opened:
        repository = make_repository(folder / "project")
        opened.initialize(repository, capabilities=PUSH)
        path = repository / "notes.txt"
        path.write_text(LINES)
        yield opened, path


def written(document: Document, span: dict[str, Any]) -> str:
    """The text that a range of one line covers."""
    line = document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[span["start"]["line"]]
    data = line.encode("utf-16-le")
    return data[2 * span["start"]["character"] : 2 * span["end"]["character"]].decode("utf-16-le")


# Where a reference is found ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "see {}.",
        "`{}`",
        "[{}]",
        "[the rule]({})",
        "({})",
        '"{}"',
        "'{}'",
        "<{}>",
        "**{}**",
        "| a | {} | b |",
        "|{}|",
        "参见{}。",
        "参见「{}」，然后",
        "😀 {}",
        "- {}",
        "// {}",
        "evidence={}, more",
        "a\r\n{}\r\nb",
        "a\r{}\rb",
        "a\u2028{}\u2028b",
        "a\f{}\fb",
    ],
)
def test_references_are_found_in_any_text(still: tuple[Client, Path], around: str) -> None:
    editor, file = still
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:Untitled-1", around.format(reference), "plaintext")
    (link,) = document.links()
    assert written(document, link["range"]) == reference
    assert link["target"] == f"{file.as_uri()}#L2-L3"
    assert "line 2\nline 3" in (document.hover(reference) or "")
    (target,) = document.definition(reference)
    assert target["originSelectionRange"] == link["range"]
    assert target["targetRange"] == {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 6}}


@pytest.mark.parametrize("around", ["see {} there", "`{}`", "| x | {} |", "- {}", "证据：{}"])
def test_paths_may_hold_blanks_brackets_and_signs_where_there_is_such_a_file(
    editor: Client, repository: Path, around: str
) -> None:
    path = repository / "app" / "[id] (old)" / "ab:c@d 日本.txt"
    path.parent.mkdir(parents=True)
    path.write_text("one\ntwo\n")
    reference = cite(editor, path, 1, 2)
    document = Document(editor, "untitled:1", around.format(reference))
    (link,) = document.links()
    assert written(document, link["range"]) == reference
    assert link["target"] == f"{path.as_uri()}#L1-L2"


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd:1-2@0123456789abcdef",
        "../../etc/passwd:1-2@0123456789abcdef",
        "C:\\x.txt:1-2@0123456789abcdef",
        "https://example.org/notes.txt:1-2@0123456789abcdef",
        "~/notes.txt:1-2@0123456789abcdef",
        "notes.txt:1-2@0123",
        "notes.txt:0-2@0123456789abcdef",
        "notes.txt:3-2@0123456789abcdef",
        "notes.txt:1-2@0123456789abcdefg",
        "notes.txt:1-2",
        "me@example.org",
    ],
)
def test_what_is_no_reference_is_left_alone(still: tuple[Client, Path], text: str) -> None:
    editor, file = still
    good = cite(editor, file, 1, 1)
    document = Document(editor, "untitled:1", f"{text}\n{good}\n")
    assert [link["range"]["start"]["line"] for link in document.links()] == [1]
    for character in (0, len(text) // 2, len(text)):
        assert editor.request("textDocument/hover", document.at(0, character)) is None
        assert editor.request("textDocument/definition", document.at(0, character)) is None


def test_documents_that_are_not_open_are_not_read(editor: Client, repository: Path, file: Path) -> None:
    path = repository / "docs" / "guide.md"
    path.write_text(cite(editor, file, 1, 1))
    asked = {"textDocument": {"uri": path.as_uri()}}
    position = {"position": {"line": 0, "character": 3}}
    assert editor.request("textDocument/documentLink", asked) == []
    assert editor.request("textDocument/hover", asked | position) is None
    assert editor.request("textDocument/definition", asked | position) is None


def test_documents_outside_of_every_folder_refer_to_the_open_ones(editor: Client, file: Path, tmp_path: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, tmp_path / "elsewhere.md", f"see {reference}\n")
    assert document.links()[0]["target"] == f"{file.as_uri()}#L2-L3"


def test_without_a_folder_there_is_nothing(start: Callable[..., Client]) -> None:
    alone = start()
    alone.initialize(capabilities=PUSH)
    document = Document(alone, "untitled:1", "see notes.txt:1-2@0123456789abcdef")
    assert document.links() == []
    assert document.hover("notes.txt") is None
    assert document.definition("notes.txt") is None
    assert document.published() is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_counted_as_the_client_does(
    start: Callable[..., Client], repository: Path, file: Path, encoding: str
) -> None:
    path = repository / "日本😀.txt"
    path.write_text("😀 ä 日本\nend\n")
    editor = start()
    editor.initialize(repository, capabilities=PUSH | {"general": {"positionEncodings": [encoding]}})
    one, two = cite(editor, file, 2, 3), cite(editor, path, 1, 1)
    text = f"😀ä {one} 日本😀 `{two}`"
    document = Document(editor, "untitled:1", text)
    for link, reference in zip(document.links(), (one, two), strict=True):
        before = units(text[: text.index(reference)], encoding)
        after = before + units(reference, encoding)
        assert (link["range"]["start"]["character"], link["range"]["end"]["character"]) == (before, after)
        for character in (before, after):
            hover = editor.request("textDocument/hover", document.at(0, character))
            assert hover["range"] == link["range"]
        assert editor.request("textDocument/hover", document.at(0, before - 1)) is None
    (target,) = editor.request("textDocument/definition", document.on(two, encoding))
    assert target["targetRange"]["end"] == {"line": 0, "character": units("😀 ä 日本", encoding)}


# What is told of each verdict ----------------------------------------------------------------------------------------


def test_valid(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    assert document.hover(reference) == "Lines 2-3 of notes.txt are as cited.\n\n```\nline 2\nline 3\n```"


def test_relocated_leads_to_where_the_lines_are_now(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("a\nb\nc\n" + LINES)
    document = Document(editor, "untitled:1", reference)
    (link,) = document.links()
    assert link["target"].endswith("#L5-L6")
    assert document.definition(reference)[0]["targetRange"]["start"]["line"] == 4
    hover = document.hover(reference) or ""
    assert "now at lines 5-6" in hover
    assert "line 2\nline 3" in hover


def test_changed_shows_what_stands_there_now(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text(LINES.replace("line 3", "line three"))
    document = Document(editor, "untitled:1", reference)
    assert document.definition(reference)[0]["targetRange"]["start"]["line"] == 1
    hover = document.hover(reference) or ""
    assert "have changed" in hover
    assert "line 2\nline three" in hover


@pytest.mark.parametrize("text", ["line 1", "", "\n"])
def test_changed_beyond_the_end_leads_to_the_end(editor: Client, file: Path, text: str) -> None:
    reference = cite(editor, file, 4, 6)
    file.write_text(text)
    document = Document(editor, "untitled:1", reference)
    assert document.definition(reference)[0]["targetRange"]["start"]["line"] == 0
    assert "```" not in (document.hover(reference) or "")


def test_ambiguous_leads_to_each_place(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    file.write_text("x\n" + LINES + LINES)
    document = Document(editor, "untitled:1", reference)
    assert [one["targetRange"]["start"]["line"] for one in document.definition(reference)] == [2, 12]
    assert "lines 3-4 and lines 13-14" in (document.hover(reference) or "")


def test_deleted_leads_nowhere_but_tells_where_it_may_be(editor: Client, repository: Path) -> None:
    reference = cite(editor, repository / "src/shapes.py", 1, 2)
    git(repository, "mv", "src/shapes.py", "src/figures.py")
    document = Document(editor, "untitled:1", reference)
    assert document.links() == []
    assert document.definition(reference) is None
    hover = document.hover(reference) or ""
    assert "no such file any more" in hover
    assert "It seems to be src/figures.py now." in hover


def test_excluded_shows_nothing_of_the_file(editor: Client, repository: Path) -> None:
    (repository / ".env").write_text("PASSWORD_OF_THINGS=hunter22\n")
    document = Document(editor, "untitled:1", ".env:1-1@0123456789abcdef")
    assert document.definition(".env:1-1@0123456789abcdef") is None
    hover = document.hover(".env:1-1@0123456789abcdef") or ""
    assert "cannot be checked" in hover
    assert "hunter22" not in hover


def test_a_link_whose_file_goes_meanwhile_has_no_target(editor: Client, file: Path) -> None:
    document = Document(editor, "untitled:1", cite(editor, file, 2, 3))
    (link,) = editor.request("textDocument/documentLink", {"textDocument": {"uri": document.uri}})
    assert "target" not in link
    file.unlink()
    assert editor.request("documentLink/resolve", link).get("target") is None


@pytest.mark.parametrize("data", [None, 7, {}, {"reference": 7}, {"reference": "/etc/passwd:1-1@0123456789abcdef"}])
def test_a_link_that_is_not_ours_stays_as_it_is(still: tuple[Client, Path], data: Any) -> None:
    editor, _ = still
    link = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "data": data}
    assert editor.request("documentLink/resolve", link).get("target") is None


def test_a_hover_is_bounded_and_holds_no_secret(editor: Client, repository: Path) -> None:
    path = repository / "long.py"
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "c2VjcmV0" * 8 + "\n-----END RSA PRIVATE KEY-----\n"
    path.write_text(key + "x = '```'\n" * 2_000)
    one, two = cite(editor, path, 2, 2), cite(editor, path, 4, 2_000)
    document = Document(editor, "untitled:1", f"{one}\n{two}\n")
    assert "c2VjcmV0" not in (document.hover(one) or "")
    hover = document.hover(two) or ""
    assert hover.count("\n") < 60
    assert len(hover) < 5_000
    assert "````python\nx = '```'" in hover
    assert hover.endswith("…")


def test_plain_text_for_clients_without_markdown_and_locations_for_those_without_links(
    start: Callable[..., Client], repository: Path, file: Path
) -> None:
    plain = start()
    plain.initialize(repository)
    reference = cite(plain, file, 2, 3)
    document = Document(plain, "untitled:1", reference)
    answer = plain.request("textDocument/hover", document.on(reference))
    assert answer["contents"]["kind"] == "plaintext"
    assert answer["contents"]["value"] == "Lines 2-3 of notes.txt are as cited.\n\nline 2\nline 3"
    (place,) = document.definition(reference)
    assert place == {
        "uri": file.as_uri(),
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 6}},
    }


# The unsaved, the moved, the many ------------------------------------------------------------------------------------


def test_unsaved_text_counts_as_the_file(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", reference)
    unsaved = Document(editor, file, "unsaved\n" + LINES.replace("\n", "\r\n"))
    assert document.definition(reference)[0]["targetRange"]["start"]["line"] == 2
    unsaved.close()
    assert document.definition(reference)[0]["targetRange"]["start"]["line"] == 1


def test_a_file_that_is_not_saved_yet_can_be_referred_to(editor: Client, repository: Path) -> None:
    path = repository / "my new.txt"
    Document(editor, path, "one\ntwo\n")
    reference = cite(editor, path, 1, 2)
    document = Document(editor, "untitled:1", f"see {reference}")
    assert document.links()[0]["target"] == f"{path.as_uri()}#L1-L2"


def test_each_folder_is_asked_and_the_documents_own_first(start: Callable[..., Client], tmp_path: Path) -> None:
    one, two = make_repository(tmp_path / "one"), make_repository(tmp_path / "two")
    editor = start()
    editor.initialize(one, two, capabilities=PUSH)
    (one / "a.txt").write_text("one\n")
    (two / "b.txt").write_text("two\n")
    shared = cite(editor, one / "src/shapes.py", 1, 2)
    only_one, only_two = cite(editor, one / "a.txt", 1, 1), cite(editor, two / "b.txt", 1, 1)
    text = f"{shared}\n{only_one}\n{only_two}\n"
    for home in (one, two):
        document = Document(editor, home / "docs" / "guide.md", text)
        targets = [link["target"].partition("#")[0] for link in document.links()]
        assert targets == [path.as_uri() for path in (home / "src/shapes.py", one / "a.txt", two / "b.txt")]
        document.close()
    # Where the lines still hold counts for more than whose document it is.
    (two / "src/shapes.py").write_text("changed\n")
    document = Document(editor, two / "docs" / "guide.md", text)
    assert document.links()[0]["target"].startswith((one / "src/shapes.py").as_uri())


def test_the_first_five_hundred_references_of_a_document_are_links(editor: Client, file: Path) -> None:
    reference = cite(editor, file, 2, 3)
    document = Document(editor, "untitled:1", f"{reference}\n" * 600)
    asked = {"textDocument": {"uri": document.uri}}
    assert len(editor.request("textDocument/documentLink", asked)) == 500
    assert editor.request("textDocument/hover", document.at(599, 3)) is not None


def test_a_link_request_can_be_cancelled(editor: Client, file: Path) -> None:
    document = Document(editor, "untitled:1", "@" * 30_000_000)
    waiting = editor.start_request("textDocument/documentLink", {"textDocument": {"uri": document.uri}}, "links")
    editor.notify("$/cancelRequest", {"id": "links"})
    try:
        assert waiting() == []  # it was quicker
    except Exception as error:
        assert getattr(error, "code", None) == -32800
