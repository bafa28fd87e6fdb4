"""The Search view in VS Code for real: asked, filtered, opened, explained, followed as files change, by keys alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from editors.test_vscode import PICTURES_VARIABLE, SOURCE, Desk, configure, desk, light_and_dark, machine, workbench
from editors.vscode import code_server

try:
    from editors.vscode.search_view import SearchView
    from editors.vscode.themes import Theme, contrast
    from editors.vscode.tree import choose_from_menu
except ImportError:
    SearchView = Theme = contrast = choose_from_menu = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

PRICES = SOURCE["teashop/prices.py"]
DEFINED = PRICES.splitlines().index("def price_of(tea: str) -> int:") + 1


def opened(window: "workbench.Workbench") -> "SearchView":
    """The view, in front, over an index that is complete."""
    view = SearchView(window)
    view.open()
    view.says("files · by words")
    return view


@contextmanager
def added(desk: Desk, *files: tuple[str, str]) -> Iterator[None]:
    """Files that are in the workspace for a while; those that are there already are as before at the end."""
    before = {name: SOURCE.get(name) for name, _ in files}
    for name, text in files:
        path = desk.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    try:
        yield
    finally:
        for name, was in before.items():
            path = desk.workspace / name
            if was is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(was, "utf-8")


def test_from_a_query_to_its_file_by_keys_alone(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        # While one types, without Enter.
        window.page.keyboard.type("price_of", delay=20)
        view.result("def price_of(tea: str)")
        view.until(lambda: "for “price_of”" in view.said(), "the number of results to be said")
        assert view.paths()[0] == "teashop/prices.py"
        assert "price_of" in view.result("prices.py").locator("mark").all_inner_texts()
        number = view.result("prices.py").locator(".line.best .number").inner_text()
        assert number == str(DEFINED)

        window.page.keyboard.press("ArrowDown")
        view.until(lambda: f"teashop/prices.py line {DEFINED}" in view.focused(), "the first result to have the focus")
        window.page.keyboard.press("ArrowDown")
        view.until(lambda: "teashop/orders.py" in view.focused(), "the second")
        # Exactly one place of the list is in the order of the Tab key.
        assert view.page.locator("#results [tabindex='0']").count() == 1
        window.page.keyboard.press("ArrowRight")
        view.until(lambda: view.focused() == "Copy Reference", "its first button")
        window.page.keyboard.press("ArrowUp")
        view.until(lambda: view.focused() == "Copy Reference", "the same button of the first result")
        window.page.keyboard.press("ArrowLeft")
        view.until(lambda: "teashop/prices.py" in view.focused(), "the first result")

        window.page.keyboard.press("ControlOrMeta+C")
        view.until(lambda: view.said() == "Reference copied", "its reference to be copied")

        # Shown, while the focus stays; then gone to.
        window.page.keyboard.press("Space")
        window.until(lambda: window.active_tab() == "prices.py", "its file")
        view.until(lambda: "teashop/prices.py" in view.focused(), "the focus to stay")
        window.page.keyboard.press("Enter")
        window.until(lambda: window.cursor().startswith(f"Ln {DEFINED}, "), "the cursor at the match")
        view.open()
        window.page.keyboard.press("ArrowDown")
        window.page.keyboard.press("ControlOrMeta+Enter")
        groups = window.page.locator(".editor-group-container")
        window.until(lambda: groups.count() == 2, "the file to the side")

        view.open()
        window.page.keyboard.press("ArrowDown")
        view.until(lambda: "teashop/prices.py" in view.focused(), "the first result")
        window.page.keyboard.press("ArrowUp")
        view.until(lambda: view.focused() == "query", "the field")


def test_a_query_goes_on_from_the_quick_pick(desk: Desk) -> None:
    with desk.window() as window:
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")
        window.page.locator(".quick-input-widget:visible").get_by_role("button", name="Show in the Search view").click()
        view = SearchView(window)
        view.result("def price_of(tea: str)")
        assert view.field().input_value() == "price_of"


def test_queries_come_back_by_the_arrow_keys_and_after_a_reload(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        view.ask("rooibos")
        view.result("rooibos")
        view.ask("cups of one tea")
        view.result("class Order")
        window.page.keyboard.press("ArrowUp")
        view.until(lambda: view.field().input_value() == "rooibos", "the query before")
        view.result("rooibos")
        window.page.keyboard.press("ArrowDown")
        view.until(lambda: view.field().input_value() == "cups of one tea", "the last query")
        view.ask("total_in_cents")
        view.press(view.result("def total_in_cents"), "Explain Score")
        view.says("Words in common")

        # Hidden and shown again: as it was.
        window.run_command("View: Show Explorer")
        view.field().wait_for(state="detached")
        window.run_command("Vademecum: Focus on Search View")
        view.says("Words in common")
        assert view.field().input_value() == "total_in_cents"

        # In a new window, what was asked last is asked of what is there now.
        window.page.reload()
        view = SearchView(window)
        view.open()
        view.result("def total_in_cents")
        assert view.field().input_value() == "total_in_cents"
        window.page.keyboard.press("ArrowUp")
        view.until(lambda: view.field().input_value() == "cups of one tea", "the history")

        window.run_command("Vademecum: Clear Search History")
        view.says("Finds code and documents")
        window.page.keyboard.press("ArrowUp")
        assert view.field().input_value() == ""


def test_filters_narrow_what_is_found_and_what_they_cannot_mean_is_said(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        view.ask("teashop prices")
        view.until(lambda: {"README.md", "teashop/prices.py"} <= set(view.paths()), "code and documents")
        view.filter("In", "Documents")
        view.until(lambda: view.paths() == ["README.md"], "documents alone")
        view.filter("In", "Code")
        view.until(lambda: "README.md" not in view.paths() and view.paths(), "code alone")
        view.filter("Paths", "teashop/**, !**/orders.py")
        view.until(lambda: view.paths() == ["teashop/prices.py"], "what the pattern lets through")
        view.filter("Languages", "klingon")
        view.says("does not know 'klingon'")
        view.filter("Languages", "markdown")
        view.says("Nothing found for “teashop prices”.")
        view.until(lambda: "Nothing found" in view.said(), "that to be said")
        view.page.get_by_role("button", name="Filters (some are set)").wait_for(state="visible")
        view.page.get_by_role("button", name="Search without Filters").click()
        view.until(lambda: {"README.md", "teashop/prices.py"} <= set(view.paths()), "all of it")
        view.filter("Find by", "Words")
        view.ask("rooibos")
        view.until(lambda: view.paths() == ["teashop/prices.py"], "what holds the word")


def test_a_reference_is_copied_and_a_score_explained(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        view.ask("price_of")
        result = view.result("def price_of")
        view.press(result, "Copy Reference")
        view.until(lambda: view.said() == "Reference copied", "that to be said")
        window.run_command("Vademecum: Open Search View")
        view.field().press("ControlOrMeta+A")
        window.page.keyboard.press("ControlOrMeta+V")
        view.until(lambda: view.field().input_value().startswith("teashop/prices.py:1-"), "the reference")

        view.ask("price_of")
        result = view.result("def price_of")
        view.press(result, "Explain Score")
        why = result.locator(".why")
        why.wait_for(state="visible")
        assert "Words in common" in why.inner_text()
        assert "Score" in why.inner_text()
        view.press(result, "Explain Score")
        why.wait_for(state="detached")

        # A line of the preview leads to that line.
        result.locator(".line", has_text="return PRICES").locator(".number").click()
        window.until(lambda: window.cursor().startswith(f"Ln {DEFINED + 2}, "), "the cursor in that line")


def test_similar_code_from_a_result_and_from_an_editor(desk: Desk) -> None:
    copy = PRICES.replace("price_of", "cost_of").replace("PRICES", "COSTS")
    with added(desk, ("teashop/costs.py", copy)), desk.window() as window:
        view = opened(window)
        view.ask("price_of")
        view.press(view.result("def price_of"), "Similar Code")
        view.says(f"Similar to teashop/prices.py:{DEFINED}")
        view.until(lambda: "teashop/costs.py" in view.paths() and "teashop/prices.py" not in view.paths(), "its copy")
        view.until(lambda: "like teashop/prices.py" in view.said(), "that to be said")
        view.page.get_by_role("button", name="Back to “price_of”").click()
        view.until(lambda: "teashop/prices.py" in view.paths(), "what was asked before")

        window.open_file("costs.py")
        editor = window.page.locator(".editor-group-container.active .monaco-editor .view-lines").first
        choose_from_menu(window, editor.get_by_text("def cost_of").first, "Find Similar Code")
        view.says("Similar to teashop/costs.py:")
        view.until(lambda: "teashop/prices.py" in view.paths(), "what it is a copy of")


def test_in_every_theme_all_can_be_told_from_its_background(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        view.ask("price_of")
        view.press(view.result("def price_of"), "Explain Score")
        view.says("Words in common")
        try:
            for theme in (Theme.DARK, Theme.HIGH_CONTRAST, Theme.HIGH_CONTRAST_LIGHT, Theme.LIGHT):
                configure(desk, window, theme.settings())
                window.until(partial(theme.shown, window), f"the theme {theme}")
                kind = "vscode-high-contrast" if "High Contrast" in theme else "vscode-"
                view.page.locator(f"body[class*='{kind}']").wait_for(state="visible")
                for part in (".name", ".symbol", ".kind", ".text", ".why dt", "footer", "#query"):
                    drawn = view.page.locator(part).first
                    view.until(partial(told_apart, drawn), f"{part} to be readable in {theme}")
                if "High Contrast" in theme:
                    for part in (".code", "#query", ".tools"):
                        assert not view.page.locator(part).first.evaluate(EDGE).endswith(" 0)"), (part, theme)
        finally:
            configure(desk, window, {name: code_server.SETTINGS.get(name) for name in Theme.LIGHT.settings()})


#: The colour of an element's edge; one that is not there is see-through.
EDGE = "one => getComputedStyle(one).borderTopColor"


def told_apart(part: "workbench.Locator") -> bool:
    """Whether a text has the contrast that WCAG asks of texts."""
    return contrast(part) >= 4.5


@pytest.mark.pictures
@pytest.mark.skipif(not os.environ.get(PICTURES_VARIABLE), reason=f"for the documentation; set {PICTURES_VARIABLE}")
def test_the_picture_of_the_documentation(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        for name in ("Memory", "Documents"):
            window.page.locator(f'.pane-header[aria-label^="{name}"]').first.click()
        window.until(lambda: "by words and meaning" in view.text(), "all vectors", seconds=120)
        view.filter("Languages", "python")
        view.ask("what does a cup of tea cost")
        view.press(view.result("rooibos"), "Explain Score")
        view.says("Words in common")
        view.result("rooibos").locator(".number").first.click()
        window.editor_text("def price_of")
        window.run_command("View: Hide Secondary Side Bar")
        window.page.set_viewport_size({"width": 1240, "height": 700})
        light_and_dark(desk, window, "vscode-search-view", (900, 580))
