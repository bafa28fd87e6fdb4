"""Setting up agents and editors: what is written is what they read, and everything else in their files stays."""

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

from unit.cli.conftest import Run
from vademecum.cli.install.changes import KEPT_RECORDS, Change, carry_out, change, write
from vademecum.cli.install.jsonc import Unreadable, read
from vademecum.cli.install.machine import Machine
from vademecum.cli.install.targets import TARGETS, Target, shipped

BY_NAME = {target.name: target for target in TARGETS}

CLAUDE = """{
  "numStartups": 7,
  "mcpServers": {
    "other": { "type": "stdio", "command": "other", "env": { "KEY": "value" } }
  },
  "tipsHistory": { "a": 1 }
}
"""
SETTINGS = """{
  // hooks of my own
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "date" }] }, // keep me
    ],
  },
  "model": "opus",
}
"""
CODEX = """# mine
model = "o3"

[mcp_servers.other]   # keep
command = "other"
args = [ "x" ]

[tui]
theme = "dark"
"""


@pytest.fixture
def user(tmp_path: Path) -> Path:
    home = tmp_path / "user"
    home.mkdir(exist_ok=True)
    return home


@pytest.fixture
def machine(user: Path) -> Machine:
    return Machine(user, {"PATH": ""}, "linux", "/usr/bin/vademecum")


def set_up(target: Target, machine: Machine, remove: bool = False) -> None:
    for piece in target.pieces(machine):
        told = change(piece, remove)
        if told.is_any:
            write(told.path, told.after)


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def squeezed(folder: Path) -> dict[str, str]:
    """What files say, whatever blanks are in them."""
    return {name: "".join(text.split()) for name, text in contents(folder).items()}


def give(home: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, "utf-8")


FILES = {
    ".claude.json": CLAUDE,
    ".claude/settings.json": SETTINGS,
    ".codex/config.toml": CODEX,
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n',
    ".cursor/mcp.json": '{\n\t"mcpServers": {\n\t\t"x": {"command": "x"}\n\t}\n}',
    ".cursor/hooks.json": '{ "version": 1, "hooks": { "stop": [{ "command": "x" }] } }',
    ".config/Code/User/mcp.json": '{\r\n  "servers": {\r\n    "a": {}\r\n  },\r\n  "inputs": []\r\n}\r\n',
}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_taken_out_again_every_file_is_what_it_was(target: Target, machine: Machine, user: Path) -> None:
    give(user, FILES)
    before = contents(user)
    set_up(target, machine)
    changed = contents(user)
    assert changed != before
    set_up(target, machine)
    assert contents(user) == changed  # put twice is put once
    set_up(target, machine, remove=True)
    assert squeezed(user) == {name: "".join(text.split()) for name, text in before.items()}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_from_nothing_to_nothing(target: Target, machine: Machine, user: Path) -> None:
    set_up(target, machine)
    assert contents(user)
    set_up(target, machine, remove=True)
    assert contents(user) == {}


def test_claude_code_gets_its_tools_and_its_hook(machine: Machine, user: Path) -> None:
    give(user, FILES)
    set_up(BY_NAME["claude"], machine)
    state = json.loads((user / ".claude.json").read_text())
    assert state["mcpServers"]["vademecum"] == {"type": "stdio", "command": "/usr/bin/vademecum", "args": ["mcp"]}
    assert state["mcpServers"]["other"]["env"] == {"KEY": "value"}
    text = (user / ".claude" / "settings.json").read_text()
    assert "// hooks of my own" in text
    assert "// keep me" in text
    theirs, ours = read(text).data["hooks"]["SessionStart"]
    assert theirs == {"hooks": [{"type": "command", "command": "date"}]}
    assert ours["hooks"][0]["command"] == "/usr/bin/vademecum prompt --hook"


