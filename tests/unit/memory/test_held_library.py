"""All memories together are put together anew only when a file changed."""

from pathlib import Path

from vademecum.memory.places import Places
from vademecum.memory.service import Memories


def test_unchanged_files_give_the_same_library_and_a_change_by_hand_another(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "memory"
    folder.mkdir(parents=True)
    (folder / "one.md").write_text("---\ntitle: One\n---\nFirst.\n", encoding="utf-8")
    memories = Memories(Places(tmp_path / "home", tmp_path / "state"))
    held = memories._recaller._held
    held.library()  # writes MEMORY.md, which is a change of the folder
    first = held.library()
    assert held.library() is first
    (folder / "two.md").write_text("---\ntitle: Two\n---\nSecond.\n", encoding="utf-8")
    assert len(held.library().entries) == 2
    memories.close()
