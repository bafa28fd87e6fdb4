"""The formats of other systems: what each parser makes of a text, and that no text breaks one."""

import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.memory.transfer import archive, claude_code, codebuddy, codewhale, codewhale_rows, listed, yottacode
from vademecum.memory.transfer.detecting import READERS, of_file, of_folder
from vademecum.memory.transfer.markdown import Block, blocks
from vademecum.memory.transfer.types import ImportFormat, Incoming, Malformed, Parsed, SourceText
from vademecum.memory.types import Category, MemoryStatus, Scope

Parse = Callable[[SourceText], Iterator[Parsed]]


def memories(parse: Parse, text: str, path: str = "file.md", above: tuple[str, ...] = ()) -> list[Incoming]:
    parsed = list(parse(SourceText(path, text, above)))
    assert [each for each in parsed if isinstance(each, Malformed)] == []
    return [each for each in parsed if isinstance(each, Incoming)]


def flaws(parse: Parse, text: str, path: str = "file.md") -> list[tuple[str, str]]:
    parsed = parse(SourceText(path, text))
    return [(each.where, each.reason) for each in parsed if isinstance(each, Malformed)]


# CodeBuddy -----------------------------------------------------------------------------------------------------------

CODEBUDDY = [
    {
        "id": "k3j2h1",
        "category": "Rule",
        "content": "Use pnpm",
        "keywords": "pnpm|npm",
        "title": "Package manager",
        "scope": "project",
        "timestamp": 1796078520000,
    },
    {"content": "The office is in Ghent.\nOn the second floor."},
]


def test_codebuddys_items_keep_all_that_they_say() -> None:
    first, second = memories(codebuddy.parse, json.dumps(CODEBUDDY), "memory.json")
    record = first.record
    assert (record.title, record.content, record.category) == ("Package manager", "Use pnpm", Category.RULE)
    assert record.keywords == ("pnpm", "npm")
    assert record.updated == record.created == "2026-11-30T22:42:00.000Z"
    assert (first.scope, first.where, record.id) == (Scope.PROJECT, "memory.json item 1", None)
    assert (second.record.title, second.scope) == ("The office is in Ghent.", Scope.PROJECT)
    (of_user,) = memories(codebuddy.parse, '[{"content": "x"}]', "user-memory.json")
    assert of_user.scope is Scope.USER


def test_an_item_that_is_no_memory_costs_nobody_else() -> None:
    text = json.dumps(["text", {"title": "no content"}, {"content": 3}, {"content": "good"}, None])
    assert [where for where, _ in flaws(codebuddy.parse, text, "memory.json")] == [
        "memory.json item 1",
        "memory.json item 2",
        "memory.json item 3",
        "memory.json item 5",
    ]
    parsed = list(codebuddy.parse(SourceText("memory.json", text)))
    assert [each.record.content for each in parsed if isinstance(each, Incoming)] == ["good"]


@pytest.mark.parametrize("text", ["", "{}", '[{"content": "a"}', '[{"content": "a"},]', "[" * 100_000])
def test_what_is_no_array_is_told(text: str) -> None:
    (flaw,) = flaws(codebuddy.parse, text, "memory.json")
    assert "array" in flaw[1]


# CodeWhale -----------------------------------------------------------------------------------------------------------


def test_codewhales_notes_are_the_items_and_lines_of_its_file() -> None:
    text = "# Memory\n\n- Use pnpm\n\n- The server\n  is in Ghent\n---\nWritten by hand\nand once more\n"
    found = memories(codewhale.parse, text, "MEMORY.md", ("memory", "global"))
    assert [each.record.content for each in found] == [
        "Use pnpm",
        "The server\nis in Ghent",
        "Written by hand",
        "and once more",
    ]
    assert {each.scope for each in found} == {Scope.USER}
    assert found[0].where == "MEMORY.md line 3"


def test_a_store_says_whose_its_notes_are() -> None:
    id = "0" * 64
    (note,) = memories(codewhale.parse, "- a note", f"workspace/{id}/MEMORY.md", ("memory",))
    assert (note.scope, note.project) == (Scope.PROJECT, id)
    (named,) = memories(codewhale.parse, "- a note", "MEMORY.md", ("memory", "workspace", id))
    assert (named.scope, named.project) == (Scope.PROJECT, "")


def test_an_export_of_all_files_keeps_them_apart_and_leaves_the_journal_out() -> None:
    id = "ab" * 32
    text = (
        "# /home/me/.codewhale/memory/JOURNAL.md\n\n- **retire** `1` x\n\n"
        "# /home/me/.codewhale/memory/global/MEMORY.md\n\n- Everywhere\n\n"
        f"# /home/me/.codewhale/memory/workspace/{id}/MEMORY.md\n\n- Only here\n\n"
    )
    found = memories(codewhale.parse, text, "export.md")
    assert [(each.record.content, each.scope, each.project) for each in found] == [
        ("Everywhere", Scope.USER, ""),
        ("Only here", Scope.PROJECT, id),
    ]
    assert of_file(SourceText("export.md", text)) is ImportFormat.CODEWHALE


