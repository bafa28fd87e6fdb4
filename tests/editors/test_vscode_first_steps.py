"""The walkthrough in VS Code for real: opened by its command, gone through step by step, in every kind of theme."""

import json
import re

import pytest

from editors.test_vscode import ROOT, Desk, configure, desk, machine, picture, poll, workbench
from editors.vscode.scripted_model import say

try:
    from editors.vscode.themes import Theme
except ImportError:
    Theme = None  # type: ignore[assignment, misc]

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

STEPS = ("remember", "ask", "see", "search")
#: For what may have to be done again, or waits for the server to start, on a machine that is busy; in seconds.
SLOW = 120

#: The parts of a picture whose colour the theme does not have, and which are therefore not drawn.
UNDRAWN = """() => [...document.querySelectorAll('svg text, svg tspan, svg path')]
    .filter(part => {
        const { fill, stroke } = getComputedStyle(part);
        return part.tagName === 'path' ? stroke === 'none' : fill === 'none';
    })
    .filter(part => part.tagName !== 'text' || !part.children.length)
    .map(part => part.outerHTML)"""


def get_started(window: "workbench.Workbench") -> None:
    """Open the walkthrough, as often as one likes."""
    steps = window.page.locator(".gettingStartedContainer .getting-started-step")

    def attempt() -> bool:
        # A window that has just opened does not know yet which walkthroughs there are, and shows its own welcome.
        window.run_command("Vademecum: Get Started")
        steps.first.wait_for(state="visible", timeout=workbench.TRY)
        return steps.count() >= len(STEPS)

    window.until(attempt, "the walkthrough", seconds=SLOW)


def done(window: "workbench.Workbench", step: str) -> bool:
    """Whether a step is ticked off, as a screen reader is told."""
    box = window.page.locator(f'.getting-started-step [data-done-step-id$="#{step}"]').first
    return box.get_attribute("aria-checked", timeout=3_000) == "true"


def unfold(window: "workbench.Workbench", step: str) -> None:
    """Open a step, which shows its picture and its button."""
    found = window.page.locator(f'.getting-started-step[data-step-id$="#{step}"]').first
    opened = window.page.locator(f'.getting-started-step.expanded[data-step-id$="#{step}"]').first

    def attempt() -> bool:
        if not found.is_visible():
            # The editor goes back to its welcome when it hears of another walkthrough, soon after its start.
            window.run_command("Vademecum: Get Started")
            found.wait_for(state="visible", timeout=workbench.TRY)
        if not opened.is_visible():
            found.press("Enter", timeout=workbench.PATIENCE)
            opened.wait_for(state="visible", timeout=workbench.PATIENCE)
        return True

    window.until(attempt, f"the step {step!r}", seconds=SLOW)


def press(window: "workbench.Workbench", button: str) -> None:
    """Press the button of the step that is open."""
    window.page.locator(".getting-started-step.expanded").get_by_role("button", name=button).first.click(timeout=30_000)


def drawn(window: "workbench.Workbench") -> str:
    """The words in the picture beside the steps."""
    texts = [frame.locator("svg text").all_text_contents() for frame in window.page.frames]
    return " ".join(text for each in texts for text in each)


def test_every_step_is_done_by_doing_it(desk: Desk) -> None:
    desk.model.will([say("With pnpm.")])
    with desk.window() as window:
        get_started(window)
        assert [step for step in STEPS if done(window, step)] == []

        unfold(window, "remember")
        press(window, "Remember Something")
        window.answer("This repository uses pnpm, never npm")
        window.pick("Rule for this project")
        # The server may be starting still.
        poll(lambda: desk.memory_file("uses pnpm, never npm") is not None, "the memory", seconds=SLOW)
        window.until(lambda: done(window, "remember"), "the first step")

        unfold(window, "ask")
        press(window, "Ask @vademecum")
        field = window.page.locator(workbench.CHAT_INPUT).last
        window.until(lambda: "@vademecum" in workbench.drawn_text(field.locator(".view-lines").first), "the chat")
        assert not done(window, "ask")
        window.say("@vademecum how do I install the dependencies?")
        window.reply("With pnpm.")
        window.until(lambda: done(window, "ask"), "the second step")
        window.run_command("View: Hide Secondary Side Bar")

        get_started(window)
        unfold(window, "see")
        press(window, "Open the Memory View")
        window.until(lambda: done(window, "see"), "the third step")

        unfold(window, "search")
        press(window, "Search the Workspace")
        window.until(lambda: done(window, "search"), "the fourth step")
        window.page.keyboard.press("Escape")
        assert [step for step in STEPS if done(window, step)] == list(STEPS)


@pytest.mark.pictures
@pytest.mark.parametrize("theme", list(Theme or ()), ids=lambda theme: theme.suffix)
def test_the_pictures_of_the_steps_have_the_colours_of_the_theme(desk: Desk, theme: "Theme") -> None:
    words = {"remember": "Rule for this project", "ask": "pnpm install", "see": "Waiting for Review", "search": "42–58"}
    with desk.window() as window:
        configure(desk, window, theme.settings())
        try:
            window.until(lambda: theme.shown(window), f"the theme {theme}")
            get_started(window)
            window.run_command("View: Close Primary Side Bar")
            window.run_command("View: Hide Secondary Side Bar")  # the pictures are shown where there is room
            for step in STEPS:
                unfold(window, step)
                window.until(lambda step=step: words[step] in drawn(window), f"the picture of {step}")  # type: ignore[misc]
                if step == "see" and theme is Theme.LIGHT:
                    picture(window, f"vscode-walkthrough-{theme.suffix}.png", small=True)
                undrawn = [frame.evaluate(UNDRAWN) for frame in window.page.frames if frame.locator("svg text").count()]
                assert undrawn and not any(undrawn), (step, undrawn)
        finally:
            configure(desk, window, Theme.LIGHT.settings())


def test_what_the_steps_name_is_there() -> None:
    contributes = json.loads((ROOT / "client-vscode" / "package.json").read_text("utf-8"))["contributes"]
    (walkthrough,) = contributes["walkthroughs"]
    assert [step["id"] for step in walkthrough["steps"]] == list(STEPS)
    commands = {command["command"] for command in contributes["commands"]}
    for step in walkthrough["steps"]:
        assert step["media"]["altText"]
        drawing = (ROOT / "client-vscode" / step["media"]["svg"]).read_text("utf-8")
        # Nothing but colours of the theme, and no style that the editor would refuse to apply.
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', drawing)) - {"none"}
        assert colours
        assert all(re.match(r"var\(--vscode-", colour) for colour in colours)
        assert "style" not in drawing
        named = re.findall(r"command:(vademecum[A-Za-z.]+)", step["description"])
        assert {name for name in named if name != "vademecum.memory.focus"} <= commands
