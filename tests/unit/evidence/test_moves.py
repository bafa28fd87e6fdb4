"""Where a deleted file has gone, as far as git can tell."""

from pathlib import Path

import pytest

from unit.files.trees import commit, git, repository, write
from vademecum.evidence import moves
from vademecum.evidence.moves import moved_to
from vademecum.evidence.reference import Reference, mint
from vademecum.evidence.verdicts import Verdict, verify
from vademecum.files.content import Content
from vademecum.files.gate import Gate

BODY = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = write(repository(tmp_path), {"src/a.py": BODY, "b.py": "other\n" * 30, ".gitignore": "*.log\n"})
    commit(folder)
    return folder


def reference(gate: Gate) -> Reference:
    read = gate.read("src/a.py")
    assert isinstance(read, Content)
    return mint(read, 3, 9)


def test_a_file_that_is_still_there_has_not_moved(tree: Path) -> None:
    gate = Gate(tree)
    assert moved_to(reference(gate), gate) is None


@pytest.mark.parametrize("how", ["worktree", "staged", "committed", "committed twice", "committed and edited"])
def test_a_move_is_deleted_with_a_hint(tree: Path, how: str) -> None:
    gate = Gate(tree)
    cited = reference(gate)
    target = "lib/new name.py"
    (tree / "lib").mkdir()
    if how == "worktree":
        (tree / "src" / "a.py").rename(tree / target)
    else:
        git(tree, "mv", "src/a.py", target)
    if how.startswith("committed"):
        commit(tree)
    if how == "committed twice":
        git(tree, "mv", target, "lib/日本.py")
        target = "lib/日本.py"
        commit(tree)
    if how == "committed and edited":
        write(tree, {target: BODY + "more\n", "c.py": "x\n"})
        commit(tree)
    verified = verify(cited, gate)
    assert verified.verdict is Verdict.DELETED
    assert verified.relocated_to is None
    assert moved_to(cited, gate) == target


def test_a_deletion_is_no_move(tree: Path) -> None:
    gate = Gate(tree)
    cited = reference(gate)
    (tree / "src" / "a.py").unlink()
    assert moved_to(cited, gate) is None
    commit(tree)
    assert moved_to(cited, gate) is None


@pytest.mark.parametrize("target", ["x.log", ".env", "node_modules/x/a.py"])
def test_a_place_that_may_not_be_read_is_never_named(tree: Path, target: str) -> None:
    gate = Gate(tree)
    cited = reference(gate)
    (tree / target).parent.mkdir(parents=True, exist_ok=True)
    (tree / "src" / "a.py").rename(tree / target)
    git(tree, "add", "-Af", ".")
    commit(tree)
    if target == "x.log":  # tracked by now, so it may be read
        assert moved_to(cited, gate) == target
        git(tree, "rm", "-q", "--cached", target)
        git(tree, "commit", "-q", "-m", "untrack")
    assert moved_to(cited, gate) is None


def test_a_move_inside_a_nested_repository(tree: Path) -> None:
    write(repository(tree / "nested"), {"src/a.py": BODY})
    commit(tree / "nested")
    gate = Gate(tree)
    read = gate.read("nested/src/a.py")
    assert isinstance(read, Content)
    cited = mint(read, 3, 9)
    git(tree / "nested", "mv", "src/a.py", "b.py")
    commit(tree / "nested")
    assert moved_to(cited, gate) == "nested/b.py"


def test_without_git_nothing_can_be_told(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": BODY})
    gate = Gate(tmp_path)
    assert moved_to(Reference("a.py", 1, 1, "0" * 16), gate) is None


def test_a_repository_without_commits_tells_what_it_can(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"src/a.py": BODY})
    gate = Gate(tree)
    cited = reference(gate)
    (tree / "src" / "a.py").rename(tree / "b.py")
    assert moved_to(cited, gate) == "b.py"


def test_git_is_asked_once_for_a_file_and_not_for_ever(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(tree)
    read = gate.read("src/a.py")
    assert isinstance(read, Content)
    references = [mint(read, start, start + 3) for start in range(1, 30)]
    git(tree, "mv", "src/a.py", "c.py")
    asked: list[str] = []
    original = moves.git

    def counting(folder: Path, *arguments: str) -> bytes:
        asked.append(arguments[0])
        return original(folder, *arguments)

    monkeypatch.setattr(moves, "git", counting)
    known = moves.Moves(gate)
    assert {known.of(each) for each in references} == {"c.py"}
    assert asked == ["diff-index"]
    monkeypatch.setattr(moves, "MOST_SECONDS", 0.0)
    hurried = moves.Moves(gate)
    assert [hurried.of(each) for each in references] == ["c.py"] + [None] * 28
