"""References over the pipe: minted from what stands there, judged by the bytes."""

from pathlib import Path
from typing import Any

import pytest

from wire.client import Client
from wire.conftest import git, make_repository

LINES = "".join(f"line {n}\n" for n in range(1, 11))


def whole(start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": start - 1, "character": 0}, "end": {"line": end, "character": 0}}


def cite(client: Client, path: Path, start: int, end: int) -> str:
    return client.request("evidence/cite", {"uri": path.as_uri(), "range": whole(start, end)})["reference"]


def judge(client: Client, reference: str) -> dict[str, Any]:
    return client.request("evidence/verify", {"references": [reference]})["items"][0]


@pytest.fixture
def file(repository: Path) -> Path:
    path = repository / "notes.txt"
    path.write_text(LINES)
    return path


def test_a_citation_names_the_lines_and_gives_them(client: Client, file: Path) -> None:
    told = client.request("evidence/cite", {"uri": file.as_uri(), "range": whole(2, 3)})
    assert told["snippet"] == "line 2\nline 3"
    assert told["reference"].startswith("notes.txt:2-3@")
    assert judge(client, told["reference"])["verdict"] == "valid"


def test_lines_that_moved_are_found_where_they_are_now(client: Client, file: Path) -> None:
    reference = cite(client, file, 2, 3)
    file.write_text("a\nb\nc\n" + LINES)
    item = judge(client, reference)
    assert item["verdict"] == "relocated"
    assert item["relocatedTo"].startswith("notes.txt:5-6@")
    assert judge(client, item["relocatedTo"])["verdict"] == "valid"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (LINES.replace("\n", "\r\n"), "valid"),
        (LINES.replace("\n", "\r"), "valid"),
        (LINES.rstrip("\n"), "valid"),
        (LINES.replace("line 3", "line three"), "changed"),
        (LINES.replace("line 3", "line 3 "), "changed"),
        ("x\n" + LINES + LINES, "ambiguous"),
        ("", "changed"),
    ],
    ids=["CRLF", "CR", "no final newline", "edited", "trailing space", "twice", "empty"],
)
def test_only_line_ends_are_normalised(client: Client, file: Path, text: str, verdict: str) -> None:
    reference = cite(client, file, 2, 3)
    file.write_bytes(text.encode())
    assert judge(client, reference)["verdict"] == verdict


def test_deleted_and_excluded_files(client: Client, file: Path, repository: Path) -> None:
    reference = cite(client, file, 1, 1)
    (repository / ".gitignore").write_text("build/\nnotes.txt\n")
    client.wait_for(lambda: judge(client, reference)["verdict"] == "excluded", "the new ignore rule")
    (repository / ".gitignore").write_text("build/\n")
    file.unlink()
    client.wait_for(lambda: judge(client, reference)["verdict"] == "deleted", "the deletion")


def test_a_renamed_file_is_deleted_with_a_hint(client: Client, repository: Path) -> None:
    reference = cite(client, repository / "src/shapes.py", 1, 2)
    git(repository, "mv", "src/shapes.py", "src/figures.py")
    item = client.wait_for(lambda: (i := judge(client, reference))["verdict"] == "deleted" and i, "the rename")
    assert item["movedTo"] == "src/figures.py"


def test_unsaved_text_counts_as_the_file(client: Client, file: Path) -> None:
    reference = cite(client, file, 2, 3)
    document = {"uri": file.as_uri(), "languageId": "plaintext", "version": 1, "text": LINES.replace("line 2", "other")}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert judge(client, reference)["verdict"] == "changed"
    client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
    assert judge(client, reference)["verdict"] == "valid"


@pytest.mark.parametrize(
    "reference",
    [
        "/etc/passwd:1-2@0123456789abcdef",
        "../../etc/passwd:1-2@0123456789abcdef",
        "a/../../b:1-2@0123456789abcdef",
        "C:\\x:1-2@0123456789abcdef",
        "a\u0000b:1-2@0123456789abcdef",
        "notes.txt:1-2@0123",
        "notes.txt:0-2@0123456789abcdef",
        "notes.txt:3-2@0123456789abcdef",
        "notes.txt",
        "",
    ],
)
def test_unusable_references_are_named_and_spoil_no_other(client: Client, file: Path, reference: str) -> None:
    good = cite(client, file, 1, 1)
    answer = client.request("evidence/verify", {"references": [reference, good]})
    assert answer["items"][0]["error"]["kind"] == "invalidReference"
    assert "verdict" not in answer["items"][0]
    assert answer["items"][1]["verdict"] == "valid"
    assert answer["allValid"] is False


