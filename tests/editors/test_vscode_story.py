"""What somebody does in the first minutes, from nothing: a clean profile, no network, the extension as it is delivered.

A rule is remembered and obeyed, seen, edited, obeyed as it is now, and deleted, and nothing is left. Then the same with
two windows on one folder, of which one is killed.
"""

import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from editors.test_vscode import GONE_SECONDS, SOURCE, Desk, missing, poll, remember, workbench
from editors.test_vscode_memory import opened, saved
from editors.test_vscode_private import INSTALL_SECONDS, OFFLINE
from editors.vscode import code_server, packages, toolchain
from editors.vscode.scripted_model import ScriptedModel, obey

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

#: Words of the rule that nobody writes but the rule itself, so that each place that still has them is found.
RULE, EDITED = "Install with pnpm kestrelfirst, never npm", "Install with bun kestrelsecond, never npm"
FIRST, SECOND = "kestrelfirst", "kestrelsecond"


def servers(desk: Desk) -> list[psutil.Process]:
    """The language servers of this profile, which is told from others by its home alone."""
    found = []
    for process in psutil.process_iter():
        try:
            if "serve" in process.cmdline() and process.environ().get("HOME") == str(desk.home.parent):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return [process for process in found if any(re.search(r"vademecum", part) for part in process.cmdline())]


def holding(folder: Path, *words: str) -> list[Path]:
    """Every file below `folder` in whose bytes one of the words stands, as UTF-8 or UTF-16."""
    sought = [word.encode(encoding) for word in words for encoding in ("utf-8", "utf-16-le")]
    found = []
    for path in folder.rglob("*"):
        try:
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        except OSError:
            continue  # it went away meanwhile
        if any(each in data for each in sought):
            found.append(path)
    return sorted(found)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, float]]:
    """A machine that has Python and no network, on which nothing was ever set; and when the story began."""
    if workbench is None:
        missing("playwright is not in this environment: pip install --group editors")
    try:
        tools = toolchain.prepare()
    except toolchain.ToolMissing as error:
        missing(str(error))
    folder = tmp_path_factory.mktemp("story")
    workspace, user = folder / "teashop", folder / "user-home"
    for name, text in SOURCE.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text, "utf-8")
    model = ScriptedModel(folder / "model")
    model.will()
    extensions = packages.build_for_this_machine(tools, folder)
    programs = [place for place in os.environ["PATH"].split(os.pathsep) if not (Path(place) / "vademecum").exists()]
    began = time.monotonic()
    running = code_server.run(
        tools,
        folder=folder,
        home=user,
        extensions=extensions,
        machine_settings={},
        environment={
            "SCRIPTED_MODEL_DIR": str(model.folder),
            "PATH": os.pathsep.join([str(tools.node_bin), *programs]),
            **OFFLINE,
        },
    )
    with running as server, workbench.open_browser(tools.chromium, folder / "browser") as browser:
        yield Desk(browser, server, workspace, user / ".vademecum", model, folder), began


@pytest.fixture
def desk(machine: tuple[Desk, float]) -> Iterator[Desk]:
    """The machine, with nothing remembered; at the end no server is left."""
    desk, _ = machine
    shutil.rmtree(desk.home.parent)
    desk.home.parent.mkdir()
    desk.model.will()
    yield desk
    poll(lambda: not servers(desk), f"the end of {servers(desk)} after the window", GONE_SECONDS)


def told(desk: Desk, *words: str) -> list[str]:
    """What of the model's last request holds one of the words."""
    texts = desk.model.requests()[-1].texts()
    return [text for text in texts if any(word in text for word in words)]


def forget_everything(window: "workbench.Workbench", said: str) -> None:
    """*Forget Everything…*, with what it asks to be typed."""
    window.run_command("Vademecum: Forget Everything…")
    window.pick("about you, and of the open folder")
    asked = window.page.locator(".quick-input-widget:visible")
    window.until(lambda: said in asked.inner_text(timeout=1_000), "the question")
    # Enter alone does nothing.
    window.page.keyboard.press("Enter")
    assert window.quick_input().is_visible()
    window.answer("forget everything")


