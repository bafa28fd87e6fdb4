"""Nothing acknowledged is lost: real servers, killed at random moments while they write, and what they said checked.

In tests/, `python -m bench.durability -h`. Two servers write into one home at once: notes are added, changed, moved
between scopes, deleted, restored and purged, in both forms of file. Each is killed (SIGKILL) at a random moment, its
indexer too or before it; then a new server must know everything that the dead one had acknowledged. What was under way
when it died may have happened or not, but never by half. Two terminals write beside them, half of their commands
killed. In the end no file is torn, and each `MEMORY.md` lists the memories of its folder and no other.
"""

import argparse
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psutil
from attrs import evolve, field, frozen, mutable

from bench.durability_terminal import Terminal
from wire.client import Client, RequestError, ServerGone
from wire.conftest import make_repository

# Memories that one writer keeps alive at most: few enough that each check can look at all of them.
_MOST = 60
# A server is killed at most this long after it has started to write, in seconds, at random.
_LIFE = 0.4
# Every so many starts the server indexes too, so that there is an indexer to kill.
_INDEXED = 8
_Reply = dict[str, Any]


@frozen
class Known:
    """What one memory is known to be. `content` is None when it is deleted; `before` is what it said before that."""

    content: str | None
    scope: str
    before: str | None = None


@mutable
class Figures:
    """What came out."""

    kills: int = 0
    indexers: int = 0
    commands: int = 0
    tables: int = 0
    acknowledged: Counter[str] = field(factory=Counter)
    under_way: int = 0
    lost: list[str] = field(factory=list)

    def count_command(self) -> None:
        """Another command of a terminal was killed."""
        self.commands += 1

    def lines(self) -> list[str]:
        """The figures as lines of text."""
        writes = ", ".join(f"{count:,} {what}" for what, count in sorted(self.acknowledged.items()))
        return [
            f"kills: {self.kills:,} servers, {self.indexers:,} indexers, {self.commands:,} commands in a terminal",
            f"acknowledged: {self.acknowledged.total():,} writes ({writes})",
            f"killed in the middle of a write: {self.under_way:,}",
            f"tables of contents compared with their folders: {self.tables:,}",
            f"lost or torn: {len(self.lost):,}",
            *self.lost[:20],
        ]


