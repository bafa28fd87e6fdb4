"""What text is found by."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.lexical import tokens
from vademecum.lexical.stems import stem
from vademecum.lexical.tokens import (
    MAX_TOKEN,
    code_tokens,
    fold,
    index_text,
    prose_text,
    prose_tokens,
    query_tokens,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]),
        ("MAX_SIZE2", ["max_size2", "max", "size", "2"]),
        ("__init__", ["init"]),
        ("XML2Json", ["xml2json", "xml", "2", "json"]),
        ("std::vec<T>", ["std", "vec", "t"]),
        ("snake_case camelCase", ["snake_case", "snake", "case", "camelcase", "camel", "case"]),
        ("a-b.c", ["a", "b", "c"]),
        ("_", []),
        ("", []),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(text: str, expected: list[str]) -> None:
    assert code_tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("// 用户登录校验", "登录"),
        ("データベースに接続する", "接続"),
        ("사용자 검색기능", "검색"),
        ("การค้นหาข้อมูล", "ค้นหา"),
        ("проверка Пользователя", "пользователя"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full"),
        ("naïve café", "naive"),
        ("Straße", "straße"),
    ],
)
def test_a_query_in_any_script_shares_a_telling_token_with_text_that_holds_it(text: str, query: str) -> None:
    wanted = {token for token, weight in query_tokens(query).items() if weight == 1.0}
    assert wanted
    assert wanted <= set(index_text(text).split())


def test_accents_go_and_syllables_stay_whole() -> None:
    assert fold("éÀñ") == "eAn"
    assert fold("がぎ 검색") == "がぎ 검색"


def test_prose_is_found_by_its_stems() -> None:
    assert prose_tokens("Indexing the Files") == ["index", "the", "file"]
    assert set(prose_tokens("how to index a file")) >= {"index", "file"}


def test_single_characters_of_a_longer_run_weigh_little() -> None:
    weights = query_tokens("登录")
    assert weights["登录"] == 1.0
    assert weights["登"] < 0.5
    assert query_tokens("登")["登"] == 1.0


def test_a_whole_identifier_outweighs_its_parts_and_stems() -> None:
    weights = query_tokens("user_ids")
    assert weights["user_ids"] > weights["user"] >= weights["ids"] > weights.get("id", 0.0)


def test_blobs_give_no_tokens() -> None:
    assert code_tokens("f" * (MAX_TOKEN + 1)) == []
    assert all(len(token) <= MAX_TOKEN for token in code_tokens("aB3" * 5000))


@given(st.text(st.characters(codec=None), max_size=300))
def test_no_text_fails_and_no_token_holds_white_space(text: str) -> None:
    found = code_tokens(text)
    assert all(token and token == "".join(token.split()) and len(token) <= MAX_TOKEN for token in found)
    assert all(0 < weight <= 2 for weight in query_tokens(text).values())
    prose_tokens(text)
    "".join(found).encode()


@given(st.text(max_size=300))
def test_the_index_holds_every_token_that_a_query_of_the_same_text_asks_for(text: str) -> None:
    held = set(index_text(text).split())
    assert set(code_tokens(text)) <= held
    assert set(query_tokens(text)) <= held


@given(st.text("用户登录校验日本語テスト", min_size=2, max_size=12), st.data())
def test_every_piece_of_an_unspaced_run_is_found_by_pairs(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 2))
    end = data.draw(st.integers(start + 2, len(run)))
    assert set(code_tokens(run[start:end])) <= set(code_tokens(run))


def test_remembered_words_change_nothing() -> None:
    text = "parseHTTPResponse naïve 登录 running"
    first = index_text(text)
    assert index_text(text) == first
    tokens.forget()
    assert index_text(text) == first


@given(st.text())
def test_an_index_of_prose_holds_its_tokens(text: str) -> None:
    assert prose_text(text).split() == prose_tokens(text)


def test_stems_are_the_same_from_many_threads() -> None:
    words = [
        f"{root}{ending}" for root in ("walk", "index", "search", "remember") for ending in ("ing", "ed", "s", "er")
    ]
    expected = [stem(word) for word in words]
    stem.cache_clear()
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append([stem(word) for word in words])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


@pytest.mark.parametrize("word", ["is", "Running", "x1y2", "", "登录", "a" * 40])
def test_what_is_no_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word
