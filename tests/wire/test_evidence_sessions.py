"""Sessions over the pipe: what was given is not given twice, and what has changed is told once."""

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from vademecum.files.database import BUSY_MILLISECONDS
from wire.client import Client
from wire.test_evidence import LINES, cite, judge, whole
from wire.test_index_processes import indexer

# By words alone: answers must not change while vectors are still being made.
ASK = {"query": "circle area", "limit": 5, "mode": "lexical"}


def ask(client: Client, session: str | None = "chat-1", **params: Any) -> dict[str, Any]:
    return client.request("search/query", {**ASK, **params, **({"session": session} if session else {})})


def forgotten(client: Client, session: str) -> Any:
    return client.request("evidence/forget", {"session": session})


def references(answer: dict[str, Any]) -> list[str]:
    return [item["reference"] for item in answer["items"]]


def ledger(home: Path) -> Path:
    (path,) = (home / "state" / "evidence").glob("*.sqlite")
    return path


@pytest.fixture
def file(repository: Path) -> Path:
    path = repository / "notes.txt"
    path.write_text(LINES)
    return path


@pytest.fixture
def asked(client: Client) -> Client:
    client.indexed()
    return client


def test_snippets_come_once_a_session_and_put_back_make_the_answer_without_one(asked: Client) -> None:
    plain = ask(asked, None)
    first = ask(asked)
    again = ask(asked)
    assert first == plain
    assert plain["items"]
    assert all(item["snippet"] is None and item["reused"] is True for item in again["items"])
    held = {item["reference"]: item["snippet"] for item in first["items"]}
    for item in again["items"]:
        item["snippet"] = held[item["reference"]]
        del item["reused"]
    assert again == plain
    assert ask(asked, "chat-2") == plain
    assert ask(asked, None) == plain


def test_paging_and_budget_know_nothing_of_a_session(asked: Client) -> None:
    ask(asked)
    for params in ({"limit": 1}, {"limit": 1, "offset": 1}, {"tokenBudget": 20}, {"limit": 50, "explain": True}):
        plain, again = ask(asked, None, **params), ask(asked, **params)
        assert references(again) == references(plain)
        assert again.get("nextOffset") == plain.get("nextOffset")
        assert again["notices"] == plain["notices"]


def test_what_has_changed_is_told_once_and_given_anew(asked: Client, repository: Path) -> None:
    path = repository / "src" / "shapes.py"
    before = path.read_text()
    (reference,) = {ref for ref in references(ask(asked)) if ref.startswith("src/shapes.py:")}
    path.write_text(before.replace("3.14", "3.14159"))
    told = ask(asked, query="paint a guide")
    assert told["memory"] == {"invalidated": [{"reference": reference, "verdict": "changed"}]}
    assert "memory" not in ask(asked, query="paint a guide")
    path.write_text(before)  # its bytes come back, and the session was told that they are gone
    (item,) = (item for item in ask(asked)["items"] if item["path"] == "src/shapes.py")
    assert item["reference"] == reference
    assert item["snippet"]
    assert "reused" not in item
    (item,) = (item for item in ask(asked)["items"] if item["path"] == "src/shapes.py")
    assert item["reused"] is True


def test_a_changed_hit_is_given_in_the_same_answer_that_tells_of_it(asked: Client, repository: Path) -> None:
    path = repository / "src" / "shapes.py"
    ask(asked)
    path.write_text(path.read_text().replace("3.14", "3.14159"))
    answer = ask(asked)
    (item,) = (item for item in answer["items"] if item["path"] == "src/shapes.py")
    assert "3.14159" in item["snippet"]
    assert [each["verdict"] for each in answer["memory"]["invalidated"]] == ["changed"]


def test_stale_is_told_with_a_session_and_without(asked: Client, repository: Path) -> None:
    path = repository / "src" / "shapes.py"
    ask(asked)
    behind = indexer(asked)
    behind.suspend()
    try:
        path.write_text(path.read_text().replace("3.14", "3.14159"))
        for session in (None, "chat-1", "chat-1"):
            (item,) = (item for item in ask(asked, session)["items"] if item["path"] == "src/shapes.py")
            assert item["stale"] is True
            assert item["snippet"] is None or "3.14159" in item["snippet"]
        assert item["reused"] is True
    finally:
        behind.resume()


