"""Asking before something goes for good."""

import sys

from vademecum.cli.output import Output


def confirmed(output: Output, question: str, otherwise: str, *, may_ask: bool = True) -> bool:
    """Whether the user says yes to a question.

    :param otherwise: said instead where nobody can be asked: that nothing was done, and what would do it.
    :param may_ask: False where the result is read by a program.
    """
    if not may_ask or not (sys.stdin.isatty() and output.errors.is_terminal):
        output.note(otherwise)
        return False
    output.errors.print(f"{question} [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
