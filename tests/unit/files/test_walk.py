"""The walk: git's own answer in repositories, and one answer for a path however it is asked."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.files.test_patterns import FILES, TREES, pattern_lines
from unit.files.trees import commit, found, git, repository, skipped, write
from vademecum.files.content import Reason
from vademecum.files.gate import Gate
from vademecum.files.git import GitFailed
from vademecum.files.git_rules import GitRules
from vademecum.files.plain_rules import PlainRules
from vademecum.files.settings import FileSettings
from vademecum.files.walk import walk
from vademecum.work import Cancel, Cancelled


@pytest.fixture
def git_answers_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the rules without git stand in for git."""

    def stand_in(*_: object) -> bool:
        raise AssertionError("git was not asked")

    monkeypatch.setattr(PlainRules, "ignored", stand_in)


def on_disk(folder: Path) -> set[str]:
    return {os.path.relpath(Path(where, name), folder) for where, _, names in os.walk(folder) for name in names}


def admitted(gate: Gate, paths: set[str]) -> set[str]:
    """Return the paths that are let through, asked one by one and all at once."""
    single = {path for path in paths if gate.admit(path) is None}
    assert single == paths - gate.admit_many(sorted(paths)).keys()
    return single


def build(folder: Path, paths: list[str]) -> None:
    for path in paths:
        try:
            write(folder, {path: "x"})
        except (NotADirectoryError, IsADirectoryError, FileExistsError):
            continue


SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


