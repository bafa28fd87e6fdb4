"""The functions behind `knowledge/*`: documents of the user and of the shared folder, and what a task sees of them."""

from typing import TYPE_CHECKING

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.types import knowledge as wire
from vademecum.api.types.common import Gone, Id, Nothing
from vademecum.errors import InvalidField
from vademecum.files.uris import path_of_uri
from vademecum.knowledge.types import (
    Answer,
    Attached,
    Document,
    DocumentMap,
    DocumentPage,
    ImportedFolder,
    OutlinePage,
    Refreshed,
    SectionHits,
    SectionPage,
)

if TYPE_CHECKING:
    from vademecum.knowledge.service import Knowledge

_MAX_OFFSET = 1_000_000
_MAX_IDS = 10_000


def import_(call: Call, params: wire.ImportDocument) -> Document | ImportedFolder:
    """Import a Markdown or UTF-8 text file, a text, or every such file of a folder. Documents wait for review.

    A source that was imported before gives its document a new revision: that waits for review, it is no longer served,
    and its summary is gone. A source that is as it was changes nothing. Reads on the user's word, so it is no tool for
    a model. Stopping it leaves everything as it was; once it writes, it goes on to its end.

    `excluded` (with `data.reason`) for other formats and encodings and for what the gate refuses, `tooLarge`,
    `notFound`, `outsideWorkspace`. For a folder the result is an `ImportedFolder`.
    """
    knowledge = _knowledge(call, params.workspace)
    if (params.source is None) == (params.text is None):
        raise InvalidField("source", "name either a source or a text, not both and not neither")
    if params.text is not None:
        if params.follow:
            raise InvalidField("follow", "is for folders")
        return knowledge.import_text(
            params.text,
            params.title,
            owner=params.owner,
            id=params.id,
            cancel=call.cancel,
            settle=call.settle,
        )
    assert params.source is not None
    return knowledge.import_path(
        path_of_uri(params.source, "source"),
        title=params.title,
        owner=params.owner,
        id=params.id,
        follow=params.follow,
        cancel=call.cancel,
        progress=call.progress,
        settle=call.settle,
    )


def publish(call: Call, params: wire.Publish) -> Document:
    """Serve a document from now on: the newer revision where one waits, else the one that is there."""
    return _knowledge(call, params.workspace).publish(params.id, params.revision)


def withdraw(call: Call, params: Id) -> Document:
    """Serve a document no longer; it waits for review again."""
    return _knowledge(call, params.workspace).withdraw(params.id)


def remove(call: Call, params: Id) -> Gone:
    """Remove a document with all that was derived from it, for every task. Its source stays."""
    _knowledge(call, params.workspace).remove(params.id)
    return Gone(params.id)


def list_(call: Call, params: wire.ListDocuments) -> DocumentPage:
    """All documents by title, for their owner: served or not, attached or not, without their texts.

    Followed folders are looked at first, as in `knowledge/refresh`.
    """
    return _knowledge(call, params.workspace).list(
        status=params.status,
        owner=params.owner,
        offset=between("offset", params.offset, 0, _MAX_OFFSET),
        limit=between("limit", params.limit, 1, 2_000),
        cancel=call.cancel,
    )


def refresh(call: Call, params: Nothing) -> Refreshed:
    """Look at the followed folders. A changed source becomes a revision that waits beside the published one."""
    return _knowledge(call, params.workspace).refresh(call.cancel, call.progress)


def attach(call: Call, params: wire.AttachDocuments) -> Attached:
    """Attach documents to a task: it sees them from its next request on, once they are published."""
    between("ids", len(params.ids), 0, _MAX_IDS)
    return _knowledge(call, params.workspace).attach(params.ids, params.task)


def detach(call: Call, params: wire.AttachDocuments) -> Attached:
    """Detach documents from a task: it sees them no longer from its next request on."""
    between("ids", len(params.ids), 0, _MAX_IDS)
    return _knowledge(call, params.workspace).detach(params.ids, params.task)


def map_(call: Call, params: wire.MapDocuments) -> DocumentMap:
    """The documents that a task sees, by title: published ones that are attached to it."""
    return _knowledge(call, params.workspace).map(
        params.task,
        offset=between("offset", params.offset, 0, _MAX_OFFSET),
        limit=between("limit", params.limit, 1, 2_000),
        cancel=call.cancel,
    )


def outline(call: Call, params: wire.ReadOutline) -> OutlinePage:
    """The sections of a document with their anchors, lines and sizes.

    Here and in `knowledge/readSection`: `notFound`, `notPublished` while it waits for review, `notAttached`.
    """
    return _knowledge(call, params.workspace).outline(
        params.id,
        params.task,
        offset=between("offset", params.offset, 0, _MAX_OFFSET),
        limit=between("limit", params.limit, 1, 10_000),
        cancel=call.cancel,
    )


def search(call: Call, params: wire.FindSections) -> SectionHits:
    """Sections of what a task sees, best first, each once, with the line that matches best.

    English words match by their stems, CJK by characters and pairs, headings count more than text. Phrases in quotation
    marks must hold. There is no query syntax: any text is a query.
    """
    return _knowledge(call, params.workspace).search(
        params.query,
        params.task,
        limit=between("limit", params.limit, 1, 50),
        offset=between("offset", params.offset, 0, 10_000),
        cancel=call.cancel,
    )


def read_section(call: Call, params: wire.ReadSection) -> SectionPage:
    """A page of a section's own text, at most 4,000 characters, with the sections right below it.

    `conflict` for a cursor of an older revision.
    """
    return _knowledge(call, params.workspace).read_section(
        params.id, params.anchor, params.task, cursor=params.cursor, cancel=call.cancel
    )


def summarize(call: Call, params: wire.Summarize) -> Document:
    """Keep a summary of the revision that it was made of. `conflict` when the document has another one by now."""
    return _knowledge(call, params.workspace).summarize(params.id, params.revision, params.summary)


def ask(call: Call, params: wire.Ask) -> Answer:
    """Answer a question from what a task sees, with citations and with what the documents do not tell.

    Needs a language model that the client lends; without one `answer` is null, and `items` are the best sections.
    """
    return _knowledge(call, params.workspace).ask(params.question, params.task, call.cancel)


def _knowledge(call: Call, workspace: str | None) -> "Knowledge":
    call.workspaces.chosen(workspace)  # documents belong to no folder, but one that is named must be open
    return call.workspaces.knowledge
