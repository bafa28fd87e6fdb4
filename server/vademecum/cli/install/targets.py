"""The agents and editors that can be set up: one entry each. A further one is a further entry.

Where each keeps its configuration is told by its own documentation: VS Code (`mcp.json` of the user's profile, hooks in
`~/.copilot/hooks`), Claude Code (`~/.claude.json`, hooks in `~/.claude/settings.json`), Codex (`~/.codex/config.toml`,
`hooks.json`), Cursor (`~/.cursor/mcp.json`, `hooks.json`).
"""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from attrs import frozen

from vademecum.cli.install.machine import Machine, is_our_hook
from vademecum.cli.install.pieces import Piece, json_entry, json_item, own_file, toml_table

_TOOLS = "its tools: memory, search, evidence"
_BLOCK = "a hook that puts the prompt block at the head of each session"


@frozen
class Target:
    """An agent or an editor.

    :param name: what it is called on the command line.
    :param title: what it is called otherwise.
    :param is_here: whether this user has it.
    :param pieces: what is put where.
    :param then: what is left to the user to do, if anything.
    :param is_agent: whether it starts the server of tools.
    """

    name: str
    title: str
    is_here: Callable[[Machine], bool]
    pieces: Callable[[Machine], tuple[Piece, ...]]
    then: str = ""
    is_agent: bool = False


def _hook_group(machine: Machine, matcher: str) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": machine.hook, "timeout": 30}]}


def _is_our_group(item: Any) -> bool:
    """A group of hooks that holds ours and nothing else."""
    hooks = item.get("hooks") if isinstance(item, dict) else None
    return (
        isinstance(hooks, list)
        and bool(hooks)
        and all(isinstance(one, dict) and is_our_hook(one.get("command")) for one in hooks)
    )


# VS Code and its kin ------------------------------------------------------------------------------------------------

_CODE = ("Code", "Code - Insiders", "VSCodium")


def _code_profiles(machine: Machine) -> list[Path]:
    return [path for name in _CODE if (path := machine.applications / name / "User").is_dir()]


def _has_extension(machine: Machine) -> bool:
    folders = (machine.home / name / "extensions" for name in (".vscode", ".vscode-insiders", ".vscode-oss"))
    return any(next(folder.glob("vademecum.*"), None) is not None for folder in folders if folder.is_dir())


def _vscode(machine: Machine) -> tuple[Piece, ...]:
    entry = {"type": "stdio", **machine.server}
    profiles = _code_profiles(machine) or [machine.applications / _CODE[0] / "User"]
    hook = {"type": "command", **_code_hook(machine), "timeout": 30}
    return (
        *(json_entry(profile / "mcp.json", _TOOLS, ["servers", "vademecum"], entry) for profile in profiles),
        json_item(
            machine.home / ".copilot" / "hooks" / "vademecum.json",
            _BLOCK,
            ["hooks", "SessionStart"],
            hook,
            lambda item: isinstance(item, dict) and is_our_hook(item.get("command") or item.get("windows")),
            version=1,
        ),
    )


def _code_hook(machine: Machine) -> dict[str, str]:
    """Its command line; VS Code gives it to PowerShell on Windows, which runs a quoted program by `&` alone."""
    if machine.platform != "win32":
        return {"command": machine.hook}
    quoted = machine.program.replace("'", "''")
    return {"windows": f"& '{quoted}' prompt --hook"}


# Agents -------------------------------------------------------------------------------------------------------------


def _claude(machine: Machine) -> tuple[Piece, ...]:
    moved = machine.environment.get("CLAUDE_CONFIG_DIR")
    home = Path(moved) if moved else machine.home / ".claude"
    state = (home if moved else machine.home) / ".claude.json"
    group = _hook_group(machine, "startup|resume|clear|compact")
    return (
        json_entry(state, _TOOLS, ["mcpServers", "vademecum"], {"type": "stdio", **machine.server}),
        json_item(home / "settings.json", _BLOCK, ["hooks", "SessionStart"], group, _is_our_group),
    )


def _codex_home(machine: Machine) -> Path:
    return Path(machine.environment.get("CODEX_HOME") or machine.home / ".codex")


