"""The Search view, in the words of somebody who uses it."""

from collections.abc import Callable

from playwright.sync_api import FrameLocator, Locator

from editors.vscode.workbench import PATIENCE, TRY, Workbench


class SearchView:
    """The view and the page in it."""

    def __init__(self, window: Workbench) -> None:
        self.window = window
        self.page: FrameLocator = window.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")

    def open(self) -> None:
        """Put the view in front, with the cursor in its field."""
        self.window.run_command("Vademecum: Open Search View")
        self.field().wait_for(state="visible", timeout=PATIENCE)
        self.until(lambda: self.focused() == "query", "the cursor in the field")

    def field(self) -> Locator:
        """Where one types."""
        return self.page.locator("#query")

    def ask(self, text: str) -> None:
        """Type a query, press Enter, and wait for its answer."""
        self.field().fill(text, timeout=PATIENCE)
        self.field().press("Enter")
        busy = self.page.locator("body[aria-busy=true]")
        self.until(lambda: f"for “{text}”" in self.said() and not busy.count(), f"the answer to {text!r}")

    def results(self) -> Locator:
        """All results."""
        return self.page.locator(".result")

    def result(self, containing: str) -> Locator:
        """The first result that holds a text, once it is there."""
        found = self.results().filter(has_text=containing).first
        found.wait_for(state="visible", timeout=PATIENCE)
        return found

    def paths(self) -> list[str]:
        """Path and line of each result, from the top, as a screen reader is told of them."""
        labels = self.page.locator(".result .main").evaluate_all("all => all.map(one => one.ariaLabel)")
        return [label.split(" line ")[0].rsplit(", ", 1)[-1] for label in labels]

    def spoken(self, place: int) -> str:
        """What a screen reader says of the result at a place, from 0."""
        return self.page.locator(".result .main").nth(place).get_attribute("aria-label", timeout=TRY) or ""

    def press(self, result: Locator, button: str) -> None:
        """Press one of the buttons of a result."""
        result.hover(timeout=PATIENCE)
        result.get_by_role("button", name=button).click(timeout=PATIENCE)

    def filter(self, label: str, value: str) -> None:
        """Set a filter."""
        toggle = self.page.get_by_role("button", name="Filters")
        if toggle.get_attribute("aria-expanded", timeout=PATIENCE) == "false":
            toggle.click(timeout=PATIENCE)
        entry = self.page.get_by_label(label, exact=True)
        if entry.evaluate("one => one.tagName") == "SELECT":
            entry.select_option(label=value, timeout=PATIENCE)
        else:
            entry.fill(value, timeout=PATIENCE)

    def focused(self) -> str:
        """The id, else the label of what has the focus in the page."""
        active = self.page.locator("*:focus").first
        if not active.count():
            return ""
        return active.get_attribute("id") or active.get_attribute("aria-label") or active.inner_text(timeout=TRY)

    def said(self) -> str:
        """What a screen reader was told last."""
        return (self.page.locator("[role=status]").text_content(timeout=TRY) or "").strip()

    def text(self) -> str:
        """All that the page says."""
        return " ".join(self.page.locator("body").inner_text(timeout=TRY).split())

    def says(self, text: str) -> None:
        """Wait until the page says something."""
        try:
            self.until(lambda: text in self.text(), f"the view to say {text!r}")
        except AssertionError as error:
            error.add_note(f"It said: {self.text()}")
            raise

    def until(self, read: Callable[[], object], what: str) -> None:
        """Wait for something in the view."""
        self.window.until(read, what)