@SLOW
@given(tracked=TREES, untracked=TREES, top=FILES, nested=FILES, exclude=FILES, inner=st.sampled_from(["a", "b", "ab"]))
def test_a_repository_is_what_git_says_it_is(
    git_answers_itself: None,
    tracked: list[str],
    untracked: list[str],
    top: list[str],
    nested: list[str],
    exclude: list[str],
    inner: str,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = repository(Path(name))
        build(folder, tracked)
        git(folder, "add", "-A")
        build(folder, untracked)
        write(folder, {".gitignore": "\n".join(top), ".git/info/exclude": "\n".join(exclude)})
        if (folder / inner).is_dir():
            write(folder / inner, {".gitignore": "\n".join(nested)})
        listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        expected = {path for item in listed if item and (path := os.fsdecode(item)) and (folder / path).is_file()}
        gate = Gate(folder)
        assert found(gate) == expected
        everything = on_disk(folder)
        assert admitted(gate, everything) == expected
        assert gate.concerned(everything) == expected
        told = skipped(gate)
        for path in everything - expected:
            if not path.startswith(".git/"):
                assert any(path == item or path.startswith(item + "/") for item in told), path


@SLOW
@given(
    paths=TREES,
    rules=FILES,
    own=FILES,
    nested=FILES,
    setting=st.lists(pattern_lines(), max_size=2),
    foreign=FILES,
    with_git=st.booleans(),
)
def test_our_own_rules_say_the_same_however_they_are_asked(
    paths: list[str],
    rules: list[str],
    own: list[str],
    nested: list[str],
    setting: list[str],
    foreign: list[str],
    with_git: bool,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if with_git:
            repository(folder)
        build(folder, [*paths, "node_modules/a/b.py", "a/node_modules/a.py", "build/a/b"])
        write(folder, {".gitignore": "\n".join(rules), ".vademecumignore": "\n".join(own)})
        write(folder, {".cursorignore": "\n".join(foreign)})
        if (folder / "a").is_dir():
            write(folder, {"a/.vademecumignore": "\n".join(nested)})
        gate = Gate(folder, FileSettings(exclude=tuple(setting)))
        everything = on_disk(folder)
        assert found(gate) == admitted(gate, everything) == gate.concerned(everything)


def test_nested_ignore_files_anchors_and_negation(tmp_path: Path) -> None:
    tree = write(
        repository(tmp_path),
        {
            ".gitignore": "/coverage\n*.log\n!keep.log\n",
            "web/.gitignore": ".output\n",
            "web/.output/x.js": "x",
            "coverage/a.py": "x",
            "src/routes/coverage/a.py": "x",
            "a.log": "x",
            "deep/keep.log": "x",
        },
    )
    assert found(Gate(tree)) == {".gitignore", "web/.gitignore", "src/routes/coverage/a.py", "deep/keep.log"}
    assert skipped(Gate(tree)) == {"coverage": "ignored", "web/.output": "ignored", "a.log": "ignored"}


def test_every_name_that_a_file_can_have_is_found(tmp_path: Path) -> None:
    names = {
        "src/日本語.py",
        "naïve file.py",
        'quo"te.py',
        "new\nline.py",
        ":colon",
        ":(top)magic",
        "-dash",
        "*star",
        "tab\t",
        "[x]",
        "\\b",
    }
    names |= {"a\\nb", "'single'", " space ", "😀.py", "e\u0301.py"}
    for tracked in (False, True):
        tree = write(repository(tmp_path / str(tracked)), dict.fromkeys(names, "x"))
        if tracked:
            commit(tree)
        gate = Gate(tree)
        assert found(gate) == names
        assert admitted(gate, names) == names
        write(tree, {".gitignore": "*\n"})
        assert admitted(gate, names) == (names if tracked else set())


def test_what_git_tracks_is_not_ignored(tmp_path: Path, git_answers_itself: None) -> None:
    tree = write(repository(tmp_path), {"build/a.py": "x", "build/b.py": "x", "x.log": "x"})
    git(tree, "add", "build/a.py")
    write(tree, {".gitignore": "build/\n*.log\n"})
    gate = Gate(tree)
    assert found(gate) == {".gitignore", "build/a.py"}
    assert gate.admit("build/a.py") is None
    assert gate.admit("build/b.py") is not None
    git(tree, "add", "-f", "x.log")
    assert gate.admit("x.log") is None
    git(tree, "rm", "-q", "--cached", "build/a.py")
    assert gate.admit("build/a.py") is not None


def test_changed_rules_hold_at_once(tmp_path: Path, git_answers_itself: None) -> None:
    tree = write(repository(tmp_path), {"a/b/c.py": "x", "a/b/d.py": "x"})
    gate = Gate(tree)
    assert admitted(gate, {"a/b/c.py", "a/b/d.py"}) == {"a/b/c.py", "a/b/d.py"}
    for place in (".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude"):
        write(tree, {place: "c.py\n"})
        assert admitted(gate, {"a/b/c.py", "a/b/d.py"}) == {"a/b/d.py"}, place
        write(tree, {place: "# nothing\n"})
        assert admitted(gate, {"a/b/c.py", "a/b/d.py"}) == {"a/b/c.py", "a/b/d.py"}, place
        (tree / place).unlink()
    write(tree, {"mine": "d.py\n"})
    git(tree, "config", "core.excludesFile", str(tree / "mine"))
    assert Gate(tree).admit("a/b/d.py") is not None
    assert gate.admit("a/b/d.py") is not None  # the configuration's own change is noticed
    write(tree, {".vademecumignore": "!d.py\nc.py\n"})
    assert admitted(gate, {"a/b/c.py", "a/b/d.py"}) == {"a/b/d.py"}


def test_verdicts_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(repository(tmp_path), {f"{n}.py": "x" for n in range(20)} | {"x.log": "x", ".gitignore": "*.log\n"})
    patterns: list[int] = []
    tracked: list[int] = []
    check, track = GitRules._check_ignore, GitRules._tracked

    def counted_check(rules: GitRules, paths: list[str]) -> set[str]:
        patterns.append(len(paths))
        return check(rules, paths)

    def counted_track(rules: GitRules, paths: list[str]) -> set[str]:
        tracked.append(len(paths))
        return track(rules, paths)

    monkeypatch.setattr(GitRules, "_check_ignore", counted_check)
    monkeypatch.setattr(GitRules, "_tracked", counted_track)
    gate = Gate(tree)
    gate.warm([*(f"{n}.py" for n in range(20)), "x.log"])
    assert (patterns, tracked) == ([21], [1])  # whether it is tracked is asked only of what a pattern matches
    commit(tree)  # the index changes, the patterns do not
    for number in range(20):
        assert gate.admit(f"{number}.py") is None
    assert (patterns, tracked) == ([21], [1])
    assert gate.admit("x.log") is not None
    assert (patterns, tracked) == ([21], [1, 1])


def test_a_name_with_wildcards_is_only_itself(tmp_path: Path, git_answers_itself: None) -> None:
    """Routes of web frameworks are called `[id].ts`: not to be taken for the tracked `i.ts`."""
    tree = write(repository(tmp_path), {"out/i.ts": "x", "out/ab": "x", "src/[id].ts": "x"})
    git(tree, "add", "-A")
    write(tree, {".gitignore": "out/\n", "out/[id].ts": "x", "out/*": "x", "out/a?": "x", "out/:(top)i.ts": "x"})
    gate = Gate(tree)
    expected = {".gitignore", "out/i.ts", "out/ab", "src/[id].ts"}
    assert found(gate) == expected
    assert admitted(gate, on_disk(tree)) == expected


def test_many_ignored_paths_fit_on_every_command_line(tmp_path: Path, git_answers_itself: None) -> None:
    names = {f"{'long' * 20}{n}.log" for n in range(2000)}
    tree = write(repository(tmp_path), dict.fromkeys(names, "x") | {".gitignore": "*.log\n"})
    git(tree, "add", "-f", f"{'long' * 20}7.log")
    assert admitted(Gate(tree), names) == {f"{'long' * 20}7.log"}


def test_a_repository_that_is_nested_has_its_own_rules(tmp_path: Path) -> None:
    tree = write(repository(tmp_path / "outer"), {".gitignore": "*.log\nignored/\n", "a.py": "x"})
    for name in ("lib", "ignored", "deep/er"):
        write(repository(tree / name), {".gitignore": "*.tmp\n", "b.py": "x", "c.log": "x", "d.tmp": "x"})
    commit(tree / "lib")
    write(repository(tree / "lib" / "inner"), {"e.py": "x", "f.tmp": "x"})
    gate = Gate(tree)
    expected = {".gitignore", "a.py", "lib/.gitignore", "lib/b.py", "lib/c.log", "lib/inner/e.py", "lib/inner/f.tmp"}
    expected |= {"deep/er/.gitignore", "deep/er/b.py", "deep/er/c.log"}
    assert found(gate) == expected
    assert admitted(gate, on_disk(tree)) == expected
    assert skipped(gate)["ignored"] == "ignored"
    # Rules from above do not reach into a repository that is opened itself.
    assert found(Gate(tree / "ignored")) == {".gitignore", "b.py", "c.log"}
    assert admitted(Gate(tree / "ignored"), {"b.py", "c.log", "d.tmp"}) == {"b.py", "c.log"}


def test_a_submodule_is_entered(tmp_path: Path) -> None:
    library = write(repository(tmp_path / "library"), {"l.py": "x", ".gitignore": "*.o\n"})
    commit(library)
    tree = write(repository(tmp_path / "tree"), {"a.py": "x"})
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendor/library")
    commit(tree)
    write(tree, {"vendor/library/new.py": "x", "vendor/library/x.o": "x"})
    gate = Gate(tree)
    expected = {"a.py", ".gitmodules", "vendor/library/l.py", "vendor/library/.gitignore", "vendor/library/new.py"}
    assert found(gate) == expected
    assert admitted(gate, {path for path in on_disk(tree) if "/.git" not in path} | expected) == expected


def test_another_working_tree_of_the_same_repository_is_not_the_same_code_again(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"a.py": "x"})
    commit(tree)
    git(tree, "worktree", "add", "-q", "trees/other")
    gate = Gate(tree)
    assert found(gate) == {"a.py"}
    assert skipped(gate) == {"trees/other": "worktree"}
    refused = gate.admit("trees/other/a.py")
    assert refused is not None
    assert refused.reason is Reason.WORKTREE
    assert found(Gate(tree / "trees" / "other")) == {"a.py"}  # opened itself, it is a workspace


@pytest.mark.parametrize("dot_git", ["empty folder", "text", "broken link"])
def test_a_dot_git_that_is_none_hides_nothing(tmp_path: Path, dot_git: str) -> None:
    tree = write(repository(tmp_path), {".gitignore": "*.log\n", "lib/b.py": "x", "lib/c.log": "x"})
    if dot_git == "empty folder":
        (tree / "lib" / ".git").mkdir()
    else:
        write(tree, {"lib/.git": "not a repository" if dot_git == "text" else "gitdir: /nowhere/at/all\n"})
    gate = Gate(tree)
    assert "lib/b.py" in found(gate)
    assert found(gate) == admitted(gate, on_disk(tree))


def test_a_folder_ignored_by_the_repository_around_it_stands_for_itself(tmp_path: Path) -> None:
    """A home directory under git, with all but a few files ignored, must not hide the projects in it."""
    home = write(repository(tmp_path), {".gitignore": "*\n", "project/a.py": "x", "project/sub/b.py": "x"})
    gate = Gate(home / "project")
    assert gate.top == home / "project"
    assert found(gate) == {"a.py", "sub/b.py"}
    git(home, "add", "-f", "project/a.py")
    gate = Gate(home / "project")
    assert gate.top == home
    assert found(gate) == {"project/a.py"}


def test_a_folder_that_git_tracks_and_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    tree = write(repository(tmp_path / "tree"), {"src/a.py": "x", "b.py": "x"})
    commit(tree)
    write(tmp_path, {"outside/a.py": "secret"})
    (tree / "src").rename(tree / "gone")
    (tree / "src").symlink_to(tmp_path / "outside")
    gate = Gate(tree)
    assert found(gate) == {"b.py", "gone/a.py"}
    assert skipped(gate) == {"src": "symlink"}
    assert admitted(gate, {"src/a.py", "src", "b.py", "gone/a.py"}) == {"b.py", "gone/a.py"}


def test_an_unmerged_file_is_told_once(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"a.py": "one\n"})
    commit(tree)
    git(tree, "checkout", "-q", "-b", "side")
    write(tree, {"a.py": "side\n"})
    commit(tree)
    git(tree, "checkout", "-q", "main")
    write(tree, {"a.py": "main\n"})
    commit(tree)
    git(tree, "merge", "-q", "side")
    assert found(Gate(tree)) == {"a.py"}


