"""Documents over the pipe: import, review, attachment, map, outline, search, pages, citations, refusals."""

import json
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError

GUIDE = "# Guide\n\nAll about circles.\n\n## Painting\n\nUse a brush with soft hair.\n\n### Colours\n\nBlue is best.\n"


def served(client: Client, text: str = GUIDE, title: str = "Guide", **task: str) -> dict[str, Any]:
    """A text that is imported, published and attached."""
    document = client.request("knowledge/import", {"text": text, "title": title})
    client.request("knowledge/publish", {"id": document["id"]})
    client.request("knowledge/attach", {"ids": [document["id"]], **task})
    return document


def everything(folder: Path) -> bytes:
    return b"".join(path.name.encode() + path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_from_import_to_a_cited_page(alone: Client, home: Path) -> None:
    document = alone.request("knowledge/import", {"text": GUIDE, "title": "Guide", "owner": "personal"})
    assert {key: document[key] for key in ("title", "owner", "source", "status", "sections", "writable", "form")} == {
        "title": "Guide",
        "owner": "personal",
        "source": "text",
        "status": "pending",
        "sections": 3,
        "writable": True,
        "form": "markdown",
    }
    assert document["characters"] == len(GUIDE) and document["tokens"] > 0
    assert "summary" not in document
    id = document["id"]
    assert alone.request("knowledge/attach", {"ids": [id]}) == {"task": "default", "attached": [id]}
    assert alone.request("knowledge/map") == {"task": "default", "items": [], "total": 0}
    assert alone.request("knowledge/publish", {"id": id})["status"] == "ready"
    (item,) = alone.request("knowledge/map", {"task": "default"})["items"]
    assert (item["id"], item["title"], item["owner"], item["sections"]) == (id, "Guide", "personal", 3)
    outline = alone.request("knowledge/outline", {"id": id})
    assert outline["revision"] == document["revision"]
    assert [(s["anchor"], s["title"], s["level"], s["lines"]) for s in outline["sections"]] == [
        ("guide", "Guide", 1, {"start": 1, "end": 3}),
        ("guide/painting", "Painting", 2, {"start": 5, "end": 7}),
        ("guide/painting/colours", "Colours", 3, {"start": 9, "end": 11}),
    ]
    (hit,) = alone.request("knowledge/search", {"query": "brushes hair"})["items"]
    assert (hit["id"], hit["anchor"], hit["title"], hit["path"], hit["line"]) == (
        id,
        "guide/painting",
        "Painting",
        ["Guide"],
        7,
    )
    assert hit["excerpt"] == "Use a brush with soft hair."
    assert hit["citation"] == {
        "id": id,
        "document": "Guide",
        "path": ["Guide", "Painting"],
        "anchor": "guide/painting",
        "revision": document["revision"],
        "lines": {"start": 5, "end": 7},
    }
    page = alone.request("knowledge/readSection", {"id": id, "anchor": "guide/painting"})
    assert page["text"] == "## Painting\n\nUse a brush with soft hair."
    assert page["children"] == [{"anchor": "guide/painting/colours", "title": "Colours"}]
    assert page["citation"] == hit["citation"]
    assert "cursor" not in page
    path = Path(document["uri"].removeprefix("file://"))
    assert home in path.parents and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert alone.request("knowledge/detach", {"ids": [id]})["attached"] == []
    assert alone.request("knowledge/search", {"query": "brush"})["items"] == []


def test_pages_by_cursor_until_a_newer_revision(alone: Client) -> None:
    text = "# Long\n\n" + "some words of text\n" * 1_000
    id = served(alone, text, "Long")["id"]
    read, cursor = "", None
    while True:
        page = alone.request("knowledge/readSection", {"id": id, "anchor": "long", "cursor": cursor})
        assert len(page["text"]) <= 4_000
        read += page["text"]
        cursor = page.get("cursor")
        if cursor is None:
            break
        last = cursor
    assert read == text.rstrip("\n")
    newer = alone.request("knowledge/import", {"text": text + "more\n", "id": id})
    assert newer["status"] == "pending"
    assert alone.fails("knowledge/readSection", {"id": id, "anchor": "long", "cursor": last}).kind == "notPublished"
    alone.request("knowledge/publish", {"id": id, "revision": newer["revision"]})
    assert alone.fails("knowledge/readSection", {"id": id, "anchor": "long", "cursor": last}).kind == "conflict"
    assert alone.fails("knowledge/readSection", {"id": id, "anchor": "long", "cursor": "x"}).fields == {"cursor"}


def test_every_request_for_a_text_is_refused_alike(alone: Client) -> None:
    id = alone.request("knowledge/import", {"text": "# Capybara\n\nthe capybara\n", "title": "Capybara"})["id"]
    ways: list[tuple[str, dict[str, Any]]] = [
        ("knowledge/map", {}),
        ("knowledge/outline", {"id": id}),
        ("knowledge/search", {"query": "capybara"}),
        ("knowledge/search", {"query": '"the capybara"'}),
        ("knowledge/readSection", {"id": id, "anchor": "capybara"}),
        ("knowledge/ask", {"question": "what?"}),
    ]

    def told() -> list[str | None]:
        """For each way: the kind of the refusal, None for an answer without the text, or the text's word."""
        answers: list[str | None] = []
        for method, params in ways:
            try:
                answer = json.dumps(alone.request(method, params))
                answers.append("capybara" if "apybara" in answer else None)
            except RequestError as error:
                answers.append(error.kind)
        return answers

    refused = "notPublished"
    assert told() == [None, refused, None, None, refused, None]
    alone.request("knowledge/attach", {"ids": [id]})
    assert told() == [None, refused, None, None, refused, None]
    alone.request("knowledge/publish", {"id": id})
    assert told()[:-1] == ["capybara"] * 5
    alone.request("knowledge/detach", {"ids": [id]})
    assert told() == [None, "notAttached", None, None, "notAttached", None]
    alone.request("knowledge/attach", {"ids": [id], "task": "another"})
    assert told() == [None, "notAttached", None, None, "notAttached", None]
    alone.request("knowledge/attach", {"ids": [id]})
    alone.request("knowledge/withdraw", {"id": id})
    assert told() == [None, refused, None, None, refused, None]
    assert alone.request("knowledge/remove", {"id": id}) == {"id": id}
    assert told() == [None, "notFound", None, None, "notFound", None]


def test_a_late_summary_is_refused_by_its_revision(alone: Client) -> None:
    document = served(alone)
    id = document["id"]
    kept = alone.request("knowledge/summarize", {"id": id, "revision": document["revision"], "summary": "Circles."})
    assert kept["summary"] == "Circles."
    assert alone.request("knowledge/map")["items"][0]["summary"] == "Circles."
    newer = alone.request("knowledge/import", {"text": GUIDE + "\nmore\n", "id": id})
    assert "summary" not in newer
    late = alone.fails("knowledge/summarize", {"id": id, "revision": document["revision"], "summary": "Late."})
    assert (late.kind, late.data["revision"]) == ("conflict", newer["revision"])
    assert alone.fails("knowledge/publish", {"id": id, "revision": document["revision"]}).kind == "conflict"
    too_long = {"id": id, "revision": newer["revision"], "summary": "x" * 2_001}
    assert alone.fails("knowledge/summarize", too_long).fields == {"summary"}


def test_asking_without_a_model_gives_the_best_sections(alone: Client) -> None:
    id = served(alone)["id"]
    answer = alone.request("knowledge/ask", {"question": "Which hair has a good brush?"})
    assert answer["answer"] is None
    assert "No language model" in answer["notice"]
    assert (answer["items"][0]["id"], answer["items"][0]["anchor"]) == (id, "guide/painting")
    assert answer["citations"][0] == answer["items"][0]["citation"]
    assert answer["gaps"] == []


def test_a_file_in_an_open_folder_is_cited_as_evidence(client: Client, repository: Path) -> None:
    document = client.request("knowledge/import", {"source": (repository / "docs" / "guide.md").as_uri()})
    assert (document["title"], document["source"]) == ("Guide", (repository / "docs" / "guide.md").as_uri())
    client.request("knowledge/publish", {"id": document["id"]})
    client.request("knowledge/attach", {"ids": [document["id"]]})
    (hit,) = client.request("knowledge/search", {"query": "paint"})["items"]
    reference = hit["citation"]["reference"]
    assert reference.startswith("docs/guide.md:1-3@")
    assert client.request("evidence/verify", {"references": [reference]})["allValid"] is True


def test_a_folder_gives_several_documents_and_is_followed(client: Client, repository: Path) -> None:
    folder = repository / "handbook"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(f"# {name.title()}\n\nabout {name}\n")
    (folder / "old.rst").write_text("Title\n=====\n")
    done = client.request("knowledge/import", {"source": str(folder), "follow": True})
    assert [document["title"] for document in done["documents"]] == ["One", "Two"]
    assert [each["path"] for each in done["skipped"]] == ["old.rst"]
    assert (done["unchanged"], done["ignored"], done["followed"]) == (0, 0, True)
    ids = [document["id"] for document in done["documents"]]
    for id in ids:
        client.request("knowledge/publish", {"id": id})
    client.request("knowledge/attach", {"ids": ids})
    (folder / "one.md").write_text("# One\n\nchanged altogether\n")
    (folder / "two.md").unlink()
    listed = {each["title"]: each for each in client.request("knowledge/list", {"status": "ready"})["items"]}
    assert listed["One"]["sourceState"] == "changed"
    assert listed["One"]["pendingRevision"] != listed["One"]["revision"]
    assert listed["Two"]["sourceState"] == "missing"
    assert client.request("knowledge/search", {"query": "about one"})["items"][0]["excerpt"] == "about one"
    client.request("knowledge/publish", {"id": ids[0]})
    assert client.request("knowledge/search", {"query": "altogether"})["items"][0]["id"] == ids[0]
    assert client.request("knowledge/refresh")["folders"] == 1


def test_a_long_import_tells_how_far_it_is_and_can_be_stopped(alone: Client, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(200):
        (folder / f"page{number}.md").write_text(f"# Page {number}\n\n" + "- words of a list\n" * 2_000)
    waiting = alone.start_request("knowledge/import", {"source": str(folder), "workDoneToken": "t"})

    def under_way() -> bool:
        told = [each["value"] for each in alone.notified("$/progress") if each["token"] == "t"]
        return any("page" in value.get("message", "") for value in told)

    alone.wait_for(under_way, "progress")
    alone.notify("$/cancelRequest", {"id": waiting.id})  # type: ignore[attr-defined]
    with pytest.raises(RequestError) as stopped:
        waiting()
    assert stopped.value.code == -32800
    assert alone.request("knowledge/list")["total"] == 0


@pytest.mark.parametrize(
    ("method", "params", "fields"),
    [
        ("knowledge/import", {}, {"source"}),
        ("knowledge/import", {"source": "/x.md", "text": "x"}, {"source"}),
        ("knowledge/import", {"source": "relative.md"}, {"source"}),
        ("knowledge/import", {"source": "https://example.org/x.md"}, {"source"}),
        ("knowledge/import", {"text": "x"}, {"title"}),
        ("knowledge/import", {"text": 1, "title": "t"}, {"text"}),
        ("knowledge/import", {"text": "x", "title": "t", "owner": "nobody"}, {"owner"}),
        ("knowledge/import", {"text": "x", "title": "t", "owner": "system"}, {"owner"}),
        ("knowledge/import", {"text": "x", "title": "t", "follow": True}, {"follow"}),
        ("knowledge/import", {"text": "x", "title": "t", "colour": 1}, {"colour"}),
        ("knowledge/import", {"text": "x", "title": "t", "workspace": "file:///nowhere"}, {"workspace"}),
        ("knowledge/list", {"limit": 2_001}, {"limit"}),
        ("knowledge/search", {"query": "x", "limit": 51}, {"limit"}),
        ("knowledge/search", {"query": "x", "offset": -1}, {"offset"}),
        ("knowledge/search", {"query": "x" * 1_001}, {"query"}),
        ("knowledge/search", {"query": "x", "task": ""}, {"task"}),
        ("knowledge/map", {"task": "t" * 201}, {"task"}),
        ("knowledge/map", {"limit": 0}, {"limit"}),
        ("knowledge/map", {"limit": 2_001}, {"limit"}),
        ("knowledge/map", {"offset": -1}, {"offset"}),
        ("knowledge/ask", {"question": " "}, {"question"}),
        ("knowledge/attach", {}, {"ids"}),
    ],
)
def test_unusable_fields_are_named(shared: Client, method: str, params: dict[str, Any], fields: set[str]) -> None:
    error = shared.fails(method, params)
    assert error.code == -32602
    assert error.fields == fields


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"%PDF", "excluded"),
        ("a.md", b"caf\xe9", "excluded"),
        ("a.md", b"\xff\xfea\0", "excluded"),
        (".env", b"A=b", "excluded"),
        ("big.txt", b"x" * (16 * 1024 * 1024 + 1), "tooLarge"),
        (None, b"", "notFound"),
    ],
)
def test_sources_that_are_no_documents(
    shared: Client, tmp_path: Path, name: str | None, data: bytes, kind: str
) -> None:
    if name is not None:
        (tmp_path / name).write_bytes(data)
    error = shared.fails("knowledge/import", {"source": str(tmp_path / (name or "missing.md"))})
    assert (error.code, error.kind) == (-32803, kind)
    assert str(tmp_path) not in error.message
    assert shared.request("knowledge/list")["total"] == 0


