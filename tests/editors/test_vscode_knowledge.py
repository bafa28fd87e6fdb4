"""The view of documents in VS Code for real: imported, reviewed, published, attached, read, asked and removed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from editors.test_vscode import PICTURES_VARIABLE, Desk, configure, desk, light_and_dark, machine, workbench
from editors.vscode.scripted_model import call, say

try:
    from editors.vscode.tree import Tree, choose_from_menu
except ImportError:
    Tree = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

HANDBOOK = """# Handbook

How the shop is run.

## Sessions

A session is kept for half an hour after its last use.

### Expiry

What has expired is swept away at night.

## Tea

Sencha is brewed at 70 degrees.
"""

GUIDE = """# Guide

How tea is made here.

## Green tea

Brew at {} degrees, for two minutes.

## Black tea

Brew with boiling water, for four minutes.
"""


def handbook(desk: Desk, name: str = "handbook.md", text: str = HANDBOOK) -> Path:
    """A file outside the workspace."""
    path = desk.pictures / "papers" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text, "utf-8")
    return path


def opened(desk: Desk, window: "workbench.Workbench", lend: str = "never") -> "Tree":
    """The view, in front, in a window that lends a model or does not."""
    configure(desk, window, {"vademecum.lendModel": lend})
    tree = Tree(window, "Documents")
    tree.open()
    return tree


def import_file(window: "workbench.Workbench", path: Path) -> None:
    """*Import Documents…* of one file."""
    window.run_command("Vademecum: Import Documents…")
    window.choose_path(path, "Import")


def compared(window: "workbench.Workbench") -> str:
    """What the editor in front draws of a comparison."""
    drawn = window.page.locator(".editor-group-container.active .monaco-diff-editor .view-lines")
    return " ".join(" ".join(drawn.all_inner_texts()).split())


def publish(window: "workbench.Workbench", tree: "Tree", title: str) -> None:
    """Review, publish and attach a document."""
    tree.click(title)
    window.until(lambda: title in window.active_tab(), f"{title} in front")
    tree.act(title, "Publish Document")
    window.notification(f"Published: “{title}”.").get_by_role("button", name="Attach").click()
    tree.row("attached")


def terminal(desk: Desk, *arguments: str) -> str:
    """`vademecum docs` as in a terminal: another program, of which the editor's server knows nothing."""
    command = [sys.executable, "-m", "vademecum", "docs", *arguments]
    environment = {**os.environ, "VADEMECUM_HOME": str(desk.home)}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout


def ids(desk: Desk, title: str) -> list[str]:
    """The ids of the documents of that title."""
    return [one["id"] for one in json.loads(terminal(desk, "list", "--json"))["items"] if one["title"] == title]


def test_from_import_to_removal(desk: Desk) -> None:
    path = handbook(desk)
    with desk.window() as window:
        tree = opened(desk, window)
        window.until(lambda: "can be cited by your chats" in tree.text(), "the welcome")
        import_file(window, path)
        window.notification("Imported: “Handbook”. It waits for your review.")
        tree.until("Waiting for Review 1", "Handbook")
        assert tree.spoken("Handbook").startswith("Handbook, waits for review, 4 sections")

        # What waits has no outline, and says why.
        tree.expand("Handbook")
        tree.row("Waits for your review; its sections are shown once it is published")

        # What is reviewed is the text itself, and it cannot be changed.
        tree.click("Handbook")
        assert window.editor_text("How the shop is run").startswith("# Handbook")
        assert window.active_tab() == "Handbook.md"
        window.page.keyboard.type("x")
        window.until(lambda: "Cannot edit in read-only editor" in window.page.inner_text("body"), "the refusal")

        tree.act("Handbook", "Publish Document")
        published = window.notification("Published: “Handbook”.")
        tree.until("Published 1", "Handbook")
        tree.expand("Handbook")
        tree.row("Not attached to the current task; its sections are shown once it is")
        published.get_by_role("button", name="Attach").click()
        window.notification("Attached to the current task: “Handbook”.")
        tree.expand("Handbook")
        tree.until("Published 1", "Handbook attached", "Handbook 1", "Sessions 5", "Tea 13")
        assert tree.spoken("Sessions").startswith("Sessions, level 2, lines 5–7")
        tree.expand("Sessions")

        # A section leads to its line in the source.
        tree.click("Expiry")
        window.until(lambda: window.active_tab() == "handbook.md", "the source")
        window.until(lambda: window.cursor().startswith("Ln 9, "), "the line")

        window.run_command("Vademecum: Search Documents")
        window.type_until("brewing sencha", "Sencha is brewed")
        window.pick("Handbook › Handbook › Tea:15")
        window.until(lambda: window.cursor().startswith("Ln 15, "), "the hit")

        # A key removes what is selected, after a question.
        tree.select("Handbook, published")
        window.page.keyboard.press("Delete")
        window.dialog("Remove “Handbook”?", "Remove")
        window.notification("Removed: “Handbook”.")
        window.until(lambda: "can be cited by your chats" in tree.text(), "the welcome")
        assert path.read_text("utf-8") == HANDBOOK
        assert not list(desk.home.glob("knowledge/*.md"))