def test_codex_keeps_its_comments(machine: Machine, user: Path) -> None:
    give(user, FILES)
    set_up(BY_NAME["codex"], machine)
    text = (user / ".codex" / "config.toml").read_text()
    told = tomllib.loads(text)["mcp_servers"]["vademecum"]
    assert told == {"command": "/usr/bin/vademecum", "args": ["mcp"], "startup_timeout_sec": 20}
    assert all(line in text for line in CODEX.splitlines())


def test_cursor_and_vs_code_read_what_is_written(machine: Machine, user: Path) -> None:
    give(user, FILES)
    set_up(BY_NAME["cursor"], machine)
    set_up(BY_NAME["vscode"], machine)
    assert json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]["vademecum"]["args"] == [
        "mcp",
        "-C",
        "${workspaceFolder}",
    ]
    hooks = json.loads((user / ".cursor" / "hooks.json").read_text())
    assert hooks["version"] == 1
    assert hooks["hooks"]["sessionStart"] == [{"command": "/usr/bin/vademecum prompt --hook"}]
    servers = json.loads((user / ".config/Code/User/mcp.json").read_text())["servers"]
    assert servers["vademecum"]["type"] == "stdio"


def test_what_the_user_added_to_ours_stays_and_an_old_path_goes(machine: Machine, user: Path) -> None:
    give(
        user,
        {".cursor/mcp.json": '{"mcpServers": {"vademecum": {"command": "/old", "args": ["mcp"], "env": {"A": "b"}}}}'},
    )
    give(
        user,
        {
            ".cursor/hooks.json": json.dumps(
                {"version": 1, "hooks": {"sessionStart": [{"command": "/old/vademecum prompt --hook"}]}}
            )
        },
    )
    set_up(BY_NAME["cursor"], machine)
    entry = json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]["vademecum"]
    assert entry == {
        "command": "/usr/bin/vademecum",
        "args": ["mcp", "-C", "${workspaceFolder}"],
        "env": {"A": "b"},
    }
    hooks = json.loads((user / ".cursor" / "hooks.json").read_text())["hooks"]["sessionStart"]
    assert hooks == [{"command": "/usr/bin/vademecum prompt --hook"}]


def test_the_platform_decides_where_things_are(user: Path) -> None:
    mac = Machine(user, {"PATH": ""}, "darwin", "/v")
    hook = user / ".copilot" / "hooks" / "vademecum.json"
    assert [piece.path for piece in BY_NAME["vscode"].pieces(mac)] == [
        user / "Library/Application Support/Code/User/mcp.json",
        hook,
    ]
    windows = Machine(user, {"PATH": "", "APPDATA": str(user / "Roaming")}, "win32", r"C:\Program Files\v.exe")
    assert [piece.path for piece in BY_NAME["vscode"].pieces(windows)] == [user / "Roaming/Code/User/mcp.json", hook]
    # VS Code gives it to PowerShell there.
    (run,) = json.loads(BY_NAME["vscode"].pieces(windows)[1].put(None) or "")["hooks"]["SessionStart"]
    assert run == {"type": "command", "windows": r"& 'C:\Program Files\v.exe' prompt --hook", "timeout": 30}
    assert windows.hook == r'"C:\Program Files\v.exe" prompt --hook'
    moved = Machine(user, {"PATH": "", "CODEX_HOME": str(user / "cx")}, "linux", "/v")
    assert BY_NAME["codex"].pieces(moved)[0].path == user / "cx" / "config.toml"


def test_only_what_is_here_is_found(machine: Machine, user: Path) -> None:
    assert [target.name for target in TARGETS if target.is_here(machine)] == []
    give(user, FILES)
    assert {target.name for target in TARGETS if target.is_here(machine)} == {"vscode", "claude", "codex", "cursor"}
    (user / ".vscode" / "extensions" / "vademecum.vademecum-0.2.0").mkdir(parents=True)
    assert not BY_NAME["vscode"].is_here(machine)  # the extension brings the tools


def test_every_file_for_an_editor_is_shipped() -> None:
    for name in ("vademecum.lua", "vademecum.el", "vademecum.vim"):
        assert "vademecum" in shipped(name).split("\n")[0].lower()


