"""Nothing without its user's word, in VS Code for real: what is found in a chat waits, what changed meanwhile is not
overwritten, what agents are told is asked for and taken back, and what is forgotten is gone everywhere.
"""

import json
import re
import subprocess
from collections.abc import Iterator

import pytest

from editors.test_vscode import Desk, configure, desk, found, machine, poll, remember, workbench
from editors.test_vscode_chat import take_back
from editors.test_vscode_memory import add, opened
from editors.test_vscode_story import forget_everything, holding
from editors.vscode.scripted_model import call, say

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

TEA = "The user prefers tea"


def waiting(window: "workbench.Workbench") -> str:
    """The number at the book in the activity bar; empty where none stands there."""
    entry = window.page.locator(".part.activitybar .action-item", has=window.page.locator('[aria-label^="Vademecum"]'))
    number = entry.first.locator(".badge").first
    return number.inner_text(timeout=1_000).strip() if number.is_visible() else ""


def test_what_a_chat_leaves_waits_in_the_view_as_it_happens_and_in_the_other_window(desk: Desk) -> None:
    desk.model.will([say("Tea it is.")], [say(found(TEA, "I prefer tea"))], [say("I know of no taste.")])
    with desk.window() as window, desk.window() as other:
        tree, theirs = opened(window), opened(other)
        window.say("@vademecum I prefer tea, by the way")
        window.reply("Tea it is.")
        window.dialog("May Vademecum use a language model", "Lend It")
        offer = window.notification(TEA)
        for each, there in ((window, tree), (other, theirs)):
            there.until("Waiting for Review 1", f"{TEA} fact everywhere")
            each.until(lambda each=each: waiting(each) == "1", "the number at the book")
        # It is told to nobody before somebody says so.
        other.say("@vademecum what do I drink?")
        other.reply("I know of no taste.")
        assert not [text for text in desk.model.requests()[-1].texts() if TEA in text]
        theirs.act(TEA, "Accept Memory")
        other.notification(f"Accepted: “{TEA}”.")
        tree.until("Everywhere 1", "Facts 1", TEA)
        for each in (window, other):
            each.until(lambda each=each: waiting(each) == "", "the number to go")
        # The offer in the first window comes late, and undoes nothing.
        window.run_command("Notifications: Show Notifications")
        offer.get_by_role("button", name="Discard").click()
        window.notification("It was answered already")
        assert desk.memory_file(TEA)


def test_a_memory_that_changed_after_the_yes_was_asked_for_is_left_as_it_is(desk: Desk) -> None:
    with desk.window() as window:
        remember(window, "The assam is from Halmari", "Fact about this project")
        path = desk.memory_file("The assam is from Halmari")
        assert path
        id = re.search(r"^id: (\S+)", path.read_text("utf-8"), re.MULTILINE)
        assert id
        changing = call("vademecum_updateMemory", id=id[1], content="The assam is from Doomni")
        desk.model.will([changing], [say("It could not be changed.")], [changing], [say("From Doomni now.")])
        window.say("@vademecum it is from Doomni now")
        window.reply("Change what is remembered: The assam is from Halmari?")
        path.write_text(path.read_text("utf-8").replace("from Halmari", "from Mangalam"), "utf-8")
        window.allow()
        window.reply("It could not be changed.")
        assert "was changed since it was read" in desk.model.requests()[-1].texts()[-1]
        assert "from Mangalam" in path.read_text("utf-8")

        # Asked again, they see what it is now.
        window.say("@vademecum change it all the same")
        window.reply("The assam is from Mangalam")
        window.allow()
        window.reply("From Doomni now.")
        assert "is from Doomni" in path.read_text("utf-8")


