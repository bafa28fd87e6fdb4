"""Whether the right memories are told at the start. In tests/: `python -m bench.prompt.choosing`."""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.recall.__main__ import rows
from vademecum.memory import selection, technologies
from vademecum.memory.candidate import Candidate
from vademecum.memory.prompt import Bounds, compose
from vademecum.memory.selection import Use, Worth
from vademecum.memory.surroundings import NOWHERE, Surroundings, frameworks_in, languages_of
from vademecum.memory.types import Category, Scope

DATA = Path(__file__).parent / "data" / "workspaces.jsonl"

_NEWEST = datetime(2026, 11, 1, tzinfo=UTC)
#: Rules come first whatever they are worth, so that a block can only hold what it is to hold where there are some, not
#: hundreds.
_RULES = 12
_DEFAULT = Bounds(32, 12_000, 24_000)


def candidate(id: str, row: Mapping[str, Any], updated: str) -> Candidate:
    """A memory of the data as it may be told."""
    text = "\n".join((row["title"], *row["keywords"], row["content"]))
    words = selection.words_of(text)
    category = Category(row["category"])
    return Candidate(
        id=id,
        scope=Scope(row["scope"]),
        category=category,
        title=row["title"],
        content=row["content"],
        description="",
        source="from the user",
        standing=category is Category.RULE,
        pinned=False,
        stale=False,
        updated=updated,
        type=row["type"],
        keywords=tuple(row["keywords"]),
        words=words,
        named=technologies.named_in(text, words, row["keywords"]),
    )


def surroundings_of(workspace: Mapping[str, Any]) -> Surroundings:
    """What the workspace is, by the product's own rules."""
    found = frozenset().union(*(frameworks_in(text) for text in workspace["manifests"].values()))
    return Surroundings(languages_of(workspace["files"]) | found, tuple(workspace["recent"]), workspace["branch"])


def told(candidates: Sequence[Candidate], worth: Mapping[str, Worth]) -> set[str]:
    """Ids of the memories that are told in a block of the usual size."""
    return {entry.id for entry in compose(candidates, (), _DEFAULT, worth).entries}


def main() -> None:
    """Print, for each workspace, how many of the right and the wrong memories are told, and by age alone."""
    distractors = rows("memories")
    rules = [row for row in distractors if row["category"] == "Rule" and row["scope"] == "user"][:_RULES]
    others = [row for row in distractors if row["category"] != "Rule"]
    around = [candidate(row["id"], row, row["updated"]) for row in (*rules, *others)]
    sys.stdout.write(f"{len(around):,} distractors, {len(rules)} of them rules\n")
    sys.stdout.write("half | workspace | gold told | wrong told | by scope and age alone\n")
    for line in DATA.read_text("utf-8").splitlines():
        workspace = json.loads(line)
        own, uses = [], {}
        for number, row in enumerate(workspace["memories"]):
            id = f"{row['role']}{number}"
            own.append(candidate(id, row, (_NEWEST - timedelta(days=row["age"])).isoformat()))
            if row["recalls"]:
                uses[id] = Use(row["recalls"], _NEWEST.isoformat())
        candidates = [*around, *own]
        chosen = told(candidates, selection.weigh(candidates, surroundings_of(workspace), uses))
        plain = told(candidates, selection.weigh(candidates, NOWHERE))
        gold = {each.id for each in own if each.id.startswith("gold")}
        trap = {each.id for each in own} - gold
        sys.stdout.write(
            f"{workspace['half']} | {workspace['name']} | {len(gold & chosen)}/{len(gold)} | {len(trap & chosen)}/"
            f"{len(trap)} | {len(gold & plain)}/{len(gold)} and {len(trap & plain)}/{len(trap)}"
            f" | missing: {', '.join(sorted(gold - chosen)) or 'none'}\n"
        )


if __name__ == "__main__":
    main()
