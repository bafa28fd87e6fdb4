"""Memory that came with a repository: withheld without trust, background with it, and no way out of the folder."""

import os
from pathlib import Path

import pytest

from unit.memory.conftest import Open, memory_files
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.memory import frames
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.settings import ProjectPlace
from vademecum.memory.types import Category, MemoryChange, NewMemory, Origin, Scope, StoreKind, TrustSource


@pytest.fixture
def shared(project: Path) -> Path:
    """The memories that came with the repository: a rule."""
    folder = project / ".vademecum" / "memory"
    folder.mkdir(parents=True)
    (folder / "rule.md").write_text(
        "---\nid: team01\ncategory: Rule\npinned: true\n---\nThe zanzibar rule of the team\n"
    )
    return folder


def test_without_trust_nothing_of_it_is_seen(open_memories: Open, project: Path, shared: Path) -> None:
    memories = open_memories(project)
    answers = [
        memories.list(),
        memories.search(),
        memories.search("zanzibar"),
        memories.prompt("s"),
        memories.changes("s"),
    ]
    assert "zanzibar" not in repr(answers)
    for call in (memories.get, memories.delete, memories.history, memories.restore):
        with pytest.raises(VademecumError) as caught:
            call("team01")
        assert caught.value.kind is ErrorKind.UNTRUSTED and "memory/trust" in caught.value.message
    status = memories.status()
    assert status.withheld == 1 and status.trust is not None and not status.trust.trusted
    assert (shared / "rule.md").exists()


def test_with_trust_it_is_background_never_standing(open_memories: Open, project: Path, shared: Path) -> None:
    memories = open_memories(project)
    trust = memories.trust(True)
    assert trust.trusted and trust.source is TrustSource.USER
    memory = memories.get("team01")
    assert memory.origin is Origin.REPOSITORY and memory.category is Category.RULE
    text = memories.prompt().text
    assert "Rule · from the repository" in text and frames.STANDING_OPEN not in text
    mine = memories.add(NewMemory("Mine", "My own rule", Category.RULE, Scope.USER)).memory
    text = memories.prompt().text
    assert text.index(mine.id) < text.index(frames.STANDING_CLOSE) < text.index("team01")
    later = open_memories(project)
    assert later.get("team01") == memory
    assert not later.trust(False).trusted and later.list().total == 1


def test_the_word_of_the_editor_wins(open_memories: Open, project: Path, shared: Path) -> None:
    open_memories(project).trust(True)
    assert open_memories(ProjectMemory(project, trusted=False)).search("zanzibar").total == 0
    trusting = open_memories(ProjectMemory(project, trusted=True))
    assert trusting.search("zanzibar").total == 1
    said = trusting.trust(False)
    assert said.trusted and said.source is TrustSource.EDITOR
    assert open_memories(project).search("zanzibar").total == 0


def test_trust_is_of_the_very_folder(open_memories: Open, project: Path, shared: Path, tmp_path: Path) -> None:
    open_memories(project).trust(True)
    project.rename(tmp_path / "away")
    other = project / ".vademecum" / "memory"
    other.mkdir(parents=True)
    (other / "evil.md").write_text("The zanzibar of a stranger")
    assert open_memories(project).search("zanzibar").total == 0


def test_trust_needs_one_folder(open_memories: Open, project: Path, tmp_path: Path) -> None:
    for memories in (open_memories(), open_memories(project, tmp_path)):
        with pytest.raises(InvalidField) as caught:
            memories.trust(True)
        assert caught.value.field == "workspace"


def test_what_this_user_shared_needs_no_trust(open_memories: Open, project: Path) -> None:
    memories = open_memories(project, project=ProjectPlace.SHARED)
    memory = memories.add(NewMemory("Ours", "A rule of ours", Category.RULE, Scope.PROJECT)).memory
    assert memory.origin is Origin.USER
    again = open_memories(project)
    assert again.get(memory.id) == memory and "A rule of ours" in again.prompt().text.split(frames.STANDING_CLOSE)[0]
    (path,) = (project / ".vademecum" / "memory").iterdir()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as git may check it out
    assert open_memories(project).get(memory.id).origin is Origin.USER
    path.write_text(path.read_text() + "\nAnd what a stranger added\n")
    assert open_memories(project).status().withheld == 1


