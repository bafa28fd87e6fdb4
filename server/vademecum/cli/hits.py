"""A hit of a search as text: where it is, and its lines."""

import argparse
import re
from collections.abc import Iterator

from attrs import frozen
from rich.text import Text

from vademecum.api.types.search import Item
from vademecum.cli.outcome import Usage
from vademecum.cli.printable import printable
from vademecum.files.uris import path_of_uri

_WORD = re.compile(r"\w{2,}")
_TAB_WIDTH = 4


@frozen
class Layout:
    """How much of each hit is shown.

    :param lines: of its snippet at most; 0 shows none.
    :param explain: whether the signals behind the score are shown.
    :param whole_paths: whether paths are absolute, as they must be where several folders are searched.
    """

    lines: int
    explain: bool
    whole_paths: bool = False


DEFAULT_LINES = 12
"""Lines of each snippet that are shown when nothing else is said."""

WHOLE = 10_000
"""Lines of a snippet that are shown: all."""


def lines_shown(options: argparse.Namespace) -> int:
    """How many lines of each snippet are shown, by `--lines`, `--no-snippets`, `--session` and `--json`.

    :raises Usage: for none at all, and for fewer than all in a session, which counts what it is given as read.
    """
    if options.lines is not None and options.lines < 1:
        raise Usage("--lines: must be at least 1; --no-snippets shows none")
    if options.session is None or options.json:
        return 0 if options.no_snippets else options.lines or DEFAULT_LINES
    for option, given in (("--lines", options.lines is not None), ("--no-snippets", options.no_snippets)):
        if given:
            raise Usage(f"{option}: not with --session, where what is not shown would count as given")
    return WHOLE


def words_of(query: str) -> re.Pattern[str] | None:
    """What is marked in snippets: the words of the query and the parts of its names."""
    words = {word.lower() for word in _WORD.findall(query)}
    words |= {part.lower() for word in words for part in word.split("_") if len(part) > 1}
    if not words:
        return None
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def rendered(item: Item, words: re.Pattern[str] | None, layout: Layout) -> Iterator[Text]:
    """The lines to print for one hit."""
    first, last = item.range.start.line + 1, item.range.end.line + 1
    path = str(path_of_uri(item.uri, "uri")) if layout.whole_paths else item.path
    head = Text.assemble((printable(path), "bold cyan"), (f":{first}-{last}", "cyan"))
    if item.symbol:
        head.append(f" {printable(item.symbol)}", "magenta")
    head.append(f" {item.score:.3f}", "dim")
    if item.stale:
        head.append(" changed since it was indexed", "yellow")
    if item.skeleton:
        head.append(" in outline", "dim")
    if item.reused:
        head.append(" given before", "dim")
    yield head
    if layout.explain and item.signals:
        yield Text("  " + "  ".join(f"{name} {value:.3f}" for name, value in item.signals.items()), "dim")
    if layout.lines and item.snippet is not None:
        yield from _snippet(item, item.snippet.split("\n"), words, layout.lines)


def _snippet(item: Item, lines: list[str], words: re.Pattern[str] | None, count: int) -> Iterator[Text]:
    if item.skeleton:
        yield from (Text(f"  {printable(line.expandtabs(_TAB_WIDTH))}") for line in lines)
        return
    first = item.range.start.line + 1
    begin = _window(lines, item.match.start.line + 1 - first if item.match else 0, count)
    shown = lines[begin : begin + count]
    width = len(str(first + begin + len(shown) - 1))
    for number, line in enumerate(shown, first + begin):
        text = Text(printable(line.expandtabs(_TAB_WIDTH)))
        if words is not None:
            text.highlight_regex(words, "bold yellow")
        yield Text.assemble((f"  {number:>{width}}  ", "dim"), text)
    if (left := len(lines) - len(shown)) > 0:
        yield Text(f"  {'':>{width}}  ({left} more lines)", "dim")


def _window(lines: list[str], match: int, count: int) -> int:
    """The index of the first line shown: the head of the snippet, or around its best word where that lies deeper."""
    if match < count or len(lines) <= count:
        return 0
    return min(match - count // 2, len(lines) - count)
