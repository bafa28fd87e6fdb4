"""Citations: where a text stands in which revision of which document, and in the source where that is at hand."""

from collections.abc import Collection, Mapping
from pathlib import Path

from vademecum.evidence.reference import Reference
from vademecum.files.content import Refused
from vademecum.files.gate import Gate
from vademecum.files.lines import span_hash
from vademecum.knowledge.body import Body
from vademecum.knowledge.entry import Entry
from vademecum.knowledge.holdings import Holdings
from vademecum.knowledge.outline import Section
from vademecum.knowledge.types import Lines, SectionCitation


class Citing:
    """Makes the citations of one answer; the sources are looked up once for all of them."""

    def __init__(self, held: Holdings, ids: Collection[str]) -> None:
        self._paths: Mapping[str, str] = _source_paths(held, ids)

    def citation(self, entry: Entry, body: Body, section: Section, start: int, end: int) -> SectionCitation:
        """Return the citation of lines `start` to `end` of a section."""
        return SectionCitation(
            id=entry.id,
            document=entry.title,
            path=(*section.path, section.title) if section.title else section.path,
            anchor=section.anchor,
            revision=entry.head.revision,
            lines=Lines(start, end),
            reference=self._reference(entry, body, start, end),
        )

    def _reference(self, entry: Entry, body: Body, start: int, end: int) -> str | None:
        path = self._paths.get(entry.id)
        digest = span_hash(body.real_lines, start, end) if path is not None else None
        return str(Reference(path, start, end, digest)) if path is not None and digest is not None else None


def _source_paths(held: Holdings, ids: Collection[str]) -> Mapping[str, str]:
    """The paths, as references have them, of those sources that lie in open folders and may be read there."""
    gates = held.gates()
    if not gates or not ids:
        return {}
    found: dict[str, str] = {}
    for id, origin in held.state.origins(ids).items():
        path = Path(origin.path)
        for gate in sorted(gates, key=lambda gate: -len(gate.root.parts)):
            relative = _inside(gate, path)
            if relative is not None:
                if gate.admit(relative) is None:
                    found[id] = relative
                break
    return found


def _inside(gate: Gate, path: Path) -> str | None:
    if path != gate.root and gate.root not in path.parents:
        return None
    relative = gate.relative(path)
    return None if isinstance(relative, Refused) else relative
