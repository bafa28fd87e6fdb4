"""`textDocument/completion` in Markdown: references to files, symbols and lines; ids of memories."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.editor import Document, cite, units


def offered(document: Document, encoding: str = "utf-16") -> dict[str, dict[str, Any]]:
    """What is offered at the end of the text, by what it is matched by."""
    last = document.text.split("\n")[-1]
    position = document.at(document.text.count("\n"), units(last, encoding))
    answer = document.client.request("textDocument/completion", position)
    return {} if answer is None else {item["filterText"]: item for item in answer["items"]}


def accepted(document: Document, item: dict[str, Any]) -> str:
    """The last line with an item in place."""
    last = document.text.split("\n")[-1]
    start = item["textEdit"]["range"]["start"]["character"]
    assert item["textEdit"]["range"]["end"]["character"] == units(last)
    return last.encode("utf-16-le")[: 2 * start].decode("utf-16-le") + item["textEdit"]["newText"]


@pytest.fixture
def notes(client: Client, repository: Path) -> Callable[..., Document]:
    client.indexed()
    return lambda text, language="markdown": Document(client, repository / "docs" / "notes.md", text, language)


def test_lines_of_a_file_become_a_reference(notes: Callable[..., Document], client: Client, repository: Path) -> None:
    reference = cite(client, repository / "src" / "shapes.py", 2, 4)
    document = notes("A 😀: `src/shapes.py:2-4")
    (item,) = offered(document).values()
    assert accepted(document, item) == f"A 😀: `{reference}"
    one = cite(client, repository / "src" / "shapes.py", 2, 2)
    document.change(f"see src/shapes.py:2@{one.partition('@')[2][:5]}")
    (item,) = offered(document).values()
    assert accepted(document, item) == f"see {one}"
    assert document.client.request("evidence/verify", {"references": [one]})["allValid"]
    for text in (
        "src/shapes.py:2-400",
        "src/shapes.py:4-2",
        "src/nothing.py:1-2",
        "../shapes.py:1-2",
        "build/generated.py:1",
    ):
        document.change(text)
        assert offered(document) == {}, text


def test_symbols_of_a_file_become_references(notes: Callable[..., Document]) -> None:
    document = notes("(src/shapes.py:")
    found = offered(document)
    assert set(found) == {"src/shapes.py:Circle", "src/shapes.py:area"}
    text = accepted(document, found["src/shapes.py:Circle"])
    assert text.startswith("(src/shapes.py:1-")
    assert document.client.request("evidence/verify", {"references": [text[1:]]})["allValid"]


def test_paths_are_completed(notes: Callable[..., Document]) -> None:
    document = notes("- src/s")
    found = offered(document)
    assert list(found) == ["src/shapes.py"]
    assert accepted(document, found["src/shapes.py"]) == "- src/shapes.py"
    document.change("build/g")  # ignored by git
    assert offered(document) == {}


def test_a_word_finds_symbols_and_memories(notes: Callable[..., Document], client: Client) -> None:
    memory = client.request("memory/remember", {"note": "Visitors are greeted by name."})
    document = notes("As in gree")
    found = offered(document)
    assert accepted(document, found["greetVisitor"]).startswith("As in src/greeting.js:1-")
    assert accepted(document, found["Visitors are greeted by name"]) == f"As in {memory['id']}"
    document.change("As in gr")
    assert offered(document) == {}  # too short to look for


def test_only_markdown_is_completed(notes: Callable[..., Document]) -> None:
    assert offered(notes("src/s", "python")) == {}
    document = notes("src/s", "")  # by its name, where the client says nothing
    assert list(offered(document)) == ["src/shapes.py"]


def test_the_client_asks_again_when_more_is_typed(notes: Callable[..., Document]) -> None:
    document = notes("src/")
    position = document.at(0, 4)
    assert document.client.request("textDocument/completion", position)["isIncomplete"] is True
    assert document.client.request("textDocument/completion", document.at(7, 99))["items"] == []
    unknown = {"textDocument": {"uri": "file:///nowhere.md"}, "position": {"line": 0, "character": 0}}
    assert document.client.request("textDocument/completion", unknown) is None


def test_odd_texts_offer_nothing_and_break_nothing(notes: Callable[..., Document]) -> None:
    document = notes("x")
    for text in (
        "",
        "::",
        "a:",
        "(((",
        "x" * 5_000,
        "/etc/passwd:1-2",
        "C:\\x.py:1-2",
        "https://example.org/a:1-2",
        "[[.:(",
    ):
        document.change(text)
        assert offered(document) == {}, text
