"""Code search over the pipe: what is found, what is not, and that nothing stale is shown as fresh."""

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from wire.client import Client, RequestError
from wire.conftest import git


def found(client: Client, query: str, **params: Any) -> list[dict[str, Any]]:
    return client.request("search/query", {"query": query, **params})["items"]


def paths(client: Client, query: str, **params: Any) -> list[str]:
    return [item["path"] for item in found(client, query, **params)]


def test_a_definition_is_found_with_its_symbol_lines_and_reference(client: Client, repository: Path) -> None:
    client.indexed()
    answer = client.request("search/query", {"query": "area of a circle"})
    item = answer["items"][0]
    assert item["path"] == "src/shapes.py"
    assert item["uri"] == (repository / "src/shapes.py").as_uri()
    assert item["language"] == "python"
    assert "Circle" in item["symbol"]
    assert "3.14 * self.radius" in item["snippet"]
    assert item["reference"].startswith("src/shapes.py:")
    assert answer["partial"] is False
    assert answer["index"]["state"] == "ready"
    verified = client.request("evidence/verify", {"references": [item["reference"]]})
    assert verified == {"items": [{"reference": item["reference"], "verdict": "valid"}], "allValid": True}


def test_as_many_patterns_as_are_allowed_can_be_given_at_once(client: Client) -> None:
    client.indexed()
    globs = [f"packages/some-long-name-{number}/**/components/**/*.test.tsx" for number in range(99)]
    assert paths(client, "area of a circle", paths=[*globs, "src/**/shapes.*"]) == ["src/shapes.py"] * len(
        paths(client, "area of a circle", paths=["src/shapes.py"])
    )
    without = paths(client, "area of a circle", paths=[*(f"!{glob}" for glob in globs), "!src/**/shapes.*"])
    assert without
    assert "src/shapes.py" not in without
    with pytest.raises(RequestError, match=r"paths: '日.*too long for the index"):
        paths(client, "area", paths=["日" * 500])


def test_the_status_says_when_all_files_are_counted(client: Client) -> None:
    client.indexed()
    told = [client.request("search/status"), *client.notified("search/didChangeStatus")]
    assert {status["files"] + status["pending"] for status in told if status["counted"]} == {4}
    assert told[0]["counted"]
    report = client.request("tools/call", {"name": "index_status", "arguments": {}})
    assert report["result"]["folders"][0]["counted"]


def test_ignored_files_are_not_found_and_are_listed_with_the_reason(client: Client) -> None:
    client.indexed()
    assert "build/generated.py" not in paths(client, "area_of_generated")
    skipped = client.request("search/skipped")
    assert {"path": "build", "reason": "ignored"} in [
        {"path": item["path"].rstrip("/"), "reason": item["reason"]} for item in skipped["items"]
    ]


@pytest.mark.parametrize(
    "query",
    ["foo(", "std::vec", '"unclosed', "a AND", "C:\\x", "[", "*", "~", "a:b", "\u0000", "😀", "NOT", "(", "-", "^2"],
)
def test_no_query_is_an_error(client: Client, query: str) -> None:
    client.indexed()
    assert isinstance(found(client, query), list)


def test_a_new_file_is_found_an_edit_is_seen_and_a_deleted_file_is_gone(client: Client, repository: Path) -> None:
    client.indexed()
    new = repository / "src/parrot.py"
    new.write_text("def squawk_loudly():\n    return 1\n")
    client.wait_for(lambda: "src/parrot.py" in paths(client, "squawk_loudly"), "the new file")
    new.write_text("def whisper_softly():\n    return 1\n")
    client.wait_for(lambda: "src/parrot.py" in paths(client, "whisper_softly"), "the edit")
    assert all("squawk_loudly" not in item["snippet"] for item in found(client, "squawk_loudly"))
    new.unlink()
    assert "src/parrot.py" not in paths(client, "whisper_softly")
    client.wait_for(lambda: client.request("search/status")["files"] == 4, "the deleted file to be forgotten")


