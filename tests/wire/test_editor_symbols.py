"""`workspace/symbol`: code and memories in one list, bounded, in pieces where the client asks for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wire.client import Client

NOTE = {"title": "Circles are painted red", "content": "Always.", "category": "Rule", "scope": "project"}
NEW_KINDS = {"workspace": {"symbol": {"symbolKind": {"valueSet": list(range(1, 27))}}}}


def symbols(client: Client, query: str, **more: Any) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = client.request("workspace/symbol", {"query": query, **more})
    return answer


def test_code_and_memories_are_in_one_list(client: Client, repository: Path) -> None:
    client.indexed()
    memory = client.request("memory/add", NOTE)
    found = symbols(client, "circle")
    assert [one["name"] for one in found] == ["Circles are painted red", "Circle"]
    assert found[0]["location"]["uri"] == memory["uri"]
    assert found[0]["containerName"] == f"project memory {memory['id']}, Rule"
    shapes = (repository / "src" / "shapes.py").as_uri()
    span = {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 12}}
    assert found[1]["location"] == {"uri": shapes, "range": span}
    assert found[1]["kind"] == 5
    assert found[1]["containerName"] == "src/shapes.py"


def test_without_a_question_there_are_the_memories(client: Client) -> None:
    client.indexed()
    client.request("memory/add", NOTE)
    assert [one["name"] for one in symbols(client, "")] == ["Circles are painted red"]


def test_what_is_not_saved_counts(client: Client, repository: Path) -> None:
    client.indexed()
    path = repository / "src" / "shapes.py"
    text = "# 😀\n\n" + path.read_text("utf-8")
    item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})
    (one,) = symbols(client, "Circle")
    assert one["location"]["range"]["start"] == {"line": 2, "character": 6}


def test_positions_are_counted_as_the_client_does(start: Callable[..., Client], repository: Path) -> None:
    (repository / "src" / "odd.js").write_text('const a = "😀"; function afterEmoji() { return 1; }\n', "utf-8")
    for encoding, column in (("utf-8", 27), ("utf-16", 25), ("utf-32", 24)):
        client = start()
        client.initialize(repository, capabilities={"general": {"positionEncodings": [encoding]}})
        client.indexed()
        (one,) = symbols(client, "afterEmoji")
        assert one["location"]["range"]["start"] == {"line": 0, "character": column}, encoding
        client.shut_down()


def test_kinds_that_the_client_may_not_know_are_not_used(start: Callable[..., Client], repository: Path) -> None:
    body = "".join(f"    pub x{n}: i64,\n" for n in range(5))
    (repository / "src" / "point.rs").write_text(f"pub struct PointOfView {{\n{body}}}\n", "utf-8")
    kinds = []
    for capabilities in ({}, NEW_KINDS):
        client = start()
        client.initialize(repository, capabilities=capabilities)
        client.indexed()
        (one,) = symbols(client, "PointOfView")
        kinds.append(one["kind"])
        client.shut_down()
    assert kinds == [5, 23]  # a class, where the client does not say that it knows structs


def test_the_answer_comes_in_pieces_where_the_client_gives_a_token(client: Client) -> None:
    client.indexed()
    client.request("memory/add", NOTE)
    assert symbols(client, "circle", partialResultToken="piece") == []
    pieces = [note["value"] for note in client.notified("$/progress") if note["token"] == "piece"]
    assert [one["name"] for piece in pieces for one in piece] == ["Circles are painted red", "Circle"]


def test_it_is_bounded(client: Client, repository: Path) -> None:
    for n in range(30):
        names = "".join(f"def handler_{n}_{m}():\n    return {m}\n\n\n" for m in range(10))
        (repository / "src" / f"many{n}.py").write_text(names)
    client.indexed()
    client.wait_for(lambda: len(symbols(client, "handler")) >= 200, "many symbols")
    assert len(symbols(client, "handler")) == 200


def test_odd_questions_are_answered(client: Client) -> None:
    client.indexed()
    for query in ("(", "\\", "*" * 2_000, "\ud83d", "a.b::c#d/e", "\u0000", "名前"):
        assert isinstance(symbols(client, query), list)
    assert client.fails("workspace/symbol", {}).fields == {"query"}


def test_where_memory_is_off_there_is_the_code(start: Callable[..., Client], repository: Path) -> None:
    client = start(env={"VADEMECUM_MEMORY": "off"})
    client.initialize(repository)
    client.indexed()
    assert [one["name"] for one in symbols(client, "Circle")] == ["Circle"]


def test_without_a_folder_there_are_the_memories_of_the_user(alone: Client) -> None:
    alone.request("memory/add", NOTE | {"scope": "user"})
    assert [one["name"] for one in symbols(alone, "red")] == ["Circles are painted red"]
