"""Ten thousand random edits under the eyes of sessions. In tests/, `python -m bench.evidence.edits -h`.

Things happen to a repository as in `bench.truth`: edits that keep size and time, moves, renames, reverts, branches,
ignore rules, unsaved texts. After each, lines are cited or found under one of a few sessions, references minted at any
time before are judged, and everything that is told is held against the files by a caller of its own.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from bench.evidence.conversation import Conversation, Lines, apart, lines_of, stands
from bench.hazards import Tree
from bench.oracle import Oracle
from wire.client import Client, RequestError, running

_SESSIONS = 4
#: Chances, a step: that a document is opened, typed in or closed; that a search is asked for; that references are
#: judged, of which git makes much work where files are gone.
_BUFFER, _SEARCH, _VERIFY = 0.12, 0.05, 0.12
#: A session ends, and another begins, every so many steps.
_LIFE = 150
_AGAIN = 0.7
_REFERENCES = 400

_HOLDS = ("valid", "relocated")


@define
class Figures:
    """What came out."""

    steps: Counter[str] = field(factory=Counter)
    verdicts: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)
    """Lines called valid or relocated that are not there, and lines called gone that are."""
    different: int = 0
    conversations: list[Conversation] = field(factory=list)

    def total(self, name: str) -> int:
        """A count of all conversations."""
        return sum(getattr(each.tally, name) for each in self.conversations)

    @property
    def faults(self) -> list[str]:
        """Everything that is wrong, in words."""
        return [*self.wrong, *(fault for each in self.conversations for fault in each.tally.faults)]

    def lines(self) -> list[str]:
        """The figures as lines of text."""
        happened = ", ".join(f"{count:,} {what}" for what, count in self.steps.most_common())
        verdicts = ", ".join(f"{count:,} {what}" for what, count in self.verdicts.most_common())
        return [
            f"steps: {self.steps.total():,} ({happened})",
            f"snippets: {self.total('given'):,} given, {self.total('withheld'):,} withheld,"
            f" {self.total('stale'):,} of those stale; answers that differ once put back: {self.different:,}",
            f"changes: {self.total('right'):,} told rightly, {self.total('wrong'):,} wrongly,"
            f" {self.total('missed'):,} not told",
            f"verdicts: {self.verdicts.total():,} ({verdicts}), {len(self.wrong):,} of them wrong",
            *self.faults[:20],
        ]


class Walk:
    """A repository, a server that has it open, and those who ask."""

    def __init__(self, client: Client, tree: Tree, chance: random.Random) -> None:
        self._client, self._tree, self._chance = client, tree, chance
        self._oracle = Oracle(tree)
        self._texts: dict[Path, str] = {}
        self._version = 0
        self._sessions = 0
        self._talking: list[tuple[str, Conversation]] = []
        self._minted: dict[str, Lines] = {}
        self._named: set[str] = set()
        self._ignored: set[str] | None = None
        self.figures = Figures()

    def step(self, number: int) -> None:
        """Let something happen, then ask."""
        self.figures.steps[self._type() if self._chance.random() < _BUFFER else self._tree.step()] += 1
        self._ignored = None
        if number % (_LIFE // _SESSIONS) == 0:
            self._sessions += 1
            self.figures.conversations.append(Conversation(self._lines))
            self._talking = [*self._talking, (f"s{self._sessions}", self.figures.conversations[-1])][-_SESSIONS:]
        session, conversation = self._chance.choice(self._talking)
        if self._chance.random() < _SEARCH:
            self._search(session, conversation)
        else:
            self._cite(session, conversation)
        if self._chance.random() < _VERIFY:
            self._verify()

    def _type(self) -> str:
        files = self._tree.files()
        if not files or (self._texts and self._chance.random() < 0.5):
            for path in [*self._texts][:1]:
                del self._texts[path]
                self._client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
            return "closed"
        path = self._chance.choice(files)
        text = self._tree.text()
        self._version += 1
        document = {"uri": path.as_uri(), "version": self._version}
        if path in self._texts:
            change = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._client.notify("textDocument/didChange", change)
        else:
            opened = {**document, "languageId": "plaintext", "text": text}
            self._client.notify("textDocument/didOpen", {"textDocument": opened})
        self._texts[path] = text
        return "typed"

    def _search(self, session: str, conversation: Conversation) -> None:
        query = self._chance.choice(("common value", "helper one two", "moved", f"value_{self._chance.randrange(40)}"))
        params = {"query": query, "mode": "lexical", "limit": self._chance.choice((3, 10, 50))}
        answer = self._client.request("search/query", {**params, "session": session})
        plain = self._client.request("search/query", params)
        if plain["index"] != answer["index"]:
            # The index went on between the two: what they are made of differs, so they are not compared.
            conversation.take(answer, answer["items"])
            return
        items = [dict(item) for item in answer["items"]]
        put_back = conversation.take(answer, items)
        for item in items:
            if item["snippet"] is None:
                item["snippet"] = put_back.get(item["reference"])
        mine = [(item["reference"], item["snippet"]) for item in items]
        self.figures.different += mine != [(item["reference"], item["snippet"]) for item in plain["items"]]

    def _cite(self, session: str, conversation: Conversation) -> None:
        files = self._tree.files()
        if not files:
            return
        path = self._chance.choice(files)
        name = path.relative_to(self._tree.root).as_posix()
        there = self._lines(name)
        if not there:
            return
        # Often the lines that somebody was given before, wherever those are by now.
        again = [one for one in self._minted if one.startswith(f"{name}:")] if self._chance.random() < _AGAIN else []
        start = self._chance.randint(1, len(there))
        end = min(len(there), start + self._chance.choice((0, 0, 2, 9)))
        if again:
            (_, _, count), start = apart(self._chance.choice(again))
            end = min(len(there), start + count - 1)
            start = min(start, end)
        span = {"start": {"line": start - 1, "character": 0}, "end": {"line": end, "character": 0}}
        params = {"uri": path.as_uri(), "range": span}
        try:
            answer = self._client.request("evidence/cite", {**params, "session": session})
        except RequestError as error:
            self.figures.wrong.append(f"cannot cite {path}:{start}-{end}: {error}")
            return
        put_back = conversation.take(answer, [answer])
        plain = self._client.request("evidence/cite", params)
        snippet = put_back.get(answer["reference"], answer["snippet"])
        self.figures.different += (answer["reference"], snippet) != (plain["reference"], plain["snippet"])
        self._minted[answer["reference"]] = there[start - 1 : end]
        while len(self._minted) > _REFERENCES:
            del self._minted[self._chance.choice([*self._minted])]

    def _verify(self) -> None:
        asked = self._chance.sample([*self._minted], min(8, len(self._minted)))
        for item in self._client.request("evidence/verify", {"references": asked})["items"]:
            self.figures.verdicts[item["verdict"]] += 1
            if why := self._judged(item):
                self.figures.wrong.append(f"{why}: {item}")

    def _judged(self, item: Mapping[str, Any]) -> str | None:
        """Why a verdict is wrong; None when it is right."""
        key, start = apart(item["reference"])
        wanted = self._minted[item["reference"]]
        there = self._lines(key[0])
        if item["verdict"] == "valid":
            right = there is not None and there[start - 1 : start - 1 + key[2]] == wanted
            return None if right else "called valid, and other lines stand there"
        if item["verdict"] == "relocated":
            place = apart(item["relocatedTo"])[1]
            right = there is not None and there[place - 1 : place - 1 + key[2]] == wanted
            return None if right else "called relocated, and not there"
        return "called gone, and there" if stands(there, wanted, start) else None

    def _lines(self, path: str) -> Lines | None:
        """The lines of a file, in the editor or on the disk; None when it may not be read."""
        absolute = self._tree.root / path
        text = self._text(path)
        if self._oracle.closed(path, text) is not None or path in self._out(path):
            return None
        try:
            return lines_of(absolute.read_bytes() if text is None else text.encode())
        except OSError:
            return None

    def _text(self, path: str) -> str | None:
        return self._texts.get(self._tree.root / path)

    def _out(self, path: str) -> set[str]:
        """What the rules keep out of all that was ever asked about; git is asked once a step."""
        if self._ignored is None or path not in self._named:
            self._named.add(path)
            # Of a path behind a symlink git says nothing, and nothing of those after it either.
            names = [name for name in self._named if self._oracle.closed(name, self._text(name)) is None]
            self._ignored = self._oracle.ignored(set(names))
        return self._ignored


def walk(steps: int, seed: int, folder: Path) -> Figures:
    """Go `steps` steps in a new repository in `folder`."""
    chance = random.Random(seed)
    tree = Tree(folder / "project", folder / "outside", chance)
    with running(folder / "home", env={"VADEMECUM_SEARCH_MODEL": "none"}) as client:
        client.initialize(tree.root)
        client.indexed()
        walking = Walk(client, tree, chance)
        began = time.monotonic()
        for number in range(steps):
            walking.step(number)
            if number % 200 == 199:
                sys.stderr.write(f"\r{number + 1:,} steps, {time.monotonic() - began:.0f} s ")
        sys.stderr.write("\n")
    return walking.figures


def main() -> None:
    """Walk, and print what came of it; exits with 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = walk(options.steps, options.seed, Path(folder))
    sys.stdout.write("\n".join(figures.lines()) + "\n")
    sys.exit(1 if figures.faults or figures.different else 0)


if __name__ == "__main__":
    main()
