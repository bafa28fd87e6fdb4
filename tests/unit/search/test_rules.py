"""Ranking: candidates from a real index in memory, and the stages one by one."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.lexical.index import Index, Snapshot
from vademecum.search.asking import understand
from vademecum.search.candidates import POOL, Candidate, Filters, filters, lexical
from vademecum.search.entry import FIELDS, make, squeeze
from vademecum.search.fusion import Blend, Measured, fuse
from vademecum.search.matching import Matcher
from vademecum.search.rules import (
    Weights,
    coherence,
    definitions,
    further_chunks,
    in_place,
    ordered,
    path_words,
    penalties,
    ranked,
)
from vademecum.search.types import Match, Query
from vademecum.search.weights import Fusing

pytestmark = pytest.mark.usefixtures("grammars")
WEIGHTS = Weights()


def indexed(files: dict[str, str]) -> Snapshot:
    index = Index(FIELDS)
    writer = index.writer(15_000_000)
    for path, text in files.items():
        for document in make(path, text.encode(), 48).documents:
            writer.add(document)
    writer.commit()
    return index.snapshot()


def by_words(found: list[Candidate]) -> list[Candidate]:
    """As `ranking.order` begins where there are words alone."""
    return fuse([Measured(each, each.score, None) for each in found], Blend(Fusing.WEIGHTED, 0.0))


def answered(files: dict[str, str], text: str) -> list[str]:
    snapshot, ask = indexed(files), understand(text)
    found = by_words(lexical(snapshot, ask, Filters((), ()), POOL))
    return [each.path for each in in_place(ordered(further_chunks(ranked(found, ask, WEIGHTS), ask, WEIGHTS)), 2)]


def candidate(path: str, score: float, start: int = 1, defines: str = "", symbol: str | None = None) -> Candidate:
    names = frozenset(squeeze(name) for name in defines.split())
    return Candidate(path, start, start + 9, b"", symbol, None, "python", "code", names, b"", b"", b"", score)


PADDING = "".join(f"    value_{n} = {n}\n" for n in range(10))


def test_tests_do_not_crowd_out_what_they_test() -> None:
    files = {"src/parse_config.py": f"def parse_config(text):\n    '''Parse a config.'''\n{PADDING}"}
    for n in range(8):
        body = f"def test_parse_config_{n}():\n    # how config is parsed\n    assert parse_config('config')\n{PADDING}"
        files[f"tests/test_parse_config_{n}.py"] = body
    assert answered(files, "how is config parsed")[0] == "src/parse_config.py"
    assert answered(files, "tests for parse config")[0].startswith("tests/")
    assert answered(files, "latest parse config")[0] == "src/parse_config.py"


def test_a_definition_comes_before_its_uses() -> None:
    files = {f"use{n}.py": "x = fetch_user(1)\nfetch_user(2)\nfetch_user(3)\n" for n in range(5)}
    files["users.py"] = f"import db\n\n\ndef fetch_user(number):\n{PADDING}    return db.get(number)\n"
    assert answered(files, "fetch_user")[0] == "users.py"
    assert answered(files, "where is fetchUser")[0] == "users.py"


def test_a_spelled_parent_tells_methods_apart() -> None:
    files = {
        f"m{n}.py": f"class {name}:\n    def save(self):\n" + PADDING.replace("    ", "        ")
        for n, name in enumerate(["Order", "Invoice", "Customer"])
    }
    assert answered(files, "Invoice.save")[0] == "m1.py"


def test_an_identifier_comes_before_texts_that_hold_its_parts() -> None:
    files = {f"p{n}.py": "user = 1\nname = 2\nuser, name = name, user\n" for n in range(10)}
    files["long.py"] = "".join(f"filler_{n} = {n}\n" for n in range(30)) + "x = lookup(user_name)\n"
    assert answered(files, "user_name")[0] == "long.py"


def test_another_way_of_writing_a_name_finds_it() -> None:
    files = {"a.py": f"def parse_http_response(raw):\n{PADDING}", "b.py": f"def other(raw):\n{PADDING}"}
    assert answered(files, "parseHttpResponse")[0] == "a.py"


def test_stems_and_cjk_are_found() -> None:
    files = {"a.py": "# retries a failed request\nx = 1\n", "b.py": "# 用户登录校验\ny = 1\n", "c.py": "z = 1\n"}
    assert answered(files, "retrying failed requests") == ["a.py"]
    assert answered(files, "登录") == ["b.py"]


def test_nothing_in_common_is_nothing_found() -> None:
    assert answered({"a.py": "x = 1\n"}, "zebra") == []
    assert answered({"a.py": "x = 1\n"}, "!!!") == []


def test_scores_of_a_side_become_shares_of_its_best() -> None:
    found = by_words([candidate("a", 8.0), candidate("b", 2.0)])
    assert [each.score for each in found] == [1.0, 0.25]
    assert found[1].signals == {"lexical": 0.25}
    assert by_words([]) == []
    assert by_words([candidate("a", 0.0)])[0].score == 0.0


def test_definitions_gain_by_how_they_are_named() -> None:
    ask = understand("Parser.parse_config with the rate limiter")
    plain, named, phrase = candidate("a", 0.5), candidate("b", 0.5, defines="parse_config"), candidate("c", 0.5)
    parent = candidate("d", 0.5, defines="parse_config", symbol="Parser.parse_config")
    phrase = candidate("c", 0.5, defines="RateLimiter")
    gains = [each.score - 0.5 for each in definitions([plain, named, parent, phrase], ask, WEIGHTS)]
    assert gains[0] == 0
    assert gains[1] >= WEIGHTS.named_definition
    assert gains[2] > gains[1]
    assert 0 < gains[3] < gains[1]


def test_a_file_called_by_the_words_gains_most_when_all_of_its_name_is_asked_for() -> None:
    ask = understand("session middleware order")
    found = path_words(
        [candidate(p, 0.0) for p in ("session_middleware.py", "session.py", "session_store.py", "x.py")], ask, WEIGHTS
    )
    scores = [each.score for each in found]
    assert scores[0] == scores[1] == WEIGHTS.file_words
    assert 0 < scores[2] < scores[0]
    assert scores[3] == 0


def test_an_index_file_is_named_by_its_folder() -> None:
    ask = understand("session")
    found = path_words([candidate("app/session/__init__.py", 0.0), candidate("app/session/x.py", 0.0)], ask, WEIGHTS)
    assert found[0].score > found[1].score > 0


def test_only_the_best_chunk_of_a_file_gains_by_the_others() -> None:
    ask = understand("x")
    found = coherence([candidate("a", 0.5, 1), candidate("a", 0.4, 20), candidate("b", 0.5, 1)], ask, WEIGHTS)
    assert found[0].score == 0.5 + WEIGHTS.coherence
    assert found[1].score == 0.4
    assert 0.5 < found[2].score < found[0].score


def test_penalties_fall_on_what_was_not_asked_for() -> None:
    paths = ["src/a.py", "tests/a.py", "examples/a.py", "vendor/a.py"]
    found = penalties([candidate(path, 1.0) for path in paths], understand("a thing"), WEIGHTS)
    assert [each.score for each in found] == [1.0, WEIGHTS.test, WEIGHTS.example, WEIGHTS.vendored]
    asked = penalties([candidate(path, 1.0) for path in paths], understand("tests and examples of a thing"), WEIGHTS)
    assert [each.score for each in asked] == [1.0, WEIGHTS.wanted, WEIGHTS.wanted, WEIGHTS.vendored]


def test_each_further_chunk_of_a_file_counts_less() -> None:
    found = further_chunks([candidate("a", 1.0, n) for n in (1, 20, 40)], understand("x"), WEIGHTS)
    assert [each.score for each in found] == [1.0, WEIGHTS.further, WEIGHTS.further**2]


def test_ties_have_one_order_and_the_tail_keeps_it() -> None:
    some = [candidate(path, 1.0, start) for path in "ba" for start in (30, 1, 60)]
    for mixed in itertools.permutations(some, 6):
        assert [each.key for each in ordered(mixed)] == [("a", 1), ("a", 30), ("a", 60), ("b", 1), ("b", 30), ("b", 60)]
    assert [each.key for each in in_place(ordered(some), 1)] == [
        ("a", 1),
        ("b", 1),
        ("a", 30),
        ("a", 60),
        ("b", 30),
        ("b", 60),
    ]


def test_chunks_that_make_way_for_other_files_take_the_scores_of_their_new_places() -> None:
    order = in_place([candidate("a", 1.0, 1), candidate("a", 0.8, 30), candidate("b", 0.2, 1)], 1)
    assert [(each.path, each.score) for each in order] == [("a", 1.0), ("b", 0.8), ("a", 0.2)]
    assert [round(each.signals.get("perFile", 0.0), 6) for each in order] == [0.0, 0.6, -0.6]


def test_stages_leave_what_they_are_given_alone() -> None:
    given = [candidate("a", 0.5, 1, "parse"), candidate("tests/a", 0.4, 20)]
    before = [(each.score, dict(each.signals)) for each in given]
    ranked(given, understand("parse a"), WEIGHTS)
    assert [(each.score, dict(each.signals)) for each in given] == before


def test_filters_hold_before_the_pool_is_cut() -> None:
    files = {f"a/match{n}.py": "needle needle needle\n" for n in range(POOL + 50)} | {"b/one.py": "one needle\n"}
    snapshot = indexed(files)
    kept = filters(snapshot, Query(text="needle", paths=("b/",)))
    assert [each.path for each in lexical(snapshot, understand("needle"), kept, 5)] == ["b/one.py"]


@pytest.mark.parametrize(
    ("query", "lines", "expected"),
    [
        ("foo", ["x", "  foo()"], Match(8, 2, 5)),
        ("foo", ['s = "😀"; foo()'], Match(7, 9, 12)),
        ("parse config", ["config", "parse_config"], Match(8, 0, 12)),
        ("retries", ["# it retried twice"], Match(7, 5, 12)),
        ("登录", ["# 用户登录校验"], Match(7, 4, 6)),
        ("zebra", ["nothing"], None),
        ("x", [], None),
    ],
)
def test_the_cursor_goes_to_the_best_word(query: str, lines: list[str], expected: Match | None) -> None:
    assert Matcher(understand(query), {}).best(lines, 7) == expected


@given(
    st.lists(
        st.sampled_from(["parse_config", "Config", "happy", "happily", "retried", "x", "userName", "tries"]), min_size=1
    ),
    st.lists(st.text("abcix _()", max_size=6) | st.sampled_from(["parseConfig", "a tried", "HAPPY", "Usernames(x)"])),
)
def test_looking_for_substrings_first_changes_no_match(query: list[str], lines: list[str]) -> None:
    quick, thorough = Matcher(understand(" ".join(query)), {}), Matcher(understand(" ".join(query)), {})
    thorough._needles = ("",)
    assert quick.best(lines, 1) == thorough.best(lines, 1)


@given(
    st.lists(st.sampled_from(["parse_config", "config", "parsing", "parse", "limit", "x"]), min_size=1, max_size=3),
    st.lists(
        st.text("abcix _()", max_size=6) | st.sampled_from(["parse_config(limit)", "a parse", "CONFIG", "x = parsed"])
    ),
)
def test_looking_no_further_than_the_best_there_can_be_changes_no_match(query: list[str], lines: list[str]) -> None:
    ask, rarity = understand(" ".join(query)), {"parse": 3.0, "config": 2.0, "parse_config": 5.0, "limit": 1.5}
    quick, thorough = Matcher(ask, rarity), Matcher(ask, rarity)
    thorough._ceiling = float("inf")
    assert quick.best(lines, 1) == thorough.best(lines, 1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["src/parse/config.py", "tests/a.py", "docs/parse.md", "vendor/parse.py"]),
            st.floats(0, 1),
            st.integers(1, 9),
            st.sampled_from(["", "parse_config", "Parser config", "ParseConfig"]),
            st.sampled_from([None, "parse_config", "Parser.parse", "read"]),
        ),
        max_size=12,
        unique_by=lambda each: (each[0], each[2]),
    )
)
def test_all_rules_at_once_give_what_they_give_one_by_one(drawn: list[tuple[str, float, int, str, str | None]]) -> None:
    found, ask = [candidate(*each) for each in drawn], understand("Parser.parse_config in the parser")
    one_by_one = found
    for rule in (definitions, path_words, coherence, penalties):
        one_by_one = rule(one_by_one, ask, WEIGHTS)
    together = ranked(found, ask, WEIGHTS)
    assert together == ordered(one_by_one)
    assert [list(each.signals.items()) for each in together] == [list(e.signals.items()) for e in ordered(one_by_one)]
