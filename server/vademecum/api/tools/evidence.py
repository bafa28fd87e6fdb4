"""The tool that tells whether what was read is still true."""

from vademecum.api import evidence
from vademecum.api.tools.places import folder_named
from vademecum.api.tools.room import fitted, joined
from vademecum.api.tools.tool import Asked, Outcome, Tool
from vademecum.api.types import evidence as wire
from vademecum.api.types.tool_params import VerifyArguments
from vademecum.api.types.tool_results import Verdicts
from vademecum.quantities import counted


def verify(asked: Asked, arguments: VerifyArguments) -> Outcome[Verdicts]:
    """Judge references, or all that a session was given."""
    folder = folder_named(asked, arguments.workspace)
    verified = evidence.verify_(asked.call, wire.Verify(arguments.references, arguments.session, folder))
    kept, omitted = fitted((item, _told(item)) for item in verified.items)
    if not verified.items:
        head = "There is nothing to verify."
    elif verified.all_valid:
        head = "All of it holds."
    else:
        head = "Not all of it holds: read again what changed, and do not rely on your earlier copy of it."
    parts = [head, "\n".join(text for _, text in kept)]
    if omitted:
        parts.append(f"({counted(omitted, 'more reference')} had no room; name fewer.)")
    items = tuple(item for item, _ in kept)
    return Outcome(joined(*parts), Verdicts(items, verified.all_valid, omitted or None))


def _told(item: wire.VerifyItem) -> str:
    if item.error is not None:
        return f"{item.reference[:300]}: {item.error.kind}: {item.error.message}"
    now = f", now {item.relocated_to}" if item.relocated_to else ""
    moved = f"; the file seems to have gone to {item.moved_to}" if item.moved_to else ""
    return f"{item.reference}: {item.verdict}{now}{moved}"


VERIFY = Tool(
    name="verify_evidence",
    title="Verify references",
    description=(
        "Tell whether code that you read earlier is still as it was, by the references (path:start-end@hash) that "
        "search_workspace and memories give. Use it before you rely on lines from earlier in a long conversation, "
        "after files were edited, or to check citations in a text. valid: unchanged. relocated: the same lines, now "
        "elsewhere in the file (the new reference is given). changed, ambiguous, deleted, excluded: do not rely on it; "
        "search again. It does not tell what the lines say now."
    ),
    arguments=VerifyArguments,
    result=Verdicts,
    run=verify,
    requests=("evidence/verify",),
    example={"references": ["{reference}"]},
)
