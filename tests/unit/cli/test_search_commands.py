"""Search, index, cite and verify on a small repository."""

from pathlib import Path

import pytest

from unit.cli.conftest import Run
from wire.conftest import make_repository


def test_the_first_search_builds_the_index_and_shows_lines(run: Run) -> None:
    done = run("search", "circle", "area")
    assert (done.code, done.err) == (0, "")
    head, *lines = done.out.splitlines()
    assert head.startswith("src/shapes.py:")
    assert "    def area(self):" in done.out
    assert any(line.strip().startswith("4 ") for line in lines)  # numbered as in the file
    assert "generated" not in done.out  # ignored by git


def test_json_is_the_result_of_the_wire(run: Run, repository: Path) -> None:
    done = run("search", "circle area", "--json", "--explain", "--limit", "2")
    item = done.json["items"][0]
    assert item["path"] == "src/shapes.py"
    assert item["uri"] == (repository / "src" / "shapes.py").as_uri()
    assert item["range"]["start"]["character"] == 0
    assert item["signals"]
    assert done.json["index"]["state"] == "ready"
    assert done.json["partial"] is False


def test_filters_and_forms(run: Run) -> None:
    assert "src/" not in run("search", "circle", "--content", "docs").out
    assert run("search", "greet visitor", "--language", "javascript").out.startswith("src/greeting.js")
    assert "src/shapes.py" not in run("search", "circle", "--path", "docs/**").out
    bare = run("search", "circle", "--no-snippets")
    assert bare.out
    assert all(":" in line.split(" ")[0] for line in bare.out.splitlines())
    cut = run("search", "circle area", "--path", "*.py", "--lines", "2")
    assert "more lines)" in cut.out


def test_related_code_has_pages_and_reasons(run: Run) -> None:
    first = run("related", "src/shapes.py:4", "--limit", "1", "--no-snippets", "--explain")
    assert (first.code, "  lexical ") == (0, first.out.splitlines()[1][:10])
    assert first.err.endswith("there is more: --offset 1\n")
    second = run("related", "src/shapes.py:4", "--limit", "1", "--no-snippets", "--offset", "1")
    assert len(second.out.splitlines()) == 1
    assert second.out.split()[0] != first.out.split()[0]


def test_nothing_found_is_no_failure(run: Run) -> None:
    done = run("search", "xylophonequartz")
    assert (done.code, done.out) == (0, "")
    assert done.err == "vademecum: nothing was found\n"


def test_a_search_sees_what_changed_since_the_last(run: Run, repository: Path) -> None:
    assert run("search", "circle").code == 0
    (repository / "src" / "fresh.py").write_text("def measure_lighthouse():\n    return 1\n", "utf-8")
    (repository / "src" / "shapes.py").unlink()
    assert run("search", "lighthouse").out.startswith("src/fresh.py:1-2")
    assert "shapes.py" not in run("search", "circle").out


def test_index_tells_what_it_holds(run: Run) -> None:
    done = run("index")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Indexed ")
    told = run("index", "--force", "--json").json
    assert told["files"] >= 3
    assert set(told) == {"files", "chunks", "seconds"}


def test_index_takes_a_path(run: Run, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    assert run("index", str(other)).code == 0
    assert run("index", str(tmp_path / "nowhere")).code == 2


@pytest.mark.parametrize("arguments", [("search", "x"), ("index",)])
def test_the_home_folder_and_the_root_are_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    for folder in (tmp_path / "user", Path("/")):
        done = run("-C", str(folder), *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("vademecum: ")
        assert done.err.count("\n") == 1


def test_user_memory_works_in_the_home_folder(run: Run, tmp_path: Path) -> None:
    user = tmp_path / "user"
    assert run("remember", "I prefer short answers", "--json", cwd=user).json["scope"] == "user"
    assert "short answers" in run("prompt", cwd=user).out


def test_several_folders_are_searched_together(run: Run, repository: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other")
    (other / "src" / "shapes.py").write_text("class Square:\n    pass\n", "utf-8")
    done = run("-C", str(repository), "search", "-C", str(other), "circle square", "--no-snippets", "--path", "*.py")
    assert f"{repository}/src/shapes.py:" in done.out
    assert f"{other}/src/shapes.py:" in done.out


def test_hostile_file_text_cannot_drive_the_terminal(run: Run, repository: Path) -> None:
    (repository / "src" / "evil.py").write_bytes(b"# lighthouse \x1b]0;owned\x07 \xe2\x80\xae end\n")
    done = run("search", "lighthouse")
    assert "evil.py" in done.out
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)


def test_cite_then_verify(run: Run, repository: Path) -> None:
    cited = run("cite", "src/shapes.py:4-5")
    reference, *lines = cited.out.splitlines()
    assert reference.startswith("src/shapes.py:4-5@")
    assert lines[0] == "    def area(self):"
    assert run("cite", "shapes.py:4-5", "--json", cwd=repository / "src").json["reference"] == reference
    assert run("verify", reference).out == f"valid\t{reference}\t\n"

    source = repository / "src" / "shapes.py"
    source.write_text("# new first line\n" + source.read_text("utf-8"), "utf-8")
    moved = run("verify", "--strict", reference)
    assert (moved.code, moved.out.split("\t")[0]) == (0, "relocated")
    assert "src/shapes.py:5-6@" in moved.out

    source.write_text("nothing of it is left\n", "utf-8")
    assert run("verify", reference).code == 0
    gone = run("verify", "--strict", "-", "--json", stdin=f"{reference}\n\nnot a reference\n")
    assert gone.code == 1
    assert gone.json["allValid"] is False
    assert gone.json["items"][0]["verdict"] == "changed"
    assert gone.json["items"][1]["error"]["kind"] == "invalidReference"


def test_one_line_may_be_cited(run: Run) -> None:
    assert run("cite", "src/shapes.py:1").out.splitlines()[1:] == ["class Circle:"]
