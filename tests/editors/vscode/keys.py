"""The workbench by keys alone: nothing here moves or presses a mouse."""

from editors.vscode.workbench import PATIENCE, TRY, Workbench


class Keys:
    """One open window, and somebody with a keyboard before it."""

    def __init__(self, window: Workbench) -> None:
        self.window = window
        self.page = window.page

    def press(self, key: str) -> None:
        """Press a key, such as `Shift+F10`, where the focus is."""
        self.page.keyboard.press(key)

    def command(self, title: str) -> None:
        """Run a command from the palette."""

        def attempt() -> bool:
            if self.asks():
                self.press("Escape")  # a palette lists the commands that were there when it opened
            self.press("F1")
            self.window.quick_input().wait_for(state="visible", timeout=TRY)
            self.press("ControlOrMeta+A")
            self.page.keyboard.insert_text(f">{title}")
            self.page.locator(".quick-input-list .monaco-list-row.focused", has_text=title).wait_for(timeout=TRY)
            return True

        self.window.until(attempt, f"{title!r} in the palette")
        self.press("Enter")

    def choose(self, label: str, title: str) -> None:
        """Choose the entry that begins with `label`, by writing it, where `title` is asked."""

        def attempt() -> bool:
            if self.title() != title:
                return False  # what is written now would go elsewhere
            self.press("ControlOrMeta+A")
            self.page.keyboard.insert_text(label)
            return self.focused().startswith(label)

        self.window.until(attempt, f"{label!r} to choose")
        self.press("Enter")

    def answer(self, text: str, instead_of: str = "") -> None:
        """Write into the box that asks, once it holds what it is to begin with, and accept."""
        entry = self.window.quick_input()
        self.window.until(lambda: self.asks() and entry.input_value(timeout=TRY) == instead_of, "a question")
        if text:
            self.press("ControlOrMeta+A")
            self.page.keyboard.insert_text(text)
            self.window.until(lambda: entry.input_value(timeout=TRY) == text, "the text to be there")
        self.press("Enter")
        self.window.until(lambda: not self.asks() or entry.input_value(timeout=TRY) != text, "the answer to be taken")

    def in_editor(self) -> None:
        """Wait until what is written goes into the editor in front."""
        focused = self.page.locator(".editor-group-container.active .monaco-editor.focused").first
        focused.wait_for(state="visible", timeout=PATIENCE)

    def asks(self) -> bool:
        """Whether the quick input is open."""
        return self.page.locator(".quick-input-widget:visible").count() > 0

    def title(self) -> str:
        """What the quick input says it is about."""
        return self.page.locator(".quick-input-title:visible").inner_text(timeout=TRY)

    def focused(self) -> str:
        """What a screen reader says of the entry of the quick input that Enter would take."""
        row = self.page.locator(".quick-input-list .monaco-list-row.focused").first
        return row.get_attribute("aria-label", timeout=TRY) or ""

    def walk_to(self, spoken: str) -> None:
        """Go to the entry of the focused tree of which a screen reader says `spoken`, from the top down."""

        def attempt() -> bool:
            tree = self.page.locator(".monaco-list:focus-within .monaco-list-row.focused").first
            for key in ("Home", *["ArrowDown"] * 20):
                self.press(key)
                label = tree.get_attribute("aria-label", timeout=TRY) or ""
                if label == spoken:
                    return True
            return False

        self.window.until(attempt, f"{spoken!r} in the tree")

    def choose_from_menu(self, label: str) -> None:
        """Go down the menu that is open to the item of that name, and take it."""
        item = self.page.locator(".monaco-menu .action-item.focused .action-label").first

        def attempt() -> bool:
            self.press("ArrowDown")
            return item.inner_text(timeout=TRY).strip() == label

        self.page.locator(".monaco-menu").first.wait_for(state="visible")
        self.window.until(attempt, f"{label!r} in the menu")
        self.press("Enter")
