"""Terminals that write beside the servers of `bench.durability`, each command killed at a random moment or not."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import field, frozen, mutable

#: Memories that one terminal keeps alive at most.
_MOST = 25
#: This share of the commands is killed, at a random moment up to a little longer than one takes (one second, where
#: nothing else runs).
_KILLED = 0.5
_USUAL = 1.0
_LATEST = 1.2
_DEADLINE = 120.0


@frozen
class Note:
    """What a note is known to be: where it is, whether it is deleted."""

    text: str
    scope: str
    deleted: bool = False


@mutable
class Terminal:
    """One terminal: a command after another, and what they have acknowledged.

    :ivar told: is called with each write that was acknowledged, and with what was lost.
    """

    name: str
    home: Path
    project: Path
    chance: random.Random
    acknowledged: Callable[[str], None]
    lose: Callable[[str], None]
    killed: Callable[[], None]
    _known: dict[str, Note] = field(factory=dict)
    _count: int = 0
    _usual: float = _USUAL

    def step(self) -> None:
        """Write once, killed or not; what a killed command left must be the one thing or the other."""
        living = [id for id, note in self._known.items() if not note.deleted]
        dead = [id for id, note in self._known.items() if note.deleted]
        kinds = {"remember": 4 * (len(living) < _MOST), "move": 2 * bool(living), "delete": bool(living)}
        kinds |= {"undo": bool(dead), "pin": bool(living)}
        (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
        if kind == "remember":
            self._remember()
            return
        id = self.chance.choice(dead if kind == "undo" else living)
        before = self._known[id]
        after = before
        if kind == "move":
            target = self.chance.choice([scope for scope in ("user", "private") if scope != before.scope])
            after = Note(before.text, target)
            reply = self._run("memories", "move", id, target)
        else:
            after = Note(before.text, before.scope, deleted=kind == "delete")
            reply = self._run("memories", kind, id)
        if reply is not None:
            self._known[id] = after
            self.acknowledged({"move": "moved", "pin": "pinned", "undo": "undone"}.get(kind, "deleted"))
            return
        there = self._look(id)
        if there not in (before, after):
            self.lose(f"{self.name}: {kind} of {before} left {there}")
        self._known[id] = there or before

    def check(self, found: dict[str, Any]) -> None:
        """Compare with what a server gives: memories by id."""
        for id, note in self._known.items():
            there = found.get(id)
            is_there = there is not None and _place(there) == note.scope and there["content"] == note.text
            if note.deleted == (there is not None) or (not note.deleted and not is_there):
                self.lose(f"{self.name}: acknowledged {note}, found {there!r:.200}")

    def _remember(self) -> None:
        self._count += 1
        text = f"Terminal {self.name} wrote note number {self._count}."
        reply = self._run("remember", text, "--scope", scope := self.chance.choice(("user", "project")), "--json")
        where = "user" if scope == "user" else "private"
        if reply is not None:
            self._known[json.loads(reply)["id"]] = Note(text, where)
            self.acknowledged("remembered")
            return
        listed = json.loads(self._run("memories", "--json", "--limit", "2000", kill=False) or "{}")
        for item in listed.get("items", ()):
            if item["title"] == text.rstrip("."):
                self._known[item["id"]] = Note(text, where)

    def _look(self, id: str) -> Note | None:
        shown = self._run("memories", "show", id, "--json", kill=False, may_fail=True)
        if not shown:
            return Note(self._known[id].text, self._known[id].scope, deleted=True)
        memory = json.loads(shown)
        return Note(memory["content"], _place(memory))

    def _run(self, *arguments: str, kill: bool = True, may_fail: bool = False) -> str | None:
        """What the command printed; None when it was killed before it ended, or failed."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("VADEMECUM_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "vademecum", *arguments],
            cwd=self.project,
            env=environment | {"VADEMECUM_HOME": str(self.home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        is_killed = kill and self.chance.random() < _KILLED
        began = time.monotonic()
        life = self.chance.uniform(0.3, _LATEST) * self._usual
        timer = threading.Timer(life, process.kill) if is_killed else None
        if timer is not None:
            timer.start()
        out, err = process.communicate(timeout=_DEADLINE)
        if timer is not None:
            timer.cancel()
        if not is_killed:
            self._usual = 0.7 * self._usual + 0.3 * (time.monotonic() - began)
        if process.returncode < 0:
            self.killed()
            return None
        if process.returncode != 0 and not may_fail:
            self.lose(f"{self.name}: {' '.join(arguments)[:80]} failed: {err[-300:]}")
        return out if process.returncode == 0 else None


def _place(memory: dict[str, Any]) -> str:
    return "user" if memory["scope"] == "user" else str(memory["place"])
