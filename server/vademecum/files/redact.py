"""Taking secrets out of source before anything is made of it."""

import re

from vademecum.files.secrets import find

_LINE_END = re.compile(r"\r\n|\r|\n")


def redact(text: str) -> str:
    """Return `text` with every secret replaced by `[redacted: rule]`.

    Lines keep their numbers: the line ends inside a secret (a key block) stay.
    """
    findings = find(text)
    if not findings:
        return text
    pieces: list[str] = []
    done = 0
    for finding in findings:
        pieces.append(text[done : finding.start])
        pieces.append(f"[redacted: {finding.rule}]")
        pieces.extend(_LINE_END.findall(text, finding.start, finding.end))
        done = finding.end
    pieces.append(text[done:])
    return "".join(pieces)
