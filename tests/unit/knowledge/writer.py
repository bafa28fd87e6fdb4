"""A process that imports, publishes and removes documents, and says what is done: for test_kills.py."""

import itertools
import sys
from pathlib import Path

from vademecum.knowledge.holdings import Places
from vademecum.knowledge.service import Knowledge


def say(*words: str) -> None:
    """Acknowledge, so that the reader has the line at once."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main(folder: Path, name: str) -> None:
    """Write until killed."""
    knowledge = Knowledge(Places(folder / "home", folder / "state", folder / "cache", folder))
    for number in itertools.count():
        word = f"{name}x{number}"
        document = knowledge.import_text(f"# {word}\n\nold{word}\n", word)
        say("imported", document.id, document.revision)
        knowledge.publish(document.id)
        say("published", document.id, document.revision)
        newer = knowledge.import_text(f"# {word}\n\nnew{word}\n", id=document.id)
        say("imported", document.id, newer.revision)
        knowledge.publish(document.id)
        say("published", document.id, newer.revision)
        if number % 3 == 0:
            say("removing", document.id, newer.revision)
            knowledge.remove(document.id)
            say("removed", document.id, newer.revision)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
