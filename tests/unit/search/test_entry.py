"""From a file's content to what is kept of it: the text and the key of a chunk's vector."""

from vademecum.embedding.keys import KEY_BYTES, number_of
from vademecum.lexical.index import Index
from vademecum.search.candidates import Candidate
from vademecum.search.entry import FIELDS, make, vector_text
from vademecum.search.stored import unpack

CODE = b"class Box:\n    def open(self):\n        return 1\n"


def _keys(path: str, data: bytes) -> list[bytes]:
    entry = make(path, data, 48)
    keys = [row.vector for row in entry.rows]
    assert keys == [unpack(bytes(document["stored"])).vector for document in entry.documents]  # type: ignore[arg-type]
    assert [number_of(key) for key in keys] == [document["vector"] for document in entry.documents]
    return keys


def test_a_renamed_file_keeps_the_keys_of_its_vectors() -> None:
    assert _keys("a/box.py", CODE) == _keys("b/other.py", CODE)
    assert all(len(key) == KEY_BYTES for key in _keys("a/box.py", CODE))


def test_line_endings_change_no_key() -> None:
    text = b"# Title\n\nWords about it.\n"
    assert _keys("a.md", text.replace(b"\n", b"\r\n")) == _keys("a.md", text)


def test_other_words_have_another_key() -> None:
    assert _keys("a.py", CODE) != _keys("a.py", CODE.replace(b"1", b"2"))


def test_the_symbol_stands_before_the_lines() -> None:
    assert vector_text("Box.open", ["def open(self):", "    return 1"]) == "Box.open\ndef open(self):\n    return 1"
    assert vector_text(None, ["x = 1"]) == "x = 1"


def test_two_secrets_in_one_place_have_one_key() -> None:
    token = b'key = "ghp_' + b"%s" + b'"\n'
    first, second = token % (b"a1B2c3D4e5F6" * 3), token % (b"z9Y8x7W6v5U4" * 3)
    assert _keys("a.py", first) == _keys("a.py", second)


def test_chunks_are_found_by_the_numbers_of_their_vectors() -> None:
    index = Index(FIELDS)
    writer = index.writer()
    for path, data in (("a.py", CODE), ("b.py", CODE), ("c.py", b"x = 1\n")):
        for document in make(path, data, 48).documents:
            writer.add(document)
    writer.commit()
    snapshot = index.snapshot()
    numbers = [number_of(key) for key in _keys("a.py", CODE)] + [0, 2**64 - 1]
    found = snapshot.search(snapshot.one_of("vector", numbers), 10)
    candidates = [Candidate(*unpack(each.blob("stored"))) for each in found]
    assert {each.path for each in candidates} == {"a.py", "b.py"}
    assert {number_of(each.vector) for each in candidates} <= set(numbers)
