"""Search: any text is a query; words, stems, CJK and phrases; one hit a section, with the line that matches best."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.knowledge.conftest import Open, served
from vademecum.errors import InvalidField
from vademecum.knowledge.body import without_marks
from vademecum.knowledge.outline import read_outline
from vademecum.knowledge.passages import PASSAGE_CHARACTERS, passages
from vademecum.knowledge.query import Phrase, read_query
from vademecum.knowledge.service import Knowledge
from vademecum.knowledge.types import DocumentForm
from vademecum.work import Cancel

HANDBOOK = """# Handbook

## Configuration

Settings are read from a file. The parser of settings is strict.
A second line tells about caching responses on the disk.

## Deployment

Release on Tuesdays. Nobody releases on a Friday.

### Rolling back

When a release fails, roll back within the hour.

## 安装指南

先安装依赖，然后运行全文搜索服务。

## Formatting text

Bold words are **marked**, and code is `formatted_text(value)`.
"""


@pytest.fixture
def handbook(knowledge: Knowledge) -> Knowledge:
    served(knowledge, HANDBOOK, "Handbook")
    return knowledge


def anchors(knowledge: Knowledge, query: str, **arguments: int) -> list[str]:
    return [hit.anchor for hit in knowledge.search(query, **arguments).items]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("parse setting", "handbook/configuration"),
        ("cached response", "handbook/configuration"),
        ("deployments", "handbook/deployment"),
        ("how do I roll back a failed release?", "handbook/deployment/rolling-back"),
        ("搜索", "handbook/安装指南"),
        ("依", "handbook/安装指南"),
        ("安装", "handbook/安装指南"),
        ("formatted_text", "handbook/formatting-text"),
        ("FORMATTING", "handbook/formatting-text"),
    ],
)
def test_words_stems_and_cjk(handbook: Knowledge, query: str, first: str) -> None:
    assert anchors(handbook, query)[0] == first


def test_a_heading_comes_before_a_body(knowledge: Knowledge) -> None:
    served(knowledge, "# Doc\n\n## First\n\nSomething on marmots and their food.\n\n## Marmots\n\nThey sleep well.\n")
    assert anchors(knowledge, "marmots") == ["doc/marmots", "doc/first"]


def test_each_section_is_one_hit_with_its_best_line(knowledge: Knowledge) -> None:
    lines = [f"filler words number {n} about nothing in particular" for n in range(400)]
    lines[150] = "here the marmot stands"
    lines[300] = "here the marmot eats grass"
    served(knowledge, "# Doc\n\n## Long\n\n" + "\n".join(lines) + "\n\n## Short\n\nA marmot.\n")
    page = knowledge.search("marmot eats grass")
    assert [hit.anchor for hit in page.items] == ["doc/long", "doc/short"]
    assert (page.items[0].line, page.items[0].excerpt) == (305, "here the marmot eats grass")
    assert page.items[0].citation.lines.start == 3
    assert page.items[0].score == 1.0 >= page.items[1].score > 0


def test_a_hit_by_its_heading_shows_what_stands_below(knowledge: Knowledge) -> None:
    served(knowledge, "# Doc\n\n## Marmots\n\nThey sleep well.\n")
    (hit,) = knowledge.search("marmots").items
    assert hit.excerpt in ("## Marmots", "They sleep well.")
    assert hit.path == ("Doc",)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"parser of settings"', ["handbook/configuration"]),
        ('"Parser  OF settings"', ["handbook/configuration"]),
        ('"strict. A second"', ["handbook/configuration"]),
        ('"settings of parser"', []),
        ('"parser of setting"', []),
        ('"全文搜索"', ["handbook/安装指南"]),
        ('"搜索全文"', []),
        ('"rolling back"', ["handbook/deployment/rolling-back"]),
        ('"**marked**"', ["handbook/formatting-text"]),
        ('"**"', ["handbook/formatting-text"]),
        ("“parser of settings”", ["handbook/configuration"]),
        ('"release" "hour"', ["handbook/deployment/rolling-back"]),
        ('release "the hour"', ["handbook/deployment/rolling-back"]),
        ('"nothing of the kind" release', []),
    ],
)
def test_phrases_must_hold(handbook: Knowledge, query: str, expected: list[str]) -> None:
    assert anchors(handbook, query) == expected


@pytest.mark.parametrize(
    ("text", "phrase", "holds"),
    [
        ("Install the *kettle* first.", "kettle first", True),
        ("Install the **big\nkettle**, then stop.", "the big kettle, then", True),
        ("Set `timeout` to __ten__ seconds.", "set timeout to ten seconds", True),
        ("See [the guide](https://example.org/a_b 'Title') for more.", "see the guide for more", True),
        ("See [the guide](https://example.org/a_b) for more.", "a_b", True),
        ("Call `read_config` or __init__ first.", "call read_config", True),
        ("Call read_config here.", "call readconfig here", False),
        ("Call init here.", "__init__", False),
        ("Call __init__ here.", "__init__", True),
        ("Two * three is six.", "two three is", True),
        ("Install the *kettle* first.", "kettle second", False),
        ("An [open bracket and *a star", "an [open bracket and a star", True),
    ],
)
def test_marks_inside_a_line_do_not_hide_a_phrase(knowledge: Knowledge, text: str, phrase: str, holds: bool) -> None:
    served(knowledge, f"# Doc\n\n{text}\n\n## Other\n\nNothing.\n")
    page = knowledge.search(f'"{phrase}"')
    assert [hit.anchor for hit in page.items] == (["doc"] if holds else [])
    assert all(hit.line in (3, 4) for hit in page.items)


def test_a_phrase_across_passages_holds(knowledge: Knowledge) -> None:
    text = "filler " * (PASSAGE_CHARACTERS // 7 - 1) + "\nunicorn\n" + "beetle " + "filler " * 300
    served(knowledge, f"# Doc\n\n{text}\n")
    assert anchors(knowledge, '"unicorn beetle"') == ["doc"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        '""',
        '"""',
        '" "',
        "(",
        "a AND OR b",
        "title:x",
        "*",
        "+-&&||!(){}[]^~?:\\/",
        "“",
        "\u202e",
        "😀",
        "\0",
    ],
)
def test_no_query_is_an_error(handbook: Knowledge, query: str) -> None:
    assert handbook.search(query).items is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(['"', "“", "”", "release", "搜", " ", "(", "*"])).map("".join))
