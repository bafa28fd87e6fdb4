"""Indexers that freeze, die, and share a folder."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from unit.search.support import PATIENCE, Opened, eventually, write
from vademecum.evidence.reference import parse
from vademecum.evidence.verdicts import Verdict, verify
from vademecum.search.build import CATALOGUE, LEXICAL
from vademecum.search.messages import Event
from vademecum.search.published import read
from vademecum.search.relay import FOLDER
from vademecum.search.settings import SearchSettings
from vademecum.search.types import IndexState, NoticeKind
from vademecum.work import Cancel

Open = Callable[..., Opened]

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
BODY = "".join(f"    step_{n} = {n}\n" for n in range(12))


def freeze(search: Opened) -> int:
    """Stop the indexer where it is: it neither notices nor indexes any more."""
    pid = eventually(lambda: search.search.indexer_pid, "an indexer")
    os.kill(pid, signal.SIGSTOP)
    return pid


@posix
def test_with_a_frozen_indexer_nothing_stale_is_given_as_fresh(workspace: Path, opened: Open) -> None:
    files = {f"{name}.py": f"def {name}():\n{BODY}" for name in ("moved", "changed", "deleted", "binary", "same")}
    write(workspace, files)
    search = opened(workspace).ready()
    pid = freeze(search)
    try:
        write(workspace, {"moved.py": "# a\n# b\n# c\n" + files["moved.py"]})
        write(workspace, {"changed.py": files["changed.py"].replace("step_3 = 3", "step_3 = 33")})
        (workspace / "deleted.py").unlink()
        (workspace / "binary.py").write_bytes(b"\0")
        hits = {hit.path: hit for hit in search.ask("step_3").hits}
        assert set(hits) == {"moved.py", "changed.py", "same.py"}
        assert (hits["moved.py"].start, hits["moved.py"].stale) == (4, False)
        assert hits["changed.py"].stale
        assert "step_3 = 33" in hits["changed.py"].snippet
        assert not hits["same.py"].stale
        for hit in hits.values():
            assert verify(parse(hit.reference), search.gate).verdict is Verdict.VALID
            assert hit.snippet == "\n".join((workspace / hit.path).read_text().split("\n")[hit.start - 1 : hit.end])
        write(workspace, {"changed.py": "short\n"})
        hits = {hit.path: hit for hit in search.ask("step_3").hits}
        assert (hits["changed.py"].snippet, hits["changed.py"].stale) == ("short", True)
        write(workspace, {"changed.py": ""})
        assert "changed.py" not in search.paths("step_3")
    finally:
        os.kill(pid, signal.SIGCONT)
    search.finds("step_3", "moved.py")
    eventually(lambda: not search.ask("step_3").hits[0].stale, "an index that caught up")


@posix
def test_a_killed_indexer_is_started_again_and_catches_up(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "first_word = 1\n"})
    search = opened(workspace).ready()
    pid = eventually(lambda: search.search.indexer_pid, "an indexer")
    os.kill(pid, signal.SIGKILL)
    write(workspace, {"b.py": "second_word = 1\n"})
    assert search.paths("first_word") == ["a.py"]
    eventually(lambda: any(status.refusal for status in search.statuses), "a status that says so")
    search.finds("second_word", "b.py")
    search.ready()
    assert search.search.indexer_pid not in {None, pid}
    assert search.search.status().refusal is None


@posix
def test_kills_at_any_moment_of_indexing_lose_nothing(workspace: Path, opened: Open) -> None:
    write(workspace, {f"d{n % 7}/f{n}.py": f"def word_{n}():\n{BODY}" for n in range(700)})
    search = opened(workspace, settings=SearchSettings(workers=1))
    for delay in (0.1, 0.35, 0.6):
        pid = eventually(lambda: search.search.indexer_pid, "an indexer")
        time.sleep(delay)  # the moment is the input of this test; any will do
        os.kill(pid, signal.SIGKILL)
        eventually(lambda pid=pid: search.search.indexer_pid not in {None, pid}, "another indexer")
    search.ready()
    status = search.search.status()
    assert (status.files, status.chunks) == (700, 700)
    assert search.paths("word_699")[0] == "d6/f699.py"
    eventually(lambda: len([*search.search.home.glob("build-*")]) == 1, "one build")


def test_closing_is_quick_and_ends_every_process(workspace: Path, opened: Open) -> None:
    write(workspace, {f"f{n}.py": f"def word_{n}():\n{BODY}" for n in range(900)})
    search = opened(workspace, settings=SearchSettings(workers=2))
    pid = eventually(lambda: search.search.indexer_pid, "an indexer")
    process = psutil.Process(pid)
    eventually(lambda: len(process.children()) >= 2 or search.search.status().complete, "helpers, or the end")
    family = [process, *process.children(recursive=True)]
    began = time.monotonic()
    search.search.close()
    assert time.monotonic() - began < PATIENCE / 2
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive
    search.search.close()


@posix
def test_a_killed_server_leaves_no_process(workspace: Path, tmp_path: Path, grammars: Path) -> None:
    write(workspace, {f"f{n}.py": f"def word_{n}():\n{BODY}" for n in range(900)})
    code = (
        "import sys, time, pathlib\n"
        "from vademecum.files.gate import Gate\n"
        "from vademecum.search.service import Search\n"
        "from vademecum.search.settings import SearchSettings\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "search = Search(root, Gate(root), pathlib.Path(sys.argv[2]), SearchSettings(workers=2), lambda status: None)\n"
        "search.start()\n"
        "print('up', flush=True)\n"
        "time.sleep(60)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code, str(workspace), str(tmp_path / "k")], stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == b"up\n"
    family = eventually(lambda: psutil.Process(server.pid).children(recursive=True), "an indexer")
    eventually(lambda: read_any(tmp_path / "k"), "work")
    family = psutil.Process(server.pid).children(recursive=True)
    server.kill()
    server.wait()
    server.stdout.close()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive


def read_any(cache: Path) -> bool:
    return any(read(home) is not None for home in (cache / "code").glob("*"))


@posix
def test_two_servers_share_a_folder_and_the_second_takes_over(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "first_word = 1\n"})
    one = opened(workspace).ready()
    two = opened(workspace)
    assert two.paths("first_word") == ["a.py"]
    two.ready()
    assert [each.search.status().writer for each in (one, two)] == [True, False]
    write(workspace, {"b.py": "second_word = 1\n"})
    one.finds("second_word", "b.py")
    two.finds("second_word", "b.py")
    before = one.search.status().generation
    assert two.search.reindex(True, Cancel()).files == 2
    assert one.search.status().generation > before
    assert not [*(one.search.home / FOLDER).iterdir()]
    one.search.close()
    eventually(lambda: two.search.status().writer, "taking over")
    write(workspace, {"c.py": "third_word = 1\n"})
    two.finds("third_word", "c.py")


@posix
def test_a_killed_writer_is_succeeded(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "first_word = 1\n"})
    one = opened(workspace).ready()
    two = opened(workspace).ready()
    pid = eventually(lambda: one.search.indexer_pid, "an indexer")
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: two.search.status().writer, "taking over")
    write(workspace, {"b.py": "second_word = 1\n"})
    two.finds("second_word", "b.py")
    one.finds("second_word", "b.py")


def test_a_cache_inside_the_workspace_never_triggers_its_own_indexing(
    workspace: Path, opened: Open, git: Callable[..., str]
) -> None:
    write(workspace, {"a.py": "word = 1\n"})
    search = opened(workspace, cache=workspace / "cache").settled()
    (journal,) = search.search.home.glob(f"build-*/{CATALOGUE}-wal")
    eventually(lambda: journal.stat().st_size == 0, "tidying up")

    def seen() -> tuple[object, ...]:
        status, state = search.search.status(), (search.search.home / "state.json").stat()
        return status.generation, status.files_read, status.files, state.st_mtime_ns, len(search.statuses)

    def rests() -> bool:
        before = seen()
        time.sleep(2.5)  # that nothing happens can only be waited for
        return seen() == before

    # An index that triggers itself never comes to rest; what it has still to do may take a busy machine a while.
    eventually(rests, "coming to rest")
    assert search.search.status().files == 1


@pytest.mark.parametrize("damage", ["catalogue", "meta.json", "state.json", "version", "all"])
def test_what_is_damaged_is_made_again(workspace: Path, opened: Open, damage: str) -> None:
    write(workspace, {"a.py": "first_word = 1\n"})
    search = opened(workspace).ready()
    search.search.close()
    home = search.search.home
    (build,) = home.glob("build-*")
    generation = search.search.status().generation
    settings = SearchSettings()
    match damage:
        case "catalogue":
            for file in build.glob(f"{CATALOGUE}*"):
                file.write_bytes(b"damaged" * 1000)
        case "meta.json":
            (build / LEXICAL / "meta.json").write_text("not json")
        case "state.json":
            (home / "state.json").write_text("{")
        case "version":
            settings = SearchSettings(chunk_lines=20)
        case "all":
            for file in home.rglob("*"):
                if file.is_file() and not file.name.endswith(".lock"):
                    file.write_bytes(b"?")
    again = opened(workspace, settings=settings).ready()
    again.finds("first_word", "a.py")
    assert again.search.status().refusal is None
    if damage in {"catalogue", "meta.json", "version"}:  # until it is made again, the answers are those of the old one
        eventually(lambda: again.search.status().generation > generation, "a newer index")
    eventually(lambda: len([*home.glob("build-*")]) == 1, "one build")


def test_a_folder_that_vanishes_is_said_and_comes_back(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "word = 1\n"})
    search = opened(workspace, settings=SearchSettings(reconcile_seconds=0.5)).ready()
    workspace.rename(workspace.with_name("away"))
    eventually(lambda: "gone" in (search.search.status().refusal or ""), "a refusal")
    answer = search.ask("word")
    assert answer.hits == ()
    assert NoticeKind.INDEXER_FAILED in {notice.kind for notice in answer.notices}
    workspace.with_name("away").rename(workspace)
    search.finds("word", "a.py")
    eventually(lambda: search.search.status().refusal is None, "an end of it")
    assert search.search.status().state is IndexState.READY


def test_what_an_indexer_could_not_do_is_not_held_against_the_next_one(workspace: Path, opened: Open) -> None:
    write(workspace, {"a.py": "def first():\n    pass\n"})
    search = opened(workspace).ready().search
    search._indexing._heard(Event.REFUSAL, {"message": "the index was removed; it is made again"})
    assert search.status().refusal is not None
    former = search.indexer_pid
    assert former is not None
    psutil.Process(former).kill()
    eventually(lambda: search.indexer_pid not in (None, former))
    eventually(lambda: search.status().refusal is None, f"no refusal ({search.status().refusal})")
