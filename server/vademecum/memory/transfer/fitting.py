"""Making what another system kept fit to be stored. Its text is never changed; what describes it is, if need be."""

from attrs import evolve

from vademecum.errors import InvalidField, VademecumError
from vademecum.evidence.reference import parse
from vademecum.memory import checks, grounds
from vademecum.memory.note import title_of
from vademecum.memory.record import Record, one_line
from vademecum.memory.types import Category, MemoryStatus, Scope


def fit(record: Record, scope: Scope) -> Record:
    """Return the record as it can be stored in the scope.

    A long title or description is cut; unusable keywords, labels and evidence are left out.

    :raises InvalidField: `content`, when it is empty or too long.
    :raises VademecumError: `secret`.
    """
    # Looked at as it came, before anything of it is cut.
    checks.no_secrets_in(record)
    content = checks.content(record.content)
    description = " ".join(record.description.split())[: checks.DESCRIPTION_CHARACTERS]
    return evolve(
        record,
        id=None,
        title=_title(record.title, content),
        content=content,
        category=Category(record.category),
        type=_label(record.type, scope),
        description=checks.description(description),
        keywords=_keywords(record.keywords),
        evidence=tuple(text for text in record.evidence if _is_reference(text))[: grounds.MOST],
        status=MemoryStatus.PENDING if record.status is MemoryStatus.PENDING else MemoryStatus.ACTIVE,
        supersedes="",
        problem=None,
    )


def _title(title: str, content: str) -> str:
    try:
        return checks.title(one_line(title))
    except InvalidField:
        return checks.title(title_of(content))


def _label(label: str, scope: Scope) -> str:
    try:
        return checks.type_label(label, scope)
    except InvalidField:
        return checks.type_label(None, scope)


def _keywords(words: tuple[str, ...]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for word in words:
        try:
            for fitting in checks.keywords([word]):
                kept.setdefault(fitting.casefold(), fitting)
        except InvalidField:
            continue
    return tuple(kept.values())[: checks.KEYWORDS]


def _is_reference(text: str) -> bool:
    try:
        parse(text)
    except VademecumError:
        return False
    return True
