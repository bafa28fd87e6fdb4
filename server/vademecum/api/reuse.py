"""Sessions: what an answer need not give again, whatever request it answers.

Made of the finished answer, last of all. The items stay what they are, in their order, but for the snippets that the
session holds already; with these put back it is the answer without a session.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import attrs
from attrs import AttrsInstance, frozen

from vademecum.api.calls import Call
from vademecum.api.types.common import Notice
from vademecum.api.types.evidence import Invalidated, SessionNews
from vademecum.evidence.reference import parse
from vademecum.workspace import Workspace

if TYPE_CHECKING:
    from vademecum.evidence.deliveries import Snippet

#: The kind of the notice that an answer was made without regard to its session.
NO_REUSE = "noReuse"


class Quoting(AttrsInstance, Protocol):
    """What quotes lines of a file; an attrs class, of `vademecum.api.types`."""

    @property
    def reference(self) -> str: ...
    @property
    def snippet(self) -> str | None: ...
    @property
    def reused(self) -> bool | None: ...


T = TypeVar("T", bound=Quoting)


@frozen
class Told(Generic[T]):
    """The items as a session is told of them.

    :param memory: what else it is told; None when there is nothing.
    :param notices: that the session could not be heeded, and why.
    """

    items: tuple[T, ...]
    memory: SessionNews | None = None
    notices: tuple[Notice, ...] = ()


def once(
    call: Call, session: str | None, folders: Sequence[Workspace], items: Sequence[tuple[Workspace | None, T]]
) -> Told[T]:
    """Withhold the snippets that `session` holds already, and tell what else it holds and has changed.

    :param folders: those that were asked; changes in all of them are told.
    :param items: each with the folder that its reference is of; None for one that is given as it is and counts as not
        given, as the folder cannot be told, or as the caller shows less than all of it.
    :raises InvalidField: for an unusable session.
    :raises Cancelled: when the call was cancelled; the session was given nothing then.
    """
    told = [item for _, item in items]
    if session is None:
        return Told(tuple(told))
    invalidated: list[Invalidated] = []
    troubles: list[str] = []
    for folder in folders:
        places = [at for at, (of, item) in enumerate(items) if of is folder and item.snippet is not None]
        snippets = [_snippet(told[at]) for at in places]
        delivery = folder.deliveries.deliver(session, snippets, call.cancel, call.settle)
        for at, withheld in zip(places, delivery.withheld, strict=True):
            if withheld:
                # That it is an attrs class, a protocol cannot say.
                told[at] = attrs.evolve(told[at], snippet=None, reused=True)  # type: ignore[misc]
        invalidated += (Invalidated(str(each.reference), each.verdict) for each in delivery.invalidated)
        if delivery.trouble is not None:
            troubles.append(f"{delivery.trouble} Nothing is withheld in this answer, and no change is told.")
    return Told(
        tuple(told),
        SessionNews(tuple(dict.fromkeys(invalidated))) if invalidated else None,
        tuple(Notice(NO_REUSE, text) for text in dict.fromkeys(troubles)),
    )


def asked_of(call: Call, workspace: str | None, folder: Workspace) -> tuple[Workspace, ...]:
    """The folders whose changes a session is told of by an answer about a file in `folder`: the one that is named, else
    all that are open, as a conversation was given text of any of them.
    """
    chosen = call.workspaces.chosen(workspace)
    return tuple(chosen) if folder in chosen else (*chosen, folder)


def _snippet(item: Quoting) -> "Snippet":
    from vademecum.evidence.deliveries import Form, Snippet

    # Only items of a search can be skeletons.
    form = Form.SKELETON if getattr(item, "skeleton", None) else Form.PARTIAL
    return Snippet(parse(item.reference), item.snippet or "", form)


def folder_of(folders: Iterable[Workspace], absolute: Path, path: str) -> Workspace | None:
    """The folder, of those that were asked, that calls the file `absolute` by `path`.

    None when none does any more, since it became part of a repository just now: the item is then given as it is.
    """
    calling = (folder for folder in folders if folder.gate.absolute(path) == absolute)
    return next((folder for folder in calling if folder.gate.root in absolute.parents), None)