@pytest.mark.parametrize("method", ["publish", "withdraw", "remove", "outline"])
def test_unknown_documents(shared: Client, method: str) -> None:
    assert shared.fails(f"knowledge/{method}", {"id": "nobody"}).kind == "notFound"


def test_the_shared_folder_is_the_users_setting_alone(start: Callable[..., Client], home: Path, tmp_path: Path) -> None:
    shared = tmp_path / "team"
    shared.mkdir()
    home.mkdir()
    (home / "config.toml").write_text(f'[knowledge]\nshared = "{shared}"\n')
    one = start()
    one.initialize(options={"settings": {"knowledge": {"shared": str(tmp_path / "elsewhere")}}})
    document = one.request("knowledge/import", {"text": GUIDE, "title": "Guide", "owner": "system"})
    one.request("knowledge/publish", {"id": document["id"]})
    assert len(list(shared.glob("guide-*.md"))) == 1
    assert not (tmp_path / "elsewhere").exists()
    other = start(home=tmp_path / "other", env={"VADEMECUM_KNOWLEDGE_SHARED": str(shared)})
    other.initialize()
    assert other.request("knowledge/list", {"owner": "system"})["items"][0]["id"] == document["id"]
    other.request("knowledge/attach", {"ids": [document["id"]]})
    assert other.request("knowledge/search", {"query": "brush"})["items"][0]["id"] == document["id"]
    assert one.request("knowledge/search", {"query": "brush"})["items"] == []


