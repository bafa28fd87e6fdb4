"""What is stored of a chunk, in one blob."""

from hypothesis import given
from hypothesis import strategies as st

from vademecum.embedding.keys import KEY_BYTES
from vademecum.search.stored import CLEAN_BYTES, Stored, pack, unpack

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)


@given(
    st.builds(
        Stored,
        path=TEXTS,
        start=st.integers(1, 2**31),
        end=st.integers(1, 2**31),
        digest=st.binary(min_size=32, max_size=32),
        symbol=st.none() | TEXTS,
        kind=st.none() | st.just("function"),
        language=TEXTS,
        content=st.just("code"),
        defines=st.frozensets(TEXTS, max_size=4),
        clean=st.binary(min_size=CLEAN_BYTES, max_size=CLEAN_BYTES),
        vector=st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES),
        words=st.binary(max_size=64),
    )
)
def test_what_is_packed_is_unpacked(stored: Stored) -> None:
    assert unpack(pack(stored)) == stored


def test_a_name_with_a_nul_spoils_nothing() -> None:
    defines = frozenset({"b\0c"})
    stored = Stored(
        "a.py", 1, 2, bytes(32), "na\0me", None, "python", "code", defines, bytes(CLEAN_BYTES), bytes(KEY_BYTES), b""
    )
    got = unpack(pack(stored))
    assert (got.symbol, got.language, got.defines) == ("name", "python", {"bc"})
