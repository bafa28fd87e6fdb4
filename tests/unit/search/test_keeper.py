"""Keeping a build equal to its folder, in this process."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import define
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.search.support import write
from vademecum.files.gate import Gate
from vademecum.search import build as builds
from vademecum.search import keeper as keeping
from vademecum.search.build import LEXICAL, Build, Discard
from vademecum.search.catalogue import SUSPECT, Totals
from vademecum.search.entry import make
from vademecum.search.keeper import Keeper
from vademecum.search.settings import SearchSettings
from vademecum.search.stored import unpack
from vademecum.work import Cancel, Cancelled, silent

SETTINGS = SearchSettings()


@define
class Kept:
    """A folder with its build."""

    root: Path
    home: Path
    grammars: Path
    keeper: Keeper

    def reconcile(self) -> "Kept":
        self.keeper.reconcile(Cancel(), silent)
        return self

    def reads(self, action: Callable[[], object]) -> int:
        before = self.keeper.files_read
        action()
        return self.keeper.files_read - before

    def found(self, word: str) -> list[str]:
        snapshot = self.keeper.build.index.snapshot()
        found = snapshot.search(snapshot.any_term({"body": {word: 1.0}}), 1000)
        return sorted(unpack(each.blob("stored")).path for each in found)

    def reopen(self) -> "Kept":
        """As the next process would."""
        name = self.keeper.build.name
        self.keeper.build.close()
        build = builds.reopen(self.home, name, SETTINGS)
        return Kept(self.root, self.home, self.grammars, keep(build, self.root, self.grammars))

    def consistent(self) -> None:
        """The catalogue and the index hold the same, and nothing is marked."""
        catalogue = self.keeper.build.catalogue
        assert catalogue.marked() == {}
        assert self.keeper.build.index.snapshot().count == catalogue.totals().chunks


def keep(build: Build, root: Path, grammars: Path) -> Keeper:
    return Keeper(build, Gate(root), SETTINGS, str(grammars), lambda: None)


@pytest.fixture
def kept(tmp_path: Path, workspace: Path, grammars: Path) -> Iterator[Kept]:
    home = tmp_path / "home"
    home.mkdir()
    yield Kept(workspace, home, grammars, keep(builds.create(home, SETTINGS), workspace, grammars))


def test_while_a_first_index_is_made_it_is_told_when_the_files_are_all_counted(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        (kept.root / f"more{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    monkeypatch.setattr(keeping, "LOOK_AHEAD", 0.0)
    monkeypatch.setattr(keeping, "FIRST_COMMIT", 0.0)
    keeper = kept.keeper
    told: list[tuple[bool, int]] = []
    keeper.reconcile(
        Cancel(),
        lambda done, total, text: told.append((keeper.counted, keeper.build.catalogue.totals().files + keeper.pending)),
    )
    whole = keeper.build.catalogue.totals().files
    assert not told[0][0]
    assert told[0][1] < whole
    assert [files for counted, files in told if counted] == [whole] * sum(counted for counted, _ in told)
    assert keeper.pending == 0


class _Later:
    """A clock an hour ahead, for the one module that asks whether stamps are settled."""

    def __getattr__(self, name: str) -> object:
        import time

        return (lambda: time.time_ns() + 3_600 * 10**9) if name == "time_ns" else getattr(time, name)


@pytest.fixture
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files count as left alone for long."""
    monkeypatch.setattr(keeping, "time", _Later())


@pytest.mark.usefixtures("old_files")
def test_an_unchanged_folder_is_not_read_again(kept: Kept) -> None:
    write(kept.root, {"a.py": "def alpha(): pass\n", "b/c.md": "# beta\n", "empty.py": ""})
    (kept.root / "x.bin").write_bytes(b"\0\1\2")
    assert kept.reads(kept.reconcile) == 3
    kept.consistent()
    assert kept.reads(kept.reconcile) == 0
    again = kept.reopen()
    assert again.reads(again.reconcile) == 0
    assert again.found("alpha") == ["a.py"]
    generation = again.keeper.generation
    again.reconcile()
    assert again.keeper.generation == generation


