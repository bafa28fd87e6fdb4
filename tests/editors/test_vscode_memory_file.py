"""The file of a memory in VS Code for real: its head is completed as it is typed, judged at once, and mended."""

import pytest

from editors.test_vscode import Desk, desk, machine, poll, workbench
from editors.test_vscode_memory import by_hand, opened

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

WRITTEN = "---\ntitle: Use pnpm\n---\nNever npm, since the lockfile is pnpm's.\n"


def choose(window: "workbench.Workbench", label: str, among: str) -> None:
    """Take an entry of the list that the editor has opened by itself, once `among` is offered, too."""
    rows = window.page.locator(".suggest-widget.visible .monaco-list-row")
    rows.filter(has_text=among).first.wait_for(state="visible", timeout=workbench.PATIENCE)
    rows.filter(has_text=label).first.click(timeout=workbench.PATIENCE)


def mend(window: "workbench.Workbench", title: str) -> None:
    """Take a quick fix where the cursor is."""

    def taken() -> bool:
        window.page.keyboard.press("Escape")
        window.page.keyboard.press("ControlOrMeta+.")
        found = window.page.locator(".action-widget .action", has_text=title).first
        found.click(timeout=workbench.TRY)
        return True

    window.until(taken, f"the fix {title}")


def test_a_head_is_completed_judged_and_mended(desk: Desk) -> None:
    path = by_hand(desk.home / "memory", "use-pnpm.md", WRITTEN)
    with desk.window() as window:
        keys = window.page.keyboard
        tree = opened(window)
        tree.click("Use pnpm")
        window.editor_text("Never npm")
        window.page.locator(".editor-group-container.active .monaco-editor .view-lines").first.click()
        keys.press("ControlOrMeta+Home")
        keys.press("ArrowDown")
        keys.press("End")
        keys.press("Enter")
        window.until(lambda: window.cursor().startswith("Ln 3, Col 1"), "a new line in the head")

        # A key, whose values are offered next; then one whose value is typed.
        keys.type("c")
        choose(window, "category", among="created")
        choose(window, "Rule", among="Experience")
        window.editor_text("category: Rule")
        keys.press("Enter")
        keys.type("pinned: ", delay=50)
        choose(window, "true", among="false")
        window.editor_text("category: Rule pinned: true")
        assert window.problems() == "No Problems"

        keys.press("Enter")
        keys.type("tags: pnpm", delay=20)
        keys.press("Escape")
        window.until(lambda: "Warnings: 1" in window.problems(), "the key that is none of ours")
        window.run_command("Problems: Focus on Problems View")
        panel = window.page.locator(".markers-panel")
        told = panel.get_by_text("`tags` is no key of a memory, so nothing reads it. `keywords` is.")
        told.first.wait_for(state="visible", timeout=workbench.PATIENCE)
        told.first.click()
        window.run_command("View: Toggle Panel Visibility")
        window.page.locator(".editor-group-container.active .monaco-editor .view-lines").first.click()
        window.until(lambda: window.active_tab() == "use-pnpm.md", "the file")
        keys.press("ControlOrMeta+Home")
        for _ in range(4):
            keys.press("ArrowDown")
        mend(window, "Rename to `keywords`")
        window.editor_text("pinned: true keywords: pnpm")
        window.until(lambda: window.problems() == "No Problems", "nothing amiss")
        keys.press("ControlOrMeta+S")
        after = WRITTEN.replace("pnpm\n---", "pnpm\ncategory: Rule\npinned: true\nkeywords: pnpm\n---")
        poll(lambda: path.read_text("utf-8") == after, "the file to be saved")
        tree.until("Everywhere 1", "Rules 1", "Use pnpm pinned")
