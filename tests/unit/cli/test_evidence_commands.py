"""Conversations in a terminal: what was given is left out, what has changed is said, and all of it can be forgotten."""

from pathlib import Path

from unit.cli.conftest import Run
from wire.conftest import git


def test_a_conversation_is_given_lines_once(run: Run, repository: Path) -> None:
    first = run("search", "circle area", "--session", "chat-1")
    again = run("search", "circle area", "--session", "chat-1")
    assert "def area(self):" in first.out
    assert "given before" not in first.out
    assert again.code == 0
    assert "def area(self):" not in again.out
    assert next(line for line in again.out.splitlines() if "src/shapes.py:" in line).endswith("given before")
    assert "def area(self):" in run("search", "circle area", "--session", "chat-2").out
    path = repository / "src" / "shapes.py"
    path.write_text(path.read_text("utf-8").replace("3.14", "3.14159"), "utf-8")
    told = run("search", "greet visitor", "--session", "chat-1")
    assert "vademecum: no longer as it was given: src/shapes.py:" in told.err
    assert "no longer" not in run("search", "greet visitor", "--session", "chat-1").err


def test_json_has_what_the_wire_has(run: Run, repository: Path) -> None:
    run("cite", "src/shapes.py:1-2", "--session", "chat-1")
    done = run("cite", "src/shapes.py:1-2", "--session", "chat-1", "--json")
    assert done.json["snippet"] is None
    assert done.json["reused"] is True
    item = run("search", "circle", "--session", "chat-1", "--json").json["items"][0]
    assert item["snippet"]


def test_cite_says_that_the_lines_were_given(run: Run) -> None:
    reference, *lines = run("cite", "src/shapes.py:1-2", "--session", "chat-1").out.splitlines()
    assert lines == ["class Circle:", '    """A round shape."""']
    done = run("cite", "src/shapes.py:1-2", "--session", "chat-1")
    assert done.out.splitlines() == [reference]
    assert done.err == "vademecum: the session holds these lines already\n"


def test_a_conversation_is_verified(run: Run, repository: Path) -> None:
    run("cite", "src/shapes.py:1-2", "--session", "chat-1")
    run("cite", "docs/guide.md:1-1", "--session", "chat-1")
    (repository / "docs" / "guide.md").write_text("# Other\n", "utf-8")
    done = run("verify", "--session", "chat-1")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["changed", "valid"]
    assert done.code == 0
    assert run("verify", "--session", "chat-1", "--strict").code == 1
    assert run("verify", "--session", "nobody", "--strict").code == 1
    for unusable in (run("verify"), run("verify", "a:1-1@0123456789abcdef", "--session", "chat-1")):
        assert unusable.code == 2
        assert "either references or --session" in unusable.err


def test_what_is_kept_is_removed_by_the_user(run: Run) -> None:
    for session in ("one", "two"):
        run("cite", "src/shapes.py:1-2", "--session", session)
    assert run("evidence", "gc").out == "Removed 0 sessions with 0 snippets.\n"
    assert run("evidence", "clear", "--session", "one").out == "Removed 1 session with 1 snippet.\n"
    asked = run("evidence", "clear")
    assert (asked.code, asked.out) == (1, "")
    assert "--yes" in asked.err
    assert run("evidence", "clear", "--yes", "--json").json == {"sessions": 1, "deliveries": 1}
    assert "class Circle" in run("cite", "src/shapes.py:1-2", "--session", "two").out
    for unusable in (run("evidence"), run("evidence", "sweep"), run("evidence", "gc", "--yes")):
        assert unusable.code == 2


def test_doctor_and_status_count_and_name_no_path(run: Run) -> None:
    run("cite", "src/shapes.py:1-2", "--session", "one")
    (check,) = (check for check in run("doctor", "--json").json if check["subject"] == "evidence")
    assert check["level"] == "ok"
    assert check["message"].startswith("1 session, 1 snippet in ")
    assert "shapes" not in check["message"]
    (line,) = (line for line in run("status").out.splitlines() if line.startswith("evidence"))
    assert "1 session, 1 snippet" in line
    counts = run("status", "--json").json["search/status"]["evidence"]
    assert (counts["sessions"], counts["deliveries"]) == (1, 1)
    assert counts["bytes"] > 0


def test_a_conversation_is_given_whole_snippets_and_never_fewer_lines_than_it_is_taken_to_hold(
    run: Run, repository: Path
) -> None:
    lines = [f"    weigh_parcel({number})" for number in range(30)]
    (repository / "parcels.py").write_text("\n".join(["def weigh_all():", *lines, ""]), "utf-8")
    cut = run("search", "weigh parcel", "--lines", "3")
    assert lines[29] not in cut.out
    for command in (("search", "weigh parcel"), ("related", "src/shapes.py:4")):
        for option in (("--lines", "3"), ("--no-snippets",)):
            refused = run(*command, "--session", "chat-1", *option)
            assert refused.code == 2
            assert f"{option[0]}: not with --session" in refused.err
    given = run("search", "weigh parcel", "--session", "chat-1")
    assert all(line in given.out for line in lines)
    assert "more lines" not in given.out
    assert run("search", "weigh parcel", "--session", "chat-1", "--json", "--lines", "3").code == 0


def test_where_a_deleted_file_seems_to_have_gone_is_said(run: Run, repository: Path) -> None:
    reference = run("cite", "docs/guide.md:1-3").out.splitlines()[0]
    git(repository, "mv", "docs/guide.md", "docs/painting.md")
    assert run("verify", reference).out == f"deleted\t{reference}\tperhaps docs/painting.md\n"


def test_references_are_read_one_a_line_by_the_line_model(run: Run, repository: Path) -> None:
    (repository / "a\u2028b.txt").write_text("one\n", "utf-8")
    reference = run("cite", "a\u2028b.txt:1", "--json").json["reference"]
    other = run("cite", "src/shapes.py:1-2", "--json").json["reference"]
    done = run("verify", "-", "--strict", "--json", stdin=f"{reference}\r\n\r\n  {other}\r{other}")
    assert done.code == 0
    assert [item["reference"] for item in done.json["items"]] == [reference, other, other]
