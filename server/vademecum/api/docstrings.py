"""The docstrings that stand under fields and members, which Python itself does not keep."""

import ast
import inspect
from collections.abc import Iterator
from enum import Enum
from functools import cache

import attrs


@cache
def field_docs(cls: type) -> dict[str, str]:
    """The docstrings that stand under the fields of a class, its bases' included."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base is not object and attrs.has(base):
            found.update(_documented(base))
    return found


def member_docs(cls: type[Enum]) -> dict[str, str]:
    """The docstrings that stand under the members of an enum."""
    return dict(_documented(cls))


def _documented(cls: type) -> Iterator[tuple[str, str]]:
    try:
        source = inspect.getsource(cls)
    except OSError:  # a program that is packed without its sources describes nothing, and works all the same
        return
    body = ast.parse(inspect.cleandoc("\n" + source)).body[0]
    assert isinstance(body, ast.ClassDef)
    for statement, following in zip(body.body, body.body[1:], strict=False):
        target = (
            statement.target
            if isinstance(statement, ast.AnnAssign)
            else statement.targets[0]
            if isinstance(statement, ast.Assign)
            else None
        )
        if (
            isinstance(target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
            and isinstance(following.value.value, str)
        ):
            yield target.id, " ".join(following.value.value.split())
