"""Cutting files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.files.lines import split
from vademecum.search.chunk import LONGEST, Chunk, chunk
from vademecum.search.languages import LANGUAGES, language_of

pytestmark = pytest.mark.usefixtures("grammars")

SAMPLES = {
    "a.ts": (
        "export class Foo extends Bar {\n  constructor() { super(); }\n  async run(q: string) { return 1; }\n}\n"
        "export const handler = async (req) => {\n  return 1;\n};\ninterface I { m(): void }\n",
        {"Foo", "run", "handler", "I"},
    ),
    "a.js": ("exports.go = function () {};\nfunction main() {}\n", {"go", "main"}),
    "a.go": (
        "package main\nfunc (s *Server) Foo(a int) error {\n\treturn nil\n}\ntype Server struct {\n\ta int\n}\n",
        {"Foo", "Server"},
    ),
    "a.cpp": (
        "namespace ns {\nclass Foo { public: void bar(); };\nint Foo::bar(int a) { return 1; }\n"
        "template <typename T> T most(T a) { return a; }\n}\n",
        {"ns", "Foo", "Foo::bar", "most"},
    ),
    "a.c": (
        "typedef struct foo { int a; } foo_t;\nstatic int *bar(int a) { return 0; }\n#define MAX(a) a\n",
        {"foo_t", "bar", "MAX"},
    ),
    "a.rs": (
        "impl P { pub fn new() -> P { P } }\ntrait T { fn x(); }\nmacro_rules! m { () => {} }\n",
        {"P", "new", "T", "m"},
    ),
    "a.java": ("public class C { C() {} void foo() {} enum E {A} }\n", {"C", "foo", "E"}),
    "a.cs": ("namespace A { class C { int P {get;set;} void Foo() {} } }\n", {"A", "C", "Foo", "P"}),
    "a.rb": ("module M\n  class C\n    def foo; end\n    def self.bar; end\n  end\nend\n", {"M", "C", "foo", "bar"}),
    "a.php": ("<?php\nclass C { function foo() {} }\nfunction bar() {}\n", {"C", "foo", "bar"}),
    "a.swift": ("public struct S { func a() {} }\nprotocol P { func z() }\n", {"S", "a", "P"}),
    "a.kt": ("class C(val a: Int) { fun foo() {} }\nobject O\nfun top(): Int = 1\n", {"C", "foo", "O", "top"}),
    "a.scala": ("object O { def foo = 1 }\ntrait T\n", {"O", "foo", "T"}),
    "a.ex": ("defmodule A.B do\n  def foo(x) do\n    x\n  end\nend\n", {"A.B", "foo"}),
    "a.lua": ("function M.foo(a) return a end\nlocal function bar() end\n", {"M.foo", "bar"}),
    "a.sh": ("foo() { echo; }\nfunction bar { echo; }\n", {"foo", "bar"}),
    "a.py": (
        "LIMIT = 3\n@deco\ndef foo():\n    pass\nclass A:\n    def bar(self): pass\n",
        {"LIMIT", "foo", "A", "bar"},
    ),
    "a.md": ("# Title\ntext\n## Part\nmore\n", {"Title", "Part"}),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_definitions_are_named_in_each_language(name: str) -> None:
    text, expected = SAMPLES[name]
    pieces = chunk(split(text.encode()), language_of(name), 48)
    assert expected <= {each for piece in pieces for each in piece.names}


def method(name: str, lines: int) -> str:
    return f"    def {name}(self):\n" + "".join(f"        self.x{n} = {n}\n" for n in range(lines))


def test_symbols_are_qualified_by_their_parents() -> None:
    text = "class Parser:\n    limit = 1\n" + method("parse", 60) + method("reset", 30)
    pieces = chunk(split(text.encode()), language_of("a.py"), 48)
    found = {(piece.symbol, piece.kind) for piece in pieces}
    assert {("Parser", "class"), ("Parser.parse", "method"), ("Parser.reset", "method")} <= found


def test_only_the_first_piece_of_a_long_definition_defines_it() -> None:
    text = "def long():\n" + "".join(f"    x{n} = {n}\n" for n in range(200))
    pieces = chunk(split(text.encode()), language_of("a.py"), 48)
    assert len(pieces) > 2
    assert [piece.names for piece in pieces] == [("long",)] + [()] * (len(pieces) - 1)
    assert {piece.symbol for piece in pieces} == {"long"}


def test_a_comment_belongs_to_what_follows_it() -> None:
    body = "".join(f"    y{n} = {n}\n" for n in range(12))
    text = f"def one():\n{body}\n# about two\n# and more\ndef two():\n{body}"
    one, two = chunk(split(text.encode()), language_of("a.py"), 48)
    assert (one.symbol, two.symbol) == ("one", "two")
    assert "# about two" in "\n".join(text.split("\n")[two.start - 1 : two.end])


def covered(pieces: tuple[Chunk, ...]) -> list[int]:
    return [line for piece in pieces for line in range(piece.start, piece.end + 1)]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "def f(x):",
                "    return x",
                "class A:",
                "",
                "}",
                "{",
                "function f() {",
                "# a",
                "## b",
                "'",
                '"""',
                "(((",
                "  - a: b",
            ]
        )
        | st.text("ab {}()#\t", max_size=12),
        max_size=120,
    ),
    st.sampled_from(
        [language for language in LANGUAGES if language.grammar in {None, "python", "javascript", "markdown", "c"}]
    ),
    st.integers(8, 60),
)
def test_chunks_never_overlap_and_leave_out_only_blank_lines(lines: list[str], language: object, target: int) -> None:
    data = [line.encode() for line in lines]
    pieces = chunk(data, language, target)  # type: ignore[arg-type]
    numbers = covered(pieces)
    assert numbers == sorted(set(numbers))
    missing = set(range(1, len(data) + 1)) - set(numbers)
    assert all(not data[number - 1].strip() for number in missing)
    assert all(piece.end - piece.start + 1 <= round(target * LONGEST) for piece in pieces)
    assert all(1 <= piece.start <= piece.end <= len(data) for piece in pieces)


def test_an_empty_file_has_no_chunks() -> None:
    assert chunk((), language_of("a.py"), 48) == ()


def test_a_deep_nest_ends() -> None:
    text = b"(" * 20_000 + b"\n" + b"[" * 20_000
    assert covered(chunk(split(text), language_of("a.js"), 48)) == [1, 2]