def test_moved_lines_are_withheld_with_their_new_lines(asked: Client, repository: Path) -> None:
    path = repository / "src" / "shapes.py"
    (old,) = (item for item in ask(asked)["items"] if item["path"] == "src/shapes.py")
    behind = indexer(asked)
    behind.suspend()  # it would cut the file anew, and take the comment in
    try:
        path.write_text("# one\n# two\n# three\n" + path.read_text())
        (item,) = (item for item in ask(asked)["items"] if item["path"] == "src/shapes.py")
    finally:
        behind.resume()
    assert item["reused"] is True
    assert "stale" not in item
    assert item["range"]["start"]["line"] == old["range"]["start"]["line"] + 3
    assert item["reference"].partition("@")[2] == old["reference"].partition("@")[2]


@pytest.mark.parametrize("session", ["", "  ", "x" * 201])
def test_unusable_tags_are_refused(asked: Client, session: str) -> None:
    assert asked.fails("search/query", {**ASK, "session": session}).fields == {"session"}
    assert asked.fails("evidence/verify", {"session": session}).fields == {"session"}
    assert asked.fails("evidence/forget", {"session": session}).fields == {"session"}


# Citations ------------------------------------------------------------------------------------------------------------


def cited(client: Client, path: Path, start: int, end: int, session: str = "chat-1") -> Any:
    return client.request("evidence/cite", {"uri": path.as_uri(), "range": whole(start, end), "session": session})


def test_citations_are_given_once_too(client: Client, file: Path) -> None:
    first = cited(client, file, 2, 3)
    assert first["snippet"] == "line 2\nline 3"
    assert cited(client, file, 2, 3) == {"reference": first["reference"], "snippet": None, "reused": True}
    assert cited(client, file, 2, 4)["snippet"] == "line 2\nline 3\nline 4"
    assert cited(client, file, 2, 3, "chat-2") == first


def test_line_ends_are_not_a_change(client: Client, file: Path) -> None:
    cited(client, file, 2, 3)
    file.write_bytes(LINES.replace("\n", "\r\n").encode())
    assert cited(client, file, 2, 3)["reused"] is True
    file.write_bytes(LINES.rstrip("\n").encode())
    answer = cited(client, file, 2, 3)
    assert answer["reused"] is True
    assert "memory" not in answer


def test_an_edit_above_moves_and_the_text_in_its_old_place_is_not_taken_for_it(client: Client, file: Path) -> None:
    old = cited(client, file, 4, 5)
    file.write_text("a\nb\nc\n" + LINES)
    now = cited(client, file, 4, 5)
    assert now["snippet"] == "line 1\nline 2"
    assert "memory" not in now  # it moved, and holds
    again = cited(client, file, 7, 8)
    assert again["reused"] is True
    assert again["reference"] == old["reference"].replace("4-5", "7-8")


