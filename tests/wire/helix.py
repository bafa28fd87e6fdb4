"""A client that speaks as Helix 25 does: the capabilities, the messages and the answers of its source, over the pipe.

Helix itself is in no package of Debian, PyPI or npm. What it sends was read from its source: `helix-lsp/src/client.rs`
(initialize), `helix-term/src/commands/typed.rs` (`:lsp-workspace-command`), `application.rs` (`window/showDocument`).
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from wire.client import Client

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {
                "codeActionKind": {
                    "valueSet": [
                        "",
                        "quickfix",
                        "refactor",
                        "refactor.extract",
                        "refactor.inline",
                        "refactor.rewrite",
                        "source",
                        "source.organizeImports",
                    ]
                }
            },
            "dataSupport": True,
            "disabledSupport": True,
            "isPreferredSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "completion": {
            "completionItem": {
                "deprecatedSupport": True,
                "insertReplaceSupport": True,
                "resolveSupport": {"properties": ["documentation", "detail", "additionalTextEdits"]},
                "snippetSupport": True,
                "tagSupport": {"valueSet": [1]},
            },
            "completionItemKind": {},
        },
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}, "versionSupport": True},
        "rename": {"dynamicRegistration": False, "honorsChangeAnnotations": False, "prepareSupport": True},
    },
    "window": {"showDocument": {"support": True}, "workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": False},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": False},
        "executeCommand": {"dynamicRegistration": False},
        "symbol": {"dynamicRegistration": False},
        "workspaceEdit": {
            "documentChanges": True,
            "failureHandling": "abort",
            "normalizesLineEndings": False,
            "resourceOperations": ["create", "rename", "delete"],
        },
        "workspaceFolders": True,
    },
}


class Helix:
    """A session of Helix in a folder.

    :ivar opened: the documents that it was asked to show.
    :ivar status: what stood in its status line, one after the other.
    """

    def __init__(self, client: Client, folder: Path, config: Any = None) -> None:
        self.client = client
        self.folder = folder
        client.answers["window/showDocument"] = self._show
        client.configuration = (config or {}).get("vademecum")  # as asked for: the part of the section
        self.opened: list[Path] = []
        params = {"clientInfo": {"name": "helix", "version": "25.01.1 (e7ac2fcd)"}, "rootPath": str(folder)}
        self.server = client.initialize(folder, options=config, capabilities=CAPABILITIES, params=params)
        assert self.server["capabilities"]["positionEncoding"] == "utf-8"

    def _show(self, params: Any) -> dict[str, bool]:
        """As `handle_show_document` does: an external one goes to a browser, any other is opened where it is a file."""
        assert params.get("external") is not True
        path = Path(unquote(urlparse(params["uri"]).path))
        self.opened.append(path)
        if path.is_file():
            self.open(path, "markdown")
        return {"success": path.is_file()}

    def open(self, path: Path, language: str) -> None:
        text = path.read_text("utf-8")
        item = {"uri": path.as_uri(), "languageId": language, "version": 0, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    @property
    def status(self) -> list[str]:
        return [note["message"] for note in self.client.notified("window/showMessage")]

    def type(self, line: str) -> None:
        """`:lsp-workspace-command NAME REST`, of which the rest is a sequence of JSON values; its result is dropped."""
        command, name, rest = [*line.split(" ", 2), ""][:3]
        assert command == ":lsp-workspace-command"
        assert name in self.server["capabilities"]["executeCommandProvider"]["commands"], name
        values, place, decoder = [], 0, json.JSONDecoder()
        while rest[place:].strip():
            place += len(rest[place:]) - len(rest[place:].lstrip())
            value, place = decoder.raw_decode(rest, place)
            values.append(value)
        self.execute({"command": name, **({"arguments": values} if rest else {})})

    def execute(self, command: dict[str, Any]) -> None:
        self.client.start_request(
            "workspace/executeCommand", {"command": command["command"], "arguments": command.get("arguments") or []}
        )

    def actions(self, path: Path, start: tuple[int, int], end: tuple[int, int]) -> list[dict[str, Any]]:
        """`space a`: the code actions on the selection, which is a character at least."""
        span = {"start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}
        context = {"diagnostics": [], "triggerKind": 1}
        asked = {"textDocument": {"uri": path.as_uri()}, "range": span, "context": context}
        answer: list[dict[str, Any]] = self.client.request("textDocument/codeAction", asked)
        return answer

    def said(self, part: str) -> str:
        found = self.client.wait_for(lambda: [one for one in self.status if part in one], f"{part!r}; {self.status}")
        return str(found[-1])

    def page(self, number: int) -> str:
        self.client.wait_for(lambda: len(self.opened) >= number, f"{number} pages; {self.status}")
        return self.opened[number - 1].read_text("utf-8")


def environment_command(configuration: Any) -> tuple[str, list[str]]:
    """The program and arguments that `languages.toml` names, and that Helix starts."""
    server = configuration["language-server"]["vademecum"]
    return os.fspath(server["command"]), list(server["args"])
