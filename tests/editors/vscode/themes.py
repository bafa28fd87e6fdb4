"""The colour themes that everything is to be seen in, and how a window changes to one."""

from enum import StrEnum

from editors.vscode.workbench import Workbench


class Theme(StrEnum):
    """One of each kind that the editor has; the value is its name in the settings."""

    LIGHT = "Light Modern"
    DARK = "Dark Modern"
    HIGH_CONTRAST = "Default High Contrast"
    HIGH_CONTRAST_LIGHT = "Default High Contrast Light"

    @property
    def suffix(self) -> str:
        """For the names of pictures: `light`, `dark`, `hc`, `hc-light`."""
        return {"LIGHT": "light", "DARK": "dark", "HIGH_CONTRAST": "hc", "HIGH_CONTRAST_LIGHT": "hc-light"}[self.name]

    def settings(self) -> dict[str, object]:
        """What somebody sets to have it, whatever their system prefers."""
        return {"workbench.colorTheme": self.value, "window.autoDetectHighContrast": False}

    def shown(self, window: Workbench) -> bool:
        """Whether the window has it."""
        kind = {"LIGHT": "vs", "DARK": "vs-dark", "HIGH_CONTRAST": "hc-black", "HIGH_CONTRAST_LIGHT": "hc-light"}
        return kind[self.name] in (window.page.locator(".monaco-workbench").first.get_attribute("class") or "").split()