class Writer:
    """One server after another, each killed, and what they have acknowledged."""

    def __init__(
        self, name: str, top: Path, project: Path, chance: random.Random, figures: Figures, life: float
    ) -> None:
        self._life = life
        self._name = name
        self._home = top / "home"
        self._project = project
        self._chance = chance
        self._figures = figures
        self._known: dict[str, Known] = {}
        self._after: Mapping[str, Known | None] = {}
        self._new: Known | None = None
        self._starts = 0
        self._count = 0

    def live_and_die(self) -> None:
        """Start a server, check all that is known, write until it is killed at a random moment."""
        client = self._start()
        try:
            self._check(client)
            self._settle()
            timer = threading.Timer(self._chance.uniform(0.0, self._life), self._kill, (client,))
            timer.start()
            with suppress(ServerGone, OSError):
                while True:
                    self._write(client)
        finally:
            client.kill()
            client.stderr_path.unlink()
            self._figures.kills += 1
            self._figures.under_way += bool(self._after or self._new)

    def check_finally(self) -> None:
        """Check once more what is known."""
        client = self._start()
        try:
            self._check(client)
            self._settle()
            for problem in client.request("memory/status")["unreadable"]:
                self._lose(f"unreadable: {problem}")
        finally:
            client.kill()

    def _start(self) -> Client:
        self._starts += 1
        indexes = self._starts % _INDEXED == 0
        environment = {
            "VADEMECUM_SEARCH_ENABLED": "on" if indexes else "off",
            "VADEMECUM_MEMORY_FORMAT": self._chance.choice(("markdown", "markdown", "json")),
        }
        client = Client(self._home, env=environment)
        client.initialize(self._project)
        return client

    def _kill(self, client: Client) -> None:
        for child in psutil.Process(client.process.pid).children(recursive=True):
            if self._chance.random() < 0.5:
                with suppress(psutil.Error):
                    child.kill()
                    self._figures.indexers += 1
        client.process.kill()

    # Writing --------------------------------------------------------------------------------------------------------

    def _write(self, client: Client) -> None:
        living = [id for id, known in self._known.items() if known.content is not None]
        dead = [id for id, known in self._known.items() if known.content is None]
        kinds = {"add": 4, "update": 4 * bool(living), "move": 2 * bool(living), "delete": 2 * bool(living)}
        kinds |= {"restore": bool(dead), "purge": len(dead) > 5}
        if len(living) >= _MOST:
            kinds["add"] = 0
        (kind,) = self._chance.choices(list(kinds), list(kinds.values()))
        if kind == "add":
            self._add(client)
            return
        id = self._chance.choice(dead if kind in ("restore", "purge") else living)
        known = self._known[id]
        match kind:
            case "update":
                after = evolve(known, content=self._text(), before=known.content)
                self._change(client, kind, id, after, "memory/update", content=after.content)
            case "move":
                after = evolve(known, scope="user" if known.scope == "project" else "project")
                self._change(client, kind, id, after, "memory/update", scope=after.scope)
            case "delete":
                self._change(client, kind, id, evolve(known, content=None, before=known.content), "memory/delete")
            case "restore":
                self._change(client, kind, id, evolve(known, content=known.before, before=None), "memory/restore")
            case _:
                self._change(client, kind, id, None, "memory/purge")

    def _add(self, client: Client) -> None:
        self._new = Known(self._text(), self._chance.choice(("user", "project")))
        reply = client.request(
            "memory/add",
            {"title": "Of the test", "content": self._new.content, "category": "Knowledge", "scope": self._new.scope},
        )
        self._known[reply["id"]] = self._new
        self._new = None
        self._figures.acknowledged["added"] += 1

    def _change(self, client: Client, kind: str, id: str, after: Known | None, method: str, **params: object) -> None:
        self._after = {id: after}
        try:
            client.request(method, {"id": id, **params})
        except RequestError as error:
            self._lose(f"{method} of an acknowledged memory failed: {error}")
            del self._known[id]
        else:
            self._take(id, after)
            self._figures.acknowledged[{"move": "moved"}.get(kind, f"{kind}d".replace("eed", "ed"))] += 1
        self._after = {}

    def _take(self, id: str, known: Known | None) -> None:
        if known is None:
            del self._known[id]
        else:
            self._known[id] = known

    def _text(self) -> str:
        self._count += 1
        lines = self._chance.choice((1, 1, 3, 400))
        return "\n".join(f"Writer {self._name}, text {self._count}, line {line} of {lines}." for line in range(lines))

    # Checking -------------------------------------------------------------------------------------------------------

    def _check(self, client: Client) -> None:
        items = client.request("memory/search", {"limit": 200})["items"]
        found = {item["memory"]["id"]: item["memory"] for item in items}
        for id, known in list(self._known.items()):
            if id in self._after:
                self._settle_one(client, id, known, self._after[id], found.get(id))
            elif not _fits(known, found.get(id)):
                self._lose(f"acknowledged {known!r:.200}, found {found.get(id)!r:.200}")
                del self._known[id]
        self._adopt(found)
        self._look_back(client)

    def _settle_one(self, client: Client, id: str, before: Known, after: Known | None, there: _Reply | None) -> None:
        if after is not None and _fits(after, there):
            self._known[id] = after
        elif after is None and there is None:  # purged, or still restorable: purge once more
            with suppress(RequestError):
                client.request("memory/purge", {"id": id})
            del self._known[id]
        elif not _fits(before, there):
            self._lose(f"half of a write: {before!r:.200} became {after!r:.200}, found {there!r:.200}")
            del self._known[id]

    def _adopt(self, found: Mapping[str, _Reply]) -> None:
        """A memory whose adding was under way may be there, but then as a whole."""
        if self._new is None:
            return
        for id, there in found.items():
            if id not in self._known and _fits(self._new, there):
                self._known[id] = self._new

    def _settle(self) -> None:
        self._after, self._new = {}, None

    def _look_back(self, client: Client) -> None:
        """What was replaced or deleted is in the history; one memory at each check."""
        changed = [id for id, known in self._known.items() if known.before is not None]
        if not changed:
            return
        id = self._chance.choice(changed)
        items = client.request("memory/history", {"id": id})["items"]
        if self._known[id].before not in [item["content"] for item in items]:
            self._lose(f"the version before is gone: {self._known[id]!r:.200}")

    def _lose(self, what: str) -> None:
        self._figures.lost.append(f"{self._name}: {what}")


