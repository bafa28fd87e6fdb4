"""The chat's commands in VS Code for real: done at once, asked of no model, and remembered by name alone."""

import hashlib
import json
import subprocess
import sys

import pytest

from editors.test_vscode import SOURCE, Desk, configure, desk, machine, poll, workbench
from editors.test_vscode_knowledge import handbook, import_file, opened, publish
from editors.vscode.scripted_model import call, say

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

NOTE = "The kettle is descaled on Mondays"


def take_back(desk: Desk, window: "workbench.Workbench", name: str) -> None:
    """Take a setting back, and see it gone: the window may be closed next."""
    configure(desk, window, {name: None})
    kept = [path for path in desk.pictures.glob("data/*/settings.json") if path.parent.name in ("User", "Machine")]
    poll(lambda: not any(name in path.read_text("utf-8") for path in kept), f"the end of {name}")


def test_notes_are_kept_without_a_model_and_the_next_answer_knows_them(desk: Desk) -> None:
    desk.model.will([say("It is descaled on Mondays.")])
    with desk.window() as window:
        window.say("@vademecum # Cups hold 250 ml")
        window.reply("Remembered: Cups hold 250 ml").get_by_role("link", name="Undo").click()
        window.notification("Forgotten again")
        assert desk.memory_files() == {}
        window.say(f"@vademecum # {NOTE}")
        window.reply(f"Remembered: {NOTE}")
        assert desk.memory_file(NOTE)
        window.command("remember", "--rule Prices are kept in cents")
        window.reply("Remembered: Prices are kept in cents")
        kept = desk.memory_file("Prices are kept in cents")
        assert kept is not None and "category: Rule" in kept.read_text("utf-8")
        assert desk.model.requests() == []

        window.say("@vademecum when is the kettle descaled?")
        window.reply("It is descaled on Mondays.")
        (request,) = desk.model.requests()
        sent = request.texts()
        assert NOTE in "".join(sent) and "Prices are kept in cents" in "".join(sent)
        # What was typed as a command is told as such; its answer, by the name of what was kept.
        (told,) = [at for at, text in enumerate(sent) if text == "/remember --rule Prices are kept in cents"]
        assert sent[told + 1].startswith("(Kept as memory ")
        assert sent[-1] == "when is the kettle descaled?"


def test_recall_shows_memories_and_later_turns_are_told_their_ids_alone(desk: Desk) -> None:
    desk.model.will([say("Done.")])
    with desk.window() as window:
        window.say(f"@vademecum # {NOTE}")
        window.reply(f"Remembered: {NOTE}")
        kept = desk.memory_file(NOTE)
        assert kept is not None
        window.command("recall", "when is the kettle descaled?")
        reply = window.reply("Knowledge, in this project")
        assert NOTE in reply.inner_text()
        assert desk.model.requests() == []
        window.say("@vademecum thank you")
        window.reply("Done.")
        (request,) = desk.model.requests()
        sent = request.texts()
        shown = next(text for text in sent if text.startswith("(Shown from memory, by id: "))
        assert NOTE not in shown


def test_search_answers_with_links_to_the_lines(desk: Desk) -> None:
    with desk.window() as window:
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")  # it is indexed
        window.page.keyboard.press("Escape")
        window.command("search", "price_of")
        reply = window.reply("def price_of(tea: str)")
        reply.locator(".chat-inline-anchor-widget", has_text="prices.py:").first.dispatch_event("click")
        window.until(lambda: window.active_tab() == "prices.py", "the file of the link")
        window.until(lambda: "selected" in window.cursor(), "its lines")
        assert window.editor_text("def price_of(tea: str)")
        assert desk.model.requests() == []

        # What may be asked next is offered.
        window.page.get_by_text("Answer this from the code").wait_for()
        # The references that were shown are what /verify judges.
        window.command("verify", "")
        window.reply("All of it holds.")


def test_memory_is_looked_after_in_the_chat(desk: Desk) -> None:
    with desk.window() as window:
        window.say(f"@vademecum # {NOTE}")
        window.reply(f"Remembered: {NOTE}")
        window.command("memory", "status")
        window.reply("1 active")
        window.command("memory", "path")
        assert str(desk.home) in window.reply("new ones go here").inner_text()
        window.command("memory", "search kettle")
        window.reply("Knowledge, in this project")

        source = desk.pictures / "CLAUDE.md"
        source.write_text("# Rules\n\n- Always use four spaces.\n", "utf-8")
        window.command("memory", f"import {source}")
        window.reply("1 new").get_by_role("button", name="Import 1").click()
        window.notification("Imported 1 memory")
        poll(lambda: desk.memory_file("four spaces") is not None, "the import")

        window.command("memory", "delete project")
        window.dialog("Delete all", "Delete")
        window.reply("Deleted ")
        poll(lambda: desk.memory_file(NOTE) is None, "the deletion")
        assert desk.model.requests() == []


def test_what_fits_a_message_is_recalled_with_it_where_the_block_has_no_room(desk: Desk) -> None:
    desk.model.will([say("One.")], [say("Two.")])
    with desk.window() as window:
        configure(desk, window, {"vademecum.memory.promptEntries": 0})
        window.say(f"@vademecum # {NOTE}")
        window.reply(f"Remembered: {NOTE}")
        window.say("@vademecum when is the kettle descaled?")
        window.reply("One.")
        window.say("@vademecum and what is a haiku?")
        window.reply("Two.")
        first, second = (request.texts() for request in desk.model.requests())
        assert "<vademecum-recall>" in first[-2] and NOTE in first[-2]
        later = [text for text in second if "<vademecum-recall>" in text]
        assert later == [], json.dumps(second, indent=1)
        assert "by id: " in second[second.index("when is the kettle descaled?") - 1]
        take_back(desk, window, "vademecum.memory.promptEntries")


