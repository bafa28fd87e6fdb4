"""The JSON Schema of the protocol, written from the code: every request with its params and result, every type once.

It goes with the package as `vademecum/protocol.schema.json`, for those who make types for a client of another language.
`api/schema.py` writes the schemas of tools, which must stand without `$ref` for models; this one is made of references.
"""

import json
import types as pytypes
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from vademecum.api.dispatch import METHODS
from vademecum.api.docstrings import field_docs
from vademecum.api.types.bounds import KEY
from vademecum.api.types.search import SearchStatusResult
from vademecum.evidence.verdicts import Verdict
from vademecum.lsp.announcements import KNOWLEDGE_DID_CHANGE, MEMORY_DID_CHANGE, SEARCH_DID_CHANGE_STATUS
from vademecum.lsp.editor.upkeep import EVIDENCE_DID_INVALIDATE
from vademecum.lsp.model import MODEL_COMPLETE
from vademecum.memory.types import Scope
from vademecum.model import Purpose
from vademecum.settings import camel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCALARS: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    object: {},
    Any: {},
}
STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


def of(kind: Any, defs: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; classes and enums that it mentions are put into `defs`."""
    if kind in SCALARS:
        return dict(SCALARS[kind])
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, pytypes.UnionType):
        return {"anyOf": [of(arg, defs) for arg in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": of(args[0], defs)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": of(args[1], defs)}
    if kind.__name__ not in defs:
        defs[kind.__name__] = {}  # taken, for types that mention themselves
        defs[kind.__name__] = named(kind, defs)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def named(cls: type, defs: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class or an enum. A field that may be left out is left out or, in params, null."""
    about = {"description": " ".join((cls.__doc__ or "").split("\n\n")[0].split())}
    if issubclass(cls, Enum):
        return about | {"enum": [member.value for member in cls]}
    attrs.resolve_types(cls)
    docs = field_docs(cls)
    properties: dict[str, Any] = {}
    required = []
    for field in attrs.fields(cls):
        told = of(field.type, defs) | dict(field.metadata.get(KEY, {}))
        if field.default is attrs.NOTHING:
            required.append(camel(field.name))
        else:
            default = field.default.value if isinstance(field.default, Enum) else field.default
            if isinstance(default, str | int | float):
                told["default"] = default
        if field.name in docs:
            told["description"] = docs[field.name]
        properties[camel(field.name)] = told
    shape = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return about | shape


def invalidated() -> dict[str, Any]:
    """The params of the notification of references that ceased to hold."""
    reference = {"type": "string"}
    item = {
        "type": "object",
        "properties": {"reference": reference, "verdict": {"$ref": "#/$defs/Verdict"}, "relocatedTo": reference},
        "required": ["reference", "verdict"],
    }
    references = {"type": "array", "items": item}
    return {"type": "object", "properties": {"uri": {"type": "string"}, "references": references}}


def protocol_schema() -> str:
    """The whole of protocol.schema.json."""
    defs: dict[str, Any] = {}
    requests = {
        name: {
            "description": method.summary,
            "command": f"vademecum.{name.replace('/', '.')}",
            "writes": method.writes,
            "long": method.long,
            "params": of(method.params, defs),
            "result": of(method.result, defs),
        }
        for name, method in METHODS.items()
    }
    of(Verdict, defs)
    changed = {"type": "object", "properties": {"scope": of(Scope, defs), "ids": STRINGS}}
    notifications = {
        MEMORY_DID_CHANGE: changed,
        KNOWLEDGE_DID_CHANGE: {"type": "object", "properties": {"ids": STRINGS}},
        SEARCH_DID_CHANGE_STATUS: of(SearchStatusResult, defs),
        EVIDENCE_DID_INVALIDATE: invalidated(),
    }
    roles = {"enum": ["system", "user", "assistant"]}
    message = {"type": "object", "properties": {"role": roles, "text": {"type": "string"}}}
    asked = {
        "purpose": {"enum": [purpose.value for purpose in Purpose]},
        "messages": {"type": "array", "items": message},
        "maxTokens": {"type": "integer"},
    }
    to_client = {
        MODEL_COMPLETE: {
            "params": {"type": "object", "properties": asked},
            "result": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        }
    }
    whole = {
        "$schema": DIALECT,
        "$id": "urn:vademecum:protocol",
        "title": "The requests of Vademecum, beside those of the Language Server Protocol",
        "description": "Written by docs/generate.py from the code. docs/protocol.md says the same for people.",
        "requests": requests,
        "notifications": notifications,
        "requestsToClient": to_client,
        "$defs": dict(sorted(defs.items())),
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
