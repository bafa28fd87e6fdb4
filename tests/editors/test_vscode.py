"""The packaged extension in VS Code for real: code-server, a browser, the chat view, and a model that plays by script.

How to run it alone, and what it needs: vscode/README.md.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

import attrs
import psutil
import pytest

from editors.vscode import code_server, packages, toolchain
from editors.vscode.scripted_model import ScriptedModel, call, say

try:
    from editors.vscode import workbench
    from editors.vscode.themes import Theme
except ImportError:
    workbench = Theme = None  # type: ignore[assignment, misc]

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
#: Set it to write the pictures of the documentation anew.
PICTURES_VARIABLE = "VADEMECUM_UPDATE_IMAGES"
GONE_SECONDS = 5 + code_server.GRACE_SECONDS + 5  # the five promised, the host's grace, and a slow machine's

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]  # the first run installs its tools

SOURCE: Mapping[str, str] = {
    "README.md": "# Teashop\n\nOrders and prices of a small teashop.\n",
    "teashop/__init__.py": "",
    "teashop/orders.py": '''"""Orders as they come in."""

from dataclasses import dataclass

from teashop.prices import price_of


@dataclass(frozen=True)
class Order:
    """So many cups of one tea."""

    tea: str
    cups: int


def total_in_cents(orders: list[Order]) -> int:
    """What all orders cost together."""
    return sum(order.cups * price_of(order.tea) for order in orders)
''',
    "teashop/prices.py": '''"""What each tea costs, in cents."""

PRICES = {"sencha": 420, "assam": 350, "rooibos": 300}


def price_of(tea: str) -> int:
    """The price of a cup. KeyError for a tea that is not sold here."""
    return PRICES[tea]
''',
}


def missing(what: str) -> NoReturn:
    """Skip, or fail where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@attrs.frozen
class Desk:
    """One machine with the editor on it."""

    browser: "workbench.Browser"
    server: code_server.CodeServer
    workspace: Path
    home: Path
    model: ScriptedModel
    pictures: Path

    @contextmanager
    def window(self) -> Iterator["workbench.Workbench"]:
        """Open the workspace; when the test fails in it, a picture says what was seen."""
        with workbench.open_window(self.browser, self.server.url, self.workspace) as window:
            try:
                yield window
            except BaseException as error:
                picture = self.pictures / f"failed-{time.time_ns()}.png"
                if not window.page.is_closed():
                    window.page.screenshot(path=picture)
                    error.add_note(f"The window when it failed: {picture}\ncode-server's log: {self.server.log}")
                raise

    def processes(self, argument: str | None = None) -> list[psutil.Process]:
        """The running processes of Vademecum on this home, orphans too: servers and indexers, or those given this."""
        found = []
        for process in psutil.process_iter():
            try:
                given = process.cmdline()
                ours = any(re.fullmatch(r"vademecum(\.\w+)*", part) for part in given)
                if ours and argument in (None, *given) and process.environ().get("VADEMECUM_HOME") == str(self.home):
                    found.append(process)
            except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                continue
        return found

    def memory_files(self) -> dict[Path, str]:
        """Every memory on the disk, with its text."""
        return {path: path.read_text("utf-8") for path in self.home.rglob("memory/*.md") if path.name != "MEMORY.md"}

    def memory_file(self, containing: str) -> Path | None:
        """The memory whose file holds `containing`."""
        return next((path for path, text in self.memory_files().items() if containing in text), None)


def poll(condition: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Wait for a condition outside the window."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(0.1)


@contextmanager
def started(folder: Path, *, asks_for_trust: bool = False) -> Iterator[Desk]:
    """code-server with both extensions, on the workspace `teashop` in a folder."""
    if workbench is None:
        missing("playwright is not in this environment: pip install --group editors")
    try:
        tools = toolchain.prepare()
    except toolchain.ToolMissing as error:
        missing(str(error))
    home, model = folder / "vademecum-home", ScriptedModel(folder / "model")
    running = code_server.run(
        tools,
        folder=folder,
        home=folder / "user-home",
        extensions=packages.build(tools, folder),
        machine_settings={"vademecum.server.interpreter": sys.executable},
        environment={"VADEMECUM_HOME": str(home), "SCRIPTED_MODEL_DIR": str(model.folder)},
        asks_for_trust=asks_for_trust,
    )
    with running as server, workbench.open_browser(tools.chromium, folder / "user-home") as browser:
        yield Desk(browser, server, folder / "teashop", home, model, folder)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """code-server with both extensions, on a workspace under git."""
    folder = tmp_path_factory.mktemp("vscode")
    workspace = folder / "teashop"
    for name, text in SOURCE.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "First"]):
        subprocess.run(["git", *identity, *arguments], cwd=workspace, check=True)
    with started(folder) as desk:
        yield desk


