"""VS Code by keys alone, in every kind of theme, and what a screen reader is told."""

import hashlib
import re
import shutil

import pytest

from editors.test_vscode import Desk, configure, desk, machine, picture
from editors.test_vscode_memory import CAPTURED, PNPM, add, by_hand, opened
from editors.vscode.scripted_model import say

try:
    from editors.vscode.keys import Keys
    from editors.vscode.themes import Theme, contrast
    from editors.vscode.tree import Tree
except ImportError:
    Keys = Theme = Tree = contrast = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

#: Of text, and of signs that are no text, to what is behind them: the AA levels of WCAG 2.2 (1.4.3 and 1.4.11).
TEXT_CONTRAST, SIGN_CONTRAST = 4.5, 3.0

#: A memory that came with the repository and rests on lines that are not there.
LOST = """---
title: Orders are summed without tax
category: Knowledge
evidence:
  - teashop/orders.py:14-16@0123456789abcdef
---

Tax is added at the till.
"""


NOTES = """# How prices are made

A price is looked up by `{}`.

They are summed in `teashop/orders.py:14-16@0123456789abcdef`.
"""


def test_the_main_path_goes_by_keys_alone(desk: Desk) -> None:
    with desk.window() as window:
        keys = Keys(window)
        keys.command("Vademecum: Add Memory…")
        keys.choose("Rule in this project", title="What is it?")
        keys.answer(PNPM)
        keys.answer("The lockfile is pnpm's.")
        window.notification(f"Remembered: “{PNPM}”")
        assert desk.memory_file("The lockfile is pnpm's.")

        keys.command("Vademecum: Focus on Memory View")
        keys.walk_to(f"{PNPM}, rule in this project")
        keys.press("Enter")
        window.until(lambda: window.active_tab().endswith(".md"), "its file")
        keys.in_editor()

        keys.command("Vademecum: Focus on Memory View")
        keys.press("F2")
        keys.answer("Use pnpm, always", instead_of=PNPM)
        window.notification("Renamed: “Use pnpm, always”.")
        keys.walk_to("Use pnpm, always, rule in this project")
        keys.press("ControlOrMeta+Z")
        window.notification(f"As before: “{PNPM}”.")
        keys.walk_to(f"{PNPM}, rule in this project")

        # What the buttons of an entry do is in its menu, which opens by a key, too.
        keys.press("Shift+F10")
        keys.choose_from_menu("Pin Memory")
        keys.walk_to(f"{PNPM}, rule in this project, pinned")

        keys.press("Delete")
        window.notification(f"Deleted: “{PNPM}”.")
        window.until(lambda: desk.memory_files() == {}, "its file to go")
        keys.command("Vademecum: Undo Last Change of Memories")
        window.until(lambda: desk.memory_file("The lockfile is pnpm's.") is not None, "its file to be back")
        keys.command("Vademecum: Undo Last Change of Memories")
        window.notification("There is no change of memories to undo")

        # What is added at a group is of that group's kind.
        keys.command("Vademecum: Focus on Memory View")
        keys.walk_to("Rules, This Project, 1 memory")
        keys.press("Insert")
        window.until(lambda: "rule in this project" in keys.title(), "what is asked")
        keys.answer("Prices are kept in cents")
        keys.answer("")
        keys.walk_to(f"{PNPM}, rule in this project, pinned")
        keys.press("Enter")
        keys.in_editor()

        # A key means the entry that it is pressed on, whichever was opened before.
        keys.command("Vademecum: Focus on Memory View")
        keys.walk_to("Prices are kept in cents, rule in this project")
        keys.press("Delete")
        window.notification("Deleted: “Prices are kept in cents”.")
        assert desk.memory_file("The lockfile is pnpm's.")


