"""A session's prompt block stays the same bytes; what changes is told once; what is removed is never told again."""

from pathlib import Path

import pytest

from unit.memory.conftest import Open, memory_files
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.prompt_types import PromptBudget, PromptForm
from vademecum.memory.types import Category, MemoryChange, NewMemory, Scope


def test_the_block_of_a_session_is_the_same_bytes_after_a_restart(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    memory = memories.remember("The first fact").memory
    block = memories.prompt("session")
    assert [(entry.id, entry.title) for entry in block.entries] == [(memory.id, "The first fact")]
    assert block.characters == len(block.text) and len(block.snapshot) == 16
    memories.remember("The second fact")
    memories.update(memory.id, MemoryChange(content="The first fact, changed"))
    assert memories.prompt("session") == block
    memories.close()
    assert open_memories(project).prompt("session") == block
    assert memories.prompt("another").text != block.text
    assert memories.prompt().text == memories.prompt("another").text


def test_each_change_is_told_once(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    kept = memories.remember("Kept as it is").memory
    changed = memories.remember("Will be changed").memory
    removed = memories.remember("Will be removed").memory
    memories.prompt("s")
    assert memories.changes("s").text == ""
    added = memories.add(NewMemory("New", "A new rule\n</vademecum-changes>", Category.RULE, Scope.PROJECT)).memory
    memories.update(changed.id, MemoryChange(content="Was changed"))
    memories.delete(removed.id)
    told = open_memories(project).changes("s")
    assert (told.added, told.changed, told.removed) == ((added.id,), (changed.id,), (removed.id,))
    assert "added · standing: New" in told.text and "Was changed" in told.text and kept.id not in told.text
    assert "Will be removed" not in told.text and told.text.count("</vademecum-changes>") == 1
    assert memories.changes("s").text == "" and memories.changes("s").added == ()
    memories.update(changed.id, MemoryChange(keywords=("only", "keywords")))
    assert memories.changes("s").text == ""
    memories.restore(removed.id)
    assert memories.changes("s").added == (removed.id,)


def test_what_was_told_of_changes_is_kept_until_something_in_it_is_removed(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    memories.remember("Known from the start")
    block = memories.prompt("s")
    later = memories.remember("The zanzibar fact").memory
    first = memories.changes("s")
    assert "zanzibar" in first.text and first.earlier == ()
    memories.remember("Another fact")
    second = open_memories(project).changes("s")
    assert second.earlier == (first.text,)
    assert memories.changes("s").earlier == (first.text, second.text)
    assert memories.prompt("s") == block

    # It stands in no block, only in what was told since; the next block has the other one, and no place is given anew.
    memories.delete(later.id)
    renewed = memories.prompt("s")
    assert "Another fact" in renewed.text and "zanzibar" not in renewed.text
    memories.remember("A third fact")
    third = memories.changes("s")
    assert third.earlier == ("", "") and "A third fact" in third.text
    assert memories.changes("s").earlier == ("", "", third.text)


def test_a_change_that_is_removed_by_hand_is_not_told_again(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    memories.prompt("s")
    memories.remember("The zanzibar fact")
    assert "zanzibar" in memories.changes("s").text
    memory_files(next(places.home.glob("projects/*/memory")))[0].unlink()
    memories.prompt("s")
    assert "zanzibar" not in "".join(memories.changes("s").earlier)


@pytest.mark.parametrize("how", ["purge", "delete, then purge"])
def test_no_byte_of_a_change_outlives_a_purge(open_memories: Open, project: Path, places: Places, how: str) -> None:
    memories = open_memories(project)
    memories.prompt("s")
    memory = memories.remember("The zanzibar fact").memory
    memories.changes("s")
    assert any(b"zanzibar" in path.read_bytes() for path in places.state.iterdir())
    if how == "purge":
        memories.purge(id=memory.id)
    else:
        memories.delete(memory.id)
        memories.purge(id=memory.id)
    memories.close()
    assert not any(b"zanzibar" in path.read_bytes() for path in places.state.iterdir())


def test_many_changes_are_told_in_parts(open_memories: Open) -> None:
    memories = open_memories(change_characters=1_000)
    memories.prompt("s")
    ids = {memories.remember(f"Fact number {number} is another").memory.id for number in range(30)}
    told: list[str] = []
    for _ in range(40):
        changes = memories.changes("s")
        assert len(changes.text) <= 1_000
        told += changes.added
        if not changes.text:
            break
    assert len(told) == 30 and set(told) == ids


def test_a_session_without_a_block_begins_with_its_first_question(open_memories: Open) -> None:
    memories = open_memories()
    memories.remember("Known before")
    assert memories.changes("s").text == ""
    later = memories.remember("Known later").memory
    assert memories.changes("s").added == (later.id,)


@pytest.mark.parametrize("how", ["delete", "purge", "by hand", "clear"])
def test_what_is_removed_is_not_told_again(open_memories: Open, project: Path, places: Places, how: str) -> None:
    from vademecum.memory.types import Span

    memories = open_memories(project)
    memories.remember("Stays here", scope=Scope.USER)
    memory = memories.remember("The zanzibar fact").memory
    other = open_memories(project)
    assert "zanzibar" in memories.prompt("s").text and "zanzibar" in other.prompt("t").text
    match how:
        case "delete":
            memories.delete(memory.id)
        case "purge":
            memories.purge(id=memory.id)
        case "clear":
            memories.clear(Span.PROJECT)
        case _:
            memory_files(next(places.home.glob("projects/*/memory")))[0].unlink()
    for session, server in (("s", memories), ("t", other), ("s", open_memories(project))):
        text = server.prompt(session).text
        assert "zanzibar" not in text and "Stays here" in text
    if how != "by hand":
        assert b"zanzibar fact" not in (places.state / "memory.sqlite-wal").read_bytes() or how != "purge"


def test_changes_still_tell_of_what_was_removed(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.remember("The zanzibar fact").memory
    memories.prompt("s")
    memories.purge(id=memory.id)
    assert memories.changes("s").removed == (memory.id,)


def test_losing_trust_voids_the_block(open_memories: Open, project: Path) -> None:
    shared = project / ".vademecum" / "memory"
    shared.mkdir(parents=True)
    (shared / "a.md").write_text("The zanzibar fact of the team")
    (project / ".vademecum" / "PROJECT.md").write_text("The zanzibar charter")
    memories = open_memories(project)
    assert "zanzibar" not in memories.prompt("s").text
    memories.trust(True)
    assert memories.prompt("t").text.count("zanzibar") == 2
    memories.trust(False)
    assert "zanzibar" not in memories.prompt("t").text
    assert memories.changes("t").text == ""
    # The editor's word does the same, without anything having been said here.
    trusting = open_memories(project, trusted=True)
    assert "zanzibar" in trusting.prompt("u").text
    assert "zanzibar" not in open_memories(ProjectMemory(project, trusted=False)).prompt("u").text


def test_switching_off_voids_every_block(open_memories: Open) -> None:
    memories = open_memories()
    memory = memories.remember("Before it was switched off").memory
    text = memories.prompt("s").text
    memories.update(memory.id, MemoryChange(content="Changed meanwhile"))
    assert memories.prompt("s").text == text
    off = open_memories(enabled=False)
    off.void()
    assert "Changed meanwhile" in open_memories().prompt("s").text


def test_sessions_of_other_workspaces_are_others(open_memories: Open, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    in_a, in_b = open_memories(tmp_path / "a"), open_memories(tmp_path / "b")
    in_a.remember("Of a")
    in_b.remember("Of b")
    assert "Of a" in in_a.prompt("same").text
    assert "Of a" not in in_b.prompt("same").text


def test_another_budget_makes_another_block(open_memories: Open) -> None:
    memories = open_memories()
    for number in range(10):
        memories.remember(f"Fact number {number} of ten")
    assert len(memories.prompt("s", PromptBudget(entries=3)).entries) == 3
    assert memories.prompt("s", PromptBudget(entries=3)).omitted == 7
    assert len(memories.prompt("s").entries) == 3
    small = memories.prompt("s", PromptBudget(characters=600))
    assert 0 < len(small.text) <= 600
    assert memories.prompt("s", PromptBudget(characters=0)).text == ""
    for budget in (PromptBudget(entries=-1), PromptBudget(characters=-1), PromptBudget(entries=10_000)):
        with pytest.raises(InvalidField) as caught:
            memories.prompt("s", budget)
        assert caught.value.field.startswith("budget.")
    for session in ("", " ", "x" * 201):
        with pytest.raises(InvalidField):
            memories.prompt(session)


def test_explain_says_why(open_memories: Open) -> None:
    memories = open_memories(prompt_entries=1)
    memories.add(NewMemory("A rule", "Do it", Category.RULE, Scope.USER))
    memories.remember("A fact among others")
    block = memories.prompt("s", explain=True)
    assert block.explain is not None
    assert {choice.form for choice in block.explain} == {PromptForm.WHOLE, PromptForm.HEAD}
    assert all(choice.reason for choice in block.explain)
    again = memories.prompt("s", explain=True)
    assert again.explain is not None and again.text == block.text
    assert [choice.form for choice in again.explain].count(PromptForm.WHOLE) == 1
    assert memories.prompt("s").explain is None


def test_stale_memories_are_marked_or_left_out(open_memories: Open, project: Path) -> None:
    code = project / "a.py"
    code.write_text("one\ntwo\n")
    memories, leaving = open_memories(project), open_memories(project, leave_out_stale=True)
    id = memories.add(
        NewMemory("T", "Rests on code", Category.KNOWLEDGE, Scope.PROJECT, evidence=("a.py:1-1",))
    ).memory.id
    first = memories.prompt("s")
    left = leaving.prompt("left")
    assert "evidence no longer holds" not in first.text and first.entries[0].stale is None
    code.write_text("won\ntwo\n")
    now = memories.prompt()
    assert "evidence no longer holds: T" in now.text and now.entries[0].stale is True
    assert memories.changes("s").changed == (id,) and not memories.changes("s").changed
    assert leaving.prompt().text == "" and leaving.changes("left").removed == (id,)
    # A session's block keeps its bytes; what is known of them now stands beside.
    again = memories.prompt("s")
    assert again.text == first.text and again.entries[0].stale is True
    code.write_text("zero\none\ntwo\n")
    assert memories.prompt().text == memories.prompt("other").text == first.text
    assert memories.changes("s").changed == (id,) and memories.prompt("s").entries == first.entries
    assert leaving.changes("left").added == (id,) and leaving.prompt("left").text == left.text


def test_charters_are_told_and_their_changes(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    places.home.mkdir(exist_ok=True)
    (places.home / "USER.md").write_text("# Me\nI am Dutch </vademecum-charter>\n")
    block = memories.prompt("s")
    assert '<vademecum-charter source="USER.md">\n| # Me\n| I am Dutch &lt;/vademecum-charter>\n' in block.text
    memories.remember("A fact")
    (places.home / "USER.md").write_text("# Me\nI am Frisian\n")
    (private,) = (places.home / "projects").iterdir()
    (private / "PROJECT.md").write_text("We use tabs")
    told = memories.changes("s").text
    assert "- changed USER.md\n| # Me\n| I am Frisian" in told and "- changed PROJECT.md\n| We use tabs" in told
    (places.home / "USER.md").unlink()
    assert "removed USER.md" in memories.changes("s").text
    assert "Dutch" not in memories.prompt("s").text and "We use tabs" in memories.prompt("s").text
    (places.home / "USER.md").write_bytes(b"\xff\xfe")
    assert memories.status().unreadable[0].path == "USER.md"
    (places.home / "USER.md").write_text("x " * 20_000)
    assert "outgrown" in memories.status().health[0]
    assert len(memories.prompt().text) <= 36_001


def test_blocks_are_refused_while_memory_is_off(open_memories: Open) -> None:
    memories = open_memories(enabled=False)
    for call in (lambda: memories.prompt("s"), lambda: memories.changes("s")):
        with pytest.raises(VademecumError) as caught:
            call()
        assert caught.value.kind is ErrorKind.MEMORY_DISABLED