@pytest.fixture
def desk(machine: Desk) -> Iterator[Desk]:
    """The machine, with nothing remembered and nothing running."""
    shutil.rmtree(machine.home, ignore_errors=True)
    machine.model.will()
    yield machine
    poll(lambda: not machine.processes(), f"the end of {machine.processes()} after the window", GONE_SECONDS)


def remember(
    window: "workbench.Workbench", note: str, kind: str | None = None, *, project: str = "this project"
) -> None:
    """*Remember…* by hand, as a rule unless it is another kind; with several folders open, for the one of a name."""
    window.run_command("Vademecum: Remember…")
    window.answer(note)
    window.pick(kind or f"Rule for {project}")
    window.notification(f"Remembered in {project}: {note}")


def configure(desk: Desk, window: "workbench.Workbench", settings: Mapping[str, object]) -> None:
    """Change user settings in an open window."""
    desk.model.will_set(settings)
    window.run_command("Scripted: Apply Settings")


def picture(window: "workbench.Workbench", name: str, *, small: bool = False) -> None:
    """Keep a picture for the documentation, when it is asked for; a small one has half the pixels each way."""
    if os.environ.get(PICTURES_VARIABLE):
        IMAGES.mkdir(parents=True, exist_ok=True)
        window.page.wait_for_timeout(2_000)  # for colours and what else comes late; nothing is proved by it
        window.page.screenshot(path=IMAGES / name, scale="css" if small else "device")


def light_and_dark(desk: Desk, window: "workbench.Workbench", stem: str, rest: tuple[int, int]) -> None:
    """Keep a small picture in each of the two, when they are asked for, with the mouse where no hover shows a thing."""
    if os.environ.get(PICTURES_VARIABLE):
        for theme in (Theme.DARK, Theme.LIGHT):
            configure(desk, window, theme.settings())
            window.until(partial(theme.shown, window), f"the theme {theme}")
            window.page.mouse.move(*rest)
            picture(window, f"{stem}-{theme.suffix}.png", small=True)


def test_a_remembered_rule_is_the_first_thing_a_model_reads(desk: Desk) -> None:
    desk.model.will([say("Hello! I will use pnpm here.")], [say("Still here.")])
    with desk.window() as window:
        remember(window, "This repository uses pnpm, never npm")
        assert desk.memory_file("This repository uses pnpm, never npm")

        window.say("@vademecum hello")
        window.reply("I will use pnpm here")
        (request,) = desk.model.requests()
        block, *_, prompt = request.texts()
        assert "This repository uses pnpm, never npm" in block
        assert prompt == "hello"
        assert {"vademecum_remember", "vademecum_searchMemory", "vademecum_searchWorkspace"} <= set(request.tools)

        # What changes later is told later; what was told stays as it was, byte for byte.
        remember(window, "The shop sells no coffee")
        window.say("@vademecum and now?")
        window.reply("Still here.")
        earlier, later = (request.texts() for request in desk.model.requests())
        assert later[: len(earlier)] == earlier
        assert later[len(earlier)] == "Hello! I will use pnpm here."
        assert "The shop sells no coffee" in later[-2]
        assert later[-1] == "and now?"


@pytest.mark.pictures
def test_the_model_remembers_when_it_is_asked_to_and_it_can_be_undone(desk: Desk) -> None:
    note = "Prices are kept in cents, as whole numbers"
    desk.model.will(
        [call("vademecum_remember", note=note, category="Rule")],
        [say("I will keep prices in **cents**, as whole numbers, from now on.")],
    )
    with desk.window() as window:
        window.say("@vademecum remember that prices are kept in cents")
        reply = window.reply("from now on")
        kept = desk.memory_file(note)
        assert kept is not None
        assert "category: Rule" in kept.read_text("utf-8")
        assert desk.memory_file(note) == kept
        _, answered = desk.model.requests()
        assert "Remembered as [" in answered.texts()[-1]
        assert f"Remembered: {note}" in reply.inner_text()
        window.open_file("orders.py")
        picture(window, "vscode-chat.png")

        reply.get_by_role("link", name="Undo").click()
        window.notification("Forgotten again")
        assert desk.memory_files() == {}


