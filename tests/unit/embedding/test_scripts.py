import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.embedding.scripts import Script, from_bytes_alphabet, read_by, script_of, share_read, words


@pytest.mark.parametrize(
    ("char", "script"),
    [
        ("a", Script.LATIN),
        ("Ü", Script.LATIN),
        ("用", Script.HAN),
        ("𠀀", Script.HAN),
        ("の", Script.KANA),
        ("한", Script.HANGUL),
        ("ж", Script.CYRILLIC),
        ("λ", Script.GREEK),
        ("ש", Script.HEBREW),
        ("ع", Script.ARABIC),
        ("ह", Script.DEVANAGARI),
        ("ไ", Script.THAI),
        ("ა", Script.OTHER),
        ("Ａ", Script.LATIN),
        ("7", None),
        ("_", None),
        ("，", None),
    ],
)
def test_a_letter_has_its_script(char: str, script: Script | None) -> None:
    assert script_of(char) is script


def test_words_are_counted_by_runs_and_by_pairs_where_there_are_no_spaces() -> None:
    assert words("where does login happen") == {Script.LATIN: 4.0}
    assert words("用户登录") == {Script.HAN: 2.0}
    assert words("修复 login 的错误") == {Script.HAN: 2.5, Script.LATIN: 1.0}


def test_what_a_model_reads_of_a_text() -> None:
    latin = {Script.LATIN}
    assert share_read(latin, "retry with backoff") == 1.0
    assert share_read(latin, "用户登录在哪里") == 0.0
    assert 0.2 < share_read(latin, "login 在哪里校验") < 0.35
    assert share_read(latin, "123 -> ()") == 1.0
    assert share_read({Script.LATIN, Script.HAN}, "login 在哪里校验") == 1.0


@given(st.text())
def test_the_share_is_a_share(text: str) -> None:
    assert 0.0 <= share_read({Script.LATIN}, text) <= 1.0
    assert share_read(set(Script), text) == 1.0


def test_a_vocabulary_reads_what_it_has_words_of() -> None:
    latin = [f"word{chr(97 + a)}{chr(97 + b)}" for a in range(26) for b in range(26)]
    few_han = [chr(0x4E00 + n) for n in range(700)]
    many_han = [chr(0x4E00 + n) for n in range(4000)]
    assert read_by(latin + few_han) == {Script.LATIN}
    assert read_by(latin + many_han) == {Script.LATIN, Script.HAN}


def test_tokens_in_the_alphabet_of_bytes_are_read_as_text() -> None:
    assert from_bytes_alphabet("Ġhello") == " hello"
    assert from_bytes_alphabet("çĶ¨") == "用"
    assert from_bytes_alphabet("用") == "用"
