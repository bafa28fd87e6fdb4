"""What is said of a reference to a person: the verdict in plain words, and the lines."""

import re

from vademecum.evidence.moves import moved_to
from vademecum.evidence.verdicts import Verdict
from vademecum.files.content import Content, Refused
from vademecum.files.redact import redact
from vademecum.lsp.editor.judging import Judged, places

#: How much of a span is shown, in lines and in characters.
MAX_LINES = 40
MAX_CHARACTERS = 4_000

_BACKTICKS = re.compile(r"`+")


def told(judged: Judged) -> str:
    """The verdict as one sentence, for a message beside the text."""
    reference = judged.reference
    cited = f"{_lines(reference.start, reference.end).capitalize()} of {reference.path}"
    many = reference.line_count > 1
    match judged.verdict:
        case Verdict.VALID:
            return f"{cited} {'are' if many else 'is'} as cited."
        case Verdict.RELOCATED:
            now = judged.verified.relocated_to
            assert now is not None
            return f"{cited} moved: the same text is now at {_lines(now.start, now.end)}."
        case Verdict.CHANGED:
            return f"{cited} {'have' if many else 'has'} changed since cited."
        case Verdict.AMBIGUOUS:
            return f"{cited} moved, and the same text stands in the file more than once."
        case Verdict.DELETED:
            return f"{cited}: there is no such file any more."
        case Verdict.EXCLUDED:
            return f"{cited} cannot be checked: the file is not to be read (ignored, secret, too large, or no text)."
        case Verdict.UNREADABLE:
            return f"{cited} cannot be checked: the file cannot be read."


def hover(judged: Judged, content: Content | Refused, markdown: bool) -> str:
    """The verdict, and the lines as they are now; within `MAX_LINES` and `MAX_CHARACTERS`, without secrets."""
    said = told(judged)
    parts = [_escaped(said) if markdown else said]
    if judged.verdict is Verdict.DELETED and (target := moved_to(judged.reference, judged.gate)) is not None:
        guess = f"It seems to be {target} now."
        parts.append(_escaped(guess) if markdown else guess)
    if isinstance(content, Content):
        found = places(judged, content)
        if judged.verdict is Verdict.CHANGED and found:
            parts.append("What stands there now:")
        elif judged.verdict is Verdict.AMBIGUOUS and found:
            parts.append(f"At {' and '.join(_lines(*place) for place in found)}:")
        if found:
            parts.append(_shown(content, *found[0], markdown))
    return "\n\n".join(parts)


def _shown(content: Content, start: int, end: int, markdown: bool) -> str:
    # The whole text is redacted, since a secret of several lines may begin before the span.
    lines = redact(content.text).split("\n")[start - 1 : end]
    text = "\n".join(lines[:MAX_LINES])
    cut = len(lines) > MAX_LINES or len(text) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS]
    rest = "\n\n…" if cut else ""
    if not markdown:
        return text + rest
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    return f"{fence}{_language(content.path)}\n{text}\n{fence}{rest}"


def _language(path: str) -> str:
    from vademecum.search.languages import language_of  # not needed before somebody looks

    language = language_of(path)
    return language.name if language.grammar or language.data else ""


def _lines(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)
