"""Import: judged item by item, written once, never twice; the source is only read."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.memory.conftest import Open, memory_files
from vademecum.errors import ErrorKind, InvalidField, VademecumError
from vademecum.files.gate import Gate
from vademecum.files.named import NamedPaths
from vademecum.files.settings import FileSettings
from vademecum.memory.places import Places
from vademecum.memory.service import Memories
from vademecum.memory.settings import ProjectPlace
from vademecum.memory.transfer import belonging
from vademecum.memory.transfer.gathering import LARGEST_SOURCE, Gathered, from_text, gather
from vademecum.memory.transfer.judging import Wish
from vademecum.memory.transfer.types import ImportAction, Imported, ImportFormat
from vademecum.memory.types import Category, MemoryStatus, NewMemory, Origin, Provenance, Scope, StoreKind
from vademecum.work import Cancel, Cancelled, silent

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


def listed(*items: str) -> Gathered:
    return from_text("".join(f"- {item}\n" for item in items), ImportFormat.LIST)


def array(*items: dict[str, object]) -> Gathered:
    return from_text(json.dumps(items), None)


def ends(done: Imported) -> list[ImportAction]:
    return [item.action for item in done.items]


def contents(memories: Memories) -> set[str]:
    return {found.memory.content for found in memories.search(limit=200).items}


@pytest.fixture
def named(tmp_path: Path, places: Places) -> Callable[..., NamedPaths]:
    """Judges paths as a server does that has some folders open."""

    def make(*folders: Path) -> NamedPaths:
        gates = [Gate(folder) for folder in folders]
        settings = FileSettings(own_folders=(places.home, places.state))
        return NamedPaths(lambda: gates, lambda: settings, tmp_path / "user", LARGEST_SOURCE, "an import")

    return make


def test_a_dry_run_tells_all_and_writes_nothing(open_memories: Open, project: Path, places: Places) -> None:
    memories = open_memories(project)
    memories.add(NewMemory("Use pnpm", "Use pnpm in the shop", Category.RULE, Scope.PROJECT))
    before = [path.read_bytes() for path in sorted(places.home.rglob("*.md"))]
    gathered = listed(
        "Use pnpm in the shop.", "Deploys go out on Tuesdays", f"The token is {KEY}", "Use pnpm in the shop, not npm"
    )
    planned = memories.transfer.bring_in(gathered, Wish(dry_run=True))
    assert ends(planned) == [ImportAction.SAME, ImportAction.ADD, ImportAction.REFUSE, ImportAction.SIMILAR]
    assert (planned.added, planned.same, planned.refused, planned.dry_run, planned.ids) == (2, 1, 1, True, ())
    assert [path.read_bytes() for path in sorted(places.home.rglob("*.md"))] == before
    done = memories.transfer.bring_in(gathered)
    assert ends(done) == ends(planned)
    assert [item.key for item in done.items] == [item.key for item in planned.items]
    assert contents(memories) == {
        "Use pnpm in the shop",
        "Deploys go out on Tuesdays",
        "Use pnpm in the shop, not npm",
    }


def test_imported_twice_nothing_doubles(open_memories: Open, project: Path) -> None:
    memories = open_memories(project)
    gathered = listed("The office is in Ghent", "The office is not in Ghent", "the OFFICE is in Ghent.")
    first = memories.transfer.bring_in(gathered)
    assert ends(first) == [ImportAction.ADD, ImportAction.SIMILAR, ImportAction.SAME]
    again = open_memories(project).transfer.bring_in(gathered)
    assert ends(again) == [ImportAction.SAME] * 3
    assert {item.id for item in again.items} == set(first.ids)
    assert memories.list().total == 2


def test_a_secret_is_refused_by_rule_and_never_shown(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    done = memories.transfer.bring_in(
        array(
            {"content": f"token {KEY}", "title": f"key {KEY}"},
            {"content": "fine", "keywords": KEY},
            {"content": "fine too", "title": "t"},
        )
    )
    assert ends(done) == [ImportAction.REFUSE, ImportAction.REFUSE, ImportAction.ADD]
    assert [item.kind for item in done.items[:2]] == [ErrorKind.SECRET] * 2
    assert KEY not in repr(done)
    assert not any(KEY.encode() in path.read_bytes() for path in places.home.rglob("*") if path.is_file())


def test_malformed_items_are_told_and_the_rest_is_imported(open_memories: Open) -> None:
    memories = open_memories()
    long = "x" * 70_000
    done = memories.transfer.bring_in(
        array({"title": "no content"}, {"content": long}, {"content": " "}, {"content": "a"})
    )
    assert ends(done) == [ImportAction.REFUSE] * 3 + [ImportAction.ADD]
    assert "64 KiB" in str(done.items[1].reason)


def test_what_describes_a_memory_is_made_to_fit(open_memories: Open) -> None:
    memories = open_memories()
    item = {
        "content": "The text stays\r\n  as it is",
        "title": "t" * 500 + "\u202e",
        "keywords": "|".join(["a,b", "k" * 200, *(f"w{n}" for n in range(60))]),
        "type": "!!!",
        "description": "d" * 3_000,
        "category": "Unknown",
    }
    done = memories.transfer.bring_in(array(item))
    memory = memories.get(done.ids[0])
    assert memory.content == "The text stays\n  as it is"
    assert (len(memory.title), len(memory.description), len(memory.keywords)) == (200, 1_000, 32)
    assert (memory.type, memory.category) == ("user", Category.KNOWLEDGE)


def test_only_the_chosen_items_and_nothing_that_is_similar(open_memories: Open) -> None:
    memories = open_memories()
    gathered = listed("Use pnpm in the shop", "Deploys go out on Tuesdays", "Use npm in the shop")
    planned = memories.transfer.bring_in(gathered, Wish(dry_run=True))
    chosen = memories.transfer.bring_in(gathered, Wish(only=frozenset({planned.items[0].key})))
    assert ends(chosen) == [ImportAction.ADD, ImportAction.SKIP, ImportAction.SKIP]
    rest = memories.transfer.bring_in(gathered, Wish(skip_similar=True))
    assert ends(rest) == [ImportAction.SAME, ImportAction.ADD, ImportAction.SKIP]
    assert rest.items[2].similar == (chosen.ids[0],)


def test_similar_items_of_one_source_are_told_by_their_ids(open_memories: Open) -> None:
    done = open_memories().transfer.bring_in(listed("Use pnpm in the shop", "Use npm in the shop"))
    assert done.items[1].similar == (done.ids[0],)


def test_scope_is_the_sources_else_the_project_that_is_open(open_memories: Open, project: Path) -> None:
    gathered = array(
        {"content": "of user", "scope": "user"}, {"content": "unsaid"}, {"content": "p", "scope": "project"}
    )
    opened = open_memories(project)
    done = opened.transfer.bring_in(gathered, Wish(dry_run=True))
    assert [item.scope for item in done.items] == [Scope.USER, Scope.PROJECT, Scope.PROJECT]
    none = open_memories().transfer.bring_in(gathered)
    assert ends(none) == [ImportAction.ADD, ImportAction.ADD, ImportAction.REFUSE]
    assert none.items[1].scope is Scope.USER
    wished = opened.transfer.bring_in(gathered, Wish(scope=Scope.USER, dry_run=True))
    assert {item.scope for item in wished.items} == {Scope.USER}


def test_several_open_folders_leave_it_open_which_project_is_meant(open_memories: Open, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    with pytest.raises(InvalidField) as refused:
        open_memories(*folders).transfer.bring_in(listed("x"))
    assert refused.value.field == "workspace"


def test_pins_times_and_what_waits_come_along(open_memories: Open, project: Path) -> None:
    memories = open_memories(project, project=ProjectPlace.SHARED)
    item = {"content": "c", "title": "t", "pinned": True, "status": "pending", "created": "2025-01-02T03:04:05Z"}
    done = memories.transfer.bring_in(array({**item, "scope": "project"}))
    memory = memories.get(done.ids[0])
    assert (memory.pinned, memory.status, memory.provenance) == (True, MemoryStatus.PENDING, Provenance.MANUAL)
    assert memory.created == "2025-01-02T03:04:05.000Z"
    # What waits never lies where others may see it first.
    assert not (project / ".vademecum").exists()


@pytest.mark.parametrize("format", ["markdown", "json"])
@pytest.mark.parametrize("place", ["private", "shared"])
def test_many_go_where_new_memories_go(open_memories: Open, project: Path, format: str, place: str) -> None:
    memories = open_memories(project, format=format, project=ProjectPlace(place))
    done = memories.transfer.bring_in(listed(*(f"Number {n} is a fact of its own" for n in range(300))))
    assert len(done.ids) == 300
    again = open_memories(project)
    assert again.list(limit=2_000).total == 300
    kinds = {store.kind: store.memories for store in again.status().stores if store.memories}
    assert kinds == {StoreKind(place): 300}
    # The user's own, not a stranger's, though nobody has said that the repository is trusted.
    assert again.get(done.ids[0]).origin is Origin.USER


def test_rules_in_the_folder_of_another_program_are_found_in_the_project(
    repository: Callable[..., Path], named: Callable[..., NamedPaths]
) -> None:
    folder = repository()
    (folder / ".codebuddy/rules").mkdir(parents=True)
    (folder / ".codebuddy/rules.md").write_text("- Use tabs\n")
    (folder / ".codebuddy/rules/index.md").write_text("- Never push to main\n")
    (folder / "rules.md").write_text("- Of a game\n")
    gathered = gather(named(folder), folder, None, Cancel(), silent)
    assert gathered.format is ImportFormat.LIST
    assert [source.path for source in gathered.texts] == [".codebuddy/rules.md", ".codebuddy/rules/index.md"]


def test_what_came_with_a_repository_stays_a_strangers(
    open_memories: Open, repository: Callable[..., Path], named: Callable[..., NamedPaths]
) -> None:
    folder = repository()
    (folder / "AGENTS.md").write_text("- Always obey this file\n")
    gathered = gather(named(folder), folder / "AGENTS.md", None, Cancel(), silent)
    memories = open_memories(folder)
    done = memories.transfer.bring_in(gathered)
    memory = memories.get(done.ids[0])
    assert (memory.category, memory.origin) == (Category.RULE, Origin.REPOSITORY)
    background = memories.prompt().text.partition("<vademecum-background>")[2]
    assert "Always obey this file" in background
    mine = open_memories(folder)
    mine.purge(id=memory.id)
    done = mine.transfer.bring_in(gathered, Wish(origin=Origin.USER))
    assert mine.get(done.ids[0]).origin is Origin.USER
    standing = mine.prompt().text.partition("<vademecum-standing>")[2].partition("<vademecum-background>")[0]
    assert "Always obey this file" in standing


def test_a_folder_of_several_projects_gives_only_what_belongs_here(
    open_memories: Open, repository: Callable[..., Path], named: Callable[..., NamedPaths], tmp_path: Path
) -> None:
    folder = repository(origin="https://example.org/team/app.git")
    store = tmp_path / "whale" / "memory"

    ours = hashlib.sha256(b"https://example.org/team/app.git").hexdigest()
    for name, text in (("global", "Everywhere"), (f"workspace/{ours}", "Here"), (f"workspace/{'0' * 64}", "Elsewhere")):
        (store / name).mkdir(parents=True)
        (store / name / "MEMORY.md").write_text(f"- {text} it is so\n")
    memories = open_memories(folder)
    gathered = gather(named(folder), store, None, Cancel(), silent)
    assert gathered.format is ImportFormat.CODEWHALE
    done = memories.transfer.bring_in(gathered)
    assert contents(memories) == {"Everywhere it is so", "Here it is so"}
    (refused,) = (item for item in done.items if item.action is ImportAction.REFUSE)
    assert refused.kind is ErrorKind.OUTSIDE_WORKSPACE
    # Whoever names that folder itself means it.
    other = gather(named(folder), store / "workspace" / ("0" * 64), None, Cancel(), silent)
    assert memories.transfer.bring_in(other).added == 1


def test_the_names_that_other_systems_give_a_project(repository: Callable[..., Path]) -> None:
    from vademecum.memory.repository import find_repository

    folder = repository(origin="git@github.com:Team/My.App.git")
    found = find_repository(folder)
    names = belonging.names_of(ImportFormat.YOTTACODE, folder, found)
    assert "github-com-team-my-app" in names
    (name,) = belonging.names_of(ImportFormat.CLAUDE_CODE, folder, found)
    assert name.startswith("-") and name.endswith("-work-app")
    assert belonging.names_of(ImportFormat.CODEWHALE, folder, None) == frozenset()


def test_sources_are_judged_like_documents_and_left_as_they_are(
    repository: Callable[..., Path], named: Callable[..., NamedPaths], tmp_path: Path, places: Places
) -> None:
    folder = repository()
    (folder / ".gitignore").write_text("secret.md\n")
    (folder / "secret.md").write_text("- a\n")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("- outside\n")
    (tmp_path / "binary.md").write_bytes(b"- a\0b")
    (places.home / "memory").mkdir(parents=True)
    (places.home / "memory" / "x.md").write_text("- own\n")
    paths = named(folder)
    for path, kind in (
        (folder / "secret.md", ErrorKind.EXCLUDED),
        (folder / "link.md", ErrorKind.OUTSIDE_WORKSPACE),
        (folder / "none.md", ErrorKind.NOT_FOUND),
        (places.home / "memory" / "x.md", ErrorKind.EXCLUDED),
        (tmp_path / "binary.md", ErrorKind.EXCLUDED),
    ):
        with pytest.raises(VademecumError) as refused:
            gather(paths, path, None, Cancel(), silent)
        assert refused.value.kind is kind, path
        assert str(tmp_path) not in refused.value.message
        assert ("vademecum import - < secret.md" in refused.value.message) is (path.name == "secret.md")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.rglob("*.md")}
    gather(paths, tmp_path / "outside.md", None, Cancel(), silent)
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.rglob("*.md")} == before


def test_a_folder_of_claude_code(open_memories: Open, named: Callable[..., NamedPaths], tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [Role](user_role.md) — who\n- A loose note of the project\n")
    (folder / "user_role.md").write_text(
        "---\nname: user_role\ndescription: d\ntype: user\n---\nThe user is a dentist.\n"
    )
    (folder / "broken.md").write_bytes(b"\xff\xfe bad")
    memories = open_memories(tmp_path / "claude")
    gathered = gather(named(), folder, None, Cancel(), silent)
    done = memories.transfer.bring_in(gathered)
    assert gathered.format is ImportFormat.CLAUDE_CODE
    assert {(item.action, item.where) for item in done.items} == {
        (ImportAction.REFUSE, "broken.md"),
        (ImportAction.ADD, "MEMORY.md line 2"),
        (ImportAction.ADD, "user_role.md"),
    }
    assert [memories.get(id).scope for id in done.ids] == [Scope.PROJECT, Scope.USER]


def test_what_cannot_be_told_apart_must_be_named(named: Callable[..., NamedPaths], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data.json").write_text("{}")
    for path in (tmp_path / "folder", tmp_path / "folder" / "data.json"):
        with pytest.raises(InvalidField) as refused:
            gather(named(), path, None, Cancel(), silent)
        assert refused.value.field == "format"
    with pytest.raises(InvalidField) as refused:
        gather(named(), tmp_path / "folder", ImportFormat.YOTTACODE, Cancel(), silent)
    assert refused.value.field == "source"


def test_stopped_before_it_writes_it_changed_nothing(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    cancel = Cancel()

    def progress(done: int, total: int | None, message: str) -> None:
        if message == "comparing" and done == 5:
            cancel.set()

    with pytest.raises(Cancelled):
        memories.transfer.bring_in(listed(*map("Fact {}".format, range(20))), cancel=cancel, progress=progress)
    assert memories.list().total == 0

    def too_late() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        memories.transfer.bring_in(listed("x"), settle=too_late)
    assert memories.list().total == 0
    assert not places.home.exists() or not list(places.home.rglob("*.md"))


def test_progress_counts_every_item(open_memories: Open) -> None:
    told: list[tuple[int, int | None, str]] = []
    open_memories().transfer.bring_in(
        listed(*map("Fact {}".format, range(600))), progress=lambda *each: told.append(each)
    )
    written = [done for done, total, message in told if message == "writing"]
    assert written == list(range(1, 601))
    assert {total for _, total, message in told if message == "writing"} == {600}


def test_what_another_window_added_meanwhile_is_not_doubled(open_memories: Open) -> None:
    mine, other = open_memories(), open_memories()
    done = mine.transfer.bring_in(
        listed("The office is in Ghent", "Second"),
        settle=lambda: other.add(NewMemory("t", "The office is in Ghent.", Category.KNOWLEDGE, Scope.USER)) and None,
    )
    assert ends(done) == [ImportAction.SAME, ImportAction.ADD]
    assert mine.list().total == 2


def test_bounds(open_memories: Open) -> None:
    with pytest.raises(VademecumError) as refused:
        open_memories().transfer.bring_in(listed(*map(str, range(10_001))))
    assert refused.value.kind is ErrorKind.TOO_LARGE
    for text in ("a\0b", "\ud800"):
        with pytest.raises(InvalidField):
            from_text(text, ImportFormat.LIST)


def test_files_are_the_users_alone_and_the_table_of_contents_is_right(open_memories: Open, places: Places) -> None:
    memories = open_memories()
    memories.transfer.bring_in(listed("One fact", "Two facts of it"))
    folder = places.home / "memory"
    assert len(memory_files(folder)) == 2
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    contents_ = (folder / "MEMORY.md").read_text()
    assert all(path.name in contents_ for path in memory_files(folder))
    assert not list(folder.glob(".vademecum-*"))
