"""The title of a note that came without one: its first sentence, or as much of it as a title holds."""

import re
import unicodedata

from vademecum.memory.record import one_line

#: Longest title made from a note, in characters: what fits a line of a list beside id, scope and category.
_CHARACTERS = 80

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
#: What a line of Markdown may begin with before its text.
_MARKER = re.compile(r"^\s*(?:>\s*|#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)+")
#: A full stop ends a sentence when something that can begin one follows; CJK stops always do.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[^a-z\s])|(?<=[。！？])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|mr|mrs|dr|st)|\b[A-Z])\.[\"')\]]?$", re.IGNORECASE)


def title_of(note: str) -> str:
    """Return the first sentence of a note in one line, cut at a word if need be; never empty for a note with text."""
    sentence = _first_sentence(_first_line(note))
    line = one_line(sentence).rstrip()
    if len(line) > 1 and line.endswith(("。", ".")) and not line.endswith("..."):
        line = line[:-1].rstrip()
    return _cut(line) or "Note"


def _first_line(note: str) -> str:
    """The first line with words in it; inside a code fence only when there is none outside."""
    fence = ""
    inside = ""
    for line in note.split("\n"):
        if found := _FENCE.match(line):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
            continue
        text = _MARKER.sub("", line).strip()
        if not any(char.isalnum() for char in text):
            continue
        if not fence:
            return text
        inside = inside or text
    return inside or note.strip()


def _first_sentence(line: str) -> str:
    for found in _SENTENCE_END.finditer(line):
        sentence = line[: found.start() + 1] if line[found.start() : found.start() + 1] in "\"')]" else ""
        sentence = sentence or line[: found.start()]
        if sentence and not _ABBREVIATION.search(sentence):
            return sentence
    return line


def _cut(line: str) -> str:
    if len(line) <= _CHARACTERS:
        return line
    end = line.rfind(" ", 0, _CHARACTERS)
    if end < _CHARACTERS // 2:  # one long word, or a script without spaces
        end = _CHARACTERS - 1
        # Not between a character and what is drawn onto it.
        while end > 1 and (
            unicodedata.combining(line[end]) or line[end] in "\u200d\ufe0f" or line[end - 1] == "\u200d"
        ):
            end -= 1
    return line[:end].rstrip(" ,;:-–—") + "…"


def _joins(char: str) -> bool:
    return unicodedata.combining(char) != 0 or char in "\u200d\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff"
