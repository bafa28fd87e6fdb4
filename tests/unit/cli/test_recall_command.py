"""`vademecum recall`: what fits, why, what holds against it, and what a lent model had to do with it."""

import pytest
from attrs import evolve

from unit.cli.conftest import Run
from unit.cli.test_memory_commands import remember
from vademecum.memory.service import Memories
from vademecum.memory.types import Recall, RecallNotice, RecallNoticeKind

BUSY = "The lent language model is busy; the ranking chose what is recalled."


def test_of_two_that_contradict_each_other_it_says_which_holds(call: Run) -> None:
    old = remember(call, "Use npm, never pnpm")
    new = remember(call, "Use pnpm, never npm")
    done = call("recall", "pnpm install")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert lines.keys() == {old, new}
    assert f"(contradicted by {new}, which holds, " in lines[old] and "contradicted" not in lines[new]
    items = {item["memory"]["id"]: item for item in call("recall", "pnpm install", "--json").json["items"]}
    assert items[old]["contradictedBy"] == new and "contradictedBy" not in items[new]
    assert f"contradicted by [{new}]" in call("recall", "pnpm install", "--text").out


def test_it_says_what_a_model_picked_and_why_it_did_not(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # No terminal lends a model; what is told of one is the same for every face.
    real = Memories.recall

    def recalled(self: Memories, *given: object, **more: object) -> Recall:
        found: Recall = real(self, *given, **more)  # type: ignore[arg-type]
        items = tuple(evolve(item, why=evolve(item.why, picked=True)) for item in found.items)
        return evolve(found, items=items, notices=(RecallNotice(RecallNoticeKind.BUSY, BUSY),))

    id_ = remember(call, "Use pnpm")
    monkeypatch.setattr(Memories, "recall", recalled)
    done = call("recall", "pnpm install")
    assert done.out.startswith(f"{id_} ") and "Use pnpm (picked by the language model, " in done.out
    assert done.err == f"vademecum: {BUSY}\n"
    text = call("recall", "pnpm install", "--text")
    assert "<vademecum-recall>" in text.out and text.err == f"vademecum: {BUSY}\n"
    whole = call("recall", "pnpm install", "--json")
    assert whole.json["notices"] == [{"kind": "busy", "message": BUSY}] and whole.err == ""
    assert whole.json["items"][0]["why"]["picked"] is True
    nothing = call("recall", "Write a haiku about penguins")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", f"vademecum: {BUSY}\n")