def test_dependencies_are_left_out_even_where_git_tracks_them_unless_forced_in(tmp_path: Path) -> None:
    tree = write(
        repository(tmp_path),
        {"node_modules/x/a.js": "x", "node_modules/x/b.md": "x", "venv/pyvenv.cfg": "", "c.py": "x"},
    )
    commit(tree)
    gate = Gate(tree)
    assert found(gate) == {"c.py"}
    assert skipped(gate) == {"node_modules": "dependency", "venv": "dependency"}
    write(tree, {".vademecumignore": "!node_modules/x/*.js\n"})
    assert found(gate) == {"c.py", ".vademecumignore", "node_modules/x/a.js"}
    assert admitted(gate, {"node_modules/x/a.js", "node_modules/x/b.md"}) == {"node_modules/x/a.js"}


def test_a_pattern_forces_in_what_git_ignores_but_never_secrets(tmp_path: Path) -> None:
    tree = write(
        repository(tmp_path),
        {
            ".gitignore": "generated/\n.env\n*.pem\n",
            ".vademecumignore": "!generated/\n!.env\n!*.pem\ngenerated/skip.py\n",
            "generated/api.py": "x",
            "generated/deep/api.py": "x",
            "generated/skip.py": "x",
            "generated/x.pem": "x",
            ".env": "x",
        },
    )
    gate = Gate(tree)
    assert found(gate) == {".gitignore", ".vademecumignore", "generated/api.py", "generated/deep/api.py"}
    assert skipped(gate)[".env"] == "secretName"


