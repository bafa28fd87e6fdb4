"""The diagnostics of memory files are those that docs/protocol.md tells of."""

import re
from pathlib import Path

from vademecum.lsp.editor.memory_files import SEVERITIES
from vademecum.memory.editing.types import FaultKind

PAGE = Path(__file__).parents[3] / "docs" / "protocol.editor.md"


def test_every_kind_of_fault_has_the_severity_that_is_documented() -> None:
    section = PAGE.read_text("utf-8").split("## Files of memories")[1]
    told = dict(re.findall(r"^\| `(\w+)` \| (error|warning|information|hint) \|", section, re.MULTILINE))
    assert told == {kind.value: SEVERITIES[kind].name.lower() for kind in FaultKind}
