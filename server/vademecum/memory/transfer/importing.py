"""Import: from the texts of another system to memories.

In two steps. Reading and judging takes the time; it can be stopped, and has changed nothing. Writing then goes through
to its end, some hundred memories at a time, so that other writers get their turn in between. What is there already is
found again under the lock, so that importing twice, or from two windows at once, doubles nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from vademecum.errors import ErrorKind, VademecumError
from vademecum.memory import alike
from vademecum.memory.holdings import Holdings
from vademecum.memory.library import new_id
from vademecum.memory.places import Placed
from vademecum.memory.transfer.detecting import READERS
from vademecum.memory.transfer.gathering import Gathered
from vademecum.memory.transfer.judging import Judge, Verdict, Wish, known_texts, totals
from vademecum.memory.transfer.types import ImportAction, Imported, ImportedItem, Parsed
from vademecum.memory.types import Origin, Scope
from vademecum.memory.writing import own, settled
from vademecum.work import Cancel, Progress

#: Items that one import takes.
MOST_ITEMS = 10_000

#: Memories that are written under one lock, which takes some hundred milliseconds.
_BATCH = 250


def import_texts(
    held: Holdings, gathered: Gathered, wish: Wish, cancel: Cancel, progress: Progress, settle: Callable[[], None]
) -> Imported:
    """Import what was gathered from another system.

    :param settle: called before anything is written; from then on it goes on to its end.
    :raises InvalidField: `workspace`, when it is not plain which project is meant.
    :raises VademecumError: `tooLarge`, `storeUnreadable`, `busy`. What was written before stays, and is known to the
        next try.
    """
    items = list(_items(gathered, cancel, progress))
    strangers = is_strangers(gathered, wish)
    judge = Judge(held, held.library(), gathered.format, wish, strangers=strangers)
    verdicts = []
    for number, item in enumerate(items):
        cancel.check()
        progress(number, len(items), "comparing")
        verdicts.append(judge.judge(item))
    ids: tuple[str, ...] = ()
    if not wish.dry_run:
        settle()
        ids = _write(held, verdicts, progress, strangers=strangers)
    named = {verdict.item.key: verdict.item.id for verdict in verdicts if verdict.item.id}
    told = tuple(_with_ids(verdict.item, named) for verdict in verdicts)
    return Imported(gathered.format, wish.dry_run, told, ids=ids, **totals(told))


def _with_ids(item: ImportedItem, named: Mapping[str, str]) -> ImportedItem:
    """The item, the others of its source that it comes close to under the ids that they have by now."""
    if item.similar is None:
        return item
    return evolve(item, similar=tuple(named.get(each, each) for each in item.similar))


def is_strangers(gathered: Gathered, wish: Wish) -> bool:
    """Whether the texts are to count as the repository's that they may have come with."""
    if wish.origin is not None:
        return wish.origin is Origin.REPOSITORY
    return any(text.inside for text in gathered.texts)


def _items(gathered: Gathered, cancel: Cancel, progress: Progress) -> Iterator[Parsed]:
    yield from gathered.skipped
    parse = READERS[gathered.format].parse
    count = 0
    for number, text in enumerate(gathered.texts):
        progress(number, len(gathered.texts), f"reading {text.path}")
        for item in parse(text):
            cancel.check()
            count += 1
            if count > MOST_ITEMS:
                raise VademecumError(
                    ErrorKind.TOO_LARGE, f"The source holds more than {MOST_ITEMS:,} items; import it in parts."
                )
            yield item


def _write(held: Holdings, verdicts: list[Verdict], progress: Progress, *, strangers: bool) -> tuple[str, ...]:
    """Write what is to be written, and note in the verdicts what became of it."""
    waiting = [place for place, verdict in enumerate(verdicts) if verdict.record is not None]
    ids: list[str] = []
    for begin in range(0, len(waiting), _BATCH):
        batch = waiting[begin : begin + _BATCH]
        targets = {id(placed): placed for place in batch if (placed := verdicts[place].placed) is not None}

        def done(count: int, begun: int = begin) -> None:
            progress(begun + count, len(waiting), "writing")

        with settled(held, *targets.values()) as library:
            known = known_texts(library)
            taken = library.entries.keys() | library.withheld.keys()
            for placed in targets.values():
                mine = [place for place in batch if verdicts[place].placed is placed]
                ids += _put(held, placed, verdicts, mine, known, taken, done, strangers=strangers)
    return tuple(ids)


def _put(
    held: Holdings,
    placed: Placed,
    verdicts: list[Verdict],
    places: Sequence[int],
    known: dict[tuple[Scope, str, str], str],
    taken: set[str],
    done: Callable[[int], None],
    *,
    strangers: bool,
) -> list[str]:
    now = held.now()
    pieces: list[tuple[str, bytes]] = []
    ids: list[str] = []
    for place in places:
        verdict = verdicts[place]
        assert verdict.record is not None
        text = (placed.store.scope, placed.project, alike.normal(verdict.record.content))
        if there := known.get(text):  # another writer was faster
            verdicts[place] = Verdict(evolve(verdict.item, action=ImportAction.SAME, id=there, similar=None))
            continue
        id = new_id()
        while id in taken:
            id = new_id()
        record = verdict.record
        record = evolve(record, id=id, created=record.created or now, updated=record.updated or record.created or now)
        pieces.append(placed.store.form(record))
        ids.append(id)
        known[text] = id
        verdicts[place] = evolve(verdict, item=evolve(verdict.item, id=id))
    items = placed.store.put_all(pieces, done)
    if not strangers:
        own(held, placed, *(item.digest for item in items))
    return ids
