"""What a face cuts short or leaves out was not given: no session holds what nobody saw."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.test_evidence import whole

VARIANTS = 30


@pytest.fixture
def variants(client: Client, repository: Path) -> Client:
    """Many functions that are like one another, more than a model's answer has room for."""
    for number in range(VARIANTS):
        body = "".join(f"    parcel.weigh(shelf_{number}, step_{step}, {'tare ' * 6!r})\n" for step in range(38))
        (repository / f"variant_{number:02}.py").write_text(f"def weigh_parcels_{number}(parcel):\n{body}")
    client.indexed()
    return client


def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.request("tools/call", {"name": tool, "arguments": {**arguments, "session": "chat-1"}})
    return {**answer["result"], "text": answer["text"]}


def held(client: Client) -> set[str]:
    verified = client.request("evidence/verify", {"session": "chat-1"})
    return {item["reference"] for item in verified["items"]}


def test_passages_that_had_no_room_in_a_tools_answer_are_given_when_they_are_asked_for(variants: Client) -> None:
    like = {"path": "variant_00.py", "line": 3}
    first = call(variants, "find_related", **like, limit=25)
    assert first["omitted"] >= 5
    shown = {item["reference"] for item in first["items"]}
    assert held(variants) == shown
    again = call(variants, "find_related", **like, limit=25)
    assert {item["reference"] for item in again["items"] if item.get("reused")} == shown
    assert all(item["text"] in again["text"] for item in again["items"] if not item.get("reused"))


def test_a_passage_that_is_cut_in_a_tools_answer_was_not_given(client: Client, repository: Path) -> None:
    for name in ("one", "other"):
        body = "".join(f"    keep_{name}({number}, '{'platypus ' * 400}')\n" for number in range(6))
        (repository / f"{name}.py").write_text(f"def {name}():\n{body}" + "x = 1\n" * 9_000)
    client.indexed()
    like = call(client, "find_related", path="one.py", line=3, limit=10)
    cut = {item["reference"] for item in like["items"] if item.get("cut")}
    assert cut
    assert not cut & held(client)
    again = call(client, "find_related", path="one.py", line=3, limit=10)
    assert not any(item.get("reused") for item in again["items"] if item["reference"] in cut)


def test_what_changed_leaves_room_for_the_passages_and_none_is_cut_off(variants: Client, repository: Path) -> None:
    call(variants, "find_related", path="variant_00.py", line=3, limit=25)
    for path in sorted(repository.glob("variant_*.py")):
        path.write_text(path.read_text().replace("parcel.", "crate."))
    variants.indexed()
    answer = call(variants, "find_related", path="variant_00.py", line=3, limit=25)
    assert answer["invalidated"]
    assert all(item["text"] in answer["text"] for item in answer["items"] if item.get("text"))
    assert len(answer["text"]) <= 30_000


@pytest.mark.parametrize("method", ["evidence/cite", "search/related"])
def test_changes_are_told_of_every_folder_that_is_asked(
    start: Callable[..., Client], repository: Path, tmp_path: Path, method: str
) -> None:
    """A conversation was given text of several folders; an answer about a file of one told of no change in another."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    client = start()
    client.initialize(repository, elsewhere)
    client.indexed(repository)
    here = {"uri": (repository / "src" / "shapes.py").as_uri()}
    at = {"range": whole(1, 1)} if method == "evidence/cite" else {"position": {"line": 0, "character": 0}}

    def about_here(**params: str) -> Any:
        return client.request(method, {**here, **at, **params, "session": "chat-1"}).get("memory")

    def given_there() -> dict[str, Any]:
        there = elsewhere / "there.py"
        there.write_text("x = 1\n")
        params = {"uri": there.as_uri(), "range": whole(1, 1), "session": "chat-1"}
        reference = client.request("evidence/cite", params)["reference"]
        there.write_text("x = 2\n")
        return {"invalidated": [{"reference": reference, "verdict": "changed"}]}

    gone = given_there()
    assert about_here(workspace=repository.as_uri()) is None, "that folder alone is asked"
    assert about_here() == gone
    assert about_here() is None, "told once"
