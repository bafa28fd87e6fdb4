"""The files of memories in any editor: faults as they are typed, fixes, completion, hover, the way to another one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.editor import PULL, PUSH, Document, cite, units

ERROR, WARNING, INFORMATION, HINT = 1, 2, 3, 4

Start = Callable[..., Client]

TOKEN = "ghp_0123456789abcdefghij0123456789"

ITEM = {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}
FULL: dict[str, Any] = PUSH | {"textDocument": {**PUSH["textDocument"], "completion": {"completionItem": ITEM}}}


@pytest.fixture
def editor(start: Start, repository: Path) -> Client:
    opened = start()
    opened.initialize(repository, capabilities=FULL)
    return opened


def remembered(client: Client, scope: str = "user", **more: Any) -> tuple[dict[str, Any], Path]:
    """A memory, and its file."""
    given = {"title": "Use pnpm", "content": "Never npm.", "category": "Rule", "keywords": ["pnpm"], "scope": scope}
    memory = client.request("memory/add", given | more)
    path = Path(memory["uri"].removeprefix("file://"))
    assert path.exists()
    return memory, path


def offered(document: Document, line: int, character: int) -> list[dict[str, Any]]:
    answer = document.client.request("textDocument/completion", document.at(line, character))
    return [] if answer is None else list(answer["items"])


def accepted(document: Document, item: dict[str, Any]) -> str:
    edit = item["textEdit"]
    lines = document.text.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    line = lines[start["line"]].encode("utf-16-le")
    new = line[: 2 * start["character"]].decode("utf-16-le") + edit["newText"]
    lines[start["line"]] = new + line[2 * end["character"] :].decode("utf-16-le")
    return "\n".join(lines)


PLACES = {
    "user": lambda home, repository: home / "memory" / "one.md",
    "private": lambda home, repository: home / "projects" / "tea-0123456789abcdef" / "memory" / "one.md",
    "shared": lambda home, repository: repository / ".vademecum" / "memory" / "one.md",
    "elsewhere": lambda home, repository: repository.parent / "another" / ".vademecum" / "memory" / "one.md",
}
NO_PLACES = {
    "beside": lambda home, repository: repository / "docs" / "one.md",
    "memory": lambda home, repository: repository / "memory" / "one.md",
    "below": lambda home, repository: home / "memory" / "more" / "one.md",
    "hidden": lambda home, repository: home / "memory" / ".one.md",
    "other": lambda home, repository: home / "memory" / "one.txt",
    "charter": lambda home, repository: home / "USER.md",
    "knowledge": lambda home, repository: home / "knowledge" / "one.md",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_memory_is_known_by_where_it_lies(editor: Client, home: Path, repository: Path, place: str) -> None:
    document = Document(editor, PLACES[place](home, repository), "---\ntitle: x\nctegory: Rule\n---\n")
    (told,) = document.shows("misspeltKey")
    assert (told["severity"], told["source"]) == (WARNING, "vademecum")
    assert told["range"] == {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 7}}
    document.change("---\ntitle: x\n\n---\n")
    assert "category" in [item["label"] for item in offered(document, 2, 0)]


def test_any_other_markdown_is_left_in_peace(editor: Client, home: Path, repository: Path) -> None:
    text = "---\nctegory: Rule\n\n---\n"
    documents = [Document(editor, make(home, repository), text) for make in NO_PLACES.values()]
    Document(editor, home / "memory" / "one.md", text).shows("noTitle", "misspeltKey")
    for document in documents:
        assert not document.published()
        assert offered(document, 2, 0) == []


def test_faults_are_shown_as_they_are_typed_and_nothing_is_kept(editor: Client) -> None:
    memory, path = remembered(editor)
    saved = path.read_text()
    document = Document(editor, path, saved)
    document.change(saved.replace("category: Rule", "category: Rul").replace("title: Use", "title: Use: x"))
    (told,) = document.shows("syntax")
    assert (told["severity"], told["range"]["start"]) == (ERROR, {"line": 2, "character": len("title: Use")})
    document.change(saved.replace("category: Rule", "category: 日本"))
    (told,) = document.shows("badValue")
    assert (told["severity"], told["range"]["end"]["character"]) == (WARNING, len("category: 日本"))
    document.change(saved.replace("title: Use pnpm", "titel: 😀"))
    document.shows("misspeltKey")
    again = editor.request("memory/get", {"id": memory["id"]})
    assert (again["title"], again["category"], again["revision"]) == ("Use pnpm", "Rule", memory["revision"])
    assert path.read_text() == saved
    document.change(saved)
    document.shows()


def test_a_quick_fix_mends_each(editor: Client, home: Path) -> None:
    lines = ("---", "title: 😀", "category: rul # c", "foo: bar", "tags: [a]", "---", f"key {TOKEN}", "")
    text = "\r\n".join(lines)
    document = Document(editor, home / "memory" / "one.md", text)
    bad, unknown, misspelt, secret = document.shows("badValue", "unknownKey", "misspeltKey", "secret")
    assert [one["severity"] for one in (bad, unknown, misspelt, secret)] == [WARNING, HINT, WARNING, ERROR]
    rule, *_, remove = document.actions("rul")
    assert (rule["title"], rule["kind"], rule["isPreferred"]) == ("Change to `Rule`", "quickfix", True)
    assert rule["diagnostics"] == [bad]
    assert remove["title"] == "Remove `category`"
    assert document.actions("rul", ["source"]) == []
    document.apply(rule)
    document.apply(document.actions("foo")[0])
    document.apply(document.actions("tags")[0])
    (out,) = document.actions(TOKEN)
    assert out["title"] == "Take the secret out"
    after = document.apply(out)
    assert after == "---\r\ntitle: 😀\r\ncategory: Rule # c\r\nkeywords: [a]\r\n---\r\nkey [redacted: github token]\r\n"
    document.shows()


def test_a_fault_that_another_file_makes_comes_and_goes_with_it(editor: Client, home: Path) -> None:
    memory, path = remembered(editor)
    copy = path.with_name("z.md")
    copy.write_text(path.read_text())
    document, first = Document(editor, copy, copy.read_text()), Document(editor, path, path.read_text())
    (told,) = document.shows("doubledId")
    assert "Use pnpm" in told["message"]
    first.shows("doubledId")  # whichever of the two is meant
    copy.unlink()
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": copy.as_uri(), "type": 3}]})
    first.shows()
    editor.request("memory/delete", {"id": memory["id"]})
    document.shows()
    memory, path = remembered(editor)
    new = Document(editor, home / "memory" / "new.md", f"---\nid: {memory['id']}\ntitle: x\n---\n")
    new.shows("doubledId")
    mended = new.apply(new.actions(memory["id"])[0])
    new.shows()
    assert memory["id"] not in mended


def test_evidence_is_judged_and_completed_inside_the_front_matter(editor: Client, home: Path, repository: Path) -> None:
    editor.indexed()
    reference = cite(editor, repository / "src" / "shapes.py", 1, 2)
    document = Document(editor, home / "memory" / "one.md", '---\ntitle: x\nevidence: ["src/sh"]\n---\n')
    document.shows("badValue")
    assert [item["label"] for item in offered(document, 2, len('evidence: ["src/sh'))] == ["src/shapes.py"]
    document.change("---\ntitle: x\nevidence: [src/shapes.py:1-2]\n---\n")
    (item,) = offered(document, 2, len("evidence: [src/shapes.py:1-2"))
    document.change(accepted(document, item))
    assert document.text == f'---\ntitle: x\nevidence: ["{reference}"]\n---\n'
    document.shows()
    document.change("---\ntitle: x\nevidence: [gree]\n---\n")
    assert "greetVisitor" in [item["label"] for item in offered(document, 2, len("evidence: [gree"))]
    document.change(f'---\ntitle: x\nevidence: ["{reference}"]\n---\n')
    (repository / "src" / "shapes.py").write_text("other\n")
    document.shows("changed")


def test_keys_are_completed_with_what_they_mean_and_the_cursor_in_place(editor: Client, home: Path) -> None:
    document = Document(editor, home / "memory" / "one.md", "---\ntitle: 😀\n\n---\n")
    answer = editor.request("textDocument/completion", document.at(2, 0))
    assert answer["isIncomplete"] is False
    items = {item["label"]: item for item in answer["items"]}
    assert "title" not in items
    category, keywords = items["category"], items["keywords"]
    assert (category["textEdit"]["newText"], category["data"]) == ("category: ", {"memory": {"more": True}})
    assert category["documentation"]["kind"] == "markdown"
    assert "`Knowledge`" in category["documentation"]["value"]
    assert (keywords["textEdit"]["newText"], keywords["insertTextFormat"]) == ("keywords: [$0]", 2)
    assert [item["label"] for item in sorted(answer["items"], key=lambda one: one["sortText"])] == list(items)


def test_a_client_without_snippets_and_markdown_gets_plain_text(start: Start, home: Path) -> None:
    plain = start()
    plain.initialize(capabilities=PUSH | {"textDocument": {}})
    document = Document(plain, home / "memory" / "one.md", "---\ntitle: x\n\n---\n")
    items = {item["label"]: item for item in offered(document, 2, 0)}
    assert items["keywords"]["textEdit"]["newText"] == "keywords: "
    assert items["evidence"]["textEdit"]["newText"] == "evidence: "
    assert "insertTextFormat" not in items["keywords"]
    assert items["category"]["documentation"] == {
        "kind": "plaintext",
        "value": "How the memory is to be used.\n\nWhen it is missing: Knowledge.",
    }
    assert document.hover("title").startswith("title: One line")  # type: ignore[union-attr]


def test_values_and_other_memories_are_completed(editor: Client, home: Path) -> None:
    memory, _ = remembered(editor)
    document = Document(editor, home / "memory" / "one.md", "---\ntitle: 😀\ncategory:\n---\n")
    items = offered(document, 2, len("category:"))
    assert [item["label"] for item in items] == ["Knowledge", "Rule", "Experience"]
    assert accepted(document, items[1]) == "---\ntitle: 😀\ncategory: Rule\n---\n"
    document.change("---\ntitle: 😀\nsupersedes: \n---\n")
    (item,) = offered(document, 2, len("supersedes: "))
    assert item["label"].startswith("Use pnpm")
    assert accepted(document, item) == f"---\ntitle: 😀\nsupersedes: {memory['id']}\n---\n"
    document.change("---\ntitle: 😀\nkeywords: \n---\n")
    (item,) = offered(document, 2, len("keywords: "))
    assert accepted(document, item) == "---\ntitle: 😀\nkeywords: [pnpm]\n---\n"
    document.change("")
    (item,) = offered(document, 0, 0)
    assert item["textEdit"]["newText"].startswith("---\nid: ")
    assert "title: $0\n" in item["textEdit"]["newText"]


def test_a_file_in_plain_text_mode_is_a_memory_all_the_same(editor: Client, home: Path) -> None:
    document = Document(editor, home / "memory" / "one.md", "---\ntitle: x\n\n---\n", "vimwiki")
    assert offered(document, 2, 0)


def test_hover_and_definition(editor: Client, home: Path) -> None:
    memory, path = remembered(editor)
    document = Document(
        editor, home / "memory" / "one.md", f"---\ntitle: x\ncategory: Rule\nsupersedes: {memory['id']}\n---\n"
    )
    assert document.hover("category").startswith("**category**: ")  # type: ignore[union-attr]
    assert document.hover("Rule").startswith("**Rule**: ")  # type: ignore[union-attr]
    assert document.hover(memory["id"]) == "The id of a user memory: Use pnpm"
    assert document.hover(" x") is None
    (link,) = document.definition(memory["id"])
    assert link["targetUri"] == path.as_uri()
    assert link["originSelectionRange"]["start"] == {"line": 3, "character": len("supersedes: ")}
    assert document.definition("category") is None


def test_from_the_body_and_from_the_table_one_gets_to_other_memories(editor: Client, home: Path) -> None:
    memory, path = remembered(editor)
    text = f"---\ntitle: x\n---\n😀 Against {memory['id']} and [[use pnpm]].\n"
    document = Document(editor, home / "memory" / "one.md", text)
    for word in (memory["id"], "[[use pnpm]]"):
        (link,) = document.definition(word)
        assert link["targetUri"] == path.as_uri()
        assert document.hover(word) == "A user memory: Use pnpm"
    assert document.definition("Against") is None
    table = Document(editor, path.with_name("MEMORY.md"), path.with_name("MEMORY.md").read_text())
    (link,) = table.definition("[Use pnpm]")
    assert link["targetUri"] == path.as_uri()


def test_the_table_of_contents_is_marked_when_it_is_edited(editor: Client) -> None:
    _, path = remembered(editor)
    table = path.with_name("MEMORY.md")
    document = Document(editor, table, table.read_text())
    document.change(table.read_text() + "- mine\n")
    (told,) = document.shows("generated")
    assert told["severity"] == WARNING
    document.change(table.read_text())
    document.shows()


def test_where_memory_is_switched_off_the_rules_of_the_file_are_told_all_the_same(start: Start, home: Path) -> None:
    opened = start()
    opened.initialize(capabilities=PUSH, options={"settings": {"memory": {"enabled": False}}})
    document = Document(opened, home / "memory" / "one.md", "---\ntitle: x\ncategory: rul\nsupersedes: \n---\n")
    document.shows("badValue")
    assert offered(document, 3, len("supersedes: ")) == []
    assert not (home / "memory").exists()


def test_a_client_that_asks_is_given_the_same(start: Start, home: Path, repository: Path) -> None:
    opened = start()
    opened.initialize(repository, capabilities=PULL)
    document = Document(opened, home / "memory" / "one.md", "---\ntitle: x\ncategory: rul\n---\n")
    report = opened.request("textDocument/diagnostic", {"textDocument": {"uri": document.uri}})
    assert [item["code"] for item in report["items"]] == ["badValue"]
    document.change("---\ntitle: x\ncategory: Rule\n---\n")
    report = opened.request("textDocument/diagnostic", {"textDocument": {"uri": document.uri}})
    assert report["items"] == []


def test_odd_texts_break_nothing(editor: Client, home: Path) -> None:
    document = Document(editor, home / "memory" / "one.md", "")
    for text in (
        "---\n",
        "---",
        "\0",
        "---\n" + "[" * 3_000,
        "---\n? {a: [\n---\n",
        "\ufeff---\n:\n---\n",
        "---\n\ud800: x\n---\n",
    ):
        document.change(text)
        document.client.request("textDocument/completion", document.at(1, 0))
        document.client.request("textDocument/hover", document.at(1, 1))
        document.client.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": document.uri},
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": units("x")}},
                "context": {"diagnostics": []},
            },
        )
    document.change("---\ntitle: x\nstatus: stale\n---\n")
    document.shows("badValue")
