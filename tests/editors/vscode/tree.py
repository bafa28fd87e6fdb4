"""A view of the side bar with a tree in it, in the words of somebody who uses it."""

from playwright.sync_api import Locator

from editors.vscode.workbench import PATIENCE, TRY, Workbench


class Tree:
    """A view, by its name, such as `Documents`."""

    def __init__(self, window: Workbench, name: str) -> None:
        self.window = window
        self.name = name
        self.pane = window.page.locator(".pane", has=window.page.locator(f'.pane-header[aria-label^="{name}"]')).first

    def open(self) -> None:
        """Put the view in front."""
        self.window.run_command(f"Vademecum: Focus on {self.name} View")
        self.pane.wait_for(state="visible", timeout=PATIENCE)

    def close(self) -> None:
        """Fold the view, so that its neighbours have its room."""
        head = self.pane.locator(".pane-header").first

        def attempt() -> bool:
            if head.get_attribute("aria-expanded", timeout=TRY) == "false":
                return True
            # Its buttons, which come while the mouse is over it, may reach to its middle.
            head.click(timeout=TRY, position={"x": 10, "y": 10})
            return False

        self.window.until(attempt, f"{self.name} to be folded")

    def row(self, label: str) -> Locator:
        """The first entry of which a screen reader says `label`, once it is there."""
        found = self.pane.locator(f'.monaco-list-row[aria-label*="{label}"]').first
        found.wait_for(state="visible", timeout=PATIENCE)
        return found

    def rows(self) -> Locator:
        """All entries that are drawn."""
        return self.pane.locator(".monaco-list-row")

    def labels(self) -> list[str]:
        """The text of each entry, from the top, with its description."""
        parts = "row => [...row.querySelectorAll('.label-name, .label-description')].map(part => part.textContent)"
        drawn = self.rows().evaluate_all(f"rows => rows.map({parts})")
        return [" ".join(" ".join(texts).split()) for texts in drawn]

    def until(self, *labels: str) -> None:
        """Wait until the entries are these."""
        try:
            self.window.until(lambda: self.labels() == list(labels), f"{self.name} to be {labels}")
        except AssertionError as error:
            error.add_note(f"It was {self.labels()}")
            raise

    def spoken(self, label: str) -> str:
        """What a screen reader says of an entry."""
        return self.row(label).get_attribute("aria-label") or ""

    def expand(self, label: str) -> None:
        """Open what is in an entry."""

        def attempt() -> bool:
            row = self.row(label)
            if row.get_attribute("aria-expanded", timeout=TRY) == "true":
                return True
            row.locator(".monaco-tl-twistie").click(timeout=TRY)
            return False

        self.window.until(attempt, f"{label!r} to be open")

    def click(self, label: str) -> None:
        """Open an entry."""
        self.row(label).locator(".monaco-icon-label").first.click(timeout=PATIENCE)

    def select(self, label: str) -> None:
        """Select an entry without opening it."""
        self.row(label).locator(".monaco-icon-label").first.click(modifiers=["ControlOrMeta"], timeout=PATIENCE)

    def act(self, label: str, action: str) -> None:
        """Press one of the buttons of an entry."""

        pressed = False

        def attempt() -> bool:
            nonlocal pressed
            row = self.row(label)
            row.hover(timeout=TRY)
            button = row.get_by_role("button", name=action).first
            if pressed and not button.is_visible():
                return True  # it did its work, and the entry was drawn anew before the click was over
            button.wait_for(state="visible", timeout=TRY)
            pressed = True
            button.click(timeout=TRY)
            return True

        self.window.until(attempt, f"the button {action!r} of {label!r}")

    def menu(self, label: str, action: str) -> None:
        """Choose from the context menu of an entry."""
        choose_from_menu(self.window, self.row(label), action)

    def button(self, action: str) -> None:
        """Press a button in the title of the view."""

        def attempt() -> bool:
            self.pane.hover(timeout=TRY)
            # The title of the only view of a container is the container's own.
            self.window.page.locator(".part.sidebar").get_by_role("button", name=action).first.click(timeout=TRY)
            return True

        self.window.until(attempt, f"the button {action!r} of {self.name}")

    def text(self) -> str:
        """All that the view says, its welcome and messages too."""
        return " ".join(self.pane.inner_text(timeout=TRY).split())


def choose_from_menu(window: Workbench, entry: Locator, action: str) -> None:
    """Choose from the context menu of anything; a click in the moment that the menu opens is not taken."""
    item = window.page.locator(".monaco-menu .action-label", has_text=action).first

    def attempt() -> bool:
        if not item.is_visible():
            entry.click(button="right", timeout=TRY)
            item.wait_for(state="visible", timeout=TRY)
        item.click(timeout=TRY)
        item.wait_for(state="hidden", timeout=TRY)
        return True

    window.until(attempt, f"{action!r} in a menu")
