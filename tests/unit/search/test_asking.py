"""Understanding queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import InvalidField
from vademecum.search.asking import MAX_TOKENS, asks_for_the_whole, introduced, understand
from vademecum.search.languages import by_name, language_of, named
from vademecum.search.roles import Role, role_of
from vademecum.search.types import ContentClass, Query


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("parseConfig", {"parseconfig"}),
        ("where is parse_config used", {"parseconfig"}),
        ("Parser.parse", {"parse"}),
        ("std::vector", {"vector"}),
        ("render()", {"render"}),
        ("how the Session manages requests", set()),
        ("how is config parsed", set()),
        ("Authentication", {"authentication"}),
        ("How requests are retried", set()),
    ],
)
def test_symbols_are_told_from_words(text: str, names: set[str]) -> None:
    assert understand(text).named == names


def test_a_capital_inside_a_sentence_may_be_a_name() -> None:
    assert understand("how the Session manages requests").capitals == {"session"}
    assert understand("How requests are retried").capitals == set()


def test_asking_words_are_left_out_unless_they_are_all_there_is() -> None:
    assert "how" not in understand("how are requests retried").tokens
    assert "retried" in understand("how are requests retried").tokens
    assert understand("how is it").tokens


def test_neighbouring_words_make_names() -> None:
    assert "ratelimiter" in understand("the rate limiter").phrases


def test_tests_are_wanted_only_by_the_word() -> None:
    assert understand("tests for the parser").wants_tests
    assert not understand("the latest contest").wants_tests


def test_a_question_about_the_whole_is_told_from_others_and_keeps_its_meaning() -> None:
    for text in ("What is this project?", "give me an overview", "explain the codebase", "项目结构"):
        assert asks_for_the_whole(text), text
    for text in ("how is the projection made", "append a row", "parse_config", "登录"):
        assert not asks_for_the_whole(text), text
    ask = introduced(understand("how does the app work"))
    assert ask.meant == "how does the app work"
    assert "readme" in ask.tokens and "app" not in ask.tokens and ask.wants_docs


@given(st.text(st.characters(codec=None), max_size=400))
def test_no_query_fails(text: str) -> None:
    ask = understand(text)
    assert len(ask.tokens) <= MAX_TOKENS


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("query", {"text": "  "}),
        ("query", {"text": "x" * 1001}),
        ("limit", {"text": "x", "limit": 0}),
        ("limit", {"text": "x", "limit": 51}),
        ("offset", {"text": "x", "offset": -1}),
        ("tokenBudget", {"text": "x", "token_budget": 0}),
    ],
)
def test_unusable_fields_are_named(field: str, values: dict[str, object]) -> None:
    with pytest.raises(InvalidField) as caught:
        Query(**values)  # type: ignore[arg-type]
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("path", "name", "content"),
    [
        ("a/x.py", "python", ContentClass.CODE),
        ("Dockerfile.dev", "dockerfile", ContentClass.CODE),
        ("README", "text", ContentClass.DOCS),
        ("docs/x.MD", "markdown", ContentClass.DOCS),
        ("a.json", "json", ContentClass.CODE),
        ("noextension", "unknown", ContentClass.CODE),
        ("CMakeLists.txt", "cmake", ContentClass.CODE),
    ],
)
def test_languages_are_told_by_name(path: str, name: str, content: ContentClass) -> None:
    assert language_of(path).name == name
    assert by_name(name).content is content


def test_languages_are_named_as_people_name_them() -> None:
    assert [named(each).name for each in ("Python", "ts", ".rs", "c++", "typescriptreact", "golang")] == [
        "python",
        "typescript",
        "rust",
        "cpp",
        "tsx",
        "go",
    ]
    with pytest.raises(InvalidField, match="languages"):
        named("klingon")


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/parse.py", Role.CODE),
        ("src/latest.py", Role.CODE),
        ("src/contest/attest.py", Role.CODE),
        ("src/protester.go", Role.CODE),
        ("tests/test_parse.py", Role.TEST),
        ("pkg/parse_test.go", Role.TEST),
        ("src/app.spec.ts", Role.TEST),
        ("src/ParserTest.java", Role.TEST),
        ("conftest.py", Role.TEST),
        ("Dapper.Tests/QueryCases.cs", Role.TEST),
        ("browser-tests/open.js", Role.TEST),
        ("app/src/androidTest/Login.kt", Role.TEST),
        ("AlamofireTests/Retry.swift", Role.TEST),
        ("src/latest/protest/a.py", Role.CODE),
        ("examples/a.py", Role.EXAMPLE),
        ("_examples/rest/main.go", Role.EXAMPLE),
        ("api/service_pb2.py", Role.GENERATED),
        ("app.min.js", Role.GENERATED),
        ("vendor/lib/a.go", Role.VENDORED),
        ("pkg/__init__.py", Role.REEXPORT),
        ("types/index.d.ts", Role.STUB),
    ],
)
def test_roles_are_told_by_whole_words_of_the_path(path: str, role: Role) -> None:
    assert role_of(path, language_of(path).name) is role


def test_a_question_in_chinese_asks_for_the_english_names_too() -> None:
    ask = understand("会话怎么过期，在哪里测试")
    assert {"session", "expire", "expiration", "test"} <= ask.tokens.keys()
    assert ask.tokens["session"] < ask.tokens["会话"], "what was spelled comes first"
    assert ask.tokens["expiration"] < ask.tokens["expire"]
    assert {"session", "expir", "test"} <= set(ask.words)
    assert "sessionexpire" in ask.phrases
    assert ask.wants_tests
    assert ask.meant == "会话怎么过期，在哪里测试 session expire , test"


def test_identifiers_between_chinese_characters_are_named() -> None:
    ask = understand("实现FromRequest的提取器在哪里")
    assert ask.named == {"fromrequest"}
    assert "extractor" in ask.tokens


def test_a_single_run_of_chinese_names_no_symbol() -> None:
    assert understand("会话管理").named == frozenset()
    assert understand("session").named == {"session"}


def test_a_question_in_english_is_meant_as_it_stands() -> None:
    ask = understand("how are sessions kept")
    assert (ask.gloss, ask.meant) == ("", "how are sessions kept")
