"""What is amiss with one memory by itself: its text, its scope, its evidence, its use."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache

from attrs import frozen

from vademecum.errors import InvalidField, VademecumError
from vademecum.evidence.verdicts import HOLDS
from vademecum.files.redact import redact
from vademecum.memory import alike, checks
from vademecum.memory.audit import fixes
from vademecum.memory.audit.types import Finding, FindingKind, Fix, FixAction
from vademecum.memory.capture.cues import Cue, cues
from vademecum.memory.capture.merit import forms, is_override
from vademecum.memory.library import Entry
from vademecum.memory.record import Record
from vademecum.memory.types import Category, Evidence, NewMemory, Origin, Scope, Type

#: A memory that was neither changed nor recalled for so long may have had its time.
UNUSED = timedelta(days=90)

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")

#: Names that say nothing of a project, since everybody has one of them.
_COMMON_NAMES = """
admin android api app apps assets backend base blog bot cli client code common config core dashboard data demo desktop
docs documentation dotfiles engine example examples experiments frontend game home infra ios java library main mobile
monorepo my-app notes package packages playground plugin portfolio project projects python react repo rust sandbox
sample samples script scripts sdk server service services shared site source src starter system template templates test
testing tests tool tools tutorial utils web webapp website work workspace
"""
_COMMON = frozenset(_COMMON_NAMES.split())

_IMPERATIVE = re.compile(
    r"(?:^|(?<=[.!?\n])\s*)(?:[-*]\s+)?(?:please\s+)?(?:always|never|do not|don['’]t|must|make sure|ensure|be sure to"
    r"|remember to|ignore|refuse|you (?:must|should|have to|are to|need to))\b"
    r"|(?:^|(?<=[。！？\n])\s*)(?:请|务必|必须|不要|禁止|总是|永远|切勿|一律)",
    re.IGNORECASE,
)
#: Our own frames, and what chat templates mark turns with. Other tags are what people write of.
_FRAME = re.compile(
    r"</?(?:system|assistant|user|instructions?|memory|memories|prompt)>|</?vademecum-[a-z]+|<\|\w+\|>|\[/?INST\]"
    r"|<</?SYS>>",
    re.IGNORECASE,
)
_MYSELF = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|me|my|mine|myself)\b|我(?!们)")


@frozen
class Surroundings:
    """What one memory alone does not tell: the open project's names, what was recalled when, the time, what holds."""

    names: Callable[[], "re.Pattern[str] | None"]
    recalls: dict[str, tuple[int, str]]
    now: datetime
    evidence: dict[str, tuple[Evidence, ...]]
    has_project: bool


def named(*names: str) -> "re.Pattern[str] | None":
    """Return what finds one of the names as a word of its own, common ones aside."""
    telling = sorted(
        {name for name in names if len(name) >= 4 and name.casefold() not in _COMMON}, key=len, reverse=True
    )
    if not telling:
        return None
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, telling))})(?![\w-])", re.IGNORECASE)


def look(entry: Entry, around: Surroundings) -> Iterator[Finding]:
    """Yield what is amiss with a memory."""
    record = entry.item.record
    grave = [*_secret(entry, record), *_instruction(entry, record)]
    yield from grave
    if not entry.is_told:
        return
    yield from _stale(entry, record, around)
    if not record.content.strip():
        yield _finding(
            FindingKind.EMPTY,
            entry,
            "It has a title and no text.",
            fixes.delete(entry),
            fixes.change(entry, FixAction.UPDATE, "Make its title its text", content=record.title),
        )
        return
    if not grave:
        yield from _imperative(entry, record)
    yield from _scope(entry, record, around)
    yield from _repeated(entry, record)
    yield from _unused(entry, record, around)


def _finding(kind: FindingKind, entry: Entry, message: str, *ways: Fix) -> Finding:
    return Finding(kind, (entry.id,), message, ways)


def _secret(entry: Entry, record: Record) -> Iterator[Finding]:
    try:
        checks.no_secrets(**_texts(record))
    except VademecumError as error:
        about = f"Its {error.data['field']} looks as if it held a secret ({error.data['rule']})."
        ways = [fixes.purge(entry)]
        if (new := _redacted(entry, record)) is not None:
            ways.insert(0, fixes.replace(entry, new))
        yield _finding(FindingKind.SECRET, entry, about, *ways)


def _redacted(entry: Entry, record: Record) -> NewMemory | None:
    """The memory without its secret, if it can be added then."""
    new = NewMemory(
        title=redact(record.title),
        content=redact(record.content),
        category=record.category,
        scope=entry.scope,
        type=record.type,
        description=redact(record.description),
        keywords=tuple(word for word in record.keywords if redact(word) == word),
        pinned=record.pinned,
    )
    try:
        checks.title(new.title)
        checks.content(new.content)
        checks.no_secrets(title=new.title, content=new.content, description=new.description, keywords=new.keywords)
        checks.type_label(new.type, new.scope)
    except (VademecumError, InvalidField):  # only removing it is left
        return None
    return new


