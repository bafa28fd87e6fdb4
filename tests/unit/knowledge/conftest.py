"""Homes and documents for the tests: real files and a real index, all in a temporary folder."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vademecum.files.gate import Gate
from vademecum.files.settings import FileSettings
from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.settings import KnowledgeSettings
from vademecum.knowledge.types import Document

Open = Callable[..., Knowledge]

GUIDE = """# Widgets

About all widgets.

## Painting

Use a brush with soft hair.

## Storing

Keep them dry, and never in the sun.

### Shelves

Shelves of oak carry most.
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A home, a state directory, a cache."""
    (tmp_path / "user").mkdir()
    return Places(tmp_path / "home", tmp_path / "state", tmp_path / "cache", tmp_path / "user")


@pytest.fixture
def open_knowledge(places: Places) -> Iterator[Open]:
    """Opens the knowledge base, as a server does; each call is another server on the same folders."""
    opened = []

    def open_it(*folders: Path, shared: Path | None = None, **arguments: Any) -> Knowledge:
        settings = FileSettings(own_folders=(places.home, places.state, places.cache))
        gates = [Gate(folder, settings) for folder in folders]
        knowledge = Knowledge(
            arguments.pop("places", places),
            KnowledgeSettings(shared=str(shared) if shared else ""),
            lambda: gates,
            lambda: settings,
            **arguments,
        )
        opened.append(knowledge)
        return knowledge

    yield open_it
    for knowledge in opened:
        knowledge.close()


@pytest.fixture
def knowledge(open_knowledge: Open) -> Knowledge:
    """The knowledge base with no folder open."""
    return open_knowledge()


def served(knowledge: Knowledge, text: str = GUIDE, title: str = "Widgets", task: str = "default") -> Document:
    """Import a text, publish it and attach it."""
    document = knowledge.import_text(text, title)
    knowledge.publish(document.id)
    knowledge.attach([document.id], task)
    return document


def write(folder: Path, **files: str) -> Path:
    """Write files; `__` in a name stands for `/`, and each ends with `.md` unless it says otherwise."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def everything(*folders: Path) -> bytes:
    """All bytes of all files below some folders."""
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return b"\n".join(path.name.encode() + b"\n" + path.read_bytes() for path in files)
