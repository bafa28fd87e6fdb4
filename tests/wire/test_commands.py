"""`workspace/executeCommand` for editors that have nothing else: what may be said, and how the result is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from wire.client import SILENT, Client, RequestError
from wire.editor import Document, cite

OPENS = {"window": {"showDocument": {"support": True}}, "workspace": {"executeCommand": {}}}


def command(client: Client, name: str, *arguments: Any) -> Any:
    return client.request("workspace/executeCommand", {"command": f"vademecum.{name}", "arguments": list(arguments)})


def messages(client: Client) -> list[str]:
    return [note["message"] for note in client.notified("window/showMessage")]


def said(client: Client, part: str) -> str:
    """Wait for a message that holds a text."""
    found = client.wait_for(lambda: [one for one in messages(client) if part in one], f"{part!r}; {messages(client)}")
    return str(found[-1])


def opened(client: Client) -> list[Path]:
    asked = [one["params"] for one in list(client.asked) if one["method"] == "window/showDocument"]
    assert all(one["takeFocus"] is True and one["external"] is False for one in asked)
    return [Path(unquote(urlparse(one["uri"]).path)) for one in asked]


def page(client: Client, number: int = 1) -> str:
    """Wait for that many pages to be opened, and return the last."""
    client.wait_for(lambda: len(opened(client)) >= number, f"{number} pages")
    return opened(client)[number - 1].read_text("utf-8")


@pytest.fixture
def shown(start: Callable[..., Client], repository: Path) -> Client:
    """A client that opens documents and knows nothing of our requests."""
    client = start()
    client.answers["window/showDocument"] = lambda params: {"success": True}
    client.initialize(repository, capabilities=OPENS)
    client.indexed()
    return client


def test_a_line_becomes_a_note_and_says_so(shown: Client) -> None:
    memory = command(shown, "note", "# Deploys go out on Tuesdays.")
    assert (memory["content"], memory["scope"]) == ("Deploys go out on Tuesdays.", "project")
    expected = f"Vademecum: Remembered {memory['id']} (Knowledge, project): Deploys go out on Tuesdays"
    assert said(shown, memory["id"]) == expected
    assert command(shown, "note", {"note": "Deploys go out on Tuesdays.", "scope": "project"})["known"] is True
    assert "Known already" in said(shown, "Known")


def test_several_words_are_one_note(shown: Client) -> None:
    assert command(shown, "memory.remember", "I", "like", "tea")["content"] == "I like tea"


def test_what_was_found_is_a_page_whose_references_hold(shown: Client, repository: Path) -> None:
    answer = command(shown, "search.query", "circle area")
    text = page(shown)
    reference = answer["items"][0]["reference"]
    assert reference in text
    assert "return 3.14 * self.radius ** 2" in text
    document = Document(shown, opened(shown)[0], text)
    assert document.definition(reference)[0]["uri"] == (repository / "src" / "shapes.py").as_uri()


def test_prompt_and_verdicts_are_pages(shown: Client, repository: Path) -> None:
    command(shown, "note", "Use pnpm, never npm")
    block = command(shown, "memory.prompt")
    assert page(shown) == block["text"].rstrip() + "\n"
    reference = cite(shown, repository / "src" / "shapes.py", 2, 2)
    command(shown, "evidence.verify", reference)
    assert f"`{reference}`: **valid**" in page(shown, 2)
    command(shown, "memory.search", "pnpm")
    assert "Use pnpm, never npm" in page(shown, 3)


def test_pages_are_the_users_alone_and_go_with_the_server(shown: Client, home: Path) -> None:
    command(shown, "memory.prompt")
    page(shown)
    path = opened(shown)[0]
    assert path.is_relative_to(home / "cache" / "pages")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert shown.shut_down() == 0
    assert not path.parent.exists()


def test_what_a_killed_server_left_goes_with_the_next(
    shown: Client, start: Callable[..., Client], repository: Path
) -> None:
    command(shown, "memory.prompt")
    page(shown)
    left = opened(shown)[0]
    shown.kill()
    assert left.exists()
    other = start()
    other.initialize(repository)
    other.wait_for(lambda: not left.parent.exists(), "the page to go")


def test_no_page_holds_what_is_purged(shown: Client) -> None:
    memory = command(shown, "note", "The password of the coffee machine is latte")
    command(shown, "memory.prompt")
    assert "latte" in page(shown)
    command(shown, "memory.purge", memory["id"])
    assert not opened(shown)[0].exists()


def test_only_so_many_pages_are_kept(shown: Client) -> None:
    for _ in range(25):
        command(shown, "memory.prompt")
        shown.request("memory/status")
    shown.wait_for(lambda: len(opened(shown)) >= 21, "the pages")
    assert len([path for path in opened(shown) if path.exists()]) <= 20


def test_where_no_document_can_be_opened_it_is_a_message(client: Client) -> None:
    command(client, "note", "Use pnpm, never npm")
    block = command(client, "memory.prompt")
    told = said(client, "<") if "<" in block["text"] else said(client, "pnpm")
    assert "Use pnpm, never npm" in told
    assert opened(client) == []


def test_a_client_that_will_not_open_it_gets_a_message(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.answers["window/showDocument"] = lambda params: {"success": False}
    client.initialize(repository, capabilities=OPENS)
    command(client, "memory.list")
    said(client, "Memories (0 of 0)")


def test_a_client_that_never_answers_is_not_given_more_and_more(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.answers["window/showDocument"] = lambda params: SILENT
    client.initialize(repository, capabilities=OPENS)
    for _ in range(30):
        command(client, "memory.list")
    client.wait_for(lambda: len(opened(client)) >= 8, "some pages")
    command(client, "memory.list")
    assert len(opened(client)) <= 20


def test_failures_are_shown(shown: Client) -> None:
    with pytest.raises(RequestError) as refused:
        command(shown, "memory.get", "nosuchmemory")
    assert refused.value.kind == "notFound"
    assert refused.value.message in said(shown, "no memory with this id")
    with pytest.raises(RequestError) as wrong:
        command(shown, "memory.add", 7)
    assert wrong.value.fields == {"params"}
    with pytest.raises(RequestError) as many:
        command(shown, "memory.add", {}, {})
    assert many.value.fields == {"arguments"}
    with pytest.raises(RequestError) as text:
        command(shown, "memory.add", "a text")  # a request with several fields takes no text
    assert text.value.fields == {"params"}


def test_a_client_that_shows_results_itself_is_left_alone(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    experimental = {"vademecum": {"commands": "return"}}
    client.initialize(repository, capabilities=OPENS | {"experimental": experimental})
    assert command(client, "memory.list")["items"] == []
    assert command(client, "note", "Use pnpm")["scope"] == "project"
    client.request("memory/status")
    assert (opened(client), messages(client)) == ([], [])


def selecting(document: Document, start: tuple[int, int], end: tuple[int, int], only: list[str] | None = None) -> Any:
    span = {name: {"line": place[0], "character": place[1]} for name, place in (("start", start), ("end", end))}
    context: dict[str, Any] = {"diagnostics": []} | ({} if only is None else {"only": only})
    return document.client.request(
        "textDocument/codeAction", {"textDocument": {"uri": document.uri}, "range": span, "context": context}
    )


@pytest.fixture
def literal(start: Callable[..., Client], repository: Path) -> Client:
    client = start()
    client.answers["window/showDocument"] = lambda params: {"success": True}
    support = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
    client.initialize(repository, capabilities=OPENS | {"textDocument": {"codeAction": support}})
    client.indexed()
    return client


def test_a_selection_is_remembered_with_a_reference(literal: Client, repository: Path) -> None:
    path = repository / "src" / "shapes.py"
    document = Document(literal, path, path.read_text("utf-8"), "python")
    actions = selecting(document, (3, 4), (4, 0))
    titles = [one["title"] for one in actions]
    assert titles == [
        "Remember this selection",
        "Remember this selection for every project",
        "Search for this selection",
    ]
    assert {one["kind"] for one in actions} == {"vademecum.remember"}
    literal.request("workspace/executeCommand", actions[0]["command"])
    memory = literal.request("memory/search", {"query": "def area"})["items"][0]["memory"]
    assert memory["content"] == "```python\ndef area(self):\n```"
    assert (memory["scope"], memory["category"]) == ("project", "Knowledge")
    assert [one["verdict"] for one in memory["evidence"]] == ["valid"]
    assert memory["evidence"][0]["reference"] == cite(literal, path, 4, 4)
    said(literal, memory["id"])
    literal.request("workspace/executeCommand", actions[0]["command"])
    assert "Known already" in said(literal, "Known")
    literal.request("workspace/executeCommand", actions[2]["command"])
    assert "Circle" in page(literal)


def test_prose_is_remembered_as_it_is_also_where_it_is_in_no_file(literal: Client) -> None:
    document = Document(literal, "untitled:Notes", "We deploy on Tuesdays.\nNever on Fridays.\n")
    action = selecting(document, (0, 0), (1, 0))[1]
    memory = literal.request("workspace/executeCommand", action["command"])
    assert (memory["content"], memory["scope"], memory["evidence"]) == ("We deploy on Tuesdays.", "user", [])


def test_a_selection_far_past_the_end_is_all_there_is_and_its_fences_are_kept(literal: Client) -> None:
    code = 'PAGE = """\n`````\n"""\n'
    document = Document(literal, "untitled:Page", code, "python")
    far = {"start": {"line": 0, "character": 0}, "end": {"line": 2**40, "character": 2**40}}
    given = {"command": "vademecum.selection.remember", "arguments": [{"uri": document.uri, "range": far}]}
    memory = literal.request("workspace/executeCommand", given)
    assert memory["content"] == f"``````python\n{code}``````"


def test_unsaved_lines_are_remembered_and_cited_as_they_are_seen(literal: Client, repository: Path) -> None:
    path = repository / "docs" / "guide.md"
    document = Document(literal, path, "# Guide\n\nPaint thoroughly, twice.\n")
    action = selecting(document, (2, 0), (2, 24))[0]
    memory = literal.request("workspace/executeCommand", action["command"])
    assert memory["content"] == "Paint thoroughly, twice."
    assert [one["verdict"] for one in memory["evidence"]] == ["valid"]


def test_a_selection_that_is_no_longer_what_was_seen_is_refused(literal: Client, repository: Path) -> None:
    document = Document(literal, repository / "docs" / "guide.md", "# Guide\n\nPaint.\n")
    action = selecting(document, (0, 0), (2, 6))[0]
    document.change("# Something else\n")
    refused = literal.fails("workspace/executeCommand", action["command"])
    assert refused.kind == "conflict"
    said(literal, "has changed since")


def test_nothing_is_offered_without_a_selection(literal: Client, repository: Path) -> None:
    document = Document(literal, repository / "docs" / "guide.md", "# Guide\n\nPaint.\n")
    assert selecting(document, (0, 3), (0, 3)) == []
    assert selecting(document, (0, 3), (0, 4)) == []  # what an editor always has under its cursor
    assert selecting(document, (0, 0), (2, 6), ["quickfix"]) == []
    assert len(selecting(document, (0, 0), (2, 6), ["vademecum"])) == 2


def test_secrets_are_refused(literal: Client) -> None:
    document = Document(literal, "untitled:x", "token ghp_0123456789abcdefghijABCDEFGHIJ456789\n")
    refused = literal.fails("workspace/executeCommand", selecting(document, (0, 0), (1, 0))[0]["command"])
    assert refused.kind == "secret"
    assert all("ghp_" not in one for one in messages(literal))


def test_a_client_of_commands_alone_gets_commands(shown: Client) -> None:
    document = Document(shown, "untitled:x", "We deploy on Tuesdays.\n")
    actions = selecting(document, (0, 0), (1, 0))
    assert actions[0]["command"] == "vademecum.selection.remember"
    assert shown.request("workspace/executeCommand", actions[0])["content"] == "We deploy on Tuesdays."


def test_a_client_without_commands_is_offered_none(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    capabilities = client.initialize(repository, capabilities={"textDocument": {"hover": {}}})["capabilities"]
    assert "codeActionProvider" not in capabilities


def test_bad_selections_name_their_field(literal: Client, repository: Path) -> None:
    name = "vademecum.selection.remember"
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}

    def refused(arguments: Any) -> set[str]:
        return literal.fails("workspace/executeCommand", {"command": name, "arguments": [arguments]}).fields

    assert refused({"uri": "file:///not/open.md", "range": span}) == {"uri"}
    assert refused({"uri": "file:///not/open.md"}) == {"range"}
    document = Document(literal, repository / "docs" / "guide.md", "\n\n# Guide\n")
    assert refused({"uri": document.uri, "range": span}) == {"range"}  # an empty line
    backwards = {"start": span["end"], "end": span["start"]}
    assert refused({"uri": document.uri, "range": backwards}) == {"range"}