def test_a_model_deletes_nothing_that_the_user_did_not_allow(desk: Desk) -> None:
    with desk.window() as window:
        remember(window, "The assam is from Halmari", "Fact about this project")
        desk.model.will([call("vademecum_searchMemory", query="assam")], [say("I know where the assam is from.")])
        window.say("@vademecum where is the assam from?")
        window.reply("I know where the assam is from")
        found = re.search(r"\[([0-9a-z]+)\] The assam is from Halmari", desk.model.requests()[-1].texts()[-1])
        assert found, desk.model.requests()[-1].texts()[-1]

        desk.model.will([call("vademecum_deleteMemory", id=found[1])], [say("It is gone.")])
        window.say("@vademecum forget where the assam is from")
        window.reply("Forget: The assam is from Halmari?")
        assert desk.memory_file("The assam is from Halmari")
        window.allow()
        window.reply("It is gone.")
        assert desk.memory_files() == {}

        # What was deleted is in no block any more, not even in that of a chat that began with it.
        desk.model.will([say("I do not know.")])
        window.say("@vademecum so where is it from?")
        window.reply("I do not know.")
        (request,) = desk.model.requests()
        assert not [text for text in request.texts() if found[1] in text and "vademecum-" in text]


@pytest.mark.pictures
def test_a_search_result_opens_its_file_at_the_hit(desk: Desk) -> None:
    with desk.window() as window:
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")
        # The server's order, in which the definition comes before its use.
        assert "def price_of(tea: str)" in window.quick_rows().first.inner_text()
        picture(window, "vscode-search.png")
        window.pick("teashop/prices.py")
        assert "return PRICES[tea]" in window.editor_text("def price_of(tea: str)")
        assert window.active_tab() == "prices.py"
        line = SOURCE["teashop/prices.py"].splitlines().index("def price_of(tea: str) -> int:") + 1
        assert window.cursor().startswith(f"Ln {line}, ")


def test_within_one_answer_a_model_is_given_no_lines_twice_and_in_the_next_all_of_them(desk: Desk) -> None:
    search = call("vademecum_searchWorkspace", query="price_of", paths=["teashop/prices.py"])
    with desk.window() as window:
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")  # it is indexed
        desk.model.will([search], [search], [say("Looked up twice.")], [search], [say("And once more.")])
        window.say("@vademecum where are prices looked up?")
        window.reply("Looked up twice.")
        window.say("@vademecum and now?")
        window.reply("And once more.")
        given = [request.texts()[-1] for request in desk.model.requests() if "reference: " in request.texts()[-1]]
        first, again, later = given[0], given[1], given[-1]
        assert "return PRICES[tea]" in first
        assert "its text was given before" in again
        assert "return PRICES[tea]" not in again
        assert "return PRICES[tea]" in later
        assert "given before" not in later


def test_the_prompt_block_can_be_read_and_follows_what_is_remembered(desk: Desk) -> None:
    with desk.window() as window:
        remember(window, "The kettle is descaled on Mondays")
        window.run_command("Vademecum: Show Prompt Block")
        window.editor_text("The kettle is descaled on Mondays")
        remember(window, "Closed on Sundays")
        window.editor_text("Closed on Sundays")


def test_references_in_a_text_are_mended_and_marked_as_their_file_changes(desk: Desk) -> None:
    prices, notes = desk.workspace / "teashop" / "prices.py", desk.workspace / "notes.md"
    before = prices.read_text("utf-8")
    cited = before.splitlines().index("def price_of(tea: str) -> int:") + 1
    digest = hashlib.sha256(b"def price_of(tea: str) -> int:").hexdigest()[:16]
    reference = f"teashop/prices.py:{cited}-{cited}@{digest}"
    notes.write_text(f"A cup is looked up: `{reference}`.\n", "utf-8")
    try:
        with desk.window() as window:
            window.open_file("notes.md")
            window.editor_text("A cup is looked up")
            window.until(lambda: "No Problems" in window.problems(), "no problems")
            prices.write_text("# Teas\n\n" + before, "utf-8")
            moved = f"teashop/prices.py:{cited + 2}-{cited + 2}@{digest}"

            def mended() -> bool:
                window.run_command("Fix All")
                return moved in window.editor_text("A cup is looked up").replace(" ", "")  # the line is wrapped

            window.until(mended, "the reference to be relocated", 60)
            prices.write_text(
                "# Teas\n\n" + before.replace("def price_of(tea: str)", "def price_of(name: str)"), "utf-8"
            )
            window.until(lambda: "Warnings: 1" in window.problems(), "the warning")
    finally:
        prices.write_text(before, "utf-8")
        notes.unlink()