def test_each_reference_is_answered_in_its_place_however_often_it_comes(client: Client, file: Path) -> None:
    one, two = cite(client, file, 1, 1), cite(client, file, 2, 3)
    file.write_text(LINES.replace("line 3", "line three"))
    asked = [one, two, "no reference", one, two]
    items = client.request("evidence/verify", {"references": asked})["items"]
    assert [item["reference"] for item in items] == asked
    assert [item.get("verdict") for item in items] == ["valid", "changed", None, "valid", "changed"]


def test_nothing_is_not_all_valid(client: Client) -> None:
    assert client.request("evidence/verify", {"references": []}) == {"items": [], "allValid": False}


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "file:///etc/../etc/hosts"])
def test_files_outside_are_refused(client: Client, uri: str) -> None:
    error = client.fails("evidence/cite", {"uri": uri, "range": whole(1, 1)})
    assert error.kind == "outsideWorkspace"


def test_a_symlink_that_leads_outside_is_refused(client: Client, repository: Path, tmp_path: Path) -> None:
    secret = tmp_path / "outside.txt"
    secret.write_text("do not read\n")
    (repository / "link.txt").symlink_to(secret)
    error = client.fails("evidence/cite", {"uri": (repository / "link.txt").as_uri(), "range": whole(1, 1)})
    assert error.kind in ("outsideWorkspace", "excluded")
    assert judge(client, "link.txt:1-1@0123456789abcdef")["verdict"] == "excluded"


@pytest.mark.parametrize(
    ("name", "kind"), [(".env", "excluded"), ("build/generated.py", "excluded"), ("no.txt", "notFound")]
)
def test_refusals_say_why(client: Client, repository: Path, name: str, kind: str) -> None:
    (repository / ".env").write_text("A=1\n")
    error = client.fails("evidence/cite", {"uri": (repository / name).as_uri(), "range": whole(1, 1)})
    assert error.kind == kind


def test_ranges_must_lie_in_the_file(client: Client, file: Path) -> None:
    error = client.fails("evidence/cite", {"uri": file.as_uri(), "range": whole(9, 40)})
    assert error.fields == {"range"}
    for uri in ("untitled:1", "https://example.org/x", "notes.txt"):
        assert client.fails("evidence/cite", {"uri": uri, "range": whole(1, 1)}).fields == {"uri"}


def test_paths_may_hold_colons_and_at_signs(client: Client, repository: Path) -> None:
    path = repository / "ab:c@d 日本.txt"
    path.write_text("one\ntwo\n")
    reference = cite(client, path, 1, 2)
    assert judge(client, reference)["verdict"] == "valid"
    assert judge(client, reference[:-16] + reference[-16:].upper())["verdict"] == "valid"


def test_with_several_folders_a_reference_is_judged_where_it_holds_best(start: Any, repository: Path) -> None:
    other = make_repository(repository.parent / "other")
    (repository / "same.txt").write_text("its own words\nand more\n")
    (other / "same.txt").write_text("one\ntwo\nthree\n")
    client = start()
    client.initialize(repository, other)
    reference = cite(client, other / "same.txt", 1, 2)
    assert judge(client, reference)["verdict"] == "valid"
    in_first = {"references": [reference], "workspace": repository.as_uri()}
    assert client.request("evidence/verify", in_first)["items"][0]["verdict"] == "changed"
    (repository / "same.txt").write_text("above\none\ntwo\n")
    assert judge(client, reference) == {"reference": reference, "verdict": "valid"}
    (other / "same.txt").write_text("four\n")
    assert judge(client, reference)["verdict"] == "relocated"
    (repository / "same.txt").unlink()
    assert judge(client, reference)["verdict"] == "changed"
