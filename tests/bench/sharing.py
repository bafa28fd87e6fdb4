"""Two servers on one folder: edits through the one and the other in turn, killed at random; what is left on the disk.

In tests/, `python -m bench.sharing -h`. Each edit is awaited at the other server; an indexer or a whole server is
killed now and then. At the end no file of the index may be without an owner, the folder may not be more than twice the
size of a fresh index, and both must hold the same.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psutil
from attrs import define, field

from bench.fresh import differences, size
from vademecum.search.build import LEXICAL
from wire.client import Client, running
from wire.conftest import make_repository

_FILES = 40
_PATIENCE = 45.0


@define
class Figures:
    """What came out."""

    edits: int = 0
    kills: int = 0
    faults: list[str] = field(factory=list)
    waits: list[float] = field(factory=list)
    takeovers: list[float] = field(factory=list)
    orphans: list[str] = field(factory=list)
    bytes: int = 0
    fresh_bytes: int = 0
    differences: list[str] = field(factory=list)

    def lines(self) -> list[str]:
        """The figures as lines of text."""
        waits, takeovers = sorted(self.waits), sorted(self.takeovers)
        return [
            f"edits: {self.edits:,}, each seen by the other server; kills: {self.kills:,}",
            f"save to seen by the other: p50 {waits[len(waits) // 2]:.3f} s, p95 {waits[len(waits) * 95 // 100]:.3f} s",
            *([f"a new writer within: at most {takeovers[-1]:.1f} s"] if takeovers else []),
            f"never seen: {len(self.faults):,}",
            *self.faults[:10],
            f"files of nobody: {len(self.orphans):,}",
            f"size: {self.bytes:,} bytes, fresh {self.fresh_bytes:,} ({self.bytes / max(1, self.fresh_bytes):.2f} x)",
            f"rows that differ from a fresh index: {len(self.differences):,}",
            *self.differences[:10],
        ]


def orphans(cache: Path) -> list[str]:
    """Files of the full-text indexes in a cache that no `meta.json` names, and builds that nobody published."""
    found: list[str] = []
    for home in (folder for folder in (cache / "code").iterdir() if folder.is_dir()):
        build = json.loads((home / "state.json").read_bytes())["build"]
        found += [str(other) for other in home.glob("build-*") if other.name != build]
        folder = home / build / LEXICAL
        meta = json.loads((folder / "meta.json").read_bytes())
        owned = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
        for file in folder.iterdir():
            stem = file.name.split(".")[0]
            if not file.name.startswith(".") and file.name != "meta.json" and stem not in owned:
                found.append(str(file))
    return found


def alternate(top: Path, edits: int, kills: int, seed: int) -> Figures:
    """Make so many edits, and so many kills among them, in the new folder `top`."""
    figures = Figures()
    chance = random.Random(seed)
    root = make_repository(top / "shared")
    for number in range(_FILES):
        (root / f"f{number}.py").write_text(_text(number, 0))
    deaths = set(chance.sample(range(1, edits), kills))
    with ExitStack() as stack:
        clients = [stack.enter_context(running(top / "home")) for _ in range(2)]
        for client in clients:
            client.initialize(root)
        for client in clients:
            client.indexed()
        for edit in range(1, edits + 1):
            if edit in deaths:
                _kill(clients, chance, stack, top, root, figures)
            number = chance.randrange(_FILES)
            path = root / f"f{number}.py"
            path.write_text(_text(number, edit))
            editor, other = (clients[0], clients[1]) if edit % 2 else (clients[1], clients[0])
            editor.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
            _await(other, f"edit_{edit}_x", path.name, figures, killed=edit in deaths)
            figures.edits += 1
        for client in clients:
            client.indexed()
        figures.orphans = _settled(lambda: orphans(top / "home/cache"))
        (home,) = (folder for folder in (top / "home/cache/code").iterdir() if folder.is_dir())
        with running(top / "fresh") as fresh:
            fresh.initialize(root)
            fresh.indexed()
        figures.fresh_bytes = size(top / "fresh/cache/code")
        _settled(lambda: ["too large"] if size(home) > 2 * figures.fresh_bytes else [])
        figures.bytes = size(home)
        figures.differences = _settled(lambda: differences(top / "home/cache", top / "fresh/cache"))
    return figures


def _settled(look: Callable[[], list[str]]) -> list[str]:
    """What `look` finds once it finds nothing, or after a while."""
    end = time.monotonic() + 10
    while True:
        found = look()
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.1)


def _await(client: Client, word: str, name: str, figures: Figures, killed: bool) -> None:
    began = time.monotonic()
    while True:
        items = client.request("search/query", {"query": word})["items"]
        if any(item["path"] == name and not item.get("stale") and word in item["snippet"] for item in items):
            (figures.takeovers if killed else figures.waits).append(time.monotonic() - began)
            return
        if time.monotonic() - began > _PATIENCE:
            figures.faults.append(f"{word} in {name}")
            return
        time.sleep(0.01)


def _kill(
    clients: list[Client], chance: random.Random, stack: ExitStack, top: Path, root: Path, figures: Figures
) -> None:
    figures.kills += 1
    place = chance.randrange(2)
    if chance.random() < 0.5:
        for process in psutil.Process(clients[place].process.pid).children():
            process.kill()
    else:
        clients[place].kill()
        clients[place] = stack.enter_context(running(top / "home"))
        clients[place].initialize(root)


def _text(number: int, edit: int) -> str:
    body = "".join(f"    step_{line} = common_word_{line % 7} + {edit}\n" for line in range(30))
    return f"def edit_{edit}_x():\n    number = {number}\n{body}"


def main() -> int:
    """Read the command line and print the figures; exit code 1 when anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1_000, help="how many edits (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=10, help="how many kills among them (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vademecum-sharing-") as folder:
        figures = alternate(Path(folder).resolve(), options.edits, options.kills, options.seed)
    sys.stdout.write("\n".join(figures.lines()) + "\n")
    bad = figures.faults or figures.orphans or figures.differences or figures.bytes > 2 * figures.fresh_bytes
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
