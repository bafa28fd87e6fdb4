"""References in VS Code for real: cited from a selection, marked as they stand, verified all at once, relocated."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from editors.test_vscode import SOURCE, Desk, desk, machine, workbench

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

PRICES = SOURCE["teashop/prices.py"]
DEFINITION = "def price_of(tea: str) -> int:"
TABLE = 'PRICES = {"sencha": 420, "assam": 350, "rooibos": 300}'

DRAWN_AFTER = """lines => [...lines.querySelectorAll('span')]
  .map(span => getComputedStyle(span, '::after').content.replaceAll('"', ''))
  .filter(sign => '✓↷✗?'.includes(sign) && sign)"""


def reference(line: str) -> str:
    """A reference to one line of prices.py, as the server makes it."""
    number = PRICES.splitlines().index(line) + 1
    return f"teashop/prices.py:{number}-{number}@{hashlib.sha256(line.encode()).hexdigest()[:16]}"


@pytest.fixture
def notes(desk: Desk) -> Iterator[Path]:
    """A text in the workspace that cites two lines of a file; both are as they were afterwards."""
    prices, path = desk.workspace / "teashop" / "prices.py", desk.workspace / "notes.md"
    path.write_text(f"Looked up by `{reference(DEFINITION)}`.\n\nIn the table `{reference(TABLE)}`.\n", "utf-8")
    yield path
    prices.write_text(PRICES, "utf-8")
    path.unlink(missing_ok=True)


def marks(window: "workbench.Workbench") -> list[str]:
    """The signs behind the references of the active editor, from the top."""
    lines = window.page.locator(".editor-group-container.active .monaco-editor .view-lines").first
    return list(lines.evaluate(DRAWN_AFTER))


def test_a_selection_is_cited_and_every_reference_shows_how_it_stands(desk: Desk, notes: Path) -> None:
    prices = desk.workspace / "teashop" / "prices.py"
    with desk.window() as window:
        window.open_file("prices.py")
        window.editor_text("def price_of")
        window.select_all()
        window.run_command("Vademecum: Cite Selection")
        digest = hashlib.sha256(PRICES.removesuffix("\n").encode()).hexdigest()[:16]
        window.notification(f"Copied: teashop/prices.py:1-{len(PRICES.splitlines())}@{digest}")

        window.open_file("notes.md")
        window.until(lambda: marks(window) == ["✓", "✓"], "both to hold")
        prices.write_text("# Teas\n\n" + PRICES.replace("tea: str", "name: str"), "utf-8")
        window.until(lambda: marks(window) == ["✗", "↷"], "one changed, one moved", 60)
        prices.write_text(PRICES, "utf-8")
        window.until(lambda: marks(window) == ["✓", "✓"], "both to hold again", 60)


def test_all_references_are_verified_and_what_moved_is_relocated(desk: Desk, notes: Path) -> None:
    prices = desk.workspace / "teashop" / "prices.py"
    with desk.window() as window:
        window.run_command("Vademecum: Verify All References")
        window.notification("2 references in 1 file: all hold.")
        prices.write_text("# Teas\n\n" + PRICES.replace("tea: str", "name: str"), "utf-8")

        def told() -> bool:
            window.run_command("Notifications: Clear All Notifications")
            window.run_command("Vademecum: Verify All References")
            return window.notification("2 references in 1 file: ").inner_text().count("1 moved, 1 changed.") == 1

        window.until(told, "what became of them", 60)
        window.until(lambda: "Warnings: 1" in window.problems(), "the problems of a text that is not shown")
        found = window.notification("1 moved, 1 changed.")
        found.get_by_role("button", name="Relocate What Moved").click()
        window.notification("Relocated in 1 file; save what is right.")
        number = PRICES.splitlines().index(TABLE) + 3
        window.editor_text(f"prices.py:{number}-{number}@")
        # Those of the server are in the place of what was listed.
        window.until(lambda: "Warnings: 1" in window.problems(), "each problem once")
        window.run_command("File: Save")
        window.until(lambda: f":{number}-{number}@" in notes.read_text("utf-8"), "the file to be saved")