def test_agents_are_told_by_a_hook_that_is_asked_for_and_taken_back(desk: Desk) -> None:
    hook = desk.workspace / ".github" / "hooks" / "vademecum.json"
    with desk.window() as window:
        remember(window, "The kettle is descaled on Mondays")
        window.run_command("Vademecum: Tell Other Chats What Is Remembered…")
        window.pick("Run a hook when a session starts")
        window.notification("Other chats are told").get_by_role("button", name="Show It").click()
        window.editor_text("SessionStart")
        assert "kettle" not in hook.read_text("utf-8")
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=desk.workspace, capture_output=True, check=True)
        assert changed.stdout == b""

        # The editor takes it for a hook.
        window.run_command("Chat: Configure Hooks")
        window.pick("Session Start")
        window.until(lambda: window.quick_rows().filter(has_text="prompt --hook").count() == 1, "our hook in its list")
        window.page.keyboard.press("Escape")

        # As the editor runs it: by a shell, in the folder, with the event on standard input.
        (entry,) = json.loads(hook.read_text("utf-8"))["hooks"]["SessionStart"]
        event = {"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": str(desk.workspace), "source": "new"}
        (server,) = desk.processes("serve")
        done = subprocess.run(
            entry["command"],
            shell=True,
            cwd=desk.workspace,
            env=server.environ() | entry["env"],
            input=json.dumps(event).encode(),
            capture_output=True,
            timeout=entry["timeout"],
        )
        told = json.loads(done.stdout)["hookSpecificOutput"]
        assert told["hookEventName"] == "SessionStart"
        assert "The kettle is descaled on Mondays" in told["additionalContext"]
        window.run_command("Vademecum: Show Prompt Block")
        window.pick("What an agent's session that starts now is given")
        window.editor_text("The kettle is descaled on Mondays")

        window.run_command("Vademecum: Stop Telling Other Chats")
        window.notification("Other chats are told nothing any more")
        assert not hook.parent.parent.exists()
        assert "vademecum" not in (desk.workspace / ".git" / "info" / "exclude").read_text("utf-8")


def test_tools_have_the_names_of_other_systems_when_their_user_says_so(desk: Desk) -> None:
    others = {"memory_search", "memory_get", "memory_save", "memory_forget"}
    with desk.window() as window:
        remember(window, "The assam is from Halmari", "Fact about this project")
        desk.model.will([say("Without.")])
        window.say("@vademecum hello")
        window.reply("Without.")
        assert others.isdisjoint(desk.model.requests()[-1].tools)
        configure(desk, window, {"vademecum.tools.aliases": ["yottacode"]})
        looking = [call("memory_search", query="assam")]
        for number in range(20):
            desk.model.will(looking, [say(f"Looked {number + 1} times.")])
            window.say("@vademecum where is it from?")
            window.reply(f"Looked {number + 1} times.")
            if others <= set(desk.model.requests()[0].tools):
                break
        assert others <= set(desk.model.requests()[0].tools)
        assert "The assam is from Halmari" in desk.model.requests()[-1].texts()[-1]
        take_back(desk, window, "vademecum.tools.aliases")


@pytest.fixture
def forgotten(desk: Desk) -> Iterator[Desk]:
    """The desk, whose home is searched for what was forgotten when all windows are closed, too."""
    yield desk
    assert holding(desk.home, "kestrel") == []
    assert holding(desk.pictures / "user-home", "kestrel") == []


def test_forgetting_everything_leaves_nothing_in_either_window(forgotten: Desk) -> None:
    desk = forgotten
    with desk.window() as window, desk.window() as other:
        tree, theirs = opened(window), opened(other)
        remember(window, "The kestrelone nests in the till")
        add(window, "The kestreltwo is fed at noon", kind="Fact everywhere")
        tree.until("This Project 1", "Rules 1", "The kestrelone nests in the till", "Everywhere 1", "Facts 1", *_two())
        # A prior version, one that is deleted, one that a chat has in its head.
        tree.menu("The kestreltwo is fed at noon", "Rename Memory…")
        window.answer("The kestrelthree is fed at one")
        window.notification("Renamed: “The kestrelthree is fed at one”.")
        theirs.row("The kestrelthree is fed at one")
        desk.model.will([say("I know two things.")], [say("I know nothing.")])
        other.say("@vademecum what do you know?")
        other.reply("I know two things.")
        assert "kestrelone" in desk.model.requests()[-1].texts()[0]
        theirs.act("The kestrelone nests in the till", "Delete Memory")
        other.notification("Deleted: “The kestrelone nests in the till”.")
        assert holding(desk.home, "kestrelone")

        forget_everything(window, "There is no way back")
        window.notification("Forgotten for good: ")
        poll(lambda: not holding(desk.home, "kestrel"), "every byte to be gone")
        for each, there in ((window, tree), (other, theirs)):
            each.until(lambda there=there: "every later chat knows" in there.text(), "the welcome")
        # Not even the chat that knew, nor an undo that is still offered, brings anything back.
        other.say("@vademecum and now?")
        other.reply("I know nothing.")
        assert not [text for text in desk.model.requests()[-1].texts() if "kestrel" in text]
        other.run_command("Notifications: Show Notifications")
        other.notification("Deleted: “The kestrelone nests in the till”.").get_by_role("button", name="Undo").click()
        other.notification("Not")
        assert holding(desk.home, "kestrel") == []


def _two() -> tuple[str, ...]:
    return ("The kestreltwo is fed at noon",)