def test_unsaved_text_counts(client: Client, file: Path) -> None:
    reference = cited(client, file, 2, 3)["reference"]
    text = LINES.replace("line 2", "other")
    document = {"uri": file.as_uri(), "languageId": "plaintext", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    answer = cited(client, file, 6, 7)
    assert answer["memory"]["invalidated"] == [{"reference": reference, "verdict": "changed"}]
    client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
    assert cited(client, file, 2, 3)["snippet"] == "line 2\nline 3"


def test_a_renamed_and_a_deleted_file_are_told(client: Client, file: Path, repository: Path) -> None:
    reference = cited(client, file, 2, 3)["reference"]
    file.rename(repository / "renamed.txt")
    answer = client.wait_for(
        lambda: (told := cited(client, repository / "renamed.txt", 2, 3)).get("memory") and told, "the rename"
    )
    assert answer["memory"]["invalidated"] == [{"reference": reference, "verdict": "deleted"}]


def test_an_edit_of_the_same_size_with_its_time_set_back_is_seen(client: Client, file: Path) -> None:
    """A change that keeps size and time of a file (openclaw/openclaw#127504)."""
    old = time.time() - 3_600
    os.utime(file, (old, old))
    reference = cited(client, file, 2, 3)["reference"]
    cited(client, file, 8, 8)  # by now the file was compared once
    file.write_text(LINES.replace("line 2", "LINE 2"))
    os.utime(file, (old, old))
    answer = cited(client, file, 8, 8)
    assert answer["memory"]["invalidated"] == [{"reference": reference, "verdict": "changed"}]
    assert judge(client, reference)["verdict"] == "changed"
    assert cited(client, file, 2, 3)["snippet"] == "LINE 2\nline 3"


def test_a_secret_is_redacted_in_what_is_given_and_in_no_row(client: Client, file: Path, home: Path) -> None:
    secret = "AKIA" + "Q7WERTYUIOPASDFG"
    file.write_text(f'key = "{secret}"\n')
    assert secret not in cited(client, file, 1, 1)["snippet"]
    assert cited(client, file, 1, 1)["reused"] is True
    for path in (home / "state" / "evidence").iterdir():
        assert secret.encode() not in path.read_bytes()


# Verifying and forgetting ---------------------------------------------------------------------------------------------


def test_a_session_is_verified_whole_and_told_nothing_by_it(client: Client, file: Path) -> None:
    first, second = (cited(client, file, at, at + 1)["reference"] for at in (2, 6))
    file.write_text(LINES.replace("line 2", "other"))
    told = client.request("evidence/verify", {"session": "chat-1"})
    assert told["items"] == [{"reference": first, "verdict": "changed"}, {"reference": second, "verdict": "valid"}]
    assert told["allValid"] is False
    # Whoever looks is not the session: that is still to be told.
    assert cited(client, file, 9, 9)["memory"]["invalidated"] == [{"reference": first, "verdict": "changed"}]
    assert client.request("evidence/verify", {"session": "chat-1"})["items"][0]["verdict"] == "changed"
    file.write_text(LINES)
    assert client.request("evidence/verify", {"session": "chat-1"})["allValid"] is True
    assert client.request("evidence/verify", {"session": "nobody"}) == {"items": [], "allValid": False}


@pytest.mark.parametrize("params", [{}, {"references": ["a:1-1@0123456789abcdef"], "session": "x"}])
def test_either_references_or_a_session_is_verified(client: Client, params: Any) -> None:
    assert client.fails("evidence/verify", params).fields == {"references"}


def test_what_is_forgotten_is_given_anew(client: Client, file: Path) -> None:
    for session in ("chat-1", "chat-2"):
        cited(client, file, 2, 3, session)
        cited(client, file, 4, 5, session)
    assert client.request("search/status")["evidence"]["deliveries"] == 4
    assert forgotten(client, "chat-1") == {"sessions": 1, "deliveries": 2}
    assert forgotten(client, "chat-1") == {"sessions": 0, "deliveries": 0}
    assert cited(client, file, 2, 3)["snippet"]
    assert cited(client, file, 2, 3, "chat-2")["reused"] is True
    assert client.request("evidence/collect") == {"sessions": 0, "deliveries": 0}
    assert client.request("evidence/forget", {"all": True}) == {"sessions": 2, "deliveries": 3}
    assert client.request("evidence/verify", {"session": "chat-2"})["items"] == []
    for params in ({}, {"all": False}, {"session": "x", "all": True}):
        client.fails("evidence/forget", params)


def test_sessions_outlive_the_server_and_are_shared_by_servers(client: Client, file: Path, start: Any) -> None:
    cited(client, file, 2, 3)
    other = start()
    other.initialize(file.parent)
    assert cited(other, file, 2, 3)["reused"] is True
    cited(other, file, 5, 6)
    assert cited(client, file, 5, 6)["reused"] is True


def test_a_tag_means_nothing_in_another_folder(client: Client, file: Path, start: Any, tmp_path: Path) -> None:
    cited(client, file, 2, 3)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text(LINES)
    other = start()
    other.initialize(elsewhere)
    assert cited(other, elsewhere / "notes.txt", 2, 3)["snippet"]


def test_several_folders_each_keep_their_own(start: Any, file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "area.py").write_text("def area_of_circle(r):\n    return 3 * r\n")
    client = start()
    client.initialize(file.parent, elsewhere)
    client.indexed(file.parent)
    client.indexed(elsewhere)
    plain = ask(client, None)
    assert {item["path"] for item in plain["items"]} >= {"area.py", "src/shapes.py"}
    assert ask(client) == plain
    assert all(item["reused"] for item in ask(client)["items"])
    (elsewhere / "area.py").unlink()
    told = client.wait_for(lambda: ask(client, query="guide").get("memory"), "the deletion")
    assert [each["reference"].split(":")[0] for each in told["invalidated"]] == ["area.py"]


# The ledger -----------------------------------------------------------------------------------------------------------


def test_nothing_readable_is_kept_but_paths(client: Client, file: Path, home: Path) -> None:
    cited(client, file, 2, 3, "my secret plan")
    path = ledger(home)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    kept = b"".join(each.read_bytes() for each in path.parent.iterdir())
    for text in (b"line 2", b"my secret plan", file.parent.name.encode()):
        assert text not in kept
    assert all(each.stat().st_mode & 0o77 == 0 for each in path.parent.iterdir())
    assert file.parent.name not in path.name


def test_switched_off_the_answers_are_those_without_evidence(start: Any, file: Path, home: Path) -> None:
    client = start(env={"VADEMECUM_EVIDENCE_ENABLED": "off"})
    client.initialize(file.parent)
    client.indexed()
    plain = ask(client, None)
    assert ask(client) == ask(client) == plain
    assert cited(client, file, 2, 3) == cited(client, file, 2, 3)
    assert cited(client, file, 2, 3)["snippet"]
    assert "evidence" not in client.request("search/status")
    assert client.request("evidence/verify", {"session": "chat-1"}) == {"items": [], "allValid": False}
    assert not (home / "state" / "evidence").exists()


def test_a_ledger_in_use_costs_that_call_its_reuse_alone(client: Client, file: Path, home: Path) -> None:
    first = cited(client, file, 2, 3)
    other = sqlite3.connect(ledger(home), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        answer = cited(client, file, 2, 3)
        assert time.monotonic() - began < BUSY_MILLISECONDS / 1000, "another one's wait is longer"
        assert answer.pop("notices")[0]["kind"] == "noReuse"
        assert answer == first
        assert client.fails("evidence/forget", {"all": True}).kind == "busy"
        other.execute("ROLLBACK")
    finally:
        other.close()
    assert cited(client, file, 2, 3)["reused"] is True


def test_a_newer_ledger_is_left_untouched(client: Client, file: Path, home: Path, start: Any) -> None:
    first = cited(client, file, 2, 3)
    client.shut_down()
    path = ledger(home)
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 1000")
    newer.close()
    before = path.read_bytes()
    other = start()
    other.initialize(file.parent)
    for _ in range(2):
        answer = cited(other, file, 2, 3)
        assert "newer" in answer.pop("notices")[0]["message"]
        assert answer == first
    assert other.fails("evidence/verify", {"session": "chat-1"}).kind == "storeUnreadable"
    assert "evidence" not in other.request("search/status")
    other.shut_down()
    assert path.read_bytes() == before


def test_a_damaged_ledger_is_moved_aside(client: Client, file: Path, home: Path, start: Any) -> None:
    cited(client, file, 2, 3)
    client.shut_down()
    path = ledger(home)
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    other = start()
    other.initialize(file.parent)
    assert cited(other, file, 2, 3)["snippet"]
    assert cited(other, file, 2, 3)["reused"] is True
    (aside,) = path.parent.glob("*.corrupt-*")
    assert aside.read_bytes().startswith(b"no database")


def test_references_minted_by_search_and_cite_are_one_kind(asked: Client, repository: Path) -> None:
    (item,) = (item for item in ask(asked, None)["items"] if item["path"] == "src/shapes.py")
    first, last = item["range"]["start"]["line"] + 1, item["range"]["end"]["line"] + 1
    assert cite(asked, repository / "src" / "shapes.py", first, last) == item["reference"]
    ask(asked)
    assert cited(asked, repository / "src" / "shapes.py", first, last)["reused"] is True


def test_a_cancelled_query_gives_nothing_to_its_session(asked: Client) -> None:
    """What was cancelled was never seen, and what was never seen is not withheld."""
    for number in range(20):
        session = f"cancelled-{number}"
        wait = asked.start_request("search/query", {**ASK, "session": session})
        asked.notify("$/cancelRequest", {"id": wait.id})  # type: ignore[attr-defined]
        try:
            wait()
            given = True
        except Exception:
            given = False
        again = ask(asked, session)
        assert all(("reused" in item) is given for item in again["items"])