def test_branches_are_followed_both_ways(client: Client, repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "other")
    (repository / "only.py").write_text("def only_on_other():\n    pass\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Other")
    git(repository, "checkout", "-q", "main")
    client.indexed()
    assert "only.py" not in paths(client, "only_on_other")
    git(repository, "checkout", "-q", "other")
    client.wait_for(lambda: "only.py" in paths(client, "only_on_other"), "the other branch")
    git(repository, "checkout", "-q", "main")
    assert "only.py" not in paths(client, "only_on_other")


def test_a_same_sized_edit_with_the_old_time_is_not_served_stale(client: Client, repository: Path) -> None:
    path = repository / "src/value.py"
    path.write_text("ANSWER_TO_IT = 1\n")
    client.indexed()
    client.wait_for(lambda: "src/value.py" in paths(client, "ANSWER_TO_IT"), "the file")
    (before,) = (item for item in found(client, "ANSWER_TO_IT") if item["path"] == "src/value.py")
    status = path.stat()
    path.write_text("ANSWER_TO_IT = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    (after,) = (item for item in found(client, "ANSWER_TO_IT") if item["path"] == "src/value.py")
    assert after["snippet"].strip() == "ANSWER_TO_IT = 2"
    assert after["reference"] != before["reference"]
    verdict = client.request("evidence/verify", {"references": [before["reference"]]})["items"][0]["verdict"]
    assert verdict == "changed"


def test_unsaved_text_wins_over_the_disk(client: Client, repository: Path) -> None:
    client.indexed()
    uri = (repository / "src/shapes.py").as_uri()
    text = (repository / "src/shapes.py").read_text()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "# unsaved line\n" + text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    item = client.wait_for(
        lambda: next((i for i in found(client, "circle area") if i["snippet"].startswith("class Circle")), None),
        "the hit",
    )
    assert item["range"]["start"]["line"] == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.wait_for(
        lambda: any(i["range"]["start"]["line"] == 0 for i in found(client, "circle area")), "the disk to count again"
    )


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 12), ("utf-16", 10), ("utf-32", 9), (None, 10)])
def test_columns_after_an_emoji_are_counted_as_negotiated(
    start: Callable[..., Client], repository: Path, encoding: str | None, column: int
) -> None:
    (repository / "src/smile.py").write_text('s = "😀"; wobble_function()\n', "utf-8")
    client = start()
    general = {"general": {"positionEncodings": [encoding]}} if encoding else {}
    result = client.initialize(repository, capabilities=general)
    assert result["capabilities"].get("positionEncoding", "utf-16") == (encoding or "utf-16")
    client.indexed()
    item = found(client, "wobble_function")[0]
    assert item["match"]["start"] == {"line": 0, "character": column}
    assert item["match"]["end"] == {"line": 0, "character": column + len("wobble_function")}


def test_filters_are_part_of_the_query(client: Client, repository: Path) -> None:
    many = repository / "a"
    many.mkdir()
    for number in range(120):
        (many / f"f{number}.py").write_text(f"def common_word_{number}():\n    common_word = {number}\n")
    (repository / "b").mkdir()
    (repository / "b/one.py").write_text("common_word = 'here'\n")
    client.indexed()
    client.wait_for(lambda: paths(client, "common_word", paths=["b/**"], limit=5) == ["b/one.py"], "the filtered hit")
    assert paths(client, "circle", languages=["markdown"]) == ["docs/guide.md"]
    assert "docs/guide.md" not in paths(client, "circle", content="code")


def test_pages_follow_each_other_without_overlap(client: Client, repository: Path) -> None:
    for number in range(30):
        (repository / f"p{number}.py").write_text(f"def paged_{number}():\n    paged_word = {number}\n")
    client.indexed()
    client.wait_for(lambda: len(found(client, "paged_word", limit=30)) == 30, "all files")
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = client.request("search/query", {"query": "paged_word", "limit": 7, "offset": offset})
        seen += [item["reference"] for item in page["items"]]
        offset = page.get("nextOffset")
    assert len(seen) == len(set(seen)) >= 30