@pytest.mark.parametrize("name", [".codebuddyignore", ".codeindexignore", ".cursorignore", ".claudeignore"])
def test_what_other_programs_may_not_read_is_not_read_here(tmp_path: Path, name: str) -> None:
    tree = write(
        repository(tmp_path),
        {
            name: "private/\n*.sql\n!schema.sql\n",
            ".gitignore": "made.sql\n",
            "private/a.py": "x",
            "private/deep/b.py": "x",
            "dump.sql": "x",
            "schema.sql": "x",
            "made.sql": "x",
            "deep/dump.sql": "x",
            "deep/private/c.py": "x",
            "c.py": "x",
        },
    )
    commit(tree)  # git tracks all of it
    gate = Gate(tree)
    assert found(gate) == {".gitignore", name, "schema.sql", "c.py"}
    assert skipped(gate)["private"] == skipped(gate)["dump.sql"] == "ignored"
    write(tree, {".vademecumignore": "!private/deep/\nc.py\n"})
    assert found(gate) == {".gitignore", name, ".vademecumignore", "schema.sql", "private/deep/b.py"}
    assert admitted(gate, {"private/a.py", "private/deep/b.py", "c.py"}) == {"private/deep/b.py"}


def test_files_of_other_programs_force_nothing_in_and_hold_in_the_top_folder_alone(tmp_path: Path) -> None:
    tree = write(
        repository(tmp_path),
        {
            ".gitignore": "*.log\nsub/dump.txt\n",
            ".cursorignore": "*.txt\n!*.log\n",
            ".claudeignore": "!b.txt\n",
            "sub/.cursorignore": "*.py\n",
            "a.log": "x",
            "a.txt": "x",
            "b.txt": "x",
            "sub/a.py": "x",
        },
    )
    rules = {".gitignore", ".cursorignore", ".claudeignore", "sub/.cursorignore"}
    assert found(Gate(tree)) == rules | {"b.txt", "sub/a.py"}
    assert found(Gate(tree, FileSettings(exclude=("!a.txt",)))) == rules | {"a.txt", "b.txt", "sub/a.py"}