def test_a_newer_revision_is_compared_and_only_what_was_reviewed_is_published(desk: Desk) -> None:
    path = handbook(desk, "guide/guide.md", GUIDE.format(70))
    with desk.window() as window:
        tree = opened(desk, window)
        window.run_command("Vademecum: Import a Folder of Documents…")
        window.choose_path(path.parent, "Import")
        window.pick("Follow the folder")
        window.notification("It waits for your review. The folder is followed.")
        publish(window, tree, "Guide")

        path.write_text(GUIDE.format(80), "utf-8")
        tree.button("Refresh Documents")  # unless a list that was on its way has seen it
        tree.until("Published 1", "Guide attached · newer revision waits")
        tree.click("Guide")
        window.until(lambda: "80 degrees" in compared(window), "the comparison")
        window.until(lambda: "published ↔ waiting for review" in window.active_tab_label(), "its title")

        # It changes once more before it is published: what nobody saw is not published.
        path.write_text(GUIDE.format(90), "utf-8")
        tree.button("Refresh Documents")
        window.run_command("Vademecum: Publish Document")
        window.pick("Guide")
        window.page.keyboard.press("Enter")
        again = window.notification("“Guide” is not published: it changed after you reviewed it.")
        (kept,) = desk.home.glob("knowledge/*.md")
        assert "70 degrees" in kept.read_text("utf-8")
        again.get_by_role("button", name="Review Again").click()
        window.until(lambda: "90 degrees" in compared(window), "the newest")

        # The editor that shows it offers to publish it.
        window.page.locator(".editor-actions").get_by_role("button", name="Publish Document").click()
        window.notification("It is seen from the next question on.")
        tree.until("Published 1", "Guide attached")
        assert "90 degrees" in kept.read_text("utf-8")

        # Withdrawn, it waits again.
        tree.menu("Guide", "Withdraw Document")
        window.notification("Withdrawn: “Guide”. Nothing of it is told any more.")
        tree.until("Waiting for Review 1", "Guide attached")


