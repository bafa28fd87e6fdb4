"""The test's end of the scripted model: what it is to say, and what it was sent (see fake-model/extension.js)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs


def say(text: str) -> Mapping[str, Any]:
    """A part of a reply: text."""
    return {"text": text}


def obey(rule: str, text: str, otherwise: str) -> Mapping[str, Any]:
    """A part of a reply: text, if `rule` stands anywhere in what the model was sent, and else another."""
    return {"told": rule, "text": text, "otherwise": otherwise}


def call(tool: str, **params: Any) -> Mapping[str, Any]:
    """A part of a reply: a tool call."""
    return {"tool": tool, "input": params}


@attrs.frozen
class Request:
    """One request that the model got."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[str]

    def texts(self) -> list[str]:
        """The text of each message, those of tool results too."""
        return ["".join(_text(part) for part in message["parts"]) for message in self.messages]


def _text(part: Mapping[str, Any]) -> str:
    if "result" in part:
        return "".join(map(_text, part["result"]))
    return str(part.get("text", ""))


@attrs.frozen
class ScriptedModel:
    """The folder that both ends share."""

    folder: Path

    def will(self, *replies: Sequence[Mapping[str, Any]]) -> None:
        """Script the next replies; each is a sequence of parts. What was asked before is forgotten."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "requests.jsonl").unlink(missing_ok=True)
        (self.folder / "script.json").write_text(json.dumps(replies))

    def will_open(self, *uris: str) -> None:
        """Say which folders *Scripted: Open Folders* is to open, beside others; `nowhere:/` lies on no disk."""
        (self.folder / "folders.json").write_text(json.dumps(uris))

    def will_set(self, settings: Mapping[str, Any]) -> None:
        """Say what *Scripted: Apply Settings* is to set; None takes a setting back."""
        (self.folder / "settings.json").write_text(json.dumps(settings))

    def is_known(self) -> bool:
        """Whether the first window of this editor has found the model."""
        try:
            return bool(json.loads((self.folder / "models.json").read_text("utf-8")))
        except (FileNotFoundError, json.JSONDecodeError):
            return False

    def requests(self) -> list[Request]:
        """What it was sent since `will`."""
        try:
            lines = (self.folder / "requests.jsonl").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [Request(**json.loads(line)) for line in lines]
