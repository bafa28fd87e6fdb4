"""Documents in a terminal: from import over review and attachment to search and reading, in text and as JSON."""

from pathlib import Path
from typing import Any

import pytest

from unit.cli.conftest import Run

GUIDE = "# Guide\n\nAll about circles.\n\n## Painting\n\nUse a brush with soft hair.\n"


@pytest.fixture
def guide(call: Run, tmp_path: Path) -> str:
    """A published document that is attached to the default task: its id."""
    path = tmp_path / "guide.md"
    path.write_text(GUIDE)
    id = str(call("docs", "import", str(path), "--json").json["id"])
    assert call("docs", "publish", id).out == f"Published {id}: Guide\n"
    assert call("docs", "attach", id).out == f"Attached to default: {id}\n"
    return id


def test_import_says_what_to_do_next(call: Run, repository: Path) -> None:
    done = call("docs", "import", "docs/guide.md")
    assert (done.code, done.out.startswith("Imported ")) == (0, True)
    id = done.out.split()[1].removesuffix(":")
    assert f"vademecum docs publish {id}" in done.err
    assert call("docs").out == f"{id}\tpending\tpersonal\t1\t\tGuide\n"
    listed = call("docs", "list", "--json").json["items"][0]
    assert listed["source"] == (repository / "docs" / "guide.md").as_uri()


def test_search_outline_read_and_map(call: Run, guide: str) -> None:
    assert call("docs", "search", "soft", "brush").out == f"{guide}\tguide/painting\t7\tUse a brush with soft hair.\n"
    assert call("docs", "outline", guide).out.splitlines()[1] == "guide/painting\t5-7\t40\t· Painting"
    read = call("docs", "read", guide, "guide/painting")
    assert read.out == "## Painting\n\nUse a brush with soft hair.\n"
    assert "Guide, Guide > Painting, lines 5-7, revision" in read.err
    assert call("docs", "map").out.split("\t")[0] == guide
    page = call("docs", "read", guide, "guide/painting", "--json").json
    assert page["citation"]["lines"] == {"start": 5, "end": 7}
    nothing = call("docs", "search", "marmot")
    assert (nothing.code, nothing.out) == (0, "") and "nothing was found" in nothing.err


