"""Writers that are killed at any moment lose nothing that they acknowledged, and leave nothing torn or locked."""

import random
import subprocess
import sys
import threading
from pathlib import Path

from unit.knowledge.conftest import Open
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.types import DocumentStatus

WRITER = Path(__file__).with_name("writer.py")


def run_and_kill(folder: Path, name: str, lines: int) -> list[list[str]]:
    """Let a writer acknowledge so many things, kill it in the middle of the next; what it has acknowledged."""
    with subprocess.Popen(
        [sys.executable, str(WRITER), str(folder), name], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline().split() for _ in range(lines)]
        threading.Event().wait(random.Random(name).random() / 100)
        writer.kill()
        told += [line.split() for line in writer.stdout.read().splitlines() if line.count(" ") == 2]
    return [each for each in told if each]


def test_killed_writers_lose_nothing_acknowledged(open_knowledge: Open, places: Places) -> None:
    last: dict[str, tuple[str, str]] = {}
    # To these more may have happened than was acknowledged, in this round or in an earlier one.
    cut_short: set[str] = set()
    for round_ in range(6):
        told = run_and_kill(places.home.parent, f"r{round_}", 11 + 2 * round_)
        assert len(told) >= 11
        for what, id, revision in told:
            last[id] = (what, revision)
        cut_short.add(told[-1][1])
        knowledge = open_knowledge()
        documents = {document.id: document for document in knowledge.list(limit=2_000).items}
        for id, (what, revision) in last.items():
            if what == "removed":
                assert id not in documents
            elif what != "removing":  # else it may be there or gone
                document = documents[id]
                if what == "published" and document.revision == revision:
                    assert document.status is DocumentStatus.READY
                assert document.revision == revision or id in cut_short
        knowledge.attach(sorted(documents))
        for hit in knowledge.search(f"r{round_}", limit=50).items:
            assert knowledge.read_section(hit.id, hit.anchor).text
    assert open_knowledge().import_text("# After\n", "After").id, "no lock is left"
    # A temporary file of the last writer is swept by the import above.
    assert not [path for path in (places.home / "knowledge").rglob(".*") if path.name != ".vademecum.lock"]