def test_without_git_the_same_rules_are_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        ".gitignore": "*.log\n/top\n",
        "a/.gitignore": "!x.log\n",
        "a/x.log": "x",
        "b.log": "x",
        "top/c": "x",
        "a/top/d": "x",
    }
    tree = write(repository(tmp_path), files)
    expected = found(Gate(tree))
    monkeypatch.setattr("vademecum.files.git.command", lambda *_: ["there-is-no-such-git"])
    gate = Gate(tree)
    assert "without it" in (gate.notice or "")
    assert (
        found(gate) == admitted(gate, on_disk(tree)) == expected == {".gitignore", "a/.gitignore", "a/x.log", "a/top/d"}
    )


def test_git_that_goes_away_meanwhile_is_stood_in_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(repository(tmp_path), {".gitignore": "*.log\n", "a.py": "x", "b.log": "x"})
    gate = Gate(tree)
    monkeypatch.setattr("vademecum.files.git.command", lambda *_: ["there-is-no-such-git"])
    assert found(gate) == admitted(gate, on_disk(tree)) == {".gitignore", "a.py"}


def test_git_that_fails_half_way_is_no_complete_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(repository(tmp_path), {"a.py": "x"})
    gate = Gate(tree)
    script = ["sh", "-c", "printf 'a.py\\0'; exit 3"]
    monkeypatch.setattr("vademecum.files.git.command", lambda *_: script)
    with pytest.raises(GitFailed):
        list(walk(gate, Cancel()))


def test_git_init_in_an_opened_folder_is_noticed(tmp_path: Path) -> None:
    tree = write(tmp_path, {"build/a.py": "x", "b.py": "x"})
    gate = Gate(tree)
    assert found(gate) == {"b.py"}
    repository(tree)
    gate.refresh()
    assert found(gate) == {"b.py", "build/a.py"}  # a repository's own rules say what is build output


@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "filter.x.clean"]
)
def test_no_program_that_a_repository_names_is_run(tmp_path: Path, key: str) -> None:
    tree = write(
        repository(tmp_path / "tree"),
        {"a.py": "x", ".gitattributes": "* filter=x\n", ".gitignore": "*.log\n", "b.log": "x"},
    )
    commit(tree)
    write(tree, {"a.py": "changed", "new.py": "x"})
    evil = write(tmp_path, {"evil": f"#!/bin/sh\ntouch '{tmp_path}/ran'\necho x\n"}) / "evil"
    evil.chmod(0o755)
    git(tree, "config", key, str(evil))
    for hook in ("post-index-change", "pre-commit", "fsmonitor-watchman", "post-checkout"):
        write(tree, {f".git/hooks/{hook}": evil.read_text()})
        (tree / ".git" / "hooks" / hook).chmod(0o755)
    gate = Gate(tree)
    found(gate)
    admitted(gate, on_disk(tree))
    assert not (tmp_path / "ran").exists()