# The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def given(user: Path) -> Path:
    """The home folder of the user whom `run` runs as, with files of all agents in it."""
    give(user, FILES)
    return user


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with our own program on it, and no agent or editor."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "vademecum").symlink_to(Path(sys.executable).with_name("vademecum"))
    return str(folder)


def test_what_changes_is_shown_and_only_written_when_it_is_said(run: Run, path: str, given: Path) -> None:
    before = contents(given)
    shown = run("install", "claude", "codex", PATH=path)
    assert shown.code == 0
    assert "--yes" in shown.err
    assert '+    "vademecum": {' in shown.out
    assert "+[mcp_servers.vademecum]" in shown.out
    assert contents(given) == before
    dry = run("install", "claude", "--dry-run", "--yes", PATH=path)
    assert '+    "vademecum": {' in dry.out
    assert contents(given) == before
    done = run("install", "claude", "--yes", PATH=path)
    assert done.code == 0
    entry = json.loads((given / ".claude.json").read_text())["mcpServers"]["vademecum"]
    assert entry["command"] == str(Path(path) / "vademecum")
    again = run("install", "claude", "--yes", PATH=path)
    assert (again.code, again.out) == (0, "Set up already: Claude Code\n")


def test_without_a_name_what_is_found_is_set_up_and_taken_out(run: Run, path: str, given: Path) -> None:
    before = contents(given)
    done = run("install", "--yes", PATH=path)
    assert done.code == 0
    changed = {name for name, text in contents(given).items() if text != before.get(name)}
    assert changed == {*FILES, ".copilot/hooks/vademecum.json"}
    assert run("uninstall", "--yes", PATH=path).code == 0
    assert squeezed(given) == {name: "".join(text.split()) for name, text in before.items()}
    assert "Nothing of Vademecum's was found" in run("uninstall", "--yes", PATH=path).out


def test_the_last_change_is_undone_to_the_byte(run: Run, path: str, given: Path, home: Path) -> None:
    before = contents(given)
    run("install", "claude", "vscode", "neovim", "--yes", PATH=path)
    assert (given / ".config/nvim/lua/vademecum.lua").exists()
    record = next((home / "state" / "installs").glob("*.json"))
    assert record.stat().st_mode & 0o777 == 0o600
    assert "--yes" in run("install", "--undo", PATH=path).err
    done = run("install", "--undo", "--yes", PATH=path)
    assert done.code == 0
    assert contents(given) == before
    assert "nothing to undo" in run("install", "--undo", PATH=path).err


def test_folders_that_were_made_go_with_what_is_undone(run: Run, path: str, given: Path) -> None:
    before = {one.relative_to(given) for one in given.rglob("*")}
    assert run("install", "neovim", "emacs", "--yes", PATH=path).code == 0
    (given / ".config/nvim/init.lua").write_text("-- mine\n")
    assert run("install", "--undo", "--yes", PATH=path).code == 0
    kept = {Path(".config"), Path(".config/nvim"), Path(".config/nvim/init.lua")}
    assert {one.relative_to(given) for one in given.rglob("*")} - before <= kept
    assert (given / ".config/nvim/init.lua").exists()


def test_what_was_edited_since_is_not_undone(run: Run, path: str, given: Path) -> None:
    run("install", "claude", "--yes", PATH=path)
    file = given / ".claude.json"
    edited = file.read_text().replace('"numStartups": 7', '"numStartups": 8')
    file.write_text(edited)
    done = run("install", "--undo", "--yes", PATH=path)
    assert done.code == 1
    assert "has changed since" in done.err
    assert file.read_text() == edited
    assert (given / ".claude/settings.json").read_text() == SETTINGS


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("claude", ".claude.json", '{"mcpServers": '),
        ("claude", ".claude.json", '{"mcpServers": []}'),
        ("claude", ".claude/settings.json", '{"hooks": {"SessionStart": {}}}'),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/config.toml", "mcp_servers = 3\n"),
        ("codex", ".codex/config.toml", 'mcp_servers = { foo = { command = "a" } }\n'),
        ("cursor", ".cursor/mcp.json", '{"a": 1, "a": 2}'),
        ("neovim", ".config/nvim/lua/vademecum.lua", "-- a module of my own\n"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    run: Run, path: str, given: Path, name: str, file: str, text: str
) -> None:
    give(given, {file: text})
    done = run("install", name, "--yes", PATH=path)
    assert done.code == 1
    assert f"{given / file} is left alone" in done.err
    assert (given / file).read_text() == text
    assert run("uninstall", name, "--yes", PATH=path).code in (0, 1)
    assert (given / file).read_text() == text


