"""The Search view in VS Code as the world around it changes: files, folders, the index, settings, and the server."""

import json
import shutil

import attrs
import pytest

from editors.test_vscode import Desk, configure, desk, machine
from editors.test_vscode_search import DEFINED, PRICES, added, opened

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]


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
            view.until(lambda: view.focused() == view.spoken(first), "the first of them to have the focus")
            paths = view.paths()
            assert len(set(paths)) == len(paths)
            view.until(lambda: "more" in view.said(), "their number to be said")
    finally:
        shutil.rmtree(desk.workspace / "blends", ignore_errors=True)


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
    both_folders.write_text(json.dumps({"folders": [{"path": str(desk.workspace)}, {"path": str(till)}]}), "utf-8")
    with attrs.evolve(desk, workspace=both_folders).window() as window:
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
