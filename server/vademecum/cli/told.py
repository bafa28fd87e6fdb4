"""What an answer tells a conversation beside what was asked for."""

from collections.abc import Iterable

from vademecum.api.types.common import Notice
from vademecum.api.types.evidence import SessionNews
from vademecum.cli.output import Output
from vademecum.cli.printable import printable


def news(output: Output, memory: SessionNews | None, notices: Iterable[Notice]) -> None:
    """Say, on standard error, what changed of what the conversation holds."""
    for notice in notices:
        output.note(notice.message)
    for lost in memory.invalidated if memory is not None else ():
        output.note(f"no longer as it was given: {printable(lost.reference)} ({lost.verdict})")
