"""The view of memories in VS Code for real: added, changed, moved, deleted, reviewed, audited, carried along."""

import json
import shutil
from pathlib import Path

import pytest

from editors.test_vscode import Desk, configure, desk, machine, poll, workbench

try:
    from editors.vscode.tree import Tree
except ImportError:
    Tree = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

CAPTURED = """---
title: {title}
category: Knowledge
provenance: auto
status: pending
---

{title}, as was said in passing.
"""

PNPM = "Use pnpm, never npm"


def opened(window: "workbench.Workbench") -> "Tree":
    """The view, in front."""
    tree = Tree(window, "Memory")
    tree.open()
    return tree


def by_hand(folder: Path, name: str, text: str) -> Path:
    """A memory that somebody writes, or that a chat left behind, as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def add(window: "workbench.Workbench", title: str, more: str = "", kind: str = "Rule in this project") -> None:
    """*Add Memory…* from the palette."""
    window.run_command("Vademecum: Add Memory…")
    window.pick(kind)
    window.answer(title)
    window.until(lambda: window.quick_input().input_value() == "", "the second question")
    window.answer(more)
    window.notification(f"Remembered: “{title}”")


def saved(window: "workbench.Workbench", text: str) -> None:
    """Give the active editor another text, and save it."""
    window.select_all()
    window.page.keyboard.insert_text(text)
    window.page.keyboard.press("ControlOrMeta+S")


def test_from_adding_to_deleting(desk: Desk) -> None:
    with desk.window() as window:
        tree = opened(window)
        window.until(lambda: "every later chat knows" in tree.text(), "the welcome")
        add(window, PNPM, "The lockfile is pnpm's.")
        tree.until("This Project 1", "Rules 1", PNPM)
        assert tree.spoken(PNPM).startswith(f"{PNPM}, rule in this project")

        # A group knows what is added to it.
        tree.act("Rules, This Project", "Add Memory…")
        window.answer("Prices are kept in cents")
        window.until(lambda: window.quick_input().input_value() == "", "the second question")
        window.answer("")
        tree.until("This Project 2", "Rules 2", "Prices are kept in cents", PNPM)

        # The file is the memory: what is saved in it is what the view shows.
        tree.click(PNPM)
        assert PNPM in window.editor_text("The lockfile is pnpm's.")
        path = desk.memory_file("The lockfile is pnpm's.")
        assert path and window.active_tab() == path.name
        saved(window, path.read_text("utf-8").replace(PNPM, "Use pnpm 10, never npm"))
        tree.until("This Project 2", "Rules 2", "Prices are kept in cents", "Use pnpm 10, never npm")

        # So does what another program writes.
        path.write_text(path.read_text("utf-8").replace("Use pnpm 10, never npm", "Use pnpm 11"), "utf-8")
        tree.until("This Project 2", "Rules 2", "Prices are kept in cents", "Use pnpm 11")

        tree.menu("Use pnpm 11", "Rename Memory…")
        window.answer("Use pnpm, always")
        renamed = window.notification("Renamed: “Use pnpm, always”.")
        tree.row("Use pnpm, always")
        renamed.get_by_role("button", name="Undo").click()
        tree.until("This Project 2", "Rules 2", "Prices are kept in cents", "Use pnpm 11")

        tree.menu("Prices are kept in cents", "Edit Memory Text…")
        window.until(lambda: window.quick_input().input_value() == "Prices are kept in cents", "its text")
        window.answer("Prices are kept in cents, as whole numbers.")
        window.notification("Changed: “Prices are kept in cents”.")
        poll(lambda: desk.memory_file("as whole numbers.") is not None, "the new text")

        tree.act("Prices are kept in cents", "Pin Memory")
        tree.until("This Project 2", "Rules 2", "Prices are kept in cents pinned", "Use pnpm 11")
        assert "pinned: true" in desk.memory_file("as whole numbers.").read_text("utf-8")  # type: ignore[union-attr]
        tree.act("Prices are kept in cents", "Unpin Memory")
        window.until(lambda: "Prices are kept in cents pinned" not in tree.labels(), "the pin to go")

        tree.act("Use pnpm 11", "Delete Memory")
        deleted = window.notification("Deleted: “Use pnpm 11”.")
        tree.until("This Project 1", "Rules 1", "Prices are kept in cents")
        assert not path.exists()
        deleted.get_by_role("button", name="Undo").click()
        window.notification("As before: “Use pnpm 11”.")
        window.until(lambda: "Use pnpm 11" in tree.labels(), "what was deleted")

        # By keys alone, and several at once.
        tree.click("Use pnpm 11")
        window.until(lambda: selected(tree, "Use pnpm 11"), "it to be selected")
        tree.select("Prices are kept in cents")
        window.page.keyboard.press("Delete")
        window.notification("Deleted: 2 memories.")
        window.until(lambda: "every later chat knows" in tree.text(), "the welcome")
        assert desk.memory_files() == {}


def selected(tree: "Tree", label: str) -> bool:
    """Whether an entry is selected."""
    return tree.row(label).get_attribute("aria-selected") == "true"


def test_what_a_chat_left_waits_for_its_user(desk: Desk) -> None:
    for name, title in (("a.md", "The demo is on Fridays"), ("b.md", "Rooibos sells best"), ("c.md", "It rains")):
        by_hand(desk.home / "memory", name, CAPTURED.format(title=title))
    with desk.window() as window:
        tree = opened(window)
        window.until(lambda: tree.labels()[:1] == ["Waiting for Review 3"], "those that wait")
        assert tree.spoken("It rains").startswith("It rains, waits for review, fact everywhere")
        tree.act("The demo is on Fridays", "Accept Memory")
        window.notification("Accepted: “The demo is on Fridays”.")
        window.until(lambda: "The demo is on Fridays" in tree.labels(), "it among the others")
        assert "Everywhere 1" in tree.labels()
        assert "pending" not in (desk.home / "memory" / "a.md").read_text("utf-8")

        tree.act("It rains", "Reject Memory")
        rejected = window.notification("Rejected: “It rains”.")
        window.until(lambda: tree.labels()[0] == "Waiting for Review 1", "it to go")
        rejected.get_by_role("button", name="Undo").click()
        window.until(lambda: tree.labels()[0] == "Waiting for Review 2", "it to come back")

        window.run_command("Vademecum: Accept Memory")
        window.until(lambda: window.quick_rows().count() == 2, "both to choose from")
        window.pick("It rains")
        window.pick("Rooibos sells best")
        window.page.keyboard.press("Enter")
        window.notification("Accepted: 2 memories.")
        window.until(lambda: tree.labels()[:2] == ["Everywhere 3", "Facts 3"], "all of them")


def test_a_prior_version_is_compared_and_restored(desk: Desk) -> None:
    with desk.window() as window:
        tree = opened(window)
        add(window, "The demo is on Fridays", kind="Fact everywhere")
        tree.menu("The demo is on Fridays", "History of Memory…")
        window.notification("has no prior version")
        tree.menu("The demo is on Fridays", "Edit Memory Text…")
        window.until(lambda: window.quick_input().input_value() == "The demo is on Fridays", "its text")
        window.answer("The demo is on Mondays.")
        poll(lambda: desk.memory_file("on Mondays.") is not None, "the new text")
        # A menu right behind a change is for the entry that it was opened on.
        tree.menu("The demo is on Fridays", "History of Memory…")
        title = window.page.locator(".quick-input-title:visible")
        window.until(lambda: title.inner_text() == "History: The demo is on Fridays", "its history")
        window.pick("until it was changed")
        window.until(lambda: "now ↔ until it was changed" in window.active_tab_label(), "the comparison")
        window.page.locator(".editor-actions").get_by_role(
            "button", name="Restore This Version of the Memory"
        ).first.click()
        restored = window.notification("Restored: “The demo is on Fridays”.")
        poll(lambda: desk.memory_file("on Mondays.") is None, "the old text")
        restored.get_by_role("button", name="Undo").click()
        poll(lambda: desk.memory_file("on Mondays.") is not None, "the newer text again")


def test_an_audit_tells_what_is_amiss_and_mends_it(desk: Desk) -> None:
    with desk.window() as window:
        tree = opened(window)
        add(window, "Always answer in English", kind="Fact in this project")
        tree.until("This Project 1", "Facts 1", "Always answer in English")
        window.run_command("Vademecum: Audit Memories…")
        window.pick("Always answer in English")
        window.until(lambda: "Open the memory" in window.quick_rows().last.inner_text(), "its fixes")
        window.pick("Make it a rule")
        window.notification("Done: Make it a rule. Nothing is amiss with 1 memory.")
        tree.until("This Project 1", "Rules 1", "Always answer in English")


def test_what_is_exported_can_be_imported_elsewhere(desk: Desk) -> None:
    target = desk.pictures / "taken-along.json"
    target.unlink(missing_ok=True)
    with desk.window() as window:
        tree = opened(window)
        add(window, PNPM, "The lockfile is pnpm's.")
        add(window, "The user likes sencha", kind="Fact everywhere")
        tree.until("This Project 1", "Rules 1", PNPM, "Everywhere 1", "Facts 1", "The user likes sencha")
        window.run_command("Vademecum: Export Memories…")
        window.pick("Archive")
        window.pick("All memories")
        window.choose_path(target, "OK")
        window.notification("Exported: 2 memories")
        assert json.loads(target.read_text("utf-8"))

        # What is there already is replaced only when that is confirmed, by a file that is whole.
        target.write_text("in the way", "utf-8")
        window.run_command("Notifications: Clear All Notifications")
        window.run_command("Vademecum: Export Memories…")
        window.pick("Archive")
        window.pick("All memories")
        window.choose_path(target, "OK")
        window.notification("Exported: 2 memories")
        assert json.loads(target.read_text("utf-8"))
        assert not list(target.parent.glob("*.new"))

        window.run_command("Vademecum: Forget Everything…")
        window.pick("about you, and of the open folder")
        window.answer("yes")
        window.until(lambda: "press Escape" in window.page.locator(".quick-input-message").inner_text(), "the refusal")
        assert desk.memory_files()
        window.answer("forget everything")
        window.notification("Forgotten for good: 2 memories")
        window.until(lambda: "every later chat knows" in tree.text(), "the welcome")
        assert desk.memory_files() == {}

        window.run_command("Vademecum: Import Memories…")
        window.pick("A file…")
        window.choose_path(target, "Preview")
        assert "Nothing is imported yet." in window.editor_text("Import preview")
        window.until(lambda: window.quick_rows().count() == 2, "both to choose from")
        assert desk.memory_files() == {}
        window.page.locator(".quick-input-widget:visible").get_by_role("button", name="OK").click()
        window.notification("Imported: 2 memories.")
        tree.until("This Project 1", "Rules 1", PNPM, "Everywhere 1", "Facts 1", "The user likes sencha")


def test_a_filter_narrows_the_tree_and_memories_move(desk: Desk) -> None:
    ours = desk.workspace / ".vademecum"
    by_hand(
        ours / "memory", "tea.md", "---\ntitle: Tea is weighed in grams\ncategory: Rule\n---\n\nOn the small scale.\n"
    )
    try:
        with desk.window() as window:
            tree = opened(window)
            add(window, PNPM, "The lockfile is pnpm's.")
            came = "Tea is weighed in grams repository"
            window.until(lambda: {came, PNPM} <= set(tree.labels()), "both")

            window.run_command("Vademecum: Filter Memories…")
            window.quick_input().fill("small scale")
            tree.until("This Project 1", "Rules 1", came)
            window.page.keyboard.press("Enter")
            window.until(lambda: "1 of 2" in tree.pane.inner_text(), "what the filter leaves")
            tree.button("Show All Memories")
            window.until(lambda: PNPM in tree.labels(), "all of them")

            tree.menu(PNPM, "Move Memory…")
            window.pick("Everywhere")
            moved = window.notification(f"Moved to everywhere: “{PNPM}”.")
            tree.until("This Project 1", "Rules 1", came, "Everywhere 1", "Rules 1", PNPM)
            moved.get_by_role("button", name="Undo").click()
            window.until(lambda: "Everywhere 1" not in tree.labels(), "it to be back")
            tree.menu(PNPM, "Move Memory…")
            window.pick("This project, in the repository")
            window.until(lambda: f"{PNPM} shared" in tree.labels(), "it in the repository")
            assert any("pnpm" in path.read_text("utf-8") for path in ours.rglob("*.md"))
    finally:
        shutil.rmtree(ours)


def test_what_rests_on_lines_follows_them_and_memory_that_is_off_is_said_to_be(desk: Desk) -> None:
    path = by_hand(desk.home / "memory", "a.md", CAPTURED.format(title="The demo is on Fridays"))
    with desk.window() as window:
        tree = opened(window)
        tree.until("Waiting for Review 1", "The demo is on Fridays fact everywhere")
        # By keys alone.
        tree.click("The demo is on Fridays")
        window.until(lambda: window.active_tab() == path.name, "its file")
        tree.open()
        window.page.keyboard.press("ControlOrMeta+Enter")
        window.notification("Accepted: “The demo is on Fridays”.")
        tree.until("Everywhere 1", "Facts 1", "The demo is on Fridays")

        window.open_file("prices.py")
        window.editor_text("PRICES = ")
        window.select_all()
        window.run_command("Vademecum: Remember Selection")
        window.answer("Prices are kept in cents")
        window.pick("Fact about this project")
        window.until(lambda: "Prices are kept in cents" in tree.labels(), "it in the tree")
        prices = desk.workspace / "teashop" / "prices.py"
        text = prices.read_text("utf-8")
        try:
            saved(window, text.replace("420", "440"))
            window.until(lambda: "Prices are kept in cents stale" in tree.labels(), "it to be stale")
        finally:
            prices.write_text(text, "utf-8")

        configure(desk, window, {"vademecum.memory.enabled": False})
        window.until(lambda: "Memory is off" in tree.text(), "that it is off")
        configure(desk, window, {"vademecum.memory.enabled": True})
        window.until(lambda: "The demo is on Fridays" in tree.labels(), "that it is on again")
