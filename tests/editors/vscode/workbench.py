"""The workbench in a browser page, in the words of somebody who uses it.

Everything waits for a condition with a deadline. What the interface may lose (a palette that closes because the window
was still loading, a chat view that is not there yet) is done again until it holds.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Browser, Error, Locator, Page, TimeoutError, ViewportSize, sync_playwright

T = TypeVar("T")

#: For what the workbench itself does, in milliseconds.
PATIENCE = 30_000
#: For one try of something that is tried again, in milliseconds.
TRY = 3_000

#: Small enough that a picture of the window can be read in a page of documentation.
SIZE: ViewportSize = {"width": 1240, "height": 760}

#: The name of the model that is picked by itself, being the only one (see fake-model).
MODEL = "Scripted"

#: Stands in its place while a folder is not trusted, whatever models there are; messages reach the model all the same.
RESTRICTED = "Models"

CHAT_INPUT = ".interactive-session .interactive-input-part"


class Workbench:
    """One open window."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_command(self, title: str) -> None:
        """Run a command from the palette, by its whole title."""

        def attempt() -> None:
            self._close_quick_input()
            self.page.keyboard.press("F1")
            entry = self.quick_input()
            entry.fill(f">{title}", timeout=TRY)
            row = self.page.locator(".quick-input-list .monaco-list-row", has_text=title).first
            row.wait_for(state="visible", timeout=TRY)
            row.click(timeout=TRY)
            try:
                self.until(lambda: not self._offers(title), f"{title} to be run", TRY / 1000)
            except AssertionError as error:
                raise TimeoutError(str(error)) from error

        self._retry(attempt)

    def _offers(self, title: str) -> bool:
        """Whether the palette still asks which command to run; one that was run may ask something else there."""
        # All at once: to wait for the text of a palette that goes away in between would use up the time there is.
        asked: list[str] = self.page.locator(".quick-input-widget:visible input").evaluate_all(
            "fields => fields.map((field) => field.value)"
        )
        return f">{title}" in asked

    def quick_input(self) -> Locator:
        """The text field at the top that commands ask with."""
        return self.page.locator(".quick-input-widget:visible input[type=text], .quick-input-widget:visible input").last

    def answer(self, text: str) -> None:
        """Type into the quick input and accept it."""
        entry = self.quick_input()
        entry.wait_for(state="visible", timeout=PATIENCE)
        entry.fill(text)
        entry.press("Enter")

    def type_until(self, text: str, offers: str) -> None:
        """Type into the quick input, again until an entry holds `offers` (the answer may still be in the making)."""

        def attempt() -> None:
            entry = self.quick_input()
            entry.fill("", timeout=TRY)
            entry.fill(text, timeout=TRY)
            self.quick_rows().filter(has_text=offers).first.wait_for(state="visible", timeout=TRY)

        self._retry(attempt)

    def pick(self, text: str) -> None:
        """Choose the entry of the quick input that holds `text`."""
        row = self.quick_rows().filter(has_text=text).first
        row.wait_for(state="visible", timeout=PATIENCE)
        row.click()

    def choose_path(self, path: Path, button: str) -> None:
        """Name a file or a folder in the editor's own dialog, which fills in and completes what is typed."""
        entry = self.quick_input()
        accept = self.page.locator(".quick-input-widget:visible").get_by_role("button", name=button, exact=True)
        self.until(lambda: accept.is_visible() and entry.input_value(timeout=TRY).startswith("/"), "the dialog")

        def named() -> bool:
            if not accept.is_visible():
                return True
            if entry.input_value(timeout=TRY).rstrip("/") != str(path):
                entry.fill(str(path), timeout=TRY)
                self.page.wait_for_timeout(300)
                return False
            accept.click(timeout=TRY)
            self.page.wait_for_timeout(300)
            return not accept.is_visible()

        self.until(named, f"the dialog to take {path}")

    def open_file(self, name: str) -> None:
        """Open a file of the workspace by its name."""

        def attempt() -> None:
            self._close_quick_input()
            self.page.keyboard.press("ControlOrMeta+P")
            self.quick_input().fill(name, timeout=TRY)
            row = self.quick_rows().filter(has_text=name).first
            row.wait_for(state="visible", timeout=TRY)
            row.click(timeout=TRY)

        self._retry(attempt)
        self.until(lambda: self.active_tab() == name, f"{name} in front")

    def quick_rows(self) -> Locator:
        """The entries that the quick input offers."""
        return self.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row")

    def notification(self, text: str) -> Locator:
        """A notification that holds `text`, once it is there."""
        found = self.page.locator(".notification-list-item", has_text=text).first
        found.wait_for(state="visible", timeout=PATIENCE)
        return found

    def editor_text(self, containing: str) -> str:
        """The visible text of the active editor, on one line, once it holds `containing`."""
        lines = self.page.locator(".editor-group-container.active .monaco-editor .view-lines").first

        def read() -> str | None:
            text = drawn_text(lines)
            return text if containing in text else None

        return self.until(read, f"an editor showing {containing!r}")

    def select_all(self) -> None:
        """Select the whole text of the active editor."""
        self.page.locator(".editor-group-container.active .monaco-editor .view-lines").first.click(timeout=PATIENCE)
        self.page.keyboard.press("ControlOrMeta+A")
        self.until(lambda: "selected" in self.cursor(), "a selection")

    def active_tab(self) -> str:
        """The label of the active editor's tab."""
        tab = self.page.locator(".editor-group-container.active .tab.active").first
        return tab.get_attribute("data-resource-name", timeout=PATIENCE) or ""

    def active_tab_label(self) -> str:
        """All that the active editor's tab says, such as what a comparison compares."""
        tab = self.page.locator(".editor-group-container.active .tab.active").first
        return tab.get_attribute("aria-label", timeout=PATIENCE) or ""

    def cursor(self) -> str:
        """Where the cursor is, as the status bar says it."""
        return self.page.locator("#status\\.editor\\.selection").first.inner_text(timeout=PATIENCE).strip()

    def problems(self) -> str:
        """What the status bar says of problems: `No Problems`, `Warnings: 1`."""
        return self.page.locator("#status\\.problems a").first.get_attribute("aria-label") or ""

    def language_status(self) -> str:
        """What the language status of the active editor says, item by item."""

        def attempt() -> str:
            self.page.locator("#status\\.languageStatus").first.hover(timeout=TRY)
            panel = self.page.locator(".hover-language-status").first
            panel.wait_for(state="visible", timeout=TRY)
            return self.page.locator(".hover-language-status").first.locator("xpath=..").inner_text(timeout=TRY)

        found: list[str] = []
        self._retry(lambda: found.append(attempt()))
        return " ".join(found[-1].split())

    def say(self, text: str, model: str = MODEL) -> None:
        """Send a message in the chat view, opening it first if need be, once it names the model."""

        def attempt() -> None:
            field = self.page.locator(CHAT_INPUT).last
            if not field.is_visible():
                self.run_command("Chat: Open Chat")
                field.wait_for(state="visible", timeout=TRY)
            # Until a model is picked for it, the editor refuses the message.
            field.get_by_text(model, exact=True).first.wait_for(state="visible", timeout=TRY)
            field.locator(".monaco-editor").first.click(timeout=TRY)
            self.page.keyboard.press("ControlOrMeta+A")
            self.page.keyboard.type(text, delay=5)
            # The list of participants opens over the field, and would take the Enter.
            self.page.keyboard.press("Escape")
            typed = drawn_text(field.locator(".view-lines").first)
            # Long lines are wrapped, also within a word.
            if "".join(text.split()) not in "".join(typed.split()):
                raise TimeoutError(f"the chat's field holds {typed!r}")

        self._retry(attempt)
        self.page.keyboard.press("Enter")

    def command(self, name: str, text: str) -> None:
        """Send a command of `@vademecum`, with what is written behind it."""
        self.say(f"@vademecum /{name} {text}".rstrip())

    def reply(self, containing: str) -> Locator:
        """An answer in the chat that holds `containing`, once it is there."""
        found = self.page.locator(".interactive-session .interactive-response", has_text=containing).last
        found.wait_for(state="visible", timeout=PATIENCE)
        return found

    def allow(self) -> None:
        """Allow the tool call that the chat asks about."""
        self.page.locator(".interactive-session").get_by_role("button", name="Allow").last.click(timeout=PATIENCE)

    def dialog(self, text: str, button: str) -> None:
        """Press a button of the modal dialog that holds `text`."""
        box = self.page.locator(".monaco-dialog-box", has_text=text).first
        box.get_by_role("button", name=button).click(timeout=PATIENCE)

    def until(self, read: Callable[[], T | None], what: str, seconds: float = PATIENCE / 1000) -> T:
        """The first value that is not None or False. Raises AssertionError naming `what` was waited for."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = read()
            except (Error, TimeoutError):
                value = None
            if value is not None and value is not False:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
            self.page.wait_for_timeout(100)

    def _close_quick_input(self) -> None:
        """Only where there is one: in an editor, Escape would drop the selection."""
        if self.page.locator(".quick-input-widget:visible").count():
            self.page.keyboard.press("Escape")

    def _retry(self, attempt: Callable[[], None], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                attempt()
                return
            except (Error, TimeoutError):
                if time.monotonic() > deadline:
                    raise
                self.page.wait_for_timeout(300)


def drawn_text(lines: Locator) -> str:
    """What Monaco has drawn, on one line: it draws spaces as no-break ones, and wraps long lines."""
    return " ".join(lines.inner_text(timeout=TRY).split())


@contextmanager
def open_browser(chromium: Path, home: Path) -> Iterator[Browser]:
    """A headless browser; closed at the end with every window in it. What it keeps goes into `home`."""
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment: dict[str, str | float | bool] = {**kept, "HOME": str(home)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium), args=flags, env=environment)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_window(browser: Browser, url: str, folder: Path) -> Iterator[Workbench]:
    """Open `folder`, or a `.code-workspace` file, in a window that knows nothing of others; it is closed at the end."""
    page = browser.new_page(viewport=SIZE, device_scale_factor=2)
    try:
        page.goto(f"{url}/?{'workspace' if folder.suffix == '.code-workspace' else 'folder'}={folder}", timeout=60_000)
        page.locator(".monaco-workbench .part.editor").wait_for(state="visible", timeout=60_000)
        if folder.suffix == ".code-workspace":
            _until_it_has_folders(page)
        yield Workbench(page)
    finally:
        page.close()


def _until_it_has_folders(page: Page) -> None:
    """VS Code reads a workspace's file once its server answers, and on a busy machine now and then too early: then the
    window has no folders until it is reloaded."""
    folders = page.locator(".explorer-folders-view .monaco-list-row").first
    for _ in range(6):
        with suppress(TimeoutError):
            folders.wait_for(state="visible", timeout=PATIENCE / 2)
            return
        page.reload(timeout=60_000)
        page.locator(".monaco-workbench .part.editor").wait_for(state="visible", timeout=60_000)
    raise AssertionError("the window had no folders, whenever it was opened")
