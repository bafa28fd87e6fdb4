"""What may be shown of a tree, found out without the product: by git's own commands and by looking at the disk."""

import os
import re
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.hazards import FORBIDDEN, Tree
from wire.conftest import git

_CLOSED = re.compile(
    r"(^|/)(\.git|\.vademecum|node_modules|\.ssh|__pycache__)/|(^|/)(\.env|id_rsa|[^/]*\.pem|[^/]*\.key)$"
)
_SECRET = re.compile("AKIA[A-Z0-9]{16}")  # `hazards.SECRET`, perhaps with another digit by now
_MOST_BYTES = 1_048_576


class Oracle:
    """Judges answers about a tree at rest."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def faults(self, items: Sequence[Mapping[str, Any]], buffers: Mapping[Path, str]) -> list[str]:
        """What is wrong with the items of an answer, in words; `buffers` are the editor's unsaved texts."""
        found: list[str] = []
        unruly = self.ignored({item["path"] for item in items})
        for item in items:
            path = self._tree.root / item["path"]
            text = buffers.get(path)
            where = f"{item['path']}:{item['range']['start']['line'] + 1}"
            closed = self.closed(item["path"], text) or (item["path"] in unruly and "ignored")
            if closed:
                found.append(f"forbidden ({closed}): {where}")
                continue
            lines = _lines(path.read_bytes() if text is None else text.encode())
            start, end = item["range"]["start"]["line"], item["range"]["end"]["line"]
            there = [line if not _SECRET.search(line) else None for line in lines[start : end + 1]]
            shown = item["snippet"].split("\n")
            if len(there) != len(shown) or any(a is not None and a != b for a, b in zip(there, shown, strict=True)):
                found.append(f"not what stands there: {where}: {shown[:2]!r}, there {there[:2]!r}")
            if _SECRET.search(item["snippet"]) or FORBIDDEN in item["snippet"]:
                found.append(f"a secret is shown: {where}: {item['snippet'][:400]!r}")
            if item["uri"] != path.as_uri():
                found.append(f"another file's URI: {where}: {item['uri']}")
        return found

    def searchable(self, buffers: Mapping[Path, str]) -> dict[str, str]:
        """The word on the first line of every file that must be found, by path."""
        marks: dict[str, str] = {}
        for path in self._tree.files():
            name = path.relative_to(self._tree.root).as_posix()
            if self.closed(name, buffers.get(path)) is None:
                text = buffers.get(path) or path.read_text("utf-8")
                if mark := re.search(r"mark_\d+\b", text):
                    marks[name] = mark[0]
        unruly = self.ignored(marks.keys())
        return {name: mark for name, mark in marks.items() if name not in unruly}

    def ignored(self, paths: set[str] | Any) -> set[str]:
        """Those of the paths that git ignores, or `.vademecumignore` keeps out."""
        names = sorted(paths)
        if not names:
            return set()
        matched = set(_asked(self._tree.root, names)) - set(self._tracked(names))
        out: set[str] = set()
        for name in names:
            verdict = self._own(name)
            if verdict or (verdict is None and name in matched):
                out.add(name)
        return out

    def _own(self, name: str) -> bool | None:
        """Whether `.vademecumignore` keeps a file out (True) or forces it in (False)."""
        *folders, last = name.split("/")
        verdict: bool | None = None
        for part in folders:
            for pattern in self._tree.own_patterns:
                if pattern.removeprefix("!").removesuffix("/") == part:
                    verdict = not pattern.startswith("!")
        for pattern in self._tree.own_patterns:
            if pattern in (last, f"!{last}"):
                verdict = pattern == last
        return verdict

    def _tracked(self, names: Sequence[str]) -> list[str]:
        return git(self._tree.root, "--literal-pathspecs", "ls-files", "-z", "--cached", "--", *names).split("\0")

    def closed(self, name: str, text: str | None) -> str | None:
        """Why a file may not be read whatever the rules say."""
        if _CLOSED.search(name) or name.startswith(("/", "../")):
            return "by its name"
        path = self._tree.root
        for part in name.split("/"):
            path = path / part
            if path.is_symlink():
                return "behind a symlink"
        try:
            status = path.lstat()
        except OSError:
            return None if text is not None else "gone"
        if not stat.S_ISREG(status.st_mode):
            return "not a file"
        data = path.read_bytes() if text is None else text.encode()
        if status.st_size > _MOST_BYTES or len(data) > _MOST_BYTES:
            return "too large"
        return "binary" if b"\0" in data[:4096] else None


def _asked(root: Path, names: Sequence[str]) -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "-z", "--stdin", "--no-index"],
        input=b"\0".join(b"./" + os.fsencode(name) for name in names),
        capture_output=True,
        check=False,
    )
    return [os.fsdecode(name).removeprefix("./") for name in done.stdout.split(b"\0")]


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines[:-1] if text.endswith("\n") else lines