def test_selected_lines_are_kept_with_a_reference_to_them(desk: Desk) -> None:
    with desk.window() as window:
        window.open_file("prices.py")
        window.editor_text("def price_of")
        window.select_all()
        window.run_command("Vademecum: Remember Selection")
        window.answer("Prices of a cup are looked up here")
        window.pick("Fact about this project")
        window.notification("Remembered in this project: Prices of a cup are looked up here")
        kept = desk.memory_file("Prices of a cup are looked up here")
        assert kept is not None
        text = kept.read_text("utf-8")
        assert re.search(r"teashop/prices\.py:1-\d+@[0-9a-f]{16}", text)
        assert 'PRICES = {"sencha": 420' in text


def test_off_means_off_and_on_again_without_a_restart(desk: Desk) -> None:
    desk.model.will([say("I know nothing of you.")], [say("Now I do.")])
    with desk.window() as window:
        remember(window, "The owner is called Mei")
        configure(desk, window, {"vademecum.memory.enabled": False})
        window.until(lambda: "memory is off" in status(window), "memory to be off")
        window.say("@vademecum who owns the shop?")
        window.reply("I know nothing of you.")
        (request,) = desk.model.requests()
        assert "Mei" not in "".join(request.texts())
        code = {"searchWorkspace", "findRelated", "verifyEvidence", "indexStatus"}
        assert set(request.tools) == {f"vademecum_{name}" for name in code}

        configure(desk, window, {"vademecum.memory.enabled": None})
        window.until(lambda: "1 memory" in status(window), "memory to be on")
        window.say("@vademecum and now?")
        window.reply("Now I do.")
        assert "Mei" in desk.model.requests()[-1].texts()[0]


def test_the_status_says_what_is_there(desk: Desk) -> None:
    with desk.window() as window:
        remember(window, "Cups hold 250 ml")
        files = len([name for name, text in SOURCE.items() if text])
        window.until(lambda: "1 memory" in status(window), "one memory in the status")
        assert re.search(rf"Vademecum: [{files}{len(SOURCE)}] files", status(window)), status(window)


def status(window: "workbench.Workbench") -> str:
    """Our item of the language status, which an open file is needed for."""
    window.open_file("README.md")
    return window.language_status()


def test_a_killed_server_is_started_again_and_nothing_outlives_two_windows(desk: Desk) -> None:
    with desk.window() as first:
        remember(first, "Cups hold 250 ml")
        (server,) = desk.processes("serve")
        server.kill()
        poll(lambda: any(process.pid != server.pid for process in desk.processes("serve")), "a new server")
        first.run_command("Vademecum: Show Prompt Block")
        first.editor_text("Cups hold 250 ml")
        with desk.window() as second:
            second.run_command("Vademecum: Show Prompt Block")
            second.editor_text("Cups hold 250 ml")
            # A crash of the extension host takes its server with it, and nobody else's.
            (crashed, *_) = desk.processes("serve")
            crashed.parent().kill()
            poll(lambda: not crashed.is_running(), "the end of the server whose editor crashed", GONE_SECONDS)
            assert desk.processes("serve")
    poll(lambda: not desk.processes(), "the end of every server", GONE_SECONDS)


def found(content: str, quote: str) -> str:
    """What the lent model says that it found in a chat."""
    memory = {
        "title": content,
        "content": content,
        "description": content,
        "type": "user",
        "scope": "user",
        "category": "Knowledge",
        "keywords": [],
        "quote": quote,
        "specific": True,
        "lasting": True,
        "inFiles": False,
        "salience": 4,
    }
    return json.dumps({"memories": [memory]})


def test_what_is_said_in_a_chat_is_judged_by_a_lent_model_and_kept_when_the_user_says_so(desk: Desk) -> None:
    desk.model.will(
        [say("Tea it is.")],
        [say(found("The user prefers tea", "I prefer tea"))],
        [say("Noted.")],
        [say(found("The user works in Oslo", "I work in Oslo"))],
    )
    with desk.window() as window:
        window.say("@vademecum I prefer tea, by the way")
        window.reply("Tea it is.")
        window.dialog("May Vademecum use a language model", "Lend It")
        window.notification("The user prefers tea").get_by_role("button", name="Keep").click()
        poll(lambda: "status: pending" not in (text_of(desk, "The user prefers tea") or "status: pending"), "the yes")
        # The answer is remembered: the next time nothing is asked but whether it is kept.
        window.say("@vademecum I work in Oslo")
        window.reply("Noted.")
        offer = window.notification("The user works in Oslo")
        assert "status: pending" in (text_of(desk, "The user works in Oslo") or "")
        offer.get_by_role("button", name="Discard").click()
        poll(lambda: text_of(desk, "The user works in Oslo") is None, "the no")
        assert len(desk.model.requests()) == 4


def text_of(desk: Desk, containing: str) -> str | None:
    """The text of the memory that holds `containing`, if there is one."""
    return next((text for text in desk.memory_files().values() if containing in text), None)