def test_documents_belong_to_tasks_and_other_programs_documents_are_seen(desk: Desk) -> None:
    with desk.window() as window:
        tree = opened(desk, window)
        window.until(lambda: "can be cited by your chats" in tree.text(), "the welcome")
        terminal(desk, "import", str(handbook(desk)))
        tree.button("Refresh Documents")
        tree.until("Waiting for Review 1", "Handbook")

        # Once there is one, what happens to the folder it is kept in is noticed without a word.
        terminal(desk, "import", str(handbook(desk, "guide.md", GUIDE.format(70))))
        tree.until("Waiting for Review 2", "Guide", "Handbook")
        terminal(desk, "remove", "--yes", *ids(desk, "Guide"))
        tree.until("Waiting for Review 1", "Handbook")

        # By keys alone, and unread: that is asked about.
        tree.select("Handbook")
        window.page.keyboard.press("ControlOrMeta+Enter")
        unread = window.notification("You have not reviewed “Handbook” in this window.")
        unread.get_by_role("button", name="Publish", exact=True).click()
        window.notification("Published: “Handbook”.").get_by_role("button", name="Attach").click()
        tree.until("Published 1", "Handbook attached")

        window.run_command("Vademecum: Choose Task for Documents…")
        window.pick("Another Task…")
        window.answer("release 2.0")
        tree.until("Published 1", "Handbook")
        window.run_command("Vademecum: Search Documents")
        window.type_until("sencha", "No published document is attached to the task “release 2.0”")
        window.page.keyboard.press("Escape")
        tree.act("Handbook", "Attach Document to the Task")
        window.notification("Attached to the task “release 2.0”: “Handbook”.")
        tree.act("Handbook", "Detach Document from the Task")
        window.notification("Detached from the task “release 2.0”: “Handbook”.")
        window.run_command("Vademecum: Choose Task for Documents…")
        window.pick("default")
        tree.until("Published 1", "Handbook attached")


def test_a_question_is_answered_with_its_sources(desk: Desk) -> None:
    with desk.window() as window:
        tree = opened(desk, window, "always")
        desk.model.will(
            [say("How a teashop is run.")],
            [say("READ 1")],
            [say("ANSWER Half an hour after its last use [1].\nGAP Who pays for the tea.")],
        )
        import_file(window, handbook(desk))
        tree.row("Handbook")
        window.until(lambda: len(desk.model.requests()) == 1, "the summary")
        publish(window, tree, "Handbook")
        window.run_command("Vademecum: Ask Documents…")
        window.answer("How long is a session kept?")
        text = window.editor_text("Who pays for the tea")
        assert "Half an hour after its last use [1]." in text
        assert re.search(r"1\. Handbook › Handbook › Sessions.*, lines \d+–\d+", text)

        # Without a model there are the best sections, and it says so.
        configure(desk, window, {"vademecum.lendModel": "never"})
        window.run_command("Vademecum: Ask Documents…")
        window.answer("How is sencha brewed?")
        text = window.editor_text("The best sections")
        assert "Sencha is brewed at 70 degrees." in text


def test_a_chat_asks_the_documents_that_its_task_sees(desk: Desk) -> None:
    tool = "vademecum_askDocuments"
    with desk.window() as window:
        tree = opened(desk, window, "always")
        desk.model.will([say("How a teashop is run.")], [say("Nothing is attached.")])
        import_file(window, handbook(desk))
        tree.row("Handbook")
        window.until(lambda: len(desk.model.requests()) == 1, "the summary")
        window.say("@vademecum how long is a session kept?")
        window.reply("Nothing is attached.")
        assert tool not in desk.model.requests()[-1].tools

        publish(window, tree, "Handbook")
        desk.model.will(
            [call(tool, question="How long is a session kept?")],
            [say("READ 1")],
            [say("ANSWER Half an hour after its last use [1].")],
            [say("For half an hour, says the handbook.")],
        )
        window.say("@vademecum and now?")
        reply = window.reply("For half an hour, says the handbook.")
        first, *_, last = desk.model.requests()
        assert tool in first.tools
        assert "Half an hour after its last use [1]." in last.texts()[-1]
        assert "Handbook › Handbook › Sessions, lines 5–7" in last.texts()[-1]
        # What the answer rests on can be opened from it.
        reply.get_by_text("Completed").first.click()
        window.until(lambda: "Used 1 reference" in reply.inner_text(), "the reference")


