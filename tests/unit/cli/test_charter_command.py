"""The charter in a terminal: shown, edited, written after asking, and taken back."""

import stat
from pathlib import Path

import pytest

from unit.cli.conftest import Editor, Run


def test_a_charter_is_edited_shown_and_taken_back(call: Run, editor: Editor, home: Path) -> None:
    assert "charter edit" in call("charter").err
    editor("new = '# Shop\\n\\nMoney is counted in cents.\\n'")
    assert call("charter", "edit").out == "Written PROJECT.md (34 characters)\n"
    assert call("charter").out == "# Shop\n\nMoney is counted in cents.\n"
    editor("new = old.replace('cents', 'euros')")
    assert call("charter", "edit").code == 0
    assert "euros" in call("prompt").out
    assert len(call("charter", "history").out.splitlines()) == 1
    assert call("charter", "undo").code == 0
    assert "cents" in call("charter").out
    assert list((home / "state" / "edits").iterdir()) == []


def test_an_editor_that_changes_nothing_writes_nothing(call: Run, editor: Editor, home: Path) -> None:
    editor("")
    done = call("charter", "edit")
    assert (done.code, done.out) == (0, "")
    assert "nothing was changed" in done.err
    assert not list(home.rglob("PROJECT.md"))


def test_what_was_written_is_not_lost_when_it_is_refused(call: Run, editor: Editor, home: Path) -> None:
    editor("new = 'The key is ghp_0123456789abcdefghijABCDEFGHIJ456789'")
    done = call("charter", "edit")
    assert done.code == 1
    (draft,) = (home / "state" / "edits").rglob("PROJECT.md")
    assert str(draft) in done.err and "ghp_" not in done.err
    assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
    assert "ghp_" in draft.read_text()


def test_a_charter_that_changed_while_it_was_edited_is_not_overwritten(
    call: Run, editor: Editor, home: Path, repository: Path
) -> None:
    (repository / "new.md").write_text("First.\n")
    assert call("charter", "write", "new.md", "--yes").code == 0
    (charter,) = home.rglob("PROJECT.md")
    editor(f"new = 'Mine.'\npathlib.Path({str(charter)!r}).write_text('Of another one.\\n')")
    done = call("charter", "edit")
    assert done.code == 1
    assert "changed since" in done.err and "kept in" in done.err
    assert call("charter").out == "Of another one.\n"


def test_writing_asks_and_nobody_there_means_no(call: Run, repository: Path) -> None:
    (repository / "new.md").write_text("Text.\n")
    done = call("charter", "write", "new.md")
    assert done.code == 1 and "--yes" in done.err
    assert call("charter").out == ""
    assert call("charter", "write", "new.md", "--yes").code == 0
    assert call("charter").out == "Text.\n"


def test_the_users_own_charter_is_edited_by_the_user_alone(call: Run, editor: Editor, home: Path) -> None:
    editor("new = 'I am Ana.\\n'")
    assert call("charter", "edit", "--scope", "user").code == 0
    assert (home / "USER.md").read_text() == "I am Ana.\n"
    assert call("charter", "--scope", "user").out == "I am Ana.\n"
    done = call("charter", "write", str(home / "USER.md"), "--scope", "user", "--yes")
    assert done.code == 2
    assert "--scope" in done.err and "USER.md" in done.err


def test_an_editor_that_fails_changes_nothing(call: Run, editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    editor("sys.exit(3)")
    assert call("charter", "edit").code == 1
    monkeypatch.setenv("EDITOR", "/no/such/editor")
    done = call("charter", "edit")
    assert done.code == 1
    assert "EDITOR" in done.err


def test_charters_too_long_are_warned_about(call: Run, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "USER.md").write_text("# Me\n\n" + "word " * 6_000)
    for arguments in (("memories",), ("prompt",), ("charter",), ("doctor",)):
        done = call(*arguments)
        assert "24,000" in done.out + done.err, arguments
