"""Chinese terms of developers find the English names they have in code."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from vademecum.lexical import glossary
from vademecum.lexical.glossary import TERMS, Term, in_english, terms
from vademecum.lexical.tokens import fold


def test_terms_become_their_likeliest_names_and_what_is_no_chinese_stays() -> None:
    assert in_english("会话怎么过期") == "session expire"
    assert in_english("用 inotify 监视文件系统变化") == "inotify watch file system change"
    assert in_english("提取器是怎样实现 FromRequest 的") == "extractor FromRequest"


def test_the_longest_term_wins_from_the_left() -> None:
    assert in_english("线程池") == "thread pool"
    assert in_english("线程和进程") == "thread process"
    assert [term.text for term in terms("事件循环里的事件")] == ["事件循环", "里的", "事件"]


def test_a_term_is_not_read_in_another_word() -> None:
    """`表` is a table, `行` a line and `图` a graph, but not in words that only hold the character."""
    assert in_english("进行") == ""
    assert in_english("表示") == "represent"
    assert in_english("图片") == "image"


def test_names_of_taiwan_are_known() -> None:
    assert in_english("執行緒與檔案") == "thread file"


def test_nothing_is_said_where_no_term_is_known() -> None:
    assert in_english("retry with backoff") == ""
    assert in_english("清明时节雨纷纷") == ""
    assert in_english("") == ""
    assert terms("") == []


def test_a_term_has_several_names_the_likeliest_first() -> None:
    assert terms("排序") == [Term("排序", ("sort", "order"), True)]


def test_every_line_of_the_table_is_a_term_with_english_names_and_none_comes_twice() -> None:
    lines = [
        line
        for line in (Path(glossary.__file__).parent / TERMS).read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    wrong = [
        line for line in lines if not re.fullmatch(r"[\u4e00-\u9fff]+(\t[a-z0-9]+( [a-z0-9]+)*(, [a-z0-9 ]+)*)?", line)
    ]
    assert wrong == []
    found = [line.split("\t")[0] for line in lines]
    assert len(found) > 1_000
    assert sorted(found) == sorted(set(found))


@given(st.text(st.sampled_from("会话请求abc ,。表示行线程池１ａ"), max_size=30))
def test_the_parts_make_the_whole(text: str) -> None:
    assert "".join(term.text for term in terms(text)) == fold(text)