def row(**memory: object) -> str:
    draft = {"kind": "lesson", "title": "Flaky", "body": "Run it twice", "scope": {"tenant": "t"}, "tags": ["ci"]}
    about = {"id": "1", "revision": 1, "status": "active", "draft": draft, "created_at": 1_790_000_000, **memory}
    return json.dumps({"schema": codewhale_rows.ROW, "memory": about})


def test_the_rows_of_codewhales_later_store() -> None:
    text = "\n".join([row(), row(status="candidate"), ""])
    active, candidate = memories(codewhale_rows.parse, text, "export.jsonl")
    assert (active.record.title, active.record.content) == ("Flaky", "Run it twice")
    assert (active.record.category, active.record.type, active.record.keywords) == (
        Category.EXPERIENCE,
        "lesson",
        ("ci",),
    )
    assert active.record.created == "2026-09-21T14:13:20.000Z"
    assert active.scope is Scope.USER
    assert candidate.record.status is MemoryStatus.PENDING
    assert of_file(SourceText("export.jsonl", text)) is ImportFormat.CODEWHALE


def test_rows_that_are_broken_or_out_of_use_are_told_by_their_line() -> None:
    text = "\n".join([row(), "{", row(status="rejected"), row(draft={"title": "t"}), '{"schema": "other"}'])
    told = flaws(codewhale_rows.parse, text, "e.jsonl")
    assert [where for where, _ in told] == ["e.jsonl line 2", "e.jsonl line 3", "e.jsonl line 4", "e.jsonl line 5"]
    assert "rejected" in told[1][1]


def test_a_packet_for_a_model_is_read_too() -> None:
    packet = {"schema": codewhale_rows.PACKET, "memories": [{"kind": "fact", "title": "T", "body": "B"}, 3]}
    parsed = list(codewhale_rows.parse(SourceText("p.json", json.dumps(packet))))
    assert [type(each) for each in parsed] == [Incoming, Malformed]


# YottaCode and Claude Code -------------------------------------------------------------------------------------------

HEADED = "---\nname: feedback_testing\ndescription: How to test\ntype: feedback\n---\n\nRun pytest with -x.\n"


def test_yottacodes_files() -> None:
    text = "---\nname: use-pnpm\ndescription: d\ntype: project\ncreated: 2026-01-02T03:04:05Z\n---\nThe lockfile\n"
    (found,) = memories(yottacode.parse, text, "projects/github-com-a-b/memory/use-pnpm.md", (".yottacode",))
    assert (found.scope, found.project) == (Scope.PROJECT, "github-com-a-b")
    record = found.record
    assert (record.title, record.description, record.type) == ("Use pnpm", "d", "project")
    assert (record.content, record.created) == ("The lockfile", "2026-01-02T03:04:05.000Z")
    (of_user,) = memories(yottacode.parse, text, "memory/use-pnpm.md", (".yottacode",))
    assert (of_user.scope, of_user.project) == (Scope.USER, "")
    above = ("home", "projects", "x", ".yottacode", "projects", "slug", "memory")
    (named,) = memories(yottacode.parse, text, "a.md", above)
    assert (named.scope, named.project) == (Scope.PROJECT, "")


def test_charters_contents_and_archives_of_yottacode_are_no_memories() -> None:
    assert "PROJECT.md" in flaws(yottacode.parse, "# all", "YOTTACODE.md")[0][1]
    wanted = ["memory/a.md", "memory/MEMORY.md", "memory/.archive/a.1.md", "memory/.history/a.md", "memory/a.vec"]
    assert [path for path in wanted if yottacode.wants(path)] == ["memory/a.md"]
    assert "no text" in flaws(yottacode.parse, "---\nname: a\n---\n\n", "memory/a.md")[0][1]


@pytest.mark.parametrize("nested", [False, True], ids=["type", "metadata.type"])
def test_claude_codes_files(nested: bool) -> None:
    text = HEADED.replace("type: feedback", "metadata:\n  type: feedback") if nested else HEADED
    (found,) = memories(claude_code.parse, text, "-home-me-app/memory/feedback_testing.md", ("projects",))
    record = found.record
    assert (record.title, record.type, record.category) == ("Feedback testing", "feedback", Category.RULE)
    assert (record.description, record.content) == ("How to test", "Run pytest with -x.")
    assert (found.scope, found.project) == (Scope.PROJECT, "-home-me-app")
    assert claude_code.is_memory(SourceText("x.md", text))


