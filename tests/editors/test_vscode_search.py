"""The Search view in VS Code for real: asked, filtered, opened, explained, followed as files change."""

import pytest

from editors.test_vscode import Desk, desk, machine

try:
    from editors.vscode.search_view import SearchView
except ImportError:
    SearchView = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]


def test_from_a_query_to_its_file(desk: Desk) -> None:
    with desk.window() as window:
        view = SearchView(window)
        view.open()
        view.ask("price_of")
        view.result("def price_of(tea: str)")
        view.until(lambda: "for “price_of”" in view.said(), "the number of results to be said")
        view.field().press("ArrowDown")
        view.until(lambda: "teashop/prices.py line 6" in view.focused(), "the first result to have the focus")
        window.page.keyboard.press("Enter")
        window.until(lambda: window.active_tab() == "prices.py", "its file")
