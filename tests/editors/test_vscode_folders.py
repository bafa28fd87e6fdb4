"""Several folders in one window of VS Code: what is theirs alone, how they come and go, and one that is on no disk."""

import json
import shutil
import subprocess

import attrs
import pytest

from editors.test_vscode import Desk, desk, machine, remember
from editors.test_vscode_memory import by_hand, opened
from editors.test_vscode_trust import make_room
from editors.vscode.scripted_model import say

__all__ = ["desk", "machine"]

pytestmark = [pytest.mark.editor, pytest.mark.timeout(900)]

OVENS = 'def bake(loaves: int) -> int:\n    """Minutes for loaves."""\n    return loaves * 7\n'


def sent(desk: Desk) -> str:
    """All that the model was sent last."""
    return "\n".join(desk.model.requests()[-1].texts())


def test_two_folders_have_memories_and_settings_of_their_own_and_come_and_go(desk: Desk) -> None:
    tea, bread = desk.workspace, desk.pictures / "bakery"
    workspace = desk.pictures / "both.code-workspace"
    by_hand(bread / "bakery", "ovens.py", OVENS)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=bread, check=True)
    workspace.write_text(json.dumps({"folders": [{"path": str(tea)}, {"path": str(bread)}]}))
    by_hand(bread / ".vscode", "settings.json", json.dumps({"vademecum.files.exclude": ["secrets/"]}))
    for folder in (tea, bread):
        by_hand(folder / "secrets", "plan.md", "# The zanzibar plan\n\nHow the zanzibar is baked.\n")
    with attrs.evolve(desk, workspace=workspace).window() as window:
        make_room(window)
        tree = opened(window)
        window.open_file("prices.py")
        remember(window, "Tea is weighed in grams", project="teashop")
        window.open_file("ovens.py")
        remember(window, "Bread is weighed in pounds", project="bakery")
        tree.until(
            "teashop 1", "Rules 1", "Tea is weighed in grams", "bakery 1", "Rules 1", "Bread is weighed in pounds"
        )
        by_project = {path.parent.parent.name.split("-")[0] for path in desk.memory_files()}
        assert by_project == {"teashop", "bakery"}

        # A search goes over both, and each folder's own settings say what is found in it.
        window.run_command("Vademecum: Search Workspace")
        window.type_until("price_of", "prices.py")
        window.type_until("bake loaves", "ovens.py")
        window.type_until("zanzibar plan", "plan.md")
        window.until(lambda: window.quick_rows().filter(has_text="plan.md").count() == 1, "that of one folder alone")
        window.page.keyboard.press("Escape")

        desk.model.will([say("Both.")], [say("One.")], [say("Both again.")])
        window.say("@vademecum what is weighed?")
        window.reply("Both.")
        assert "Tea is weighed in grams" in sent(desk) and "Bread is weighed in pounds" in sent(desk)

        def opening(*folders: str) -> None:
            desk.model.will_open(*folders)
            window.run_command("Scripted: Open Folders")

        # One goes, and what is remembered of it with it; it comes back, and so does that. The window stays.
        opening(tea.as_uri())
        tree.until("This Project 1", "Rules 1", "Tea is weighed in grams")
        window.say("@vademecum and now?")
        window.reply("One.")
        assert "Bread is weighed in pounds" not in sent(desk)
        opening(tea.as_uri(), bread.as_uri())
        tree.until(
            "teashop 1", "Rules 1", "Tea is weighed in grams", "bakery 1", "Rules 1", "Bread is weighed in pounds"
        )
        window.run_command("Vademecum: Search Workspace")
        window.type_until("bake loaves", "ovens.py")
        window.page.keyboard.press("Escape")
        window.say("@vademecum and again?")
        window.reply("Both again.")
        assert "Bread is weighed in pounds" in sent(desk)
        assert len(desk.processes("serve")) == 1

        # A folder on no disk is declined, and the others go on.
        opening(tea.as_uri(), bread.as_uri(), "nowhere:/")
        window.notification("lies on no disk")
        window.run_command("Vademecum: Search Workspace")
        window.type_until("bake loaves", "ovens.py")
    shutil.rmtree(tea / "secrets")
