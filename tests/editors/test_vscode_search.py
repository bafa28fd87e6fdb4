"""The Search view in VS Code for real: asked, filtered, opened, explained, followed as files change, by keys alone."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from editors.test_vscode import PICTURES_VARIABLE, SOURCE, Desk, configure, desk, machine, picture, workbench
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


def test_what_is_shown_is_marked_when_it_no_longer_holds_and_can_be_refreshed(desk: Desk) -> None:
    prices = desk.workspace / "teashop" / "prices.py"
    till = "def till_opens() -> bool:\n    return True\n"
    with added(desk, ("teashop/prices.py", PRICES), ("teashop/till.py", till)), desk.window() as window:
        view = opened(window)
        view.ask("price_of")
        view.result("def price_of(tea: str)")

        # What has only moved is shown where it is.
        prices.write_text("# Teas\n\n" + PRICES, "utf-8")
        view.until(
            lambda: view.result("def price_of").locator(".line.best .number").inner_text() == str(DEFINED + 2),
            "its new line",
        )
        assert not view.result("def price_of").locator(".lost").count()

        # What has changed is marked, and taken from its file again.
        prices.write_text(PRICES.replace("tea: str", "name: str"), "utf-8")
        view.result("def price_of(tea: str)").locator(".lost", has_text="changed").wait_for(state="visible")
        view.press(view.result("def price_of(tea: str)"), "Refresh This Result")
        fresh = view.result("def price_of(name: str)")
        assert not fresh.locator(".lost").count()
        assert fresh.locator(".line.best .number").inner_text() == str(DEFINED)

        # So is what is typed in an editor; and what is as it was again, holds again.
        window.open_file("prices.py")
        window.editor_text("def price_of(name: str)")
        window.select_all()
        window.page.keyboard.insert_text("# Nothing is sold today.")
        view.result("def price_of(name: str)").locator(".lost", has_text="changed").wait_for(state="visible")

        def undone() -> bool:
            window.page.keyboard.press("ControlOrMeta+Z")
            return "def price_of(name: str)" in window.editor_text("")

        window.until(undone, "the text as it was")
        view.result("def price_of(name: str)").locator(".lost").wait_for(state="detached")

        view.ask("till_opens")
        view.result("def till_opens")
        (desk.workspace / "teashop" / "till.py").unlink()
        view.result("def till_opens").locator(".lost", has_text="deleted").wait_for(state="visible")
        view.press(view.result("def till_opens"), "Refresh This Result")
        view.until(lambda: "not there any more: teashop/till.py" in view.said(), "that it is gone")
        assert "teashop/till.py" not in view.paths()


def test_more_results_come_on_demand(desk: Desk) -> None:
    files = [(f"blends/blend_{n}.py", f"def blend_{n}(tea):\n    return 'blend number {n}'\n") for n in range(30)]
    try:
        with added(desk, *files), desk.window() as window:
            view = opened(window)
            view.says("34 files")
            view.ask("blend number")
            view.until(lambda: "; there are more" in view.said(), "a first page")
            first = view.results().count()
            view.page.get_by_role("button", name="More Results").press("Enter")
            view.until(lambda: view.results().count() > first, "the next one")
            view.until(lambda: view.focused() == spoken(view, first), "the first of them to have the focus")
            paths = view.paths()
            assert len(set(paths)) == len(paths)
            view.until(lambda: "more" in view.said(), "their number to be said")
    finally:
        shutil.rmtree(desk.workspace / "blends", ignore_errors=True)


def spoken(view: "SearchView", place: int) -> str:
    """What a screen reader says of the result at a place."""
    return view.page.locator(".result .main").nth(place).get_attribute("aria-label") or ""


def test_what_is_not_searched_can_be_read_from_the_view_its_menu_and_the_status(desk: Desk) -> None:
    ignored = [(".gitignore", "build/\n"), ("build/made.py", "x = 1\n"), ("teashop/tea.bin", "\0\1\2")]
    with added(desk, *ignored), desk.window() as window:
        view = opened(window)
        view.says("2 not searched")
        view.page.get_by_role("button", name="not searched").click()
        rows = window.quick_rows()
        window.until(lambda: rows.filter(has_text="ignored by git").filter(has_text="build").count(), "what is ignored")
        window.until(lambda: rows.filter(has_text="not text").filter(has_text="tea.bin").count(), "what is no text")
        window.pick("teashop/tea.bin")
        explorer = window.page.locator(".explorer-folders-view .monaco-list-row", has_text="tea.bin")
        explorer.wait_for(state="visible")

        window.open_file("README.md")
        assert "Searched: " in window.language_status()
        window.page.locator(".hover-language-status a", has_text="Not Searched").first.click()
        window.until(lambda: rows.filter(has_text="tea.bin").count(), "the list from the status item")
        window.page.keyboard.press("Escape")

        view.open()
        header = window.page.locator('.pane-header[aria-label^="Search"]').first
        header.hover()
        header.get_by_role("button", name="More Actions").first.click()
        window.page.locator(".monaco-menu .action-label", has_text="Show What Is Not Searched").first.click()
        window.until(lambda: rows.filter(has_text="tea.bin").count(), "the list from the menu")
        window.page.keyboard.press("Escape")


def test_what_limits_an_answer_is_told_with_a_way_out(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        try:
            configure(desk, window, {"vademecum.search.model": "none"})

            def by_words() -> bool:
                view.ask("price_of")
                return "by words alone" in view.text()

            view.until(by_words, "the notice")
            assert "search.model is none" in view.text()
            configure(desk, window, {"vademecum.search.enabled": False})

            def off() -> bool:
                view.ask("price_of")
                return "Code search is switched off" in view.text()

            view.until(off, "that it is off")
            view.page.get_by_role("button", name="Open the Settings").first.click()
            settings = window.page.locator(".settings-editor")
            settings.get_by_text("Whether anything is walked, indexed or searched at all").wait_for(state="visible")
            window.page.keyboard.press("Escape")
            settings.wait_for(state="hidden")
        finally:
            configure(desk, window, {"vademecum.search.model": None, "vademecum.search.enabled": None})
        view.open()
        view.ask("price_of")
        view.until(lambda: "teashop/prices.py" in view.paths(), "results again")


def test_a_server_that_is_down_is_said_to_be_and_can_be_started_from_the_view(desk: Desk) -> None:
    with desk.window() as window:
        view = opened(window)
        view.ask("price_of")
        view.result("def price_of")

        def given_up() -> bool:
            for process in desk.processes("serve"):
                process.kill()
            return view.page.get_by_role("button", name="Restart Server").first.is_visible()

        view.until(given_up, "the view to say that it is down")
        assert desk.processes("serve") == []
        view.page.get_by_role("button", name="Show Log").first.wait_for(state="visible")
        view.page.get_by_role("button", name="Restart Server").first.click()
        view.result("def price_of")
        window.until(lambda: not view.page.get_by_role("button", name="Restart Server").count(), "the complaint to go")


def test_with_several_folders_each_result_says_in_which_it_is(desk: Desk) -> None:
    till = desk.pictures / "till"
    till.mkdir(exist_ok=True)
    (till / "change.py").write_text("def price_of_change(coins):\n    return sum(coins)\n", "utf-8")
    both_folders = desk.pictures / "both.code-workspace"
    both_folders.write_text(json.dumps({"folders": [{"path": "teashop"}, {"path": "till"}]}), "utf-8")
    with desk.window() as window:
        window.page.goto(f"{desk.server.url}/?workspace={both_folders}")
        view = opened(window)
        view.says("5 files")
        view.ask("price_of change")
        view.result("def price_of_change")
        assert {"till", "teashop · teashop"} <= set(view.page.locator(".result .folder").all_inner_texts())
        (till / "change.py").write_text("\n\ndef price_of_change(coins):\n    return sum(coins)\n", "utf-8")
        view.until(
            lambda: view.result("def price_of_change").locator(".line.best .number").inner_text() == "3", "its new line"
        )
        (till / "change.py").write_text("def change(coins):\n    return sum(coins)\n", "utf-8")
        view.result("def price_of_change").locator(".lost", has_text="changed").wait_for(state="visible")
        view.press(view.result("def price_of_change"), "Refresh This Result")
        view.result("def change(coins)")


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
        window.page.mouse.move(900, 580)
        picture(window, "vscode-search-view.png")
