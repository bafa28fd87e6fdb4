"""The colour themes that everything is to be seen in, and how a window changes to one."""

import re
from enum import StrEnum

from playwright.sync_api import Locator

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


#: The colour of an element, or of what is drawn before or behind it, and the first colour beneath it.
_COLOURS = """(element, pseudo) => {
    const shown = getComputedStyle(element, pseudo || null).color;
    for (let each = element; each; each = each.parentElement) {
        const behind = getComputedStyle(each).backgroundColor;
        if (!/rgba\\(.*, 0\\)|transparent/.test(behind)) return [shown, behind];
    }
    return [shown, 'rgb(255, 255, 255)'];
}"""


def contrast(element: Locator, pseudo: str = "") -> float:
    """How well an element is told from its background: the contrast ratio of WCAG 2.2, from 1 to 21."""
    shown, behind = element.evaluate(_COLOURS, pseudo)
    one, other = sorted((_luminance(shown, behind), _luminance(behind, "rgb(255, 255, 255)")), reverse=True)
    return (one + 0.05) / (other + 0.05)


def _channels(colour: str) -> tuple[list[float], float]:
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour.replace("color(srgb", ""))]
    scale = 1.0 if colour.startswith("color(srgb") else 255.0
    return [each / scale for each in numbers[:3]], numbers[3] if len(numbers) > 3 else 1.0


def _luminance(colour: str, behind: str) -> float:
    """Relative luminance, with what is see-through laid over what is behind it."""
    (channels, alpha), (under, _) = _channels(colour), _channels(behind)
    laid = [one * alpha + other * (1 - alpha) for one, other in zip(channels, under, strict=True)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in laid)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