def test_a_file_changed_just_now_is_hashed_again_and_not_indexed_again(kept: Kept) -> None:
    write(kept.root, {"a.py": "def alpha(): pass\n"})
    kept.reconcile()
    generation = kept.keeper.generation
    assert kept.reads(kept.reconcile) == 1
    assert kept.keeper.generation == generation
    assert kept.keeper.unsettled() == ["a.py"]


@pytest.mark.usefixtures("old_files")
def test_only_what_changed_is_done_again(kept: Kept) -> None:
    write(kept.root, {f"f{n}.py": f"def name{n}(): pass\n" for n in range(20)})
    kept.reconcile()
    write(kept.root, {"f3.py": "def changed(): pass\n"})
    assert kept.reads(kept.reconcile) == 1
    assert kept.found("changed") == ["f3.py"]
    assert kept.found("name3") == []
    kept.consistent()


@pytest.mark.usefixtures("old_files")
def test_a_same_size_edit_with_restored_time_is_seen(kept: Kept) -> None:
    write(kept.root, {"a.py": "x = 'first'\n"})
    kept.reconcile()
    stat = (kept.root / "a.py").stat()
    write(kept.root, {"a.py": "x = 'other'\n"})
    os.utime(kept.root / "a.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    kept.reconcile()
    assert kept.found("other") == ["a.py"]
    assert kept.found("first") == []


def test_the_last_file_deleted_leaves_nothing(kept: Kept) -> None:
    write(kept.root, {"a/b.py": "alpha = 1\n"})
    kept.reconcile()
    shutil.rmtree(kept.root / "a")
    kept.reconcile()
    assert kept.found("alpha") == []
    assert kept.keeper.build.catalogue.totals() == Totals(0, 0)
    assert kept.keeper.build.catalogue.chunks("a/b.py") == []
    kept.consistent()


def test_single_files_are_brought_up_to_date(kept: Kept) -> None:
    write(kept.root, {"a.py": "alpha = 1\n", "d/b.py": "beta = 1\n", "d/e/c.py": "gamma = 1\n"})
    kept.reconcile()
    (kept.root / "a.py").rename(kept.root / "z.py")
    shutil.rmtree(kept.root / "d")
    kept.keeper.update(["a.py", "z.py", "d"], Cancel())
    assert kept.found("alpha") == ["z.py"]
    assert kept.found("beta") == kept.found("gamma") == []
    kept.consistent()


def test_a_folder_that_becomes_a_file_is_one(kept: Kept) -> None:
    write(kept.root, {"d/b.py": "beta = 1\n"})
    kept.reconcile()
    shutil.rmtree(kept.root / "d")
    write(kept.root, {"d": "delta\n"})
    kept.keeper.update(["d/b.py", "d"], Cancel())
    assert (kept.found("beta"), kept.found("delta")) == ([], ["d"])


def test_content_that_is_refused_leaves_the_index(kept: Kept) -> None:
    write(kept.root, {"a.py": "alpha = 1\n"})
    kept.reconcile()
    (kept.root / "a.py").write_bytes(b"alpha\0")
    kept.reconcile()
    assert kept.found("alpha") == []
    kept.consistent()
    write(kept.root, {"a.py": "alpha = 2\n"})
    kept.reconcile()
    assert kept.found("alpha") == ["a.py"]
    kept.consistent()


def test_an_interrupted_build_goes_on_where_it_stopped(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "time", _Later())
    monkeypatch.setattr(keeping, "FIRST_COMMIT", 0.0)
    write(kept.root, {f"f{n:03}.py": f"def name{n}(): pass\n" for n in range(200)})
    cancel = Cancel()

    def stop_half_way(done: int, total: int | None, message: str) -> None:
        if done >= 100:
            cancel.set()

    with pytest.raises(Cancelled):
        kept.keeper.reconcile(cancel, stop_half_way)
    assert not kept.keeper.complete
    again = kept.reopen()
    done = 200 - again.reads(again.reconcile)
    assert done >= 32
    assert again.keeper.complete
    assert len(again.found("def")) == 200
    again.consistent()


def test_what_was_marked_and_never_recorded_is_done_again(kept: Kept) -> None:
    write(kept.root, {"a.py": "alpha = 1\n", "b.py": "beta = 1\n"})
    kept.reconcile()
    build = kept.keeper.build
    # As if killed between the two commits: the index already holds something else of a, and something of a ghost.
    build.catalogue.mark(["a.py", "ghost.py"])
    build.writer.remove("path", "a.py")
    build.writer.add(
        {"path": "ghost.py", "body": "ghost", "names": "", "language": "python", "content": "code", "symbol": []}
    )
    build.writer.commit()
    again = kept.reopen().reconcile()
    assert again.found("alpha") == ["a.py"]
    assert again.found("ghost") == []
    again.consistent()


def test_a_file_that_ended_a_process_is_cut_by_lines(kept: Kept) -> None:
    write(kept.root, {"a.py": "def alpha():\n    pass\n"})
    catalogue = kept.keeper.build.catalogue
    catalogue.mark(["a.py"])
    catalogue.suspect("a.py", True)
    assert catalogue.marked() == {"a.py": SUSPECT}
    kept.reconcile()
    assert kept.found("alpha") == ["a.py"]
    assert [each.symbol for each in catalogue.chunks("a.py")] == [None]


def test_a_folder_that_is_not_there_loses_nothing(kept: Kept) -> None:
    write(kept.root, {"a.py": "alpha = 1\n"})
    kept.reconcile()
    kept.root.rename(kept.root.with_name("elsewhere"))
    with pytest.raises(FileNotFoundError):
        kept.reconcile()
    assert kept.found("alpha") == ["a.py"]


def test_helpers_make_what_one_process_makes(tmp_path: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    write(kept.root, {f"f{n:02}.py": f"class C{n}:\n    def name{n}(self): pass\n" for n in range(80)})
    alone = kept.reconcile()
    home = tmp_path / "other"
    home.mkdir()
    monkeypatch.setattr(keeping, "POOL_AFTER", 10)
    settings = SearchSettings(workers=2)
    build = builds.create(home, settings)
    together = Keeper(build, Gate(kept.root), settings, str(kept.grammars), lambda: None)
    together.reconcile(Cancel(), silent)
    for path in ("f00.py", "f41.py", "f79.py"):
        assert build.catalogue.chunks(path) == alone.keeper.build.catalogue.chunks(path) != []
    assert build.index.snapshot().count == alone.keeper.build.index.snapshot().count


def test_another_version_is_discarded(kept: Kept) -> None:
    kept.reconcile()
    name = kept.keeper.build.name
    kept.keeper.build.close()
    with pytest.raises(Discard, match="version"):
        builds.reopen(kept.home, name, SearchSettings(chunk_lines=20))


@pytest.mark.parametrize("damage", ["catalogue", "meta", "no meta", "segment", "catalogue rows", "nothing there"])
def test_a_damaged_build_is_discarded(kept: Kept, damage: str) -> None:
    write(kept.root, {f"f{n}.py": "alpha = 1\n" for n in range(5)})
    kept.reconcile()
    build = kept.keeper.build
    folder = build.folder
    if damage == "catalogue rows":
        build.catalogue.record([], ["f1.py"], {})
    build.close()
    match damage:
        case "catalogue":
            (folder / builds.CATALOGUE).write_bytes(b"x" * 5000)
            (folder / f"{builds.CATALOGUE}-wal").unlink(missing_ok=True)
        case "meta":
            (folder / LEXICAL / "meta.json").write_text("{}")
        case "no meta":
            (folder / LEXICAL / "meta.json").unlink()
        case "segment":
            for file in (folder / LEXICAL).glob("*.store"):
                file.unlink()
        case "nothing there":
            shutil.rmtree(folder)
    with pytest.raises(Discard):
        builds.reopen(kept.home, folder.name, SETTINGS)


def test_what_is_no_index_weighs_nothing(tmp_path: Path) -> None:
    assert builds.weigh(tmp_path).documents == 0
    (tmp_path / "meta.json").write_text('{"segments": 7}')
    assert builds.weigh(tmp_path).deleted == 0


def test_dead_documents_are_counted(kept: Kept) -> None:
    write(kept.root, {f"f{n}.py": "alpha = 1\n" for n in range(5)})
    kept.reconcile()
    (kept.root / "f1.py").unlink()
    kept.reconcile()
    assert builds.weigh(kept.keeper.build.folder / LEXICAL) == builds.Weight(4, 1)
    assert not kept.keeper.build.bloated


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["write", "delete", "rename", "move", "folder gone", "same size", "binary", "reopen", "reconcile"]
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=12,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTIONS)
def test_after_any_edits_the_index_equals_a_fresh_build(
    tmp_path_factory: pytest.TempPathFactory, grammars: Path, actions: list[tuple[str, int, int]]
) -> None:
    base = tmp_path_factory.mktemp("walk")
    root, home, other = base / "w", base / "h", base / "f"
    for folder in (root, home, other):
        folder.mkdir()
    walk = Kept(root, home, grammars, keep(builds.create(home, SETTINGS), root, grammars))
    touched: set[str] = set()

    def name(number: int) -> str:
        return f"d{number % 2}/f{number}.py"

    for action, first, second in actions:
        path = root / name(first)
        touched |= {name(first), name(second)}
        match action:
            case "write":
                write(root, {name(first): f"word{second} = {first}\ndef f{second}(): pass\n"})
            case "delete":
                path.unlink(missing_ok=True)
            case "rename" if path.exists() and (root / name(second)).parent.exists():
                path.rename(root / name(second))
            case "folder gone":
                shutil.rmtree(path.parent, ignore_errors=True)
                touched.add(path.parent.name)
            case "same size" if path.exists():
                stat = path.stat()
                path.write_bytes(path.read_bytes()[::-1])
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            case "binary":
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(b"\0binary")
            case "move":
                walk.keeper.update(sorted(touched), Cancel())
                touched.clear()
            case "reopen":
                walk = walk.reopen()
            case "reconcile":
                walk.reconcile()
    walk.reconcile().consistent()
    fresh = Kept(root, other, grammars, keep(builds.create(other, SETTINGS), root, grammars)).reconcile()
    for number in range(6):
        assert walk.keeper.build.catalogue.chunks(name(number)) == fresh.keeper.build.catalogue.chunks(name(number))
    assert walk.found("def") == fresh.found("def")
    walk.keeper.build.close()
    fresh.keeper.build.close()
    shutil.rmtree(base)


def test_a_save_during_a_long_comparison_does_not_wait_for_its_end(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    write(kept.root, {f"f{n:03}.py": f"word{n} = 1\n" for n in range(120)})
    kept.reconcile()
    write(kept.root, {f"f{n:03}.py": f"other{n} = 2\n" for n in range(120)})
    seen: list[list[str]] = []

    def changed() -> list[str]:
        if seen:
            seen.append(kept.found("saved"))
            return []
        seen.append([])
        # Saved, and set back to what the catalogue knew when the comparison began.
        write(kept.root, {"f119.py": "saved = 1\n", "f118.py": "word118 = 1\n", "new.py": "saved = 2\n"})
        return ["f119.py", "f118.py", "new.py"]

    kept.keeper.reconcile(Cancel(), silent, changed)
    assert seen[1] == ["f119.py", "new.py"]
    assert kept.found("saved") == ["f119.py", "new.py"]
    assert kept.found("word118") == ["f118.py"]
    assert kept.found("other118") == kept.found("other119") == []
    kept.consistent()
    write(kept.root, {"f118.py": "other118 = 2\n"})
    kept.reconcile()
    assert kept.found("other118") == ["f118.py"]
    kept.consistent()


def test_a_tree_that_cannot_be_understood_costs_a_file_its_symbols_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise IndexError("a shape that nobody thought of")

    monkeypatch.setattr("vademecum.search.chunk.definition", broken)
    entry = make("a.py", b"def one():\n    return 1\n", 48)
    assert [(row.start, row.end, row.symbol) for row in entry.rows] == [(1, 2, None)]
    assert make("empty.md", b"\n\n", 48).rows