def test_a_restart_forgets_nothing_and_removal_leaves_nothing(start: Callable[..., Client], home: Path) -> None:
    first = start()
    first.initialize()
    id = served(first, "# Quagga\n\nthe quagga runs\n", "Quagga", task="t")["id"]
    first.process.kill()
    second = start()
    second.initialize()
    assert second.request("knowledge/search", {"query": "quagga", "task": "t"})["items"][0]["id"] == id
    second.request("knowledge/remove", {"id": id})
    second.shut_down()
    assert b"uagga" not in everything(home)
    assert id.encode() not in everything(home)


def test_large_documents(alone: Client, tmp_path: Path) -> None:
    book = tmp_path / "book.md"
    book.write_text("# Book\n\n" + "".join(f"## 章 {n} 🎉\n\n{f'words {n} ' * 50}\n\n" for n in range(10_000)))
    assert book.stat().st_size > 5_000_000
    document = alone.request("knowledge/import", {"source": str(book)})
    assert document["sections"] == 10_001
    alone.request("knowledge/publish", {"id": document["id"]})
    alone.request("knowledge/attach", {"ids": [document["id"]]})
    assert alone.request("knowledge/search", {"query": '"words 7777"'})["items"][0]["anchor"] == "book/章-7777"
    outline = alone.request("knowledge/outline", {"id": document["id"], "offset": 9_999, "limit": 5})
    assert [section["title"] for section in outline["sections"]] == ["章 9998 🎉", "章 9999 🎉"]


