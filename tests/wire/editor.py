"""A client of bytes that plays an editor: opens documents, hears diagnostics, applies edits."""

from pathlib import Path
from typing import Any

from wire.client import Client

#: What VS Code says of itself, as far as references go; but for diagnostics, which are pushed.
PUSH: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "source", "source.fixAll"]}},
            "isPreferredSupport": True,
        },
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
PULL: dict[str, Any] = {
    "textDocument": {**PUSH["textDocument"], "diagnostic": {}},
    "workspace": {**PUSH["workspace"], "diagnostics": {"refreshSupport": True}},
}


def whole(start: int, end: int) -> dict[str, Any]:
    """The LSP range of the lines `start` to `end`, from 1."""
    return {"start": {"line": start - 1, "character": 0}, "end": {"line": end, "character": 0}}


def cite(client: Client, path: Path, start: int, end: int) -> str:
    reference: str = client.request("evidence/cite", {"uri": path.as_uri(), "range": whole(start, end)})["reference"]
    return reference


def units(text: str, encoding: str = "utf-16") -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode("utf-8" if size == 1 else f"{encoding}-le", "surrogatepass")) // size


class Document:
    """An open document."""

    def __init__(self, client: Client, uri: str | Path, text: str, language: str = "markdown") -> None:
        self.client = client
        self.uri = uri.as_uri() if isinstance(uri, Path) else uri
        self.text = text
        self.version = 1
        item = {"uri": self.uri, "languageId": language, "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, text: str) -> None:
        """Replace everything."""
        self.edit({"text": text})
        self.text = text

    def edit(self, *changes: dict[str, Any]) -> None:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def close(self) -> None:
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def at(self, line: int, character: int) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}

    def on(self, needle: str, encoding: str = "utf-16") -> dict[str, Any]:
        """Params of a request at the middle of a piece of the text."""
        offset = self.text.index(needle) + len(needle) // 2
        before = self.text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        return self.at(before.count("\n"), units(before.rpartition("\n")[2], encoding))

    def hover(self, needle: str) -> str | None:
        answer = self.client.request("textDocument/hover", self.on(needle))
        return None if answer is None else answer["contents"]["value"]

    def definition(self, needle: str) -> Any:
        return self.client.request("textDocument/definition", self.on(needle))

    def links(self) -> list[dict[str, Any]]:
        """Every link, resolved."""
        told = self.client.request("textDocument/documentLink", {"textDocument": {"uri": self.uri}})
        return [self.client.request("documentLink/resolve", link) for link in told]

    def published(self) -> list[dict[str, Any]] | None:
        """What was pushed last; None before anything was."""
        told = [note for note in self.client.notified("textDocument/publishDiagnostics") if note["uri"] == self.uri]
        return told[-1]["diagnostics"] if told else None

    def codes(self) -> list[str] | None:
        told = self.published()
        return None if told is None else [item["code"] for item in told]

    def shows(self, *codes: str) -> list[dict[str, Any]]:
        """Wait until the diagnostics are these verdicts; return them."""
        self.client.wait_for(lambda: self.codes() == list(codes), f"{codes}; shown: {self.codes()}")
        return self.published() or []

    def actions(self, needle: str, only: list[str] | None = None) -> list[dict[str, Any]]:
        position = self.on(needle)["position"]
        told = [one for one in self.published() or [] if one["range"]["start"]["line"] == position["line"]]
        context: dict[str, Any] = {"diagnostics": told} | ({"only": only} if only is not None else {})
        span = {"start": position, "end": position}
        asked = {"textDocument": {"uri": self.uri}, "range": span, "context": context}
        answer: list[dict[str, Any]] = self.client.request("textDocument/codeAction", asked)
        return answer

    def apply(self, action: dict[str, Any]) -> str:
        """Do as an editor does with the edit of a code action; return the text after it."""
        edit = action["edit"]
        if "documentChanges" in edit:
            (change,) = edit["documentChanges"]
            assert change["textDocument"] == {"uri": self.uri, "version": self.version}
            edits = change["edits"]
        else:
            edits = edit["changes"][self.uri]
        text = self.text
        lines = text.splitlines(keepends=True)
        starts = [sum(len(line) for line in lines[:number]) for number in range(len(lines) + 1)]

        def offset(position: dict[str, int]) -> int:
            place = starts[position["line"]]
            while units(text[starts[position["line"]] : place]) < position["character"]:
                place += 1
            return place

        for one in sorted(edits, key=lambda one: offset(one["range"]["start"]), reverse=True):
            span = one["range"]
            text = text[: offset(span["start"])] + one["newText"] + text[offset(span["end"]) :]
        self.change(text)
        return text