@pytest.mark.pictures
@pytest.mark.parametrize("theme", list(Theme or ()), ids=lambda theme: theme.suffix)
def test_everything_can_be_told_from_its_background(desk: Desk, theme: "Theme") -> None:
    by_hand(desk.home / "memory", "demo.md", CAPTURED.format(title="The demo is on Fridays"))
    ours = desk.workspace / ".vademecum"
    by_hand(ours / "memory", "sums.md", LOST)
    notes = desk.workspace / "notes.md"
    digest = hashlib.sha256(b"def price_of(tea: str) -> int:").hexdigest()[:16]
    notes.write_text(NOTES.format(f"teashop/prices.py:6-6@{digest}"), "utf-8")
    desk.model.will([say("With pnpm, as this project wants it: `pnpm install`.")])
    try:
        with desk.window() as window:
            configure(desk, window, theme.settings())
            window.until(lambda: theme.shown(window), f"the theme {theme}")
            window.run_command("View: Hide Secondary Side Bar")
            tree = opened(window)
            add(window, "The user prefers short answers", kind="Rule everywhere")
            add(window, PNPM, "The lockfile is pnpm's.")
            tree.act(PNPM, "Pin Memory")
            tree.row(f"{PNPM}, rule in this project, pinned")
            window.until(lambda: "Orders are summed without tax stale · repository" in tree.labels(), "what is stale")

            # Nothing is told by a colour or a picture alone: what an icon says, the words say, too.
            for icon, words in {
                "codicon-eye": "waits for review",
                "codicon-warning": "stale",
                "codicon-pinned": "pinned",
            }.items():
                row = tree.pane.locator(
                    ".monaco-list-row", has=window.page.locator(f".custom-view-tree-node-item-icon.{icon}")
                )
                assert words in (row.first.get_attribute("aria-label") or "")
            for row in tree.rows().all():
                assert row.get_attribute("aria-label")

            window.open_file("notes.md")
            window.editor_text("They are summed in")
            signs = window.page.locator(".editor-group-container.active .view-lines span[class*=ced-]")
            window.until(lambda: signs.count() == 2, "the signs of both references")
            window.run_command("Notifications: Clear All Notifications")
            texts = tree.pane.locator(".monaco-list-row .label-name, .monaco-list-row .label-description")
            for text in texts.all():
                assert contrast(text) >= TEXT_CONTRAST, text.inner_text()
            for icon in tree.pane.locator(".monaco-list-row .custom-view-tree-node-item-icon.codicon").all():
                assert contrast(icon, "::before") >= SIGN_CONTRAST
            for sign in signs.all():
                assert contrast(sign, "::after") >= SIGN_CONTRAST

            configure(desk, window, {"breadcrumbs.enabled": False})
            for other in ("Documents", "Search"):
                Tree(window, other).close()
            window.page.set_viewport_size({"width": 860, "height": 480})
            window.page.mouse.move(600, 440)
            picture(window, f"vscode-memory-{theme.suffix}.png", small=True)

            window.run_command("View: Close Primary Side Bar")
            window.say("@vademecum how do I install the dependencies?")
            answer = window.reply("With pnpm").locator(".rendered-markdown").first
            assert contrast(answer) >= TEXT_CONTRAST
            window.page.mouse.move(200, 440)
            picture(window, f"vscode-chat-{theme.suffix}.png", small=True)
    finally:
        shutil.rmtree(ours)
        notes.unlink()
        with desk.window() as window:
            configure(desk, window, Theme.LIGHT.settings())
            window.until(lambda: Theme.LIGHT.shown(window), "the theme of the other tests")


def test_a_screen_reader_hears_all_that_is_seen(desk: Desk) -> None:
    by_hand(desk.home / "memory", "demo.md", CAPTURED.format(title="The demo is on Fridays"))
    with desk.window() as window:
        tree = opened(window)
        tree.row("The demo is on Fridays, waits for review, fact everywhere")
        tree.row("Waiting for Review, 1 memory")
        container = window.page.locator(".activitybar .action-item .action-label[aria-label*=Vademecum]").first
        window.until(lambda: "1 memory waits" in (container.get_attribute("aria-label") or ""), "the badge, in words")
        for button in window.page.locator(".part.sidebar .title-actions .action-label").all():
            assert (button.get_attribute("aria-label") or "").strip()
        row = tree.row("The demo is on Fridays")
        row.hover()
        buttons = row.locator(".actions .action-label")
        window.until(lambda: buttons.count() >= 2, "its buttons")
        assert [re.sub(r" \(.*\)$", "", button.get_attribute("aria-label") or "") for button in buttons.all()] == [
            "Accept Memory",
            "Reject Memory",
        ]