def test_any_text_is_a_query(handbook: Knowledge, query: str) -> None:
    page = handbook.search(query)
    for hit in page.items:
        assert hit.citation.lines.start <= hit.line <= hit.citation.lines.end
        for phrase in read_query(query).phrases:
            read = handbook.read_section(hit.id, hit.anchor).text
            folded = " ".join(read.casefold().split())
            assert phrase.text in folded or phrase.text in without_marks(folded)


def test_a_query_is_bounded(handbook: Knowledge) -> None:
    handbook.search("x" * 1_000)
    with pytest.raises(InvalidField):
        handbook.search("x" * 1_001)


def test_pages_hold_each_section_once(knowledge: Knowledge) -> None:
    served(knowledge, "# Doc\n\n" + "".join(f"## Part {n}\n\nmarmot {n}\n\n" for n in range(45)))
    whole = anchors(knowledge, "marmot", limit=50)
    assert len(set(whole)) == 45
    paged, offset = [], 0
    while True:
        page = knowledge.search("marmot", limit=10, offset=offset)
        paged += [hit.anchor for hit in page.items]
        if page.next_offset is None:
            break
        offset = page.next_offset
    assert paged == whole


def test_many_passages_of_one_section_hide_no_other(knowledge: Knowledge) -> None:
    served(knowledge, "# Doc\n\n## Long\n\n" + "marmot marmot\n\n" * 40_000 + "## Short\n\nOne marmot among words.\n")
    assert set(anchors(knowledge, "marmot", limit=2)) == {"doc/long", "doc/short"}


@pytest.mark.parametrize(
    ("phrase", "text", "holds"),
    [
        ("log in", "please log in now", True),
        ("log in", "the blog in question", False),
        ("log in", "log into it", False),
        ("log in", "the blog in it; log in", True),
        ("c++", "use c++ here", True),
        ("搜索", "全文搜索引擎", True),
        ("a搜", "da搜", False),
    ],
)
def test_a_phrase_begins_and_ends_with_words(phrase: str, text: str, holds: bool) -> None:
    assert Phrase(phrase).holds(text) is holds


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=900) | st.just("x" * 4_000), max_size=12))
def test_the_passages_are_the_section(parts: list[str]) -> None:
    text = "\n".join(parts)
    (section,) = read_outline(text, DocumentForm.TEXT, Cancel()).sections
    lines = text.split("\n")
    rebuilt: dict[int, str] = {}
    for passage in passages(lines, section):
        assert len(passage.text) <= 4 * PASSAGE_CHARACTERS
        for number, line in enumerate(passage.text.split("\n"), passage.line):
            rebuilt[number] = rebuilt.get(number, "") + line
    for number in range(section.start, section.end + 1):
        assert rebuilt[number] == lines[number - 1]


def test_imports_during_searches(open_knowledge: Open) -> None:
    """What a search gives while documents come, change and go is always one whole revision of each."""
    writer, reader = open_knowledge(), open_knowledge()
    steady = served(writer, "# Steady\n\nalways here\n", "Steady")
    changing = served(writer, "# Changing\n\nalways version0 version0\n", "Changing")
    failures: list[str] = []
    done = threading.Event()

    def write() -> None:
        try:
            for number in range(1, 25):
                writer.import_text(f"# Changing\n\nalways version{number} version{number}\n", id=changing.id)
                writer.publish(changing.id)
                other = served(writer, f"# Other {number}\n\nalways other\n", f"Other {number}")
                writer.remove(other.id)
        finally:
            done.set()

    def search(knowledge: Knowledge) -> None:
        while not done.is_set():
            hits = {hit.id: hit for hit in knowledge.search("always", limit=50).items}
            if steady.id not in hits:
                failures.append("the steady document was not found")
            if (hit := hits.get(changing.id)) is not None:
                words = hit.excerpt.split()
                if words[1] != words[2]:
                    failures.append(hit.excerpt)

    threads = [threading.Thread(target=write), *(threading.Thread(target=search, args=(k,)) for k in (writer, reader))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert "version24" in reader.search("version24").items[0].excerpt
    assert reader.search('"version23"').items == ()