def _instruction(entry: Entry, record: Record) -> Iterator[Finding]:
    for field, value in _texts(record).items():
        texts = (value,) if isinstance(value, str) else value
        if any(is_override(text) or any(map(_FRAME.search, forms(text))) for text in texts):
            about = f"Its {field} speaks to a model, or imitates a frame, and could override what the user says."
            yield _finding(FindingKind.INSTRUCTION, entry, about, fixes.delete(entry), fixes.purge(entry))
            return


def _stale(entry: Entry, record: Record, around: Surroundings) -> Iterator[Finding]:
    told = around.evidence.get(entry.id, ())
    gone = [each for each in told if each.verdict is not None and each.verdict not in HOLDS]
    if gone:
        kept = tuple(each.relocated_to or each.reference for each in told if each not in gone)
        one = gone[0]
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        about = f"It rests on {one.reference} ({one.verdict}){more}; look whether it is still true."
        title = "Keep the evidence that still holds" if kept else "It is still true: keep it without this evidence"
        yield _finding(
            FindingKind.STALE_EVIDENCE,
            entry,
            about,
            fixes.change(entry, FixAction.RENEW, title, evidence=kept),
            fixes.delete(entry, "It is no longer true: delete it"),
        )


def _imperative(entry: Entry, record: Record) -> Iterator[Finding]:
    if record.category is Category.RULE or not _IMPERATIVE.search(record.content):
        return
    about = "It is put as an order and is not kept as a rule, so a model may take it for what the user wants now."
    ways = [fixes.delete(entry)]
    if entry.origin is Origin.USER:
        ways.insert(0, fixes.change(entry, FixAction.UPDATE, "Make it a rule", category=Category.RULE))
    yield _finding(FindingKind.IMPERATIVE, entry, about, *ways)


def _scope(entry: Entry, record: Record, around: Surroundings) -> Iterator[Finding]:
    text = f"{record.title}\n{record.content}"
    if entry.scope is Scope.USER:
        names = around.names() if around.has_project else None
        if names is not None and (found := names.search(text)):
            about = f"It names this project ({found[0]}) and is told in every other one, too."
            yield _finding(FindingKind.PROJECT_IN_USER_SCOPE, entry, about, fixes.move(entry, Scope.PROJECT))
        return
    if record.type.casefold() == Type.USER or (_MYSELF.search(text) and _is_personal(record.content)):
        about = "It looks as if it were about you rather than about this project, and is told in no other one."
        yield _finding(FindingKind.PERSONAL_IN_PROJECT, entry, about, fixes.move(entry, Scope.USER))


def _is_personal(content: str) -> bool:
    found = cues(content)
    return bool(found & {Cue.PREFERENCE, Cue.IDENTITY}) and Cue.PROJECT not in found


def _repeated(entry: Entry, record: Record) -> Iterator[Finding]:
    first, _, rest = record.content.lstrip("\n").partition("\n")
    heading = _HEADING.match(first)
    line = heading[1] if heading else first
    if rest.strip() and alike.normal(line.rstrip(":：")) == alike.normal(record.title):
        way = fixes.change(entry, FixAction.UPDATE, "Take the title out of the text", content=rest.strip("\n"))
        yield _finding(
            FindingKind.TITLE_REPEATED, entry, "Its text begins with its title, which is told beside it.", way
        )
    said = alike.normal(record.description)
    if said and said in (alike.normal(record.title), alike.normal(record.content)):
        way = fixes.change(entry, FixAction.UPDATE, "Take the description out", description="")
        about = "Its description says what its title or its text says."
        yield _finding(FindingKind.DESCRIPTION_REPEATED, entry, about, way)


def _unused(entry: Entry, record: Record, around: Surroundings) -> Iterator[Finding]:
    if record.pinned or record.category is Category.RULE:
        return  # these are told whether or not they are recalled
    _, last = around.recalls.get(entry.id, (0, ""))
    latest = max(_moment(time) for time in (entry.created, entry.updated, last or entry.created))
    days = (around.now - latest).days
    if around.now - latest >= UNUSED:
        about = f"It was neither changed nor recalled in {days} days."
        keep = fixes.change(entry, FixAction.PIN, "Pin it: it is to stay", pinned=True)
        yield _finding(FindingKind.NEVER_RECALLED, entry, about, fixes.delete(entry), keep)


@cache
def _moment(time: str) -> datetime:
    return datetime.fromisoformat(time)


def _texts(record: Record) -> dict[str, str | Sequence[str]]:
    return {
        "title": record.title,
        "content": record.content,
        "description": record.description,
        "type": record.type,
        "keywords": record.keywords,
    }