def test_the_text_of_an_editor_becomes_a_document_and_what_is_no_text_is_refused(desk: Desk) -> None:
    picture_file = handbook(desk, "picture.md", "\x00\x01")
    with desk.window() as window:
        tree = opened(desk, window)
        window.open_file("README.md")
        window.editor_text("Orders and prices")
        window.run_command("Vademecum: Import Text as Document…")
        window.until(lambda: window.quick_input().input_value() == "Teashop", "the first heading")
        window.answer("The shop")
        imported = window.notification("Imported: “The shop”. It waits for your review.")
        tree.until("Waiting for Review 1", "The shop")
        imported.get_by_role("button", name="Review").click()
        window.until(lambda: window.active_tab() == "The shop.md", "the text")
        import_file(window, picture_file)
        window.notification("Not imported: ")
        tree.until("Waiting for Review 1", "The shop")


def test_documents_of_a_team_are_apart_and_files_are_imported_from_the_explorer(desk: Desk) -> None:
    shared = desk.pictures / "shared"
    shared.mkdir()
    with desk.window() as window:
        tree = opened(desk, window)
        window.run_command("Vademecum: Import Documents for the Team…")
        window.pick("Files…")
        window.choose_path(handbook(desk), "Import")
        window.notification("knowledge.shared names the shared folder")
    (desk.home / "config.toml").write_text(f'[knowledge]\nshared = "{shared}"\n', "utf-8")
    with desk.window() as window:
        tree = opened(desk, window)
        window.run_command("Vademecum: Import Documents for the Team…")
        window.pick("Files…")
        window.choose_path(handbook(desk), "Import")
        window.notification("Imported: “Handbook”. It waits for your review.")
        tree.until("System: Waiting for Review 1", "Handbook")
        assert list(shared.glob("*.md"))

        files = window.page.locator(".explorer-folders-view")
        window.run_command("View: Show Explorer")
        choose_from_menu(window, files.locator(".monaco-list-row", has_text="README.md").first, "Import as Document")
        window.notification("Imported: “Teashop”. It waits for your review.")
        tree.open()
        tree.until("Waiting for Review 1", "Teashop", "System: Waiting for Review 1", "Handbook")


def test_a_large_folder_says_how_far_it_is(desk: Desk) -> None:
    folder = handbook(desk, "many/0000.md").parent
    for number in range(1, 2_200):  # more than the server lists in one answer
        (folder / f"{number:04}.md").write_text(f"# Paper {number:04}\n\n{HANDBOOK}", "utf-8")
    with desk.window() as window:
        tree = opened(desk, window)
        window.run_command("Vademecum: Import a Folder of Documents…")
        window.choose_path(folder, "Import")
        window.pick("Import once")
        window.notification(" of 2,200")
        window.until(lambda: window.notification("Imported: 2,200 documents.").is_visible(), "the end", 120)
        window.until(lambda: tree.labels()[:2] == ["Waiting for Review 2,200", "Handbook"], "all of them", 60)


@pytest.mark.pictures
@pytest.mark.skipif(not os.environ.get(PICTURES_VARIABLE), reason=f"for the documentation; set {PICTURES_VARIABLE}")
def test_the_picture_of_the_documentation(desk: Desk) -> None:
    guide = handbook(desk, "guide/guide.md", GUIDE.format(70))
    with desk.window() as window:
        tree = opened(desk, window)
        window.run_command("Vademecum: Import a Folder of Documents…")
        window.choose_path(guide.parent, "Import")
        window.pick("Follow the folder")
        publish(window, tree, "Guide")
        import_file(window, handbook(desk))
        tree.row("Handbook")
        guide.write_text(GUIDE.format(80), "utf-8")
        tree.button("Refresh Documents")
        window.until(lambda: any("newer" in label for label in tree.labels()), "the newer revision")
        tree.click("Guide")
        window.until(lambda: "80 degrees" in compared(window), "the comparison")
        tree.expand("Guide, published")
        window.run_command("Notifications: Clear All Notifications")
        window.run_command("View: Hide Secondary Side Bar")
        for other in ("Memory", "Search"):  # they have pictures of their own
            Tree(window, other).close()
        window.run_command("View: Focus Active Editor Group")
        window.page.set_viewport_size({"width": 1240, "height": 480})
        light_and_dark(desk, window, "vscode-documents", (900, 420))