def test_git_writes_nothing(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {"a.py": "x"})
    commit(tree)
    os.utime(tree / "a.py", (1, 1))  # a refresh of the index would write it anew
    before = {path: path.stat().st_mtime_ns for path in (tree / ".git").rglob("*")}
    gate = Gate(tree)
    found(gate)
    gate.admit("a.py")
    assert {path: path.stat().st_mtime_ns for path in (tree / ".git").rglob("*")} == before


def test_a_walk_stops_when_it_is_told_to(tmp_path: Path) -> None:
    tree = write(repository(tmp_path), {f"d{n}/{m}.py": "x" for n in range(30) for m in range(10)})
    for gate in (Gate(tree), Gate(write(tmp_path / "plain", {f"d{n}/a.py": "x" for n in range(300)}))):
        cancel = Cancel()
        with pytest.raises(Cancelled):
            for _ in walk(gate, cancel):
                cancel.set()


def test_deep_and_wide_trees_end(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", {f"w/{number}/a.py": "x" for number in range(500)})
    deep = "d/" * 600 + "a.py"
    folder = str(tree)
    for part in deep.split("/")[:-1]:
        folder = f"{folder}/{part}"
        os.mkdir(folder)  # noqa: PTH102 -- a Path of that depth cannot be made
    write(tree, {deep: "x"})
    for _ in range(2):
        gate = Gate(tree)
        assert len(found(gate)) == 501
        assert gate.admit(deep) is None
        repository(tree)
    subprocess.run(["rm", "-rf", str(tree)], check=True)  # pytest's own way of removing it is not made for such depth


_AS_SOMEBODY_ELSE = """
import os, sys
from pathlib import Path
from vademecum.files.gate import Gate
from vademecum.files.walk import Found, walk
from vademecum.work import Cancel
os.setgid(65534)
os.setuid(65534)
os.environ["HOME"] = "/nonexistent"
gate = Gate(Path(sys.argv[1]))
print("dubious ownership" in (gate.ignores.distrusted or ""))
for item in walk(gate, Cancel()):
    print(item.path, isinstance(item, Found), gate.admit(item.path) is None)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_repository_of_another_user_is_read_by_the_same_rules_without_git() -> None:
    with tempfile.TemporaryDirectory() as name:
        tree = write(repository(Path(name)), {".gitignore": "*.log\n", "a.py": "x", "b.log": "x", "build/c.py": "x"})
        tree.chmod(0o755)
        command = [sys.executable, "-c", _AS_SOMEBODY_ELSE, str(tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said, *items = done.stdout.splitlines()
    assert said == "True"
    assert sorted(items) == [
        ".git False False",
        ".gitignore True True",
        "a.py True True",
        "b.log False False",
        "build/c.py True True",
    ]


def test_paths_that_git_does_not_judge_spoil_no_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(
        repository(tmp_path), {".gitignore": "*.log\n", "real/a.py": "x"} | {f"{n}.py": "x" for n in range(60)}
    )
    (tree / "link").symlink_to("real")
    gate = Gate(tree)
    processes: list[int] = []
    check = GitRules._check_ignore

    def counted(rules: GitRules, paths: list[str]) -> set[str]:
        processes.append(len(paths))
        return check(rules, paths)

    monkeypatch.setattr(GitRules, "_check_ignore", counted)
    asked = [*(f"{n}.py" for n in range(60)), "link/a.py", "x.log", "link/x.log"]
    assert set(gate.ignores.ignored(asked)) == {"x.log", "link/x.log"}
    assert len(processes) < 40


def test_what_is_remembered_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(repository(tmp_path), {f"d{n}/a.py": "x" for n in range(20)})
    monkeypatch.setattr("vademecum.files.git_rules.MAX_SIGNATURES", 50)
    monkeypatch.setattr("vademecum.files.git_rules.MAX_REMEMBERED", 50)
    gate = Gate(tree)
    rules = gate.ignores.top_owner.rules
    assert isinstance(rules, GitRules)
    paths = {f"d{n}/{name}" for n in range(20) for name in ("a.py", "a.log")}
    for number in range(12):
        write(tree, {".gitignore": f"*.log\n# {number}\n" if number % 2 else f"*.py\n# {number}\n"})
        ending = ".log" if number % 2 else ".py"
        assert set(gate.ignores.ignored(paths)) == {path for path in paths if path.endswith(ending)}
        assert len(rules._signatures) <= 50 + 20
        assert len(rules._matched) <= 50
