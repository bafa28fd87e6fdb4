"""Which syntax nodes define something, what kind of thing, and under what name; for every grammar we read.

Node types hardly ever mean two things in two grammars, so one table serves all; what a grammar spells in a way of its
own (C's declarators, Elixir's calls, assignments of functions) has its own few lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from vademecum.search.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_K = SymbolKind

_KINDS: dict[str, SymbolKind] = {
    **dict.fromkeys(
        (
            "function_definition",
            "function_declaration",
            "function_item",
            "function_signature",
            "function_signature_item",
            "generator_function_declaration",
            "subroutine_declaration_statement",
            "function_statement",
            "function_def",
            "local_function",
            "local_function_statement",
            "procedure_declaration",
            "function",
            "subroutine",
            "program_statement",
            "test_declaration",
            "rule",
            "recipe",
        ),
        _K.FUNCTION,
    ),
    **dict.fromkeys(
        (
            "method_definition",
            "method_declaration",
            "method",
            "singleton_method",
            "method_signature",
            "abstract_method_signature",
            "protocol_function_declaration",
            "operator_declaration",
            "getter_signature",
            "setter_signature",
        ),
        _K.METHOD,
    ),
    **dict.fromkeys(
        (
            "constructor_declaration",
            "compact_constructor_declaration",
            "secondary_constructor",
            "init_declaration",
            "deinit_declaration",
            "constructor_signature",
            "destructor_declaration",
        ),
        _K.CONSTRUCTOR,
    ),
    **dict.fromkeys(
        (
            "class_definition",
            "class_declaration",
            "abstract_class_declaration",
            "class_specifier",
            "class_interface",
            "class_implementation",
            "class",
            "singleton_class",
            "object_declaration",
            "object_definition",
            "companion_object",
            "impl_item",
            "record_declaration",
            "mixin_declaration",
            "extension_declaration",
            "instance",
            "instance_declaration",
            "contract_declaration",
            "actor_declaration",
        ),
        _K.CLASS,
    ),
    **dict.fromkeys(
        (
            "interface_declaration",
            "trait_item",
            "trait_definition",
            "trait_declaration",
            "protocol_declaration",
            "annotation_type_declaration",
            "class_decl",
            "service",
            "delegate_declaration",
        ),
        _K.INTERFACE,
    ),
    **dict.fromkeys(
        ("struct_item", "struct_specifier", "struct_declaration", "struct_definition", "union_item", "message"),
        _K.STRUCT,
    ),
    **dict.fromkeys(("enum_item", "enum_specifier", "enum_declaration", "enum_definition", "enum"), _K.ENUM),
    **dict.fromkeys(
        (
            "type_alias_declaration",
            "type_item",
            "type_spec",
            "type_alias",
            "type_definition",
            "type_synonym",
            "data_type",
            "newtype",
            "typealias_declaration",
            "type_synomym",
        ),
        _K.TYPE,
    ),
    **dict.fromkeys(
        (
            "mod_item",
            "namespace_definition",
            "namespace_declaration",
            "file_scoped_namespace_declaration",
            "module",
            "internal_module",
            "module_definition",
        ),
        _K.MODULE,
    ),
    **dict.fromkeys(("macro_definition", "preproc_function_def", "macro_rule"), _K.MACRO),
    **dict.fromkeys(("const_item", "static_item", "const_spec", "const_declaration", "event_declaration"), _K.CONSTANT),
    **dict.fromkeys(("property_declaration", "property_signature", "public_field_definition"), _K.PROPERTY),
}

CONTAINERS = frozenset({_K.CLASS, _K.INTERFACE, _K.STRUCT, _K.ENUM, _K.MODULE, _K.HEADING, _K.TYPE})
"""Kinds whose members are definitions of their own."""

_WRAPPERS = frozenset(
    {
        "decorated_definition",
        "export_statement",
        "template_declaration",
        "declaration",
        "type_declaration",
        "const_declaration",
        "ambient_declaration",
        "linkage_specification",
        "visibility_modifier",
        "top_level_item",
        "statement",
        "expression_statement",
        "field_declaration",
        "global_statement",
    }
)
_NAMES = frozenset(
    {
        "identifier",
        "type_identifier",
        "simple_identifier",
        "field_identifier",
        "property_identifier",
        "constant",
        "name",
        "word",
        "variable",
        "variable_name",
        "bareword",
        "scope_resolution",
        "qualified_identifier",
        "namespace_identifier",
        "symbol",
        "destructor_name",
        "operator_name",
        "upper_case_identifier",
        "message_name",
        "service_name",
        "rpc_name",
        "enum_name",
    }
)
_FUNCTION_VALUES = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function",
        "generator_function",
        "function_definition",
        "lambda",
        "class",
        "class_expression",
    }
)
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration", "local_variable_declaration"})
_ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "assignment_statement", "binary_operator"})
_ELIXIR = {
    "def": _K.FUNCTION,
    "defp": _K.FUNCTION,
    "defmacro": _K.MACRO,
    "defmacrop": _K.MACRO,
    "defmodule": _K.MODULE,
    "defprotocol": _K.INTERFACE,
    "defimpl": _K.CLASS,
}
_SWIFT = {"struct": _K.STRUCT, "enum": _K.ENUM, "class": _K.CLASS, "actor": _K.CLASS, "extension": _K.CLASS}
_LONGEST_NAME = 120


@frozen
class Definition:
    """A node that defines a symbol: its own name, unqualified, and the node whose members belong to it."""

    kind: SymbolKind
    name: str
    node: Node


def definition(node: Node) -> Definition | None:
    """What the node defines, looking through decorators, exports and templates; None when it defines nothing."""
    for _ in range(4):
        kind = _KINDS.get(node.type)
        # Nodes such as `class` are a bare keyword in some grammars: those have no children.
        if kind is not None and node.is_named and node.named_child_count:
            name = _name(node)
            if name is None:
                return None
            if node.type == "class_declaration" and (word := node.child_by_field_name("declaration_kind")) is not None:
                kind = _SWIFT.get(_text(word), kind)
            return Definition(kind, name, node)
        if node.type == "section":
            return _heading(node)
        if node.type == "call":
            return _elixir(node)
        if node.type in _VARIABLES or node.type in _ASSIGNMENTS:
            return _assigned(node)
        if node.type not in _WRAPPERS:
            return None
        inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
        if inner is None:
            inner = next((child for child in node.named_children if _may_define(child)), None)
        if inner is None:
            return None
        node = inner
    return None


def _may_define(node: Node) -> bool:
    kind = node.type
    return kind in _KINDS or kind in _WRAPPERS or kind in _VARIABLES or kind in _ASSIGNMENTS


def _text(node: Node) -> str:
    raw = node.text or b""
    return " ".join(raw[: 4 * _LONGEST_NAME].decode("utf-8", "replace").split())[:_LONGEST_NAME]


def _name(node: Node) -> str | None:
    if node.type == "impl_item":
        subject = node.child_by_field_name("type")
        return _text(subject).split("<", 1)[0] if subject is not None else None
    named = node.child_by_field_name("name")
    if named is None:
        declarator = node.child_by_field_name("declarator")
        for _ in range(8):
            if declarator is None or declarator.type in _NAMES:
                break
            declarator = declarator.child_by_field_name("declarator") or next(
                (child for child in declarator.named_children if child.type in _NAMES or "declarator" in child.type),
                None,
            )
        named = declarator
    if named is None:
        named = next((child for child in node.named_children if child.type in _NAMES), None)
    if named is None:
        return None
    # `struct stat` as a mere use of the type has a name and no body.
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return None
    return _text(named).strip("\"'`") or None


def _heading(node: Node) -> Definition | None:
    first = next(iter(node.named_children), None)
    if first is None or "heading" not in first.type:
        return None
    content = first.child_by_field_name("heading_content")
    title = _text(content if content is not None else first).strip("# ")
    return Definition(SymbolKind.HEADING, title, node) if title else None


def _elixir(node: Node) -> Definition | None:
    target = node.child_by_field_name("target")
    if target is None or (kind := _ELIXIR.get(_text(target))) is None:
        return None
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    first = next(iter(arguments.named_children), None) if arguments is not None else None
    if first is None:
        return None
    name = _text(first).split("(", 1)[0].split(" when ", 1)[0].split(",", 1)[0].strip()
    return Definition(kind, name, node) if name else None


def _assigned(node: Node) -> Definition | None:
    """`const f = () => …`, `exports.f = function …`, `f <- function …`, and constants in capitals."""
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type in _VARIABLES:
        declarator = next((child for child in node.named_children if "declarator" in child.type), None)
        if declarator is None:
            return None
        target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    elif node.type == "binary_operator":
        operator = node.child_by_field_name("operator")
        target, value = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
        if operator is None or _text(operator) not in {"<-", "="}:
            return None
    if target is None:
        return None
    name = _text(target).rsplit(".", 1)[-1]
    if value is not None and value.type in _FUNCTION_VALUES:
        kind = SymbolKind.CLASS if value.type.startswith("class") else SymbolKind.FUNCTION
        return Definition(kind, name, value) if name.isidentifier() else None
    if name.isupper() and name.isidentifier() and len(name) > 2:
        return Definition(SymbolKind.CONSTANT, name, node)
    return None