def test_files_that_are_no_text_or_closed_are_left_alone(run: Run, path: str, given: Path) -> None:
    (given / ".claude.json").write_bytes(b"\xff\xfe{}")
    done = run("install", "claude", "--yes", PATH=path)
    assert (done.code, "no text in UTF-8" in done.err) == (1, True)
    assert (given / ".claude.json").read_bytes() == b"\xff\xfe{}"


def test_what_is_no_file_is_left_alone_and_not_waited_for(run: Run, path: str, given: Path) -> None:
    (given / ".claude.json").unlink()
    os.mkfifo(given / ".claude.json")
    done = run("install", "claude", "--yes", PATH=path)
    assert (done.code, "it is no file" in done.err) == (1, True)
    assert (given / ".claude.json").is_fifo()


def test_links_and_permissions_stay(run: Run, path: str, given: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text(SETTINGS)
    kept.chmod(0o640)
    link = given / ".claude" / "settings.json"
    link.unlink()
    link.symlink_to(kept)
    assert run("install", "claude", "--yes", PATH=path).code == 0
    assert link.is_symlink()
    assert "prompt --hook" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o640
    assert list(kept.parent.iterdir()) == [kept]


def test_only_so_many_records_are_kept(tmp_path: Path) -> None:
    for number in range(KEPT_RECORDS + 5):
        carry_out([Change(tmp_path / f"{number}", "x", None, "text")], tmp_path / "state")
    assert len(list((tmp_path / "state" / "installs").iterdir())) == KEPT_RECORDS


def test_a_file_that_changes_while_it_is_asked_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    told = Change(path, "x", "{}", '{"a": 1}')
    path.write_text('{"b": 2}')
    with pytest.raises(Unreadable):
        carry_out([told], tmp_path / "state")
    assert path.read_text() == '{"b": 2}'


def test_the_list_and_unknown_names(run: Run, path: str, given: Path) -> None:
    listed = run("install", "--list", PATH=path)
    rows = {line.split("\t")[0]: line.split("\t")[1] for line in listed.out.splitlines()}
    assert rows == {
        target.name: "found" if target.name in {"vscode", "claude", "codex", "cursor"} else "-" for target in TARGETS
    }
    unknown = run("install", "clippy", PATH=path)
    assert (unknown.code, "'clippy' is none of" in unknown.err) == (2, True)


def test_the_guide_says_by_hand_what_is_written(user: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "editors" / "agents.md").read_text("utf-8")
    machine = Machine(user, {"PATH": ""}, "linux", "vademecum")
    for name in ("claude", "codex", "cursor"):
        set_up(BY_NAME[name], machine)
    blocks = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", guide, re.DOTALL)]
    assert json.loads((user / ".claude" / "settings.json").read_text()) in blocks
    assert json.loads((user / ".cursor" / "mcp.json").read_text()) in blocks
    servers = [block["mcpServers"]["vademecum"] for block in blocks if "mcpServers" in block]
    entry = json.loads((user / ".claude.json").read_text())["mcpServers"]["vademecum"]
    assert {key: value for key, value in entry.items() if key != "type"} in servers
    tables = [tomllib.loads(text) for text in re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)]
    assert tomllib.loads((user / ".codex" / "config.toml").read_text()) in tables
