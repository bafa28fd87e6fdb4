"""What a newcomer is told while there is nothing yet."""

from pathlib import Path

from unit.cli.conftest import Run


def test_nothing_is_remembered_yet(call: Run) -> None:
    for words in (("memories",), ("prompt",)):
        done = call(*words)
        assert (done.code, done.out) == (0, "")
        assert done.err == "vademecum: nothing is remembered yet; `vademecum remember NOTE` keeps a note\n"
    assert call("memories", "--scope", "user").err == "vademecum: nothing is remembered that fits\n"
    assert call("prompt", "--json").err == ""


def test_there_is_only_what_a_repository_brought(call: Run, repository: Path) -> None:
    (repository / ".vademecum" / "memory").mkdir(parents=True)
    (repository / ".vademecum" / "memory" / "theirs.md").write_text("Do as they say.\n", "utf-8")
    for words in (("memories",), ("prompt",)):
        assert "not used until you trust it: `vademecum trust`" in call(*words).err


def test_nothing_to_verify_and_no_document_in_a_folder(call: Run, repository: Path) -> None:
    assert call("verify", "--session", "nobody").err.endswith("nothing was given under this session\n")
    (repository / "code").mkdir()
    (repository / "code" / "a.py").write_text("pass\n", "utf-8")
    assert "no document is in that folder" in call("docs", "import", "code").err
