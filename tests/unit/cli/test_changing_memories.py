"""One memory changed in the terminal: edited, moved, pinned, reviewed, undone; and never lost on the way."""

from pathlib import Path

import pytest

from unit.cli.conftest import Editor, Run
from unit.cli.test_memory_commands import remember


def test_an_edit_changes_what_was_changed_and_nothing_else(call: Run, editor: Editor) -> None:
    id_ = remember(call, "Deploys go out on Tuesdays")
    before = call("memories", "show", id_, "--json").json
    editor(
        "new = old.replace('---\\nDeploys go out on Tuesdays\\n', '---\\nOn Thursdays: since May.\\n\\n- really\\n')"
        ".replace('category: Knowledge', 'category: Rule').replace('keywords:', 'keywords: [deploy, \"a: b\"]')"
    )
    done = call("memories", "edit", id_)
    assert (done.code, done.out) == (0, f"Updated {id_}: Deploys go out on Tuesdays\n")
    after = call("memories", "show", id_, "--json").json
    assert after["content"] == "On Thursdays: since May.\n\n- really"
    assert (after["category"], after["keywords"]) == ("Rule", ["deploy", "a: b"])
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {"content", "category", "keywords", "revision", "updated"}
    assert call("memories", "undo", id_).code == 0
    assert call("memories", "show", id_, "--json").json["content"] == "Deploys go out on Tuesdays"


def test_closing_the_editor_changes_nothing(call: Run, editor: Editor) -> None:
    id_ = remember(call, 'Deploys: on "Tuesdays", # really\n\n---\nor so')
    revision = call("memories", "show", id_, "--json").json["revision"]
    editor("")
    done = call("memories", "edit", id_)
    assert (done.code, done.out) == (0, "")
    assert "nothing was changed" in done.err
    assert call("memories", "show", id_, "--json").json["revision"] == revision


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("new = old.replace('title:', 'titel:')", "titel"),
        ("new = 'only text'", "---"),
        ("new = old.replace('category: Knowledge', 'category: Wisdom')", "--category"),
        ("new = old.replace('pinned: false', 'pinned: perhaps')", "pinned"),
        ("new = old + 'ghp_0123456789abcdefghijABCDEFGHIJ456789'", "secret"),
        ("new = old.replace('scope: project', 'scope: [')", "cannot be read"),
    ],
)
def test_an_edit_that_cannot_be_used_is_kept_and_changes_nothing(
    call: Run,
    editor: Editor,
    home: Path,
    body: str,
    told: str,
) -> None:
    id_ = remember(call, "Deploys go out on Tuesdays")
    before = call("memories", "show", id_, "--json").json
    editor(body)
    done = call("memories", "edit", id_)
    assert done.code in (1, 2)
    assert told in done.err and "ghp_" not in done.err
    (draft,) = (home / "state" / "edits").rglob(f"{id_}.md")
    assert f"kept in {draft}" in done.err
    assert call("memories", "show", id_, "--json").json == before


def test_a_memory_that_changed_while_it_was_edited_is_not_overwritten(
    call: Run,
    editor: Editor,
) -> None:
    id_ = remember(call, "Deploys go out on Tuesdays")
    path = Path(call("memories", "show", id_, "--json").json["uri"].removeprefix("file://"))
    editor(
        f"path_of = pathlib.Path({str(path)!r})\n"
        "path_of.write_text(path_of.read_text().replace('Tuesdays\\n', 'Fridays\\n'))\n"
        "new = old.replace('Tuesdays\\n', 'Mondays\\n')"
    )
    done = call("memories", "edit", id_)
    assert done.code == 1
    assert "changed since" in done.err and "kept in" in done.err
    assert "Fridays" in call("memories", "show", id_).out


def test_moves_pins_and_what_takes_them_back(call: Run, repository: Path) -> None:
    id_ = remember(call, "Deploys go out on Tuesdays")
    moved = call("memories", "move", id_, "shared")
    assert moved.code == 0 and str(repository) in moved.out
    assert call("memories", "move", id_, "user", "--json").json["scope"] == "user"
    assert call("memories", "undo", id_).out == f"Restored {id_} (project, shared): Deploys go out on Tuesdays\n"
    assert call("memories", "move", id_, "nowhere").code == 2
    assert call("memories", "pin", id_).code == 0
    assert "pinned" in call("memories", "list").out
    assert call("memories", "unpin", id_).code == 0
    assert "pinned" not in call("memories", "list").out
    assert call("memories", "list", "words").code == 2


def test_what_waits_is_accepted_or_rejected(call: Run) -> None:
    ids = [remember(call, "Demos are on Fridays"), remember(call, "Lunch is at noon sharp")]
    for id_ in ids:
        path = Path(call("memories", "show", id_, "--json").json["uri"].removeprefix("file://"))
        path.write_text(path.read_text().replace("category:", "status: pending\ncategory:", 1))
    assert call("memories").out.count("pending") == 2
    assert call("memories", "accept", ids[0]).out == f"Accepted {ids[0]}: Demos are on Fridays\n"
    assert call("memories", "reject", ids[1]).code == 0
    assert [line.split("\t")[0] for line in call("memories").out.splitlines()] == [ids[0]]
    assert call("memories", "accept", ids[0]).code == 1
    assert call("memories", "undo", ids[1]).code == 0


def test_a_deletion_is_undone(call: Run) -> None:
    id_ = remember(call, "Deploys go out on Tuesdays")
    assert f"undo {id_}" in call("memories", "delete", id_).out
    assert call("memories", "undo", id_).code == 0
    assert "Tuesdays" in call("memories").out
