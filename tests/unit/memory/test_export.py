"""Export in the forms of other systems, and the file that an export is written to."""

from pathlib import Path

import pytest

from unit.memory.conftest import Open
from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory.places import Places, ProjectMemory
from vademecum.memory.service import Memories
from vademecum.memory.settings import MemorySettings
from vademecum.memory.transfer import exporting
from vademecum.memory.transfer.gathering import from_text
from vademecum.memory.transfer.types import ExportFormat
from vademecum.memory.types import Category, NewMemory, Scope


def contents_of(memories: Memories) -> set[str]:
    return {found.memory.content for found in memories.search(limit=200).items}


@pytest.mark.parametrize("format", [ExportFormat.CODEBUDDY, ExportFormat.LIST])
def test_other_forms_hold_what_is_told_and_can_be_imported(
    open_memories: Open, project: Path, tmp_path: Path, format: ExportFormat
) -> None:
    old = open_memories(project)
    old.add(NewMemory("Rule", "Use pnpm\n\n```sh\npnpm i\n```\n- nested", Category.RULE, Scope.PROJECT))
    old.add(NewMemory("Fact", "The office is in Ghent", Category.KNOWLEDGE, Scope.USER))
    gone = old.add(NewMemory("Gone", "Not any more", Category.KNOWLEDGE, Scope.USER))
    old.add(NewMemory("New", "But this", Category.KNOWLEDGE, Scope.USER, supersedes=gone.memory.id))
    text = old.transfer.take_out(format)
    assert text.about.memories == 3 and text.about.bytes == len(text.text.encode())
    new = Memories(Places(tmp_path / "new", tmp_path / "state"), [ProjectMemory(project)], MemorySettings())
    done = new.transfer.bring_in(from_text(text.text, None))
    assert contents_of(new) == contents_of(old)
    assert done.format == format


def test_an_export_never_overwrites(tmp_path: Path) -> None:
    target = tmp_path / "backup.json"
    exporting.write(target, "text")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("text", 0o600)
    with pytest.raises(VademecumError) as there:
        exporting.write(target, "other")
    assert there.value.kind is ErrorKind.CONFLICT
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(VademecumError):
        exporting.write(tmp_path / "link", "other")
    with pytest.raises(VademecumError) as missing:
        exporting.write(tmp_path / "none" / "x", "other")
    assert missing.value.kind is ErrorKind.NOT_FOUND
    assert not (tmp_path / "elsewhere").exists()