def _fits(known: Known, there: _Reply | None) -> bool:
    if known.content is None or there is None:
        return known.content is None and there is None
    return bool(there["content"] == known.content and there["scope"] == known.scope)


def run(kills: int, seed: int, top: Path, writes: int = 0, life: float = _LIFE) -> Figures:
    """Kill servers `kills` times, in the new folder `top`, and return what came out.

    :param writes: go on until so many writes were acknowledged, too.
    :param life: a server writes at most so long, in seconds; longer on a machine that is busy with other things.
    """
    figures = Figures()
    project = make_repository(top / "project")
    chance = random.Random(seed)
    writers = [Writer(name, top, project, random.Random(chance.random()), figures, life) for name in ("one", "two")]
    terminals = [
        Terminal(
            name,
            top / "home",
            project,
            random.Random(chance.random()),
            acknowledged=lambda what: figures.acknowledged.update({f"{what} in a terminal": 1}),
            lose=figures.lost.append,
            killed=figures.count_command,
        )
        for name in ("three", "four")
    ]
    failures: list[BaseException] = []

    def keep_going(step: Callable[[], None]) -> None:
        try:
            while (figures.kills < kills or figures.acknowledged.total() < writes) and not failures:
                step()
        except BaseException as error:
            failures.append(error)

    steps = [*(writer.live_and_die for writer in writers), *(terminal.step for terminal in terminals)]
    threads = [threading.Thread(target=keep_going, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    for writer in writers:
        writer.check_finally()
    _write_everywhere(top / "home", project)
    _compare(top / "home", project, terminals, figures)
    figures.lost += [f"left behind: {path.name}" for path in top.rglob(".vademecum-*.tmp")]
    return figures


def _write_everywhere(home: Path, project: Path) -> None:
    """Write once into every store: what a killed writer leaves of a text goes with the next write there."""
    for form in ("markdown", "json"):
        client = Client(home, env={"VADEMECUM_SEARCH_ENABLED": "off", "VADEMECUM_MEMORY_FORMAT": form})
        client.initialize(project)
        for scope in ("user", "project"):
            said = {
                "title": "The last one",
                "content": f"The last {form} memory of the {scope}.",
                "category": "Knowledge",
            }
            client.request("memory/add", {**said, "scope": scope})
        client.kill()


def _compare(home: Path, project: Path, terminals: list[Terminal], figures: Figures) -> None:
    """Hold a new server's answers against what the terminals know, and the tables of contents against the files."""
    client = Client(home, env={"VADEMECUM_SEARCH_ENABLED": "off"})
    client.initialize(project)
    found = {item["memory"]["id"]: item["memory"] for item in client.request("memory/search", {"limit": 200})["items"]}
    client.kill()
    for terminal in terminals:
        terminal.check(found)
    for folder in [path for path in home.rglob("memory") if path.is_dir()]:
        names = {path.name for path in folder.glob("*.md") if path.name != "MEMORY.md"}
        table = folder / "MEMORY.md"
        text = table.read_text("utf-8") if table.exists() else ""
        listed = Counter(unquote(name) for name in re.findall(r"^- \[.*\]\(([^()]*\.md)\)", text, re.MULTILINE))
        figures.tables += 1
        if set(listed) != names or any(count > 1 for count in listed.values()):
            figures.lost.append(f"MEMORY.md of {folder.name}: {sorted(set(listed) ^ names)[:5]}")
        if text and not (text.startswith("<!-- vademecum:generated") and text.endswith("\n")):
            figures.lost.append(f"MEMORY.md is torn: {text[-80:]!r}")
        for name in names:
            if not re.fullmatch(rb"---\n.*\n---\n.+\n", (folder / name).read_bytes(), re.DOTALL):
                figures.lost.append(f"torn: {name}")


def main() -> int:
    """Read the command line and print the figures; exit code 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000, help="how many servers are killed (default: %(default)s)")
    parser.add_argument("--writes", type=int, default=0, help="go on until so many were acknowledged (default: none)")
    parser.add_argument("--life", type=float, default=_LIFE, help="seconds that a server writes at most")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins (default: %(default)s)")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vademecum-durability-") as folder:
        figures = run(options.kills, options.seed, Path(folder), options.writes, options.life)
    sys.stdout.write("\n".join([*figures.lines(), f"in {time.monotonic() - began:,.0f} s"]) + "\n")
    return 1 if figures.lost else 0


if __name__ == "__main__":
    sys.exit(main())
