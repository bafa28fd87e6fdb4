"""The memories and the prompts, and the memories as files of a home."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

Row = Mapping[str, Any]


def rows(name: str) -> list[Row]:
    """The objects of a file of the data."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def told(half: str) -> list[Row]:
    """The memories that a half, or the second development set, is asked of."""
    return rows("memories") + (rows("dev2-memories") if half == "dev2" else [])


def write(memories: Sequence[Row], folder: Path, *, bare: bool) -> None:
    """Each memory in a file of its own, as the product keeps it."""
    folder.mkdir(parents=True)
    for each in memories:
        head = [f"{key}: {json.dumps(each[key], ensure_ascii=False)}" for key in ("id", "title", "category", "type")]
        head += [f"created: {each['updated']}", f"updated: {each['updated']}"]
        if not bare:
            head += [f"{key}: {json.dumps(each[key], ensure_ascii=False)}" for key in ("description", "keywords")]
        text = "\n".join(["---", *head, "---", each["content"], ""])
        (folder / f"{each['id']}.md").write_text(text, encoding="utf-8")
