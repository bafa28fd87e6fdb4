"""What a person is shown of a result."""

import pytest

from vademecum.api.dispatch import METHODS
from vademecum.lsp.commands import commands, params_of
from vademecum.lsp.results import LONGEST_LINE, one_line, told

MEMORY = {"id": "m1", "title": "Use pnpm", "scope": "project", "category": "Rule"}


@pytest.mark.parametrize(
    ("method", "result", "said"),
    [
        ("memory/remember", MEMORY, "Remembered m1 (Rule, project): Use pnpm"),
        ("memory/remember", MEMORY | {"known": True}, "Known already: m1 (Rule, project): Use pnpm"),
        ("memory/update", MEMORY, "Updated m1 (Rule, project): Use pnpm"),
        ("memory/delete", {"id": "m1"}, "Memory delete: id m1"),
        (
            "search/reindex",
            {"files": 1234, "chunks": 5, "seconds": 0.5},
            "Search reindex: files 1,234, chunks 5, seconds 0.5",
        ),
        ("memory/trust", {}, "Memory trust: done"),
    ],
)
def test_what_is_short_is_a_line(method: str, result: dict[str, object], said: str) -> None:
    assert (told(method, result).text, told(method, result).is_page) == (said, False)


def test_code_that_holds_fences_stays_in_its_own() -> None:
    hit = {
        "symbol": None,
        "path": "a.md",
        "reference": "a.md:1-3@0123456789ab",
        "snippet": "```\ncode\n```",
        "language": "markdown",
    }
    page = told("search/query", {"items": [hit], "notices": []})
    assert page.is_page
    assert "\n````markdown\n```\ncode\n```\n````\n" in page.text


def test_verdicts_say_what_became_of_each() -> None:
    moved = {"reference": "a:1-1@0123456789ab", "verdict": "relocated", "relocatedTo": "a:2-2@0123456789ab"}
    bad = {"reference": "nonsense", "error": {"kind": "invalidReference", "message": "Not a reference."}}
    text = told("evidence/verify", {"items": [moved, bad], "allValid": False}).text
    assert "- `a:1-1@0123456789ab`: **relocated**, now `a:2-2@0123456789ab`" in text
    assert "- `nonsense`: Not a reference." in text


def test_any_other_result_is_a_page_of_lists() -> None:
    text = told("x/y", {"counts": {"active": 3, "none": []}, "text": "a\nb", "deep": [{"a": [1]}], "ok": True}).text
    assert text.startswith("# X y\n\n- counts:\n  - active: 3\n")
    assert "  ```\n  a\n  b\n  ```" in text
    assert "- ok: yes" in text


def test_a_message_is_one_line_of_bounded_length() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert len(one_line("x" * 5_000)) == LONGEST_LINE


@pytest.mark.parametrize(
    ("name", "arguments", "params"),
    [
        ("memory/remember", ["Use", "pnpm"], {"note": "Use pnpm"}),
        ("search/query", ["circle area"], {"query": "circle area"}),
        ("memory/search", ["pnpm"], {"query": "pnpm"}),
        ("memory/get", ["m1"], {"id": "m1"}),
        (
            "evidence/verify",
            ["a:1-1@0123456789ab", "b:1-1@0123456789ab"],
            {"references": ["a:1-1@0123456789ab", "b:1-1@0123456789ab"]},
        ),
        ("memory/list", [], {}),
        ("memory/list", None, {}),
        ("memory/list", [{"limit": 3}], {"limit": 3}),
        ("memory/add", ["a text"], "a text"),
    ],
)
def test_what_may_stand_for_the_params(name: str, arguments: object, params: object) -> None:
    assert params_of(METHODS[name], arguments) == params


def test_every_request_is_a_command() -> None:
    offered = commands(None)  # type: ignore[arg-type]
    assert {method.name for method in offered.values()} >= set(METHODS)