def test_what_is_about_the_user_holds_everywhere() -> None:
    text = HEADED.replace("feedback\n", "user\n")
    (found,) = memories(claude_code.parse, text, "role.md", ("memory",))
    assert found.scope is Scope.USER


def test_the_table_of_contents_holds_links_or_in_older_folders_notes() -> None:
    text = (
        "# Memory\n\n- [Testing](feedback_testing.md) — how to test\n- Deploys go out on Tuesdays\n\n## CI\n\n- Flaky\n"
    )
    found = memories(claude_code.parse, text, "MEMORY.md")
    assert [each.record.title for each in found] == ["Deploys go out on Tuesdays", "CI: Flaky"]


def test_only_what_lies_in_folders_of_memories_is_claudes_memory() -> None:
    paths = [
        "projects/-a/memory/x.md",
        "projects/-a/memory/MEMORY.md",
        "commands/deploy.md",
        "plugins/a/b.md",
        "projects/-a/notes.md",
        "CLAUDE.md",
        "x.md",
        "topics/x.md",
    ]
    assert [path for path in paths if claude_code.wants(path)] == [paths[0], paths[1], paths[6], paths[7]]


def test_a_head_that_is_not_yaml_still_names_the_memory() -> None:
    (found,) = memories(claude_code.parse, "---\nname: A: b: [c\ndescription: d\n---\ntext\n", "a.md")
    assert (found.record.title, found.record.content) == ("A: b: [c", "text")


# Lists ---------------------------------------------------------------------------------------------------------------

CLAUDE_MD = """---
applyTo: "**"
---
# Shop

How we work.

- Use pnpm, never npm. It breaks the lockfile.
<!-- - not this one -->
## Testing

1. Run `make test`
   ```sh
   # - no item
   make test
   ```
   before each commit

2. No mocks

   of databases
- [ ] Keep tests short
  - under a second
* @docs/more.md

After the list.
"""


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("**nvm** must be sourced", Category.RULE),
        ("`Run` the linter before a commit", Category.RULE),
        ("Supports sh, bash and zsh", Category.KNOWLEDGE),
        ("`nvm_alias()` - Creates or lists aliases", Category.KNOWLEDGE),
        ("不要提交生成的文件", Category.RULE),
        ("入口在 src/main.py", Category.KNOWLEDGE),
    ],
)
def test_an_item_that_says_what_is_to_be_done_is_a_rule(text: str, category: Category) -> None:
    (found,) = memories(listed.parse, f"- {text}\n")
    assert found.record.category is category


def test_a_title_is_the_first_sentence_wherever_its_lines_are_broken() -> None:
    (found,) = memories(listed.parse, "- Keep the\n  changes small. They are\n  reviewed by people.\n")
    assert found.record.title == "Keep the changes small"


def test_the_items_of_lists_become_rules() -> None:
    parsed = list(listed.parse(SourceText("CLAUDE.md", CLAUDE_MD)))
    found = [each for each in parsed if isinstance(each, Incoming)]
    assert [(each.record.title, each.record.content) for each in found] == [
        ("Use pnpm, never npm", "Use pnpm, never npm. It breaks the lockfile."),
        (
            "Testing: Run `make test`",
            "Run `make test`\n```sh\n# - no item\nmake test\n```\nbefore each commit",
        ),
        ("Testing: No mocks", "No mocks\n\nof databases"),
        ("Testing: Keep tests short", "Keep tests short\n- under a second"),
    ]
    assert {each.record.category for each in found} == {Category.RULE}
    assert found[0].where == "CLAUDE.md line 8"
    (flaw,) = (each for each in parsed if isinstance(each, Malformed))
    assert "docs/more.md" in flaw.reason


def test_a_file_without_a_list_is_told() -> None:
    assert flaws(listed.parse, "# Title\n\nOnly prose.\n", "AGENTS.md")[0][0] == "AGENTS.md"


def test_the_users_own_instructions_hold_everywhere() -> None:
    (found,) = memories(listed.parse, "- a", "CLAUDE.md", ("home", "me", ".claude"))
    assert found.scope is Scope.USER
    (inside,) = listed.parse(SourceText("CLAUDE.md", "- a", ("repo", ".claude"), inside=True))
    assert isinstance(inside, Incoming)
    assert inside.scope is None