def test_a_long_section_is_read_to_its_end(call: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("# Long\n\n" + "some words of text\n" * 1_000)
    id = call("docs", "import", str(path), "--json").json["id"]
    call("docs", "publish", id)
    call("docs", "attach", id)
    assert call("docs", "read", id, "long").out == path.read_text()
    first = call("docs", "read", id, "long", "--json").json
    second = call("docs", "read", id, "long", "--cursor", first["cursor"], "--json").json
    assert path.read_text().startswith(first["text"] + second["text"])


def test_tasks_see_what_is_attached_to_them(call: Run, guide: str) -> None:
    assert call("docs", "search", "brush", "--task", "chat-1").out == ""
    assert call("docs", "attach", guide, "--task", "chat-1").code == 0
    assert call("docs", "search", "brush", "--task", "chat-1").out != ""
    assert call("docs", "detach", guide).out == "Attached to default: nothing\n"
    refused = call("docs", "outline", guide)
    assert refused.code == 1 and "not attached" in refused.err
    assert call("docs", "withdraw", guide).code == 0
    refused = call("docs", "read", guide, "guide", "--task", "chat-1")
    assert refused.code == 1 and "waits for review" in refused.err
    assert call("docs", "remove", guide, "--yes").out == f"Removed {guide}\n"
    assert call("docs", "outline", guide).code == 1


def test_nothing_is_removed_unasked(call: Run, guide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = call("docs", "remove", guide)
    assert (done.code, done.out) == (1, "") and "nothing was removed; --yes removes it" in done.err
    done = call("docs", "remove", guide, "--json")
    assert (done.code, done.out) == (1, "") and "nothing was removed" in done.err
    done = call("docs", "remove", guide, "nobody")
    assert (done.code, done.out) == (1, "") and "nobody: there is no such document" in done.err
    asked: list[str] = []

    def confirmed(_output: Any, question: str, *_: Any, **__: Any) -> bool:
        asked.append(question)
        return len(asked) > 1

    monkeypatch.setattr("vademecum.cli.reviewing.confirmed", confirmed)
    assert call("docs", "remove", guide).out == ""
    assert call("docs").out != ""
    assert call("docs", "remove", guide).out == f"Removed {guide}\n"
    assert asked[0] == f"Remove for every task: Guide ({guide})? What they were made of stays."
    assert call("docs").out == ""


def test_the_map_has_pages(call: Run, repository: Path) -> None:
    for name in ("a", "b", "c"):
        (repository / f"{name}.md").write_text(f"# Guide {name}\n")
        id = call("docs", "import", f"{name}.md", "--json").json["id"]
        call("docs", "publish", id)
        call("docs", "attach", id)
    first = call("docs", "map", "--limit", "2")
    assert len(first.out.splitlines()) == 2 and "there are 3 documents: --offset 2" in first.err
    last = call("docs", "map", "--limit", "2", "--offset", "2")
    assert last.out.split("\t")[4] == "Guide c" and last.err == ""
    assert call("docs", "map", "--offset", "3").err == ""


def test_asking_without_a_model_prints_the_best_sections(call: Run, guide: str) -> None:
    done = call("docs", "ask", "Which hair has a good brush?")
    assert "No language model" in done.err
    assert done.out.startswith(f"{guide}\tguide/painting\t7\t")


def test_a_folder_is_followed(call: Run, repository: Path) -> None:
    (repository / "docs" / "old.rst").write_text("Title\n=====\n")
    done = call("docs", "import", "docs", "--follow")
    assert "imported: 1; waiting for review: 1; unchanged: 0" in done.err
    assert "old.rst is left out: convert it to Markdown" in done.err
    id = done.out.split("\t")[0]
    call("docs", "publish", id)
    (repository / "docs" / "guide.md").write_text("# Guide\n\nchanged\n")
    assert "1 folder is followed; changed: 1" in call("docs", "refresh").err
    assert call("docs").out == f"{id}\tready\tpersonal\t1\ta newer revision waits\tGuide\n"


def test_a_followed_file_that_is_gone_is_told(call: Run, repository: Path) -> None:
    id = call("docs", "import", "docs", "--follow").out.split("\t")[0]
    (repository / "docs" / "guide.md").unlink()
    done = call("docs", "refresh")
    assert done.out == f"{id}\tpending\tpersonal\t1\tits source is gone\tGuide\n"
    assert "changed: 0; source gone: 1" in done.err


def test_documents_of_one_title_say_where_they_come_from(call: Run, tmp_path: Path) -> None:
    for name in ("a", "b c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.md").write_text(f"# Index\n\n{name}\n")
        call("docs", "import", str(tmp_path / name / "index.md"))
    told = {line.split("\t")[4] for line in call("docs").out.splitlines()}
    assert told == {f"from {tmp_path / 'a' / 'index.md'}", f"from {tmp_path / 'b c' / 'index.md'}"}


def test_what_was_done_before_a_refusal_is_told(call: Run, guide: str, tmp_path: Path) -> None:
    done = call("docs", "withdraw", guide, "nobody", guide)
    assert (done.code, done.out) == (1, f"Withdrawn {guide}: Guide\n")
    assert done.err == "vademecum: nobody: There is no such document.\n"
    done = call("docs", "publish", guide, "nobody", "--json")
    assert (done.code, [each["id"] for each in done.json]) == (1, [guide])
    done = call("docs", "attach", guide, "nobody", "--task", "other")
    assert (done.code, done.out) == (1, "") and "nobody: There is no such document. Nothing was changed." in done.err
    assert call("docs", "map", "--task", "other").out == ""


def test_a_shared_folder_that_is_not_there_is_told(run: Run, tmp_path: Path) -> None:
    shared = str(tmp_path / "drive")
    done = run("docs", VADEMECUM_KNOWLEDGE_SHARED=shared)
    assert done.code == 0 and f"{shared} is not there." in done.err
    assert run("docs", "list", "--json", VADEMECUM_KNOWLEDGE_SHARED=shared).json["notice"] == f"{shared} is not there."
    assert "notice" not in run("docs", "list", "--json").json


def test_a_text_from_standard_input(run: Run) -> None:
    done = run("docs", "import", "-", "--title", "Notes", "--json", stdin="# Notes\n\nÜnïcode\n")
    assert (done.code, done.json["title"]) == (0, "Notes")
    assert run("docs", "import", "-", "--title", "Notes", stdin=b"\xff").code == 2
    assert "--title" in run("docs", "import", "-", stdin="x").err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("docs", "burn"), "ACTION: must be one of import, list"),
        (("docs", "import"), "SOURCE"),
        (("docs", "publish"), "ID"),
        (("docs", "publish", "a", "b", "--revision", "x"), "--revision"),
        (("docs", "search"), "WORDS"),
        (("docs", "search", "x", "--limit", "51"), "--limit"),
        (("docs", "read", "x"), "ANCHOR"),
        (("docs", "ask"), "QUESTION"),
        (("docs", "map", "x"), "one word too many"),
        (("docs", "import", "docs/guide.md", "--owner", "system"), "--owner"),
        (("docs", "list", "--status", "burnt"), "--status"),
    ],
)
def test_unusable_command_lines_say_why(call: Run, arguments: tuple[str, ...], told: str) -> None:
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_what_cannot_be_done(call: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    for arguments in (("import", str(tmp_path / "a.pdf")), ("import", "missing.md"), ("publish", "nobody")):
        done = call("docs", *arguments)
        assert (done.code, done.out) == (1, "")
        assert len(done.err.splitlines()) == 1
