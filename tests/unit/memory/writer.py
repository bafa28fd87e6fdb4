"""A process that writes memories and says on its standard output which were acknowledged: for test_processes.py."""

import sys
from pathlib import Path

from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.service import Memories
from vademecum.memory.settings import Format, MemorySettings
from vademecum.memory.types import MemoryChange


def main(top: str, name: str, count: str, form: str) -> None:
    """Write `count` notes of this name; every third is then updated, every fifth deleted."""
    places = Places(Path(top, "home"), Path(top, "state"))
    memories = Memories(places, [ProjectMemory(Path(top, "project"))], MemorySettings(format=Format(form)))
    for number in range(int(count)):
        memory = memories.remember(f"Note {number} of writer {name}").memory
        say("kept", memory.id)
        if number % 3 == 0:
            memories.update(memory.id, MemoryChange(content=f"Note {number} of writer {name}, updated"))
            say("updated", memory.id)
        if number % 5 == 4:
            memories.delete(memory.id)
            say("deleted", memory.id)


def say(what: str, id: str) -> None:
    """Acknowledge, so that the reader has the line at once."""
    sys.stdout.write(f"{what} {id}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
