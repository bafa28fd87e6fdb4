"""An index that never lies: thousands of random changes to a repository, and every answer checked against the disk.

In tests/, `python -m bench.truth -h`. Two servers have the repository open, as two editors would. At each step
something happens to the files, to git, to the ignore rules, to an unsaved text, or to the processes (an indexer or a
server is killed or frozen); then one of the servers is asked, and every item of its answer is held against what stands
in the file, or in the editor's buffer, at that moment. At the end the index must be what a fresh one would be.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from typing import Any

import psutil
from attrs import define, field

from bench.fresh import differences
from bench.hazards import Tree
from bench.oracle import Oracle
from wire.client import Client, running

# Chances of what happens to processes and buffers, a step.
_BUFFER, _KILL_INDEXER, _FREEZE, _KILL_SERVER = 0.12, 0.004, 0.01, 0.002
# Every so many steps the servers are given the time to catch up, and must then find everything.
_CATCH_UP = 40
# Seconds within which an index that may work must have caught up; a killed indexer may wait for half a minute.
_PATIENCE = 60.0


@define
class Figures:
    """What came out."""

    steps: Counter[str] = field(factory=Counter)
    answers: int = 0
    items: int = 0
    stale: int = 0
    caught_up: list[float] = field(factory=list)
    faults: list[str] = field(factory=list)
    differences: list[str] = field(factory=list)

    def lines(self) -> list[str]:
        """The figures as lines of text."""
        happened = ", ".join(f"{count:,} {what}" for what, count in self.steps.most_common())
        return [
            f"steps: {self.steps.total():,} ({happened})",
            f"answers: {self.answers:,} with {self.items:,} items, {self.stale:,} of them marked stale",
            f"faults (stale given as fresh, forbidden, not verified): {len(self.faults):,}",
            *self.faults[:20],
            f"caught up: {len(self.caught_up):,} times{_spread(self.caught_up)}",
            f"rows that differ from a fresh index: {len(self.differences):,}",
            *self.differences[:20],
        ]


def _spread(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return ""
    cuts = quantiles(seconds, n=20)
    return f"; p50 {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s, at most {max(seconds):.2f} s"


class Server:
    """One of the servers, and what its editor shows."""

    def __init__(self, home: Path, root: Path) -> None:
        self._home, self._root = home, root
        self.buffers: dict[Path, str] = {}
        self._frozen: psutil.Process | None = None
        self._versions = 0
        self.client = self._start()

    def _start(self) -> Client:
        client = Client(self._home)
        client.initialize(self._root)
        return client

    def restart(self) -> None:
        """Kill it, and start another one in its place; its indexer ends by itself, so it must not be frozen."""
        self.thaw()
        self.client.kill()
        self.client.stderr_path.unlink()
        self.buffers.clear()
        self._frozen = None
        self.client = self._start()

    def indexer(self) -> psutil.Process | None:
        """Its indexer, when there is one."""
        with suppress(psutil.Error):
            return next(iter(psutil.Process(self.client.process.pid).children()), None)
        return None

    def kill_indexer(self) -> None:
        """The indexer ends in the middle of whatever it does."""
        if (process := self.indexer()) is not None:
            process.kill()

    def freeze(self) -> None:
        """The indexer stops where it is."""
        if self._frozen is None and (process := self.indexer()) is not None:
            os.kill(process.pid, signal.SIGSTOP)
            self._frozen = process

    def thaw(self) -> None:
        """A frozen indexer goes on."""
        if self._frozen is not None:
            with suppress(psutil.Error):
                self._frozen.send_signal(signal.SIGCONT)
            self._frozen = None

    def show(self, path: Path, text: str) -> None:
        """The editor opens a document, or changes an open one."""
        self._versions += 1
        document = {"uri": path.as_uri(), "version": self._versions}
        if path in self.buffers:
            changes = [{"text": text}]
            self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        else:
            self.client.notify(
                "textDocument/didOpen", {"textDocument": document | {"languageId": "python", "text": text}}
            )
        self.buffers[path] = text

    def hide(self, path: Path) -> None:
        """The editor closes a document without saving."""
        del self.buffers[path]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def save(self, path: Path) -> None:
        """The editor saves a document."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.buffers[path].encode())
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def close(self) -> None:
        """End it."""
        self.thaw()
        self.client.kill()


