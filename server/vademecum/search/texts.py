"""The texts that vectors are made of, read again from the files that they were indexed from."""

from collections.abc import Sequence

from vademecum.embedding.keys import key_of
from vademecum.files.content import Refused
from vademecum.files.gate import Gate
from vademecum.files.redact import redact
from vademecum.search.entry import VECTOR_TEXT_VERSION, vector_text
from vademecum.search.lacking import Lacking, Place


class Texts:
    """Reads texts; belongs to one thread.

    :ivar files_read: how many files were.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._last: dict[str, Sequence[str]] = {}
        self.files_read = 0

    def read(self, asked: Sequence[tuple[bytes, Place]], lacking: Lacking) -> dict[bytes, tuple[str, Place]]:
        """The texts of these keys, as far as they still stand where they were; the others are put off."""
        by_path: dict[str, list[tuple[bytes, Place]]] = {}
        for key, place in asked:
            by_path.setdefault(place.path, []).append((key, place))
        texts = dict(self._last)
        for path, content in self._gate.read_many(path for path in by_path if path not in texts).items():
            if isinstance(content, Refused):
                texts[path] = ()
            else:
                self.files_read += 1
                # All of it: a key block may begin before the lines that are wanted.
                texts[path] = redact(content.text).split("\n")
        # The next batch begins in the file that this one ends in. If it has changed by then, its keys tell.
        self._last = {path: texts[path] for path in list(by_path)[-1:]}
        found: dict[bytes, tuple[str, Place]] = {}
        for path, places in by_path.items():
            lines = texts[path]
            for key, place in places:
                text = vector_text(place.symbol, lines[place.start - 1 : place.end])
                if key_of(text, VECTOR_TEXT_VERSION) == key:
                    found[key] = text, place
                else:
                    lacking.put_off(key, place, failed=False)
        return found

    def forget(self) -> None:
        """Let go of what is kept for the next batch."""
        self._last = {}