def test_no_two_items_overlap(client: Client, repository: Path) -> None:
    (repository / "src/long.py").write_text("".join(f"overlap_word_{n} = overlap_word\n" for n in range(300)))
    client.indexed()
    items = client.wait_for(
        lambda: [i for i in found(client, "overlap_word", limit=50) if i["path"] == "src/long.py"], "hits"
    )
    spans = sorted((i["range"]["start"]["line"], i["range"]["end"]["line"]) for i in items)
    assert all(first[1] < second[0] for first, second in pairwise(spans))


def test_a_query_right_after_initialize_is_answered(start: Callable[..., Client], repository: Path) -> None:
    client = start()
    client.initialize(repository)
    answer = client.request("search/query", {"query": "circle"})
    assert answer["items"] or answer["partial"]


def test_secrets_in_source_are_not_shown_and_not_found(client: Client, repository: Path) -> None:
    secret = "AKIA" + "Q3EXAMPLE7ABCDEF"
    (repository / "src/cloud.py").write_text(f'def connect_cloud():\n    key = "{secret}"\n    return key\n')
    client.indexed()
    (item,) = client.wait_for(
        lambda: [i for i in found(client, "connect_cloud") if i["path"] == "src/cloud.py"], "the hit"
    )
    assert secret not in item["snippet"]
    assert item["snippet"].count("\n") == 2
    assert "src/cloud.py" not in paths(client, secret)
    cited = client.request("evidence/cite", {"uri": item["uri"], "range": item["range"]})
    assert secret not in cited["snippet"]
    assert cited["reference"] == item["reference"]


def test_reindex_counts_what_is_there(client: Client) -> None:
    client.indexed()
    done = client.request("search/reindex", {"force": True})
    assert done["files"] == 4
    assert done["chunks"] >= 4
    assert paths(client, "circle area")[0] == "src/shapes.py"


def test_an_unchanged_folder_is_not_read_again(start: Callable[..., Client], repository: Path) -> None:
    first = start()
    first.initialize(repository)
    generation = first.indexed()["generation"]
    first.shut_down()
    second = start()
    second.initialize(repository)
    assert second.indexed()["generation"] == generation
    assert paths(second, "circle area")[0] == "src/shapes.py"


def test_two_servers_on_one_folder_both_answer(start: Callable[..., Client], repository: Path) -> None:
    one, two = start(), start()
    one.initialize(repository)
    two.initialize(repository)
    statuses = one.indexed(), two.indexed()
    assert sorted(status["writer"] for status in statuses) == [False, True]
    (repository / "late.py").write_text("def arrived_late():\n    pass\n")
    for client in (one, two):
        client.wait_for(lambda c=client: "late.py" in paths(c, "arrived_late"), "the new file")
    writer, reader = (one, two) if statuses[0]["writer"] else (two, one)
    writer.process.kill()
    (repository / "later.py").write_text("def arrived_later():\n    pass\n")
    reader.wait_for(lambda: "later.py" in paths(reader, "arrived_later"), "the other server to take over")


def test_the_state_of_the_index_is_announced(client: Client, repository: Path) -> None:
    client.indexed()
    told = client.wait_for(
        lambda: [s for s in client.notified("search/didChangeStatus") if s["state"] == "ready"], "the announcement"
    )
    assert told[-1]["workspace"] == repository.as_uri()
    assert told[-1]["files"] == 4


def test_indexing_is_shown_as_progress_where_the_client_can(start: Callable[..., Client], repository: Path) -> None:
    for number in range(600):
        (repository / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 40)
    client = start()
    client.initialize(repository, capabilities={"window": {"workDoneProgress": True}})
    client.indexed()
    values = client.wait_for(
        lambda: (
            [p["value"] for p in client.notified("$/progress") if p["value"]["kind"] == "end"]
            and [p["value"] for p in client.notified("$/progress")]
        ),
        "the end of the progress",
    )
    assert values[0]["kind"] == "begin"
    assert "indexing" in values[0]["title"]
