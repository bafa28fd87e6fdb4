"""`textDocument/completion` in Markdown: evidence references, and the ids of memories.

What stands before the cursor says what is meant:

- `src/sh`: files whose path begins so;
- `src/shapes.py:`, `src/shapes.py:ar`: the symbols of that file, as references to their lines;
- `src/shapes.py:10-20`, `src/shapes.py:10`: the reference to these lines, with its hash;
- a word of three letters and more: symbols that are called so, and memories that hold it, by their ids.

In the head of a memory's file it is what may stand there: keys that are missing, values that fit, references.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from lsprotocol import types

from vademecum.api.positions import to_units
from vademecum.errors import InvalidField, VademecumError
from vademecum.evidence.reference import mint
from vademecum.files.content import Content
from vademecum.lsp.editor.judging import gates
from vademecum.lsp.editor.memory_files import is_memory, item, subject
from vademecum.lsp.editor.snapshot import Snapshot
from vademecum.lsp.texts import line_start, offset
from vademecum.work import Cancel
from vademecum.workspace import Workspace

if TYPE_CHECKING:
    from vademecum.lsp.editor.references import References
    from vademecum.memory.editing.offers import Cited
    from vademecum.search.defined import Defined

MOST_ITEMS = 50
"""Items of one list; a client asks again when more is typed."""

MOST_MEMORIES = 10

SHORTEST = 3
"""Letters of a word that is looked up: shorter ones are typed all the time and are called by everything."""

LONGEST = 400
"""Characters before the cursor that are looked at."""

TRIGGERS = ("/", ":", "@")

_TOKEN = re.compile(r"[^\s`\"'<>|*()\[\]{}（）「」『』，。、；]+\Z")
_LINES = re.compile(r"(?P<path>.+):(?P<start>[1-9][0-9]{0,8})(?:-(?P<end>[1-9][0-9]{0,8}))?(?:@[0-9a-fA-F]*)?")
_MEMBER = re.compile(r"(?P<path>.+\.\w+):(?P<name>[^\W\d]\w*)?")
_WORD = re.compile(r"[^\W\d]\w*\Z")


_Item = Callable[[str, str, str, types.CompletionItemKind, str], types.CompletionItem]


def register(references: "References") -> None:
    """Answer `textDocument/completion`, with something in Markdown alone."""
    options = types.CompletionOptions(trigger_characters=list(TRIGGERS), resolve_provider=False)

    @references.server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: types.CompletionParams) -> types.CompletionList | None:
        snapshot = references.snapshot(params.text_document.uri)
        if snapshot is None or not (snapshot.is_markdown or is_memory(references, snapshot)):
            return None

        def work(cancel: Cancel) -> types.CompletionList:
            known = _in_head(references, snapshot, params.position)
            if isinstance(known, list):
                return types.CompletionList(is_incomplete=False, items=known)
            typed = _typed(snapshot, params.position)
            found = _items(references, snapshot, params.position, typed, cancel, known)
            return types.CompletionList(is_incomplete=True, items=list(islice(found, MOST_ITEMS)))

        return await references.aside(work)


def _in_head(
    references: "References", snapshot: Snapshot, position: types.Position
) -> "list[types.CompletionItem] | Cited | None":
    """What may be written in the head of a memory's file; None anywhere else."""
    from vademecum.memory.editing.offers import Cited, offers

    about = subject(references, snapshot)
    if about is None:
        return None
    known = offers(snapshot.text, offset(snapshot.text, position, snapshot.encoding), about)
    if known is None or isinstance(known, Cited):
        return known
    return [item(references, snapshot, offer, number) for number, offer in enumerate(known)]


def _typed(snapshot: Snapshot, position: types.Position) -> str:
    """What stands before the cursor on its line, as far as it may be one path, reference or word."""
    start = line_start(snapshot.text, max(position.line, 0))
    end = offset(snapshot.text, position, snapshot.encoding)
    found = _TOKEN.search(snapshot.text[max(start, end - LONGEST) : end])
    return found.group() if found else ""


def _items(
    references: "References",
    snapshot: Snapshot,
    position: types.Position,
    typed: str,
    cancel: Cancel,
    cited: "Cited | None" = None,
) -> Iterator[types.CompletionItem]:
    """What is meant by what was typed; `cited` where nothing but a reference may stand."""
    if not typed:
        return
    mark = cited.quote if cited else ""

    def made(text: str, over: str, shown: str, kind: types.CompletionItemKind, detail: str) -> types.CompletionItem:
        """`text` in place of `over`, which ends at the cursor; matched against `shown`."""
        begin = types.Position(position.line, position.character - to_units(over, len(over), snapshot.encoding))
        edit = types.TextEdit(types.Range(begin, position), text)
        return types.CompletionItem(label=shown, kind=kind, detail=detail, filter_text=shown, text_edit=edit)

    def symbol(one: "Defined", over: str, shown: str) -> types.CompletionItem:
        detail = f"{one.container}, {one.path}:{one.line}" if one.container else f"{one.path}:{one.line}"
        return made(f"{mark}{one.reference}{mark}", over, shown, types.CompletionItemKind.Reference, detail)

    folders = _folders(references, snapshot)
    if (found := _LINES.fullmatch(typed)) is not None:
        start, end = int(found["start"]), int(found["end"] or found["start"])
        for reference, line in _minted(references, snapshot, found["path"], start, end):
            yield made(f"{mark}{reference}{mark}", typed, reference, types.CompletionItemKind.Reference, line)
        return
    if (found := _MEMBER.fullmatch(typed)) is not None:
        for folder in folders:
            for one in folder.search.symbols_in(found["path"], cancel) if folder.search else ():
                yield symbol(one, typed, f"{found['path']}:{one.name}")
        return
    if "/" in typed or "." in typed:
        for folder in folders:
            for path in folder.search.paths(typed, MOST_ITEMS) if folder.search else ():
                yield made(path, typed, path, types.CompletionItemKind.File, "file")
        return
    word = _WORD.search(typed)
    if word is None or len(word.group()) < SHORTEST:
        return
    if cited is None:
        yield from _memories(references, word.group(), made)
    for folder in folders:
        for one in folder.search.symbols(word.group(), MOST_ITEMS, cancel) if folder.search else ():
            yield symbol(one, word.group(), one.name)


def _folders(references: "References", snapshot: Snapshot) -> list[Workspace]:
    """The open folders, the document's own first."""
    order = {gate: place for place, gate in enumerate(gates(references.server.workspaces, snapshot.path))}
    open_ones = [folder for folder in references.server.workspaces.folders if folder.refusal is None]
    return sorted(open_ones, key=lambda folder: order.get(folder.gate, len(order)))


def _minted(references: "References", snapshot: Snapshot, path: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """The reference to lines of a file, with the first of them; of the first folder that has the file."""
    for gate in gates(references.server.workspaces, snapshot.path):
        content = gate.read(path)
        if isinstance(content, Content):
            with suppress(VademecumError):  # the file may have fewer lines
                yield str(mint(content, start, end)), f"lines {start}-{end} as they are now"
            return


def _memories(references: "References", word: str, made: _Item) -> Iterator[types.CompletionItem]:
    try:
        found = references.server.workspaces.memories(None).search(word, limit=MOST_MEMORIES)
    except (VademecumError, InvalidField):  # switched off, or it cannot be read
        return
    for one in found.items:
        memory = one.memory
        shown = memory.title if word.lower() in memory.title.lower() else f"{word}: {memory.title}"
        yield made(memory.id, word, shown, types.CompletionItemKind.Value, f"id of a {memory.scope} memory")