def _codex(machine: Machine) -> tuple[Piece, ...]:
    home = _codex_home(machine)
    group = _hook_group(machine, "startup|resume|clear")
    return (
        toml_table(
            home / "config.toml", _TOOLS, "mcp_servers", "vademecum", machine.server | {"startup_timeout_sec": 20}
        ),
        json_item(home / "hooks.json", _BLOCK, ["hooks", "SessionStart"], group, _is_our_group),
    )


def _cursor(machine: Machine) -> tuple[Piece, ...]:
    home = machine.home / ".cursor"
    hook = {"command": machine.hook}
    # Cursor starts servers outside of the project and does not tell its folders.
    server = machine.server | {"args": ["mcp", "-C", "${workspaceFolder}"]}
    return (
        json_entry(home / "mcp.json", _TOOLS, ["mcpServers", "vademecum"], server),
        json_item(
            home / "hooks.json",
            _BLOCK,
            ["hooks", "sessionStart"],
            hook,
            lambda item: isinstance(item, dict) and is_our_hook(item.get("command")),
            version=1,
        ),
    )


# Editors ------------------------------------------------------------------------------------------------------------


def _neovim(machine: Machine) -> tuple[Piece, ...]:
    path = machine.config / "nvim" / "lua" / "vademecum.lua"
    if machine.platform == "win32":
        local = Path(machine.environment.get("LOCALAPPDATA") or machine.home / "AppData" / "Local")
        path = local / "nvim" / "lua" / "vademecum.lua"
    return (own_file(path, "its commands", shipped("vademecum.lua")),)


def _emacs_folder(machine: Machine) -> Path:
    """Emacs' own choice: `~/.emacs.d` where it is, else the one below `~/.config`."""
    old, new = machine.home / ".emacs.d", machine.config / "emacs"
    return new if new.is_dir() and not old.is_dir() else old


def _emacs(machine: Machine) -> tuple[Piece, ...]:
    path = _emacs_folder(machine) / "vademecum" / "vademecum.el"
    return (own_file(path, "its commands", shipped("vademecum.el")),)


def _vim(machine: Machine) -> tuple[Piece, ...]:
    folder = "vimfiles" if machine.platform == "win32" else ".vim"
    path = machine.home / folder / "plugin" / "vademecum.vim"
    return (own_file(path, "its commands", shipped("vademecum.vim")),)


def shipped(name: str) -> str:
    """A file for an editor that comes with this package."""
    return resources.files("vademecum").joinpath("editors", name).read_text("utf-8")


TARGETS: tuple[Target, ...] = (
    Target(
        "vscode",
        "VS Code",
        lambda machine: bool(_code_profiles(machine)) and not _has_extension(machine),
        _vscode,
        "Not needed beside the Vademecum extension, which brings the same tools and more.",
        is_agent=True,
    ),
    Target(
        "claude",
        "Claude Code",
        lambda machine: machine.has_program("claude") or (machine.home / ".claude").is_dir(),
        _claude,
        "Start it anew; one that was running may have written its own state over this (/mcp shows it).",
        is_agent=True,
    ),
    Target(
        "codex",
        "Codex",
        lambda machine: machine.has_program("codex") or _codex_home(machine).is_dir(),
        _codex,
        "Codex asks once whether the hook may run (/hooks).",
        is_agent=True,
    ),
    Target(
        "cursor",
        "Cursor",
        lambda machine: machine.has_program("cursor") or (machine.home / ".cursor").is_dir(),
        _cursor,
        is_agent=True,
    ),
    Target(
        "neovim",
        "Neovim",
        lambda machine: machine.has_program("nvim"),
        _neovim,
        "Three lines in your init.lua are left to you: docs/editors/neovim.md.",
    ),
    Target(
        "emacs",
        "Emacs",
        lambda machine: machine.has_program("emacs"),
        _emacs,
        "Two lines in your init.el are left to you: docs/editors/emacs.md.",
    ),
    Target(
        "vim",
        "Vim with ALE",
        lambda machine: machine.has_program("vim") and (machine.home / ".vim").is_dir(),
        _vim,
        "Needs the plugin ALE: docs/editors/vim.md.",
    ),
)