class Walk:
    """One walk by chance."""

    def __init__(self, top: Path, seed: int) -> None:
        self._top = top
        self._chance = random.Random(seed)
        self._tree = Tree(top / "project", top / "outside", random.Random(seed + 1))
        self._oracle = Oracle(self._tree)
        self.figures = Figures()
        self._servers = [Server(top / "home", self._tree.root) for _ in range(2)]

    def run(self, steps: int) -> None:
        """Take so many steps, then compare with a fresh index."""
        try:
            for number in range(1, steps + 1):
                what = self._step()
                self.figures.steps[what] += 1
                self._ask(self._chance.choice(self._servers), what)
                if number % _CATCH_UP == 0:
                    self._catch_up()
            self._finish()
        finally:
            for server in self._servers:
                server.close()

    def _step(self) -> str:
        server = self._chance.choice(self._servers)
        chance = self._chance.random()
        for share, what, happen in (
            (_BUFFER, "buffer", lambda: self._edit_unsaved(server)),
            (_KILL_INDEXER, "kill_indexer", server.kill_indexer),
            (_FREEZE, "freeze", server.freeze),
            (_KILL_SERVER, "kill_server", server.restart),
        ):
            if chance < share:
                happen()
                return what
            chance -= share
        return self._tree.step()

    def _edit_unsaved(self, server: Server) -> None:
        shown = list(server.buffers)
        if shown and self._chance.random() < 0.6:
            path = self._chance.choice(shown)
            act = self._chance.random()
            if act < 0.3:
                server.hide(path)
            elif act < 0.5:
                with suppress(OSError):
                    server.save(path)
            else:
                server.show(path, self._tree.text())
        elif files := self._tree.files():
            path = self._chance.choice(files)
            if path not in server.buffers and not path.is_symlink() and path.resolve() == path:
                server.show(path, self._tree.text())

    def _ask(self, server: Server, what: str) -> None:
        words = ["common", f"value_{self._chance.randrange(40)}", f"helper_{self._chance.randrange(20)}", "moved"]
        words += ["forbidden_text common", f"mark_{self._tree._count}"]
        query = {"query": self._chance.choice(words), "limit": self._chance.choice((5, 20, 50))}
        answer = server.client.request("search/query", query)
        items = answer["items"]
        self.figures.answers += 1
        self.figures.items += len(items)
        self.figures.stale += sum(item.get("stale") is True for item in items)
        faults = self._oracle.faults(items, server.buffers)
        if items:
            verified = server.client.request("evidence/verify", {"references": [item["reference"] for item in items]})
            faults += [f"not valid: {item}" for item in verified["items"] if item["verdict"] != "valid"]
        self.figures.faults += [f"after {what}: {fault}" for fault in faults]

    def _catch_up(self) -> None:
        """Everything that may be found must be found, within a while."""
        for server in self._servers:
            server.thaw()
        began = time.monotonic()
        for server in self._servers:
            others = {path for other in self._servers if other is not server for path in other.buffers}
            for path, mark in self._oracle.searchable(server.buffers).items():
                # Which of two editors' unsaved texts is indexed is the writer's; the other one's may not be found.
                if self._tree.root / path not in others and self._tree.root / path not in server.buffers:
                    self._found(server, path, mark, began)
        self.figures.caught_up.append(time.monotonic() - began)

    def _found(self, server: Server, path: str, mark: str, began: float) -> None:
        while True:
            items = server.client.request("search/query", {"query": mark, "paths": [_literal(path)]})["items"]
            if any(item["path"] == path and mark in item["snippet"] for item in items):
                return
            if time.monotonic() - began > _PATIENCE:
                self.figures.faults.append(f"never found: {mark} in {path}; {_state(server.client)}")
                return
            time.sleep(0.02)

    def _finish(self) -> None:
        """Close all documents, let everything come to rest, and compare with a fresh index."""
        for server in self._servers:
            server.thaw()
            for path in list(server.buffers):
                server.hide(path)
        self._catch_up()
        with running(self._top / "fresh") as fresh:
            fresh.initialize(self._tree.root)
            fresh.indexed()
        deadline = time.monotonic() + 1.5 * _PATIENCE  # what was skipped is compared once a minute
        while True:
            self.figures.differences = differences(self._top / "home/cache", self._top / "fresh/cache")
            if not self.figures.differences or time.monotonic() > deadline:
                return
            time.sleep(0.2)


def _literal(path: str) -> str:
    return "".join(f"[{character}]" if character in "*?[{!" else character for character in path)


def _state(client: Client) -> Any:
    status = client.request("search/status")
    return {name: status[name] for name in ("state", "pending", "writer", "generation")} | {
        "refusal": status.get("refusal")
    }


def walk(top: Path, steps: int, seed: int) -> Figures:
    """Take a walk of so many steps in the new folder `top`."""
    one = Walk(top, seed)
    one.run(steps)
    return one.figures


def main() -> int:
    """Read the command line and print the figures; exit code 1 when anything was untrue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="how many things happen (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins (default: %(default)s)")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vademecum-truth-") as folder:
        figures = walk(Path(folder).resolve(), options.steps, options.seed)
    sys.stdout.write("\n".join([*figures.lines(), f"in {time.monotonic() - began:,.0f} s"]) + "\n")
    return 1 if figures.faults or figures.differences else 0


if __name__ == "__main__":
    sys.exit(main())