def test_other_chats_are_told_by_a_file_that_is_kept_true_and_out_of_git(desk: Desk) -> None:
    told = desk.workspace / ".github" / "instructions" / "vademecum.instructions.md"
    with desk.window() as window:
        window.say(f"@vademecum # {NOTE}")
        window.reply(f"Remembered: {NOTE}")
        window.run_command("Vademecum: Tell Other Chats What Is Remembered…")
        window.pick("Keep the file out of git")
        window.notification("Other chats are told").get_by_role("button", name="Show It").click()
        window.editor_text(NOTE)
        assert NOTE in told.read_text("utf-8")
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=desk.workspace, capture_output=True, check=True)
        assert changed.stdout == b""

        # It is what is shown, and what a chat of ours is given.
        window.run_command("Vademecum: Show Prompt Block")
        window.pick("What a chat with @vademecum is given")
        window.editor_text(NOTE)
        desk.model.will([say("Hello.")])
        window.say("@vademecum hello")
        window.reply("Hello.")
        (request,) = desk.model.requests()
        assert told.read_text("utf-8").endswith(request.texts()[0])

        window.say("@vademecum # Closed on Sundays")
        window.reply("Remembered: Closed on Sundays")
        poll(lambda: "Closed on Sundays" in told.read_text("utf-8"), "the change in the file")
        window.run_command("Vademecum: Stop Telling Other Chats")
        window.notification("Other chats are told nothing any more")
        assert not told.parent.parent.exists()
        assert "vademecum" not in (desk.workspace / ".git" / "info" / "exclude").read_text("utf-8")


def test_a_model_has_the_tools_of_the_table(desk: Desk) -> None:
    prices = "teashop/prices.py"
    lines = SOURCE[prices].splitlines()
    line = lines.index("def price_of(tea: str) -> int:") + 1
    digest = hashlib.sha256(lines[line - 1].encode()).hexdigest()[:16]
    reference = f"{prices}:{line}-{line}@{digest}"
    with desk.window() as window:
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")  # it is indexed
        window.page.keyboard.press("Escape")
        desk.model.will(
            [call("vademecum_verifyEvidence", references=[reference])],
            [call("vademecum_findRelated", path=prices, line=line)],
            [call("vademecum_indexStatus")],
            [say("Looked at it all.")],
        )
        window.say("@vademecum is it still so?")
        window.reply("Looked at it all.")
        answers = [request.texts()[-1] for request in desk.model.requests()[1:]]
        assert "All of it holds." in answers[0] and reference in answers[0]
        assert "reference: " in answers[1] or "Nothing was found." in answers[1], answers[1]
        assert "teashop" in answers[2] and "files" in answers[2], answers[2]


def test_agents_are_offered_the_mcp_server_when_the_user_says_so(desk: Desk) -> None:
    pytest.importorskip("mcp")
    with desk.window() as window:
        configure(desk, window, {"vademecum.mcpServer": True})
        try:
            window.run_command("MCP: List Servers")
            window.pick("Vademecum")
            window.pick("Start Server")
            poll(lambda: bool(desk.processes("mcp")), "the server")
            (server,) = desk.processes("mcp")
            assert str(desk.workspace) in server.cmdline()

            # Once this window's server is another program, so is that of the agents, with the next message.
            program = desk.pictures / "another-vademecum"
            program.write_text(f'#!/bin/sh\nANOTHER=1 exec "{sys.executable}" -m vademecum "$@"\n', "utf-8")
            program.chmod(0o755)
            configure(desk, window, {"vademecum.server.path": str(program)})
            poll(
                lambda: server.pid not in [each.pid for each in desk.processes("mcp")], "the end of the one before", 60
            )
            desk.model.will([say("Hello again.")])
            window.say("@vademecum hello")
            window.reply("Hello again.")
            poll(lambda: bool(desk.processes("mcp")), "the server once more", 60)
            (server,) = desk.processes("mcp")
            assert "ANOTHER" in server.environ()
        finally:
            take_back(desk, window, "vademecum.mcpServer")
            take_back(desk, window, "vademecum.server.path")


def test_documents_are_asked_and_the_answer_leads_to_the_section(desk: Desk) -> None:
    with desk.window() as window:
        window.command("docs", "how long is a session kept?")
        window.reply("No published document is attached")
        tree = opened(desk, window)
        import_file(window, handbook(desk))
        publish(window, tree, "Handbook")
        window.run_command("Notifications: Clear All Notifications")  # they would lie over the chat's field
        window.command("docs", "")
        window.reply("Documents that can be asked")
        window.command("docs", "how long is a session kept?")
        reply = window.reply("These sections match best")
        assert "A session is kept for half an hour" in reply.inner_text()
        reply.locator(".chat-inline-anchor-widget", has_text="handbook.md").first.dispatch_event("click")
        window.until(lambda: window.active_tab() == "handbook.md", "the source of the section")
        assert desk.model.requests() == []
        take_back(desk, window, "vademecum.lendModel")