# Which format --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "above", "format"),
    [
        ("backup.json", '{"vademecum": "archive", "version": 1}', (), ImportFormat.ARCHIVE),
        ("memory.json", "[]", (), ImportFormat.CODEBUDDY),
        ("CLAUDE.md", "- a", (), ImportFormat.LIST),
        ("copilot-instructions.md", "- a", (".github",), ImportFormat.LIST),
        ("MEMORY.md", "- a", ("memory", "global"), ImportFormat.CODEWHALE),
        ("MEMORY.md", "- a", ("projects", "-a", "memory"), ImportFormat.CLAUDE_CODE),
        ("role.md", HEADED, (), ImportFormat.CLAUDE_CODE),
        ("a.md", HEADED, (".yottacode", "memory"), ImportFormat.YOTTACODE),
        ("notes.md", "- a", (), ImportFormat.LIST),
        ("", "- a", (), ImportFormat.LIST),
        ("data.json", "{}", (), None),
    ],
)
def test_a_file_says_whose_it_is(path: str, text: str, above: tuple[str, ...], format: ImportFormat | None) -> None:
    assert of_file(SourceText(path, text, above)) is format


@pytest.mark.parametrize(
    ("paths", "above", "format"),
    [
        (["global/MEMORY.md", "JOURNAL.md"], ("memory",), ImportFormat.CODEWHALE),
        (["workspace/ab/MEMORY.md"], ("memory",), ImportFormat.CODEWHALE),
        (["memory/user/a.md"], ("backup",), ImportFormat.YOTTACODE),
        (["a.md"], (".yottacode", "memory"), ImportFormat.YOTTACODE),
        (["MEMORY.md", "a.md"], ("-a", "memory"), ImportFormat.CLAUDE_CODE),
        ([".github/copilot-instructions.md", "docs/x.md"], ("app",), ImportFormat.LIST),
        ([".codebuddy/memory.json", "x.md"], ("app",), ImportFormat.CODEBUDDY),
        ([".codebuddy/rules/index.md", "docs/x.md"], ("app",), ImportFormat.LIST),
        ([".codebuddy/memory.json", ".codebuddy/rules.md"], ("app",), ImportFormat.CODEBUDDY),
        (["docs/rules.md"], ("app",), None),
        (["docs/x.md"], ("app",), None),
    ],
)
def test_a_folder_says_whose_it_is(paths: list[str], above: tuple[str, ...], format: ImportFormat | None) -> None:
    assert of_folder([SourceText(path, "", above) for path in paths]) is format


# Any text ------------------------------------------------------------------------------------------------------------

LINES = "- a\n  - b\n* c\n1. d\n# h\n## i\n---\n```\n~~~\n\ntext\n    code\n\tx\nname: x\ntype: user\né…漢\n-\n- "
LINKS = ["<!--", "-->", "- [ ] e", "- [a](b.md)", "- @f.md", "\u2028"]
MARKDOWN = st.lists(st.sampled_from([*LINES.split("\n"), *LINKS]), max_size=30).map("\n".join)
PATHS = st.sampled_from(["MEMORY.md", "a.md", "projects/x/memory/a.md", "workspace/ab/MEMORY.md", "memory.json", ""])


@given(text=st.one_of(st.text(max_size=300), MARKDOWN), path=PATHS, format=st.sampled_from(list(READERS)))
def test_no_text_breaks_a_parser(text: str, path: str, format: ImportFormat) -> None:
    for each in READERS[format].parse(SourceText(path, text.replace("\r", ""))):
        assert isinstance(each, Malformed) or (each.record.content.strip() and each.record.title is not None)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["content", "title", "keywords", "scope", "timestamp", "schema", "memory", "memories"])
            | st.sampled_from(["draft", "body", "status", "created_at", "category", "parts", "id", "versions", "data"]),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)


@given(value=st.lists(JSON, max_size=4))
def test_no_json_breaks_a_parser(value: list[object]) -> None:
    text = json.dumps(value)
    for parse, source in ((codebuddy.parse, text), (codewhale_rows.parse, "\n".join(map(json.dumps, value)))):
        for each in parse(SourceText("f", source)):
            assert isinstance(each, Malformed) or each.record.content.strip() or parse is codebuddy.parse
            if isinstance(each, Incoming):
                each.record.content.encode("utf-8")
                each.record.title.encode("utf-8")
    try:
        archive.read(json.dumps({"vademecum": "archive", "version": 1, "parts": value}))
    except archive.NotAnArchive:
        pytest.fail("its form is right as far as the parts")


@given(MARKDOWN)
def test_blocks_hold_every_word_of_the_text_once(text: str) -> None:
    words = [word for word in text.replace("<!--", "").replace("-->", "").split() if any(map(str.isalnum, word))]
    if "<!--" in text:
        return
    found = []
    for each in blocks(text):
        assert isinstance(each, Block) or each.level
        found += [word for word in each.text.split() if any(map(str.isalnum, word))]
    numbers = {"1."}
    assert [word for word in found if word not in numbers] == [word for word in words if word not in numbers]