def test_from_nothing_to_a_rule_that_is_obeyed_changed_and_gone(
    machine: tuple[Desk, float], desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    _, began = machine
    pnpm, bun = "pnpm install", "bun install"
    with desk.window() as window:
        poll(lambda: bool(servers(desk)), "the extension's own server", INSTALL_SECONDS)
        remember(window, RULE)
        desk.model.will([obey(FIRST, pnpm, "npm install")])
        window.say("@vademecum how do I install the dependencies?")
        window.reply(pnpm)
        seconds = time.monotonic() - began
        with capsys.disabled():
            # Told, and no reason to fail: other tests may run beside.
            sys.stdout.write(f"\nfrom installing the extension to a rule that is obeyed: {seconds:.1f} s of 120\n")
        (request,) = desk.model.requests()
        block = request.texts()[0]
        assert RULE in block and desk.memory_file(RULE)

        # It is in the view, and its file is what is edited.
        tree = opened(window)
        tree.until("This Project 1", "Rules 1", RULE)
        tree.click(RULE)
        window.editor_text(FIRST)
        path = desk.memory_file(RULE)
        assert path and window.active_tab() == path.name
        saved(window, path.read_text("utf-8").replace(RULE, EDITED))
        tree.until("This Project 1", "Rules 1", EDITED)

        # The running chat knows with its next message, and its head stays as it was, byte for byte.
        desk.model.will([obey(SECOND, bun, "I know of no change")])
        window.say("@vademecum and now?")
        window.reply(bun)
        (request,) = desk.model.requests()
        assert request.texts()[0] == block
        assert EDITED in request.texts()[-2] and request.texts()[-1] == "and now?"

        tree.act(EDITED, "Delete Memory")
        window.notification(f"Deleted: “{EDITED}”.")
        window.until(lambda: "every later chat knows" in tree.text(), "the welcome")
        assert desk.memory_files() == {}
        desk.model.will(
            [obey("kestrel", "I still know", "I know of no rule")], [obey("kestrel", "I know", "Nobody said")]
        )
        window.say("@vademecum which rule is there?")
        window.reply("I know of no rule")
        assert told(desk, FIRST, SECOND) == []
        window.run_command("Chat: New Chat")
        window.say("@vademecum what is to be kept to?")
        window.reply("Nobody said")
        assert told(desk, FIRST, SECOND) == []

        # What a deletion can be undone from lies in one place, which docs/files.md names, until it is purged.
        left = {str(each.relative_to(desk.home.parent)) for each in holding(desk.home.parent, FIRST, SECOND)}
        assert left, "the undo of a deletion has nothing to go by"
        assert all(each.startswith(".local/state/vademecum/memory.sqlite") for each in left), left
        forget_everything(window, "There is no way back")
        window.notification("Forgotten for good: ")
        poll(lambda: not holding(desk.home.parent, FIRST, SECOND), "every byte to be gone")
        # Nor in the editor's own data: not in its local history of files, nor in what it keeps of the chats.
        assert holding(desk.pictures / "data", FIRST, SECOND) == []


def test_a_killed_window_takes_nothing_with_it(desk: Desk) -> None:
    with desk.window() as killed:
        poll(lambda: len(servers(desk)) == 1, "the first window's server")
        (first,) = servers(desk)
        host = first.parent()
        with desk.window() as window:
            poll(lambda: len(servers(desk)) == 2, "a server for each window")
            tree = opened(window)
            remember(killed, RULE)
            tree.until("This Project 1", "Rules 1", RULE)
            desk.model.will([obey(FIRST, "pnpm install", "npm install")])
            window.say("@vademecum how do I install the dependencies?")
            window.reply("pnpm install")
            block = desk.model.requests()[-1].texts()[0]

            # What the killed one changed last is not lost, and its death not the other's.
            opened(killed).click(RULE)
            killed.editor_text(FIRST)
            path = desk.memory_file(RULE)
            assert path
            saved(killed, path.read_text("utf-8").replace(RULE, EDITED))
            poll(lambda: SECOND in path.read_text("utf-8"), "the file")
            host.send_signal(signal.SIGKILL)
            poll(lambda: not first.is_running(), "the end of the server whose editor was killed", GONE_SECONDS)
            tree.until("This Project 1", "Rules 1", EDITED)
            desk.model.will([obey(SECOND, "bun install", "I know of no change")])
            window.say("@vademecum and now?")
            window.reply("bun install")
            texts = desk.model.requests()[-1].texts()
            assert texts[0] == block and EDITED in texts[-2]

            # A page that is closed is a window that is killed, too: no word of goodbye.
            killed.page.close()
            remember(window, "Cups hold 250 ml", "Fact about this project")
            tree.until("This Project 2", "Rules 1", EDITED, "Facts 1", "Cups hold 250 ml")
            tree.act(EDITED, "Delete Memory")
            window.notification(f"Deleted: “{EDITED}”.")
            desk.model.will([obey("kestrel", "I still know", "I know of no rule")])
            window.say("@vademecum which rule is there?")
            window.reply("I know of no rule")
            assert told(desk, FIRST, SECOND) == []
            assert "Cups hold 250 ml" in desk.model.requests()[-1].texts()[0]
        # Who opens the folder again finds all of it as the other left it.
        with desk.window() as again:
            opened(again).until("This Project 1", "Facts 1", "Cups hold 250 ml")
            forget_everything(again, "There is no way back")
            again.notification("Forgotten for good: ")
            poll(lambda: not holding(desk.home.parent, FIRST, SECOND, "Cups hold"), "every byte to be gone")