def test_imports_while_searches_are_answered(alone: Client) -> None:
    steady = served(alone, "# Steady\n\nalways here\n", "Steady")["id"]
    failures: list[str] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            items = alone.request("knowledge/search", {"query": "always", "limit": 50})["items"]
            if steady not in {item["id"] for item in items}:
                failures.append(json.dumps(items))

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(10):
        id = served(alone, f"# Other {number}\n\nalways {number}\n", f"Other {number}")["id"]
        if number % 2:
            alone.request("knowledge/remove", {"id": id})
    done.set()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert len(alone.request("knowledge/map")["items"]) == 6


def test_whoever_watches_is_told_of_every_change_and_of_nothing_else(alone: Client, tmp_path: Path) -> None:
    def told() -> list[list[str]]:
        return [news["ids"] for news in alone.notified("knowledge/didChange")]

    document = alone.request("knowledge/import", {"text": GUIDE, "title": "Guide"})
    id, revision = document["id"], document["revision"]
    summary = {"id": id, "revision": revision, "summary": "Circles, and how to paint them."}
    for number, (method, params) in enumerate(
        [
            ("publish", {"id": id}),
            ("attach", {"ids": [id]}),
            ("summarize", summary),
            ("detach", {"ids": [id]}),
            ("withdraw", {"id": id}),
            ("remove", {"id": id}),
        ],
        2,
    ):
        alone.request(f"knowledge/{method}", params)
        alone.wait_for(lambda number=number: told() == [[id]] * number, f"the news of {method}")
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n", "utf-8")
    alone.request("knowledge/import", {"source": folder.as_uri(), "follow": True})
    alone.request("knowledge/attach", {"ids": []})
    for quiet in ("list", "map", "refresh"):
        alone.request(f"knowledge/{quiet}")
    (folder / "two.md").write_text("# Two\n", "utf-8")
    (new,) = alone.request("knowledge/refresh")["documents"]
    alone.wait_for(lambda: told()[-1] == [new["id"]], "the news of the followed folder")
    assert len(told()) == 7 + 2
