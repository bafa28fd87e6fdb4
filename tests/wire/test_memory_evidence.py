"""Memories that rest on code, over real pipes: checked when given, judged in every answer, stale and back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import git

LINES = "".join(f"line {number}\n" for number in range(1, 10))


@pytest.fixture
def code(repository: Path) -> Path:
    path = repository / "a.py"
    path.write_text(LINES)
    return path


def note(*evidence: str, **more: Any) -> dict[str, Any]:
    return {
        "title": "Ports",
        "content": "The server listens on two ports.",
        "category": "Knowledge",
        "scope": "project",
        "evidence": evidence,
        **more,
    }


def verdicts(client: Client, id: str) -> set[tuple[str | None, str]]:
    """Verdict and status in every answer that shows a memory."""
    shown = [
        client.request("memory/get", {"id": id}),
        *(item["memory"] for item in client.request("memory/search", {"query": "ports"})["items"]),
        *(item["memory"] for item in client.request("memory/search")["items"]),
        client.request("memory/remember", {"note": "The server listens on two ports."}),
        *client.request("memory/list")["items"],
    ]
    assert len(shown) == 5
    return {(one["evidence"][0].get("verdict"), one["status"]) for one in shown}


def test_a_memory_is_stale_while_its_lines_are_not_there(client: Client, code: Path) -> None:
    memory = client.request("memory/add", note("a.py:2-3"))
    reference = memory["evidence"][0]["reference"]
    assert reference.startswith("a.py:2-3@") and memory["evidence"][0]["verdict"] == "valid"
    assert verdicts(client, memory["id"]) == {("valid", "active")}
    code.write_text("new\n" + LINES)
    assert verdicts(client, memory["id"]) == {("relocated", "active")}
    told = client.request("memory/get", {"id": memory["id"]})["evidence"]
    assert told == [
        {"reference": reference, "verdict": "relocated", "relocatedTo": reference.replace(":2-3@", ":3-4@")}
    ]
    code.write_text(LINES.replace("line 2", "line two"))
    assert verdicts(client, memory["id"]) == {("changed", "stale")}
    assert [one["id"] for one in client.request("memory/list", {"status": "stale"})["items"]] == [memory["id"]]
    assert client.request("memory/status")["counts"] == {"stale": 1}
    code.unlink()
    assert verdicts(client, memory["id"]) == {("deleted", "stale")}
    code.write_text(LINES)
    assert verdicts(client, memory["id"]) == {("valid", "active")}
    assert client.request("memory/history", {"id": memory["id"]})["items"] == []
    assert client.request("memory/get", {"id": memory["id"]})["revision"] == memory["revision"]


def test_a_branch_switch_makes_it_stale_and_back(client: Client, code: Path, repository: Path) -> None:
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "lines")
    id = client.request("memory/add", note("a.py:2-3"))["id"]
    git(repository, "checkout", "-q", "-b", "other")
    code.write_text("nothing\n")
    git(repository, "commit", "-q", "-am", "nothing")
    assert verdicts(client, id) == {("changed", "stale")}
    git(repository, "checkout", "-q", "main")
    assert verdicts(client, id) == {("valid", "active")}


def test_unsaved_text_counts(client: Client, code: Path) -> None:
    id = client.request("memory/add", note("a.py:2-3"))["id"]
    document = {"uri": code.as_uri(), "languageId": "python", "version": 1, "text": LINES.replace("line 2", "typed")}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert verdicts(client, id) == {("changed", "stale")}
    client.notify("textDocument/didClose", {"textDocument": {"uri": code.as_uri()}})
    assert verdicts(client, id) == {("valid", "active")}


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        ("a.py:2-3@0123456789abcdef", "invalidReference"),
        ("a.py:9-10", "invalidReference"),
        ("a.py", "invalidReference"),
        ("../../etc/passwd:1-1", "invalidReference"),
        ("/etc/passwd:1-1", "invalidReference"),
        ("gone.py:1-1", "notFound"),
        (".env:1-1", "excluded"),
        ("build/generated.py:1-1", "excluded"),
        (".git/config:1-1", "excluded"),
        ("link.py:1-1", "excluded"),
    ],
)
def test_evidence_that_does_not_hold_is_refused_by_name(
    client: Client, code: Path, repository: Path, evidence: str, kind: str
) -> None:
    (repository / ".env").write_text("A=1\n")
    (repository / "link.py").symlink_to("/etc/hosts")
    error = client.fails("memory/add", note("a.py:1", evidence))
    assert (error.kind, error.data["field"]) == (kind, "evidence[1]")
    assert client.request("memory/list")["total"] == 0
    id = client.request("memory/add", note("a.py:1"))["id"]
    assert client.fails("memory/update", {"id": id, "evidence": [evidence]}).data["field"] == "evidence[0]"


def test_the_prompt_block_marks_it_and_the_session_is_told_once(client: Client, code: Path) -> None:
    id = client.request("memory/add", note("a.py:2-3"))["id"]
    first = client.request("memory/prompt", {"session": "s"})
    code.write_text(LINES.replace("line 2", "x"))
    told = client.request("memory/changes", {"session": "s"})
    assert told["changed"] == [id] and "evidence no longer holds" in told["text"]
    assert client.request("memory/changes", {"session": "s"})["text"] == ""
    again = client.request("memory/prompt", {"session": "s"})
    assert (
        again["text"] == first["text"] and "stale" not in first["entries"][0] and again["entries"][0]["stale"] is True
    )
    fresh = client.request("memory/prompt")
    assert "evidence no longer holds" in fresh["text"] and fresh["entries"][0]["stale"] is True
    code.write_text(LINES)
    assert client.request("memory/changes", {"session": "s"})["changed"] == [id]
    assert client.request("memory/prompt")["text"] == first["text"]


def test_or_leaves_it_out_where_that_is_set(
    start: Callable[..., Client], repository: Path, code: Path, home: Path
) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[memory]\nleaveOutStale = true\n")
    client = start()
    client.initialize(repository)
    client.request("memory/add", note("a.py:2-3"))
    assert "two ports" in client.request("memory/prompt")["text"]
    code.write_text("x\n")
    assert client.request("memory/prompt")["text"] == ""
    code.write_text(LINES)
    assert "two ports" in client.request("memory/prompt")["text"]


def test_only_giving_it_anew_renews_it(client: Client, code: Path) -> None:
    memory = client.request("memory/add", note("a.py:2-3"))
    old = memory["evidence"][0]["reference"]
    code.write_text(LINES.replace("line 2", "x"))
    kept = client.request("memory/update", {"id": memory["id"], "title": "Two ports", "evidence": [old]})
    assert (kept["status"], kept["evidence"][0]["reference"]) == ("stale", old)
    renewed = client.request("memory/update", {"id": memory["id"], "evidence": ["a.py:2-3"]})
    assert renewed["status"] == "active" and renewed["evidence"][0]["reference"] != old