def test_touching_a_strangers_memory_makes_it_nobody_elses(open_memories: Open, project: Path, shared: Path) -> None:
    memories = open_memories(project, trusted=True)
    assert memories.update("team01", MemoryChange(pinned=False)).origin is Origin.REPOSITORY
    assert memories.update("team01", MemoryChange(content="Rewritten")).origin is Origin.REPOSITORY
    assert memories.get("team01").origin is Origin.REPOSITORY
    own = memories.update("team01", MemoryChange(title="My title", content="My words"))
    assert own.origin is Origin.USER and open_memories(project).get("team01").origin is Origin.USER


def test_moving_a_strangers_rule_makes_it_no_standing_one(open_memories: Open, project: Path, shared: Path) -> None:
    memories = open_memories(project, trusted=True)
    for scope in (Scope.USER, Scope.PROJECT):
        moved = memories.update("team01", MemoryChange(scope=scope))
        assert moved.scope is scope and moved.origin is Origin.REPOSITORY
        assert memories.get("team01") == moved
        assert frames.STANDING_OPEN not in memories.prompt().text
    assert not list(shared.iterdir())
    # It is the user's choice to have it here, so it is seen without trust.
    assert open_memories(project).get("team01").content == "The zanzibar rule of the team"
    own = memories.update("team01", MemoryChange(title="Mine", content="In my own words"))
    assert own.origin is Origin.USER and frames.STANDING_OPEN in memories.prompt().text


def test_a_repository_cannot_take_the_id_of_another_memory(open_memories: Open, project: Path, shared: Path) -> None:
    mine = open_memories(project).remember("Mine, privately").memory
    (shared / "a.md").write_text(f"---\nid: {mine.id}\n---\nA stranger's text under my id\n")
    memories = open_memories(project, trusted=True)
    assert memories.get(mine.id).content == "Mine, privately"
    assert memories.list().total == 3


def test_links_of_a_repository_lead_nowhere(open_memories: Open, project: Path, places: Places, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    victim = open_memories(tmp_path / "victim")
    victim.remember("The zanzibar of the victim")
    (private,) = (places.home / "projects").iterdir()
    (private / "PROJECT.md").write_text("The zanzibar charter")
    (project / ".vademecum").mkdir()
    (project / ".vademecum" / "PROJECT.md").symlink_to(private / "PROJECT.md")
    (project / ".vademecum" / "memory").symlink_to(private / "memory")
    memories = open_memories(project, trusted=True, project=ProjectPlace.SHARED)
    answers = [memories.list(), memories.search("zanzibar"), memories.prompt("s")]
    assert "zanzibar" not in repr(answers)
    with pytest.raises(VademecumError) as caught:
        memories.remember("To be written through the link")
    assert caught.value.kind is ErrorKind.STORE_UNREADABLE
    assert victim.list().total == 1
    (project / ".vademecum" / "memory").unlink()
    (project / ".vademecum" / "memory").mkdir()
    (file,) = memory_files(private / "memory")
    (project / ".vademecum" / "memory" / "a.md").symlink_to(file)
    os.mkfifo(project / ".vademecum" / "memory" / "b.md")
    assert memories.search("zanzibar").total == 0
    flaws = {flaw.path: flaw for flaw in memories.status().unreadable}
    assert flaws["a.md"].store is StoreKind.SHARED and "b.md" in flaws


def test_the_charter_of_a_repository_needs_trust(open_memories: Open, project: Path) -> None:
    (project / ".vademecum").mkdir()
    (project / ".vademecum" / "PROJECT.md").write_text("We are the zanzibar team")
    assert open_memories(project).prompt().text == ""
    text = open_memories(project, trusted=True).prompt().text
    assert '<vademecum-charter source=".vademecum/PROJECT.md">\n| We are the zanzibar team' in text


def test_one_file_in_two_worktrees_is_one_memory(open_memories: Open, repository: object, tmp_path: Path) -> None:
    from unit.memory.conftest import run_git

    assert callable(repository)
    main = repository("main")
    folder = main / ".vademecum" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Without an id")
    (folder / "b.md").write_text("---\nid: team01\n---\nWith an id\n")
    run_git(main, "add", ".")
    run_git(main, "commit", "-q", "-m", "memories")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    both = open_memories(main, tmp_path / "linked", trusted=True)
    assert both.list().total == 2
    assert {head.id for head in open_memories(main, trusted=True).list().items} == {
        head.id for head in open_memories(tmp_path / "linked", trusted=True).list().items
    }
    memory = both.remember("Private to the project").memory
    assert open_memories(tmp_path / "linked").get(memory.id) == memory
