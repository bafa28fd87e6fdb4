"""What memories rest on: checked when it is given, judged whenever it is shown, never written by reading."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unit.memory.conftest import Open, run_git
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.evidence.verdicts import Verdict
from vademecum.files.gate import Gate
from vademecum.memory import grounds
from vademecum.memory.service import Memories
from vademecum.memory.types import Category, Evidence, Memory, MemoryChange, MemoryStatus, NewMemory, Scope

LINES = "".join(f"line {number}\n" for number in range(1, 10))


@pytest.fixture
def code(project: Path) -> Path:
    path = project / "a.py"
    path.write_text(LINES)
    return path


def resting(*evidence: str, title: str = "T", scope: Scope = Scope.PROJECT) -> NewMemory:
    return NewMemory(title, f"{title} rests on code", Category.KNOWLEDGE, scope, evidence=evidence)


def add(memories: Memories, *evidence: str, **more: Any) -> Memory:
    return memories.add(resting(*evidence, **more)).memory


def refusal(call: Callable[[], object]) -> VademecumError:
    with pytest.raises(VademecumError) as caught:
        call()
    return caught.value


def test_a_hash_left_out_is_taken_from_the_file(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    one = add(memories, "a.py:2-3", ".\\a.py:4", "a.py:2-3")
    assert [each.verdict for each in one.evidence] == [Verdict.VALID, Verdict.VALID]
    whole = [each.reference for each in one.evidence]
    assert whole[0].startswith("a.py:2-3@") and whole[1].startswith("a.py:4-4@") and len(whole) == 2
    assert add(memories, whole[0].upper().replace("A.PY", "a.py"), title="U").evidence[0].reference == whole[0]


def test_lines_that_moved_are_kept_where_they_are(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    reference = add(memories, "a.py:2-3").evidence[0].reference
    code.write_text("new\n" + LINES)
    moved = add(memories, reference, title="U").evidence[0]
    assert moved.reference.startswith("a.py:3-4@") and moved.verdict is Verdict.VALID


@pytest.mark.parametrize(
    ("evidence", "kind", "verdict"),
    [
        ("a.py:2-3@0123456789abcdef", ErrorKind.INVALID_REFERENCE, "changed"),
        ("a.py:8-12", ErrorKind.INVALID_REFERENCE, None),
        ("a.py:3-2", ErrorKind.INVALID_REFERENCE, None),
        ("a.py:0-2", ErrorKind.INVALID_REFERENCE, None),
        ("a.py", ErrorKind.INVALID_REFERENCE, None),
        ("a.py:1-2@0123", ErrorKind.INVALID_REFERENCE, None),
        ("../a.py:1-2", ErrorKind.INVALID_REFERENCE, None),
        ("/etc/passwd:1-2", ErrorKind.INVALID_REFERENCE, None),
        ("C:\\a.py:1-2", ErrorKind.INVALID_REFERENCE, None),
        ("a\0.py:1-2", ErrorKind.INVALID_REFERENCE, None),
        ("x" * 5_000 + ":1-2", ErrorKind.INVALID_REFERENCE, None),
        ("b.py:1-2", ErrorKind.NOT_FOUND, "deleted"),
        (".env:1-1", ErrorKind.EXCLUDED, "excluded"),
        ("out/a.py:1-1", ErrorKind.EXCLUDED, "excluded"),
        ("link.py:1-1@0123456789abcdef", ErrorKind.EXCLUDED, "excluded"),
    ],
)
def test_what_does_not_hold_is_refused_by_name(
    open_memories: Open, repository: Callable[..., Path], evidence: str, kind: ErrorKind, verdict: str | None
) -> None:
    root = repository()
    (root / "a.py").write_text(LINES)
    (root / ".env").write_text("A=1\n")
    (root / "out").mkdir()
    (root / "out/a.py").write_text(LINES)
    (root / ".gitignore").write_text("out/\n")
    (root / "link.py").symlink_to(root / ".env")
    memories = open_memories(root)
    error = refusal(lambda: memories.add(resting("a.py:1-2", evidence)))
    assert (error.kind, error.data["field"], error.data.get("verdict")) == (kind, "evidence[1]", verdict)
    assert error.message.startswith("evidence[1]: ") and error.message.endswith(".")
    assert memories.list().total == 0


def test_lines_that_stand_there_twice_are_refused_and_said_to(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    reference = add(memories, "a.py:2-3").evidence[0].reference
    code.write_text("x\n" + LINES + LINES)
    error = refusal(lambda: memories.add(resting(reference, title="U")))
    assert error.data["verdict"] == "ambiguous" and "more than once" in error.message


def test_too_many_are_refused(open_memories: Open, project: Path, code: Path) -> None:
    with pytest.raises(InvalidField) as caught:
        add(open_memories(project), *["a.py:1-1"] * 65)
    assert caught.value.field == "evidence"


def test_an_update_may_keep_what_is_there_and_renews_what_is_given(
    open_memories: Open, project: Path, code: Path
) -> None:
    memories = open_memories(project)
    memory = add(memories, "a.py:2-3", "a.py:9")
    old = tuple(each.reference for each in memory.evidence)
    code.write_text(LINES.replace("line 3", "line three"))
    kept = memories.update(memory.id, MemoryChange(title="Other", evidence=old))
    assert kept.title == "Other" and kept.status is MemoryStatus.STALE
    assert [each.reference for each in kept.evidence] == list(old)
    error = refusal(lambda: memories.update(memory.id, MemoryChange(evidence=("a.py:1-1@0123456789ab",))))
    assert error.data["field"] == "evidence[0]"
    renewed = memories.update(memory.id, MemoryChange(evidence=("a.py:2-3", old[1])))
    assert renewed.status is MemoryStatus.ACTIVE and renewed.evidence[0].reference != old[0]
    assert memories.update(memory.id, MemoryChange(evidence=())).evidence == ()


def test_every_answer_shows_the_verdict_and_no_reading_writes(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    memory = add(memories, "a.py:2-3")
    file = Path(memory.uri.removeprefix("file://"))
    before = (file.read_bytes(), file.stat().st_mtime_ns)

    def shown() -> list[tuple[tuple[Evidence, ...], MemoryStatus]]:
        whole = [memories.get(memory.id), memories.search("rests").items[0].memory, memories.search().items[0].memory]
        whole.append(memories.remember("T rests on code").memory)
        head = memories.list().items[0]
        assert memories.prompt().entries[0].stale is (True if head.status is MemoryStatus.STALE else None)
        return [(each.evidence, each.status) for each in (*whole, head)]

    reference = memory.evidence[0].reference
    assert set(shown()) == {((Evidence(reference, Verdict.VALID),), MemoryStatus.ACTIVE)}
    code.write_text("new\n" + LINES)
    ((told,), status), *others = shown()
    assert told.verdict is Verdict.RELOCATED and told.relocated_to == reference.replace(":2-3@", ":3-4@")
    assert status is MemoryStatus.ACTIVE and all(other == ((told,), status) for other in others)
    for text, verdict in ((LINES.replace("line 2", "x"), Verdict.CHANGED), (LINES + LINES, Verdict.VALID)):
        code.write_text(text)
        assert {each[0][0].verdict for each in shown()} == {verdict}
    code.write_text("x\n" + LINES + LINES)
    assert {(each[0][0].verdict, each[1]) for each in shown()} == {(Verdict.AMBIGUOUS, MemoryStatus.STALE)}
    code.unlink()
    assert {(each[0][0].verdict, each[1]) for each in shown()} == {(Verdict.DELETED, MemoryStatus.STALE)}
    code.write_bytes(LINES.replace("\n", "\r\n").encode())
    assert set(shown()) == {((Evidence(reference, Verdict.VALID),), MemoryStatus.ACTIVE)}
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert memories.history(memory.id) == ()


def test_unsaved_text_counts_as_the_file(open_memories: Open, project: Path, code: Path) -> None:
    gate = Gate(project)
    memories = open_memories(project, gate_of=lambda _: gate)
    gate.buffers.set(code, LINES.replace("line 2", "typed"), 1)
    memory = add(memories, "a.py:2-3")
    gate.buffers.drop(code)
    assert memories.get(memory.id).status is MemoryStatus.STALE
    gate.buffers.set(code, "x\n" + LINES.replace("line 2", "typed"), 2)
    assert memories.get(memory.id).evidence[0].verdict is Verdict.RELOCATED


def test_a_file_at_rest_is_read_once_and_a_change_is_seen(
    open_memories: Open, project: Path, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    really = Gate.read_many

    def counted(gate: Gate, paths: Any) -> Any:
        asked = list(paths)
        read.extend(asked)
        return really(gate, asked)

    gate = Gate(project)
    memories = open_memories(project, gate_of=lambda _: gate)
    for number in range(1, 9):
        add(memories, f"a.py:{number}-{number + 1}", title=str(number))
    os.utime(code, ns=(10**18, 10**18))
    # The time at which the time was set is recent, and no test can wait for it to be past.
    monkeypatch.setattr("vademecum.memory.grounds.time.time_ns", lambda: code.stat().st_ctime_ns + 10**10)
    memories.prompt()
    monkeypatch.setattr(Gate, "read_many", counted)
    memories.prompt()
    memories.list()
    assert read == []
    code.write_text(LINES.replace("line 5", "five!!"))
    stale = memories.list(status=MemoryStatus.STALE)
    assert {head.title for head in stale.items} == {"4", "5"} and read == ["a.py"]
    code.write_text(LINES)
    assert memories.list(status=MemoryStatus.STALE).total == 0 and read == ["a.py"] * 2
    (project / ".vademecumignore").write_text("*.py\n")
    gate.refresh()
    assert memories.list().items[0].evidence[0].verdict is Verdict.EXCLUDED


def test_the_work_of_one_request_is_bounded_and_the_next_looks_on(
    open_memories: Open, project: Path, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(project)
    memories = open_memories(project, gate_of=lambda _: gate)
    for number in range(1, 9):
        add(memories, f"a.py:{number}-{number + 1}", title=str(number))
    monkeypatch.setattr(grounds, "MOST_LINE_STEPS", 40)
    code.write_text("new\n" + LINES)  # 9 places of 2 lines each for every reference

    def moved() -> int:
        return sum(head.evidence[0].verdict is Verdict.RELOCATED for head in memories.list().items)

    assert [moved() for _ in range(5)] == [2, 4, 6, 8, 8]


def test_memory_of_user_scope_belongs_to_no_tree(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    reference = "a.py:1-1@0123456789abcdef"
    memory = add(memories, reference, scope=Scope.USER)
    assert memory.evidence == (Evidence(reference),) and memory.status is MemoryStatus.ACTIVE
    error = refusal(lambda: memories.add(resting("a.py:1-1", title="U", scope=Scope.USER)))
    assert error.kind is ErrorKind.INVALID_REFERENCE and "hash" in error.message
    moved = memories.update(add(memories, "a.py:1-1", title="V").id, MemoryChange(scope=Scope.USER))
    assert moved.evidence[0].verdict is None


def test_where_no_file_can_be_read_nothing_holds(open_memories: Open, project: Path, code: Path) -> None:
    memory = add(open_memories(project), "a.py:1-1")
    shut = open_memories(project, gate_of=lambda _: None).get(memory.id)
    assert (shut.evidence[0].verdict, shut.status) == (Verdict.UNREADABLE, MemoryStatus.STALE)


def test_what_is_no_reference_has_no_verdict(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    memory = add(memories, "a.py:1-1")
    file = Path(memory.uri.removeprefix("file://"))
    file.write_text(file.read_text().replace(memory.evidence[0].reference, "see a.py"))
    shown = memories.get(memory.id)
    assert shown.evidence == (Evidence("see a.py"),) and shown.status is MemoryStatus.ACTIVE


def test_each_worktree_has_verdicts_of_its_own(
    open_memories: Open, repository: Callable[..., Path], tmp_path: Path
) -> None:
    root = repository()
    (root / "a.py").write_text(LINES)
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "more")
    other = tmp_path / "other"
    run_git(root, "worktree", "add", "-q", str(other))
    memory = add(open_memories(root), "a.py:2-3")
    (other / "a.py").write_text("nothing\n")
    assert open_memories(root).get(memory.id).status is MemoryStatus.ACTIVE
    assert open_memories(other).get(memory.id).status is MemoryStatus.STALE
    assert open_memories(other, root).get(memory.id).status is MemoryStatus.ACTIVE  # it holds in one that is open


def test_folders_of_one_repository_are_asked_together(open_memories: Open, repository: Callable[..., Path]) -> None:
    root = repository()
    for name in ("one", "two"):
        (root / name).mkdir()
        (root / name / "a.py").write_text(f"{name}\n")
    memories = open_memories(root / "one", root / "two")
    memory = add(memories, "one/a.py:1", "two/a.py:1")
    assert [each.verdict for each in memory.evidence] == [Verdict.VALID, Verdict.VALID]
    alone = open_memories(root / "one")
    assert [each.verdict for each in alone.get(memory.id).evidence] == [Verdict.VALID, Verdict.EXCLUDED]
    assert refusal(lambda: add(alone, "two/a.py:1", title="U")).kind is ErrorKind.OUTSIDE_WORKSPACE


def test_status_counts_them_and_says_what_to_do(open_memories: Open, project: Path, code: Path) -> None:
    memories = open_memories(project)
    add(memories, "a.py:1-1")
    assert memories.status().health == ()
    code.unlink()
    status = memories.status()
    assert dict(status.counts) == {MemoryStatus.STALE: 1} and "lines of code" in status.health[0]
