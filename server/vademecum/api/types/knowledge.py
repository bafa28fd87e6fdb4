"""`knowledge/*`: params. The results are the values of the knowledge room."""

from attrs import frozen

from vademecum.knowledge.types import DEFAULT_TASK, DocumentStatus, Owner


@frozen
class ImportDocument:
    """`knowledge/import`: a file, a folder, or a text."""

    source: str | None = None
    """URI or full path of a file or folder. Either this or `text`."""
    text: str | None = None
    """Markdown, at most 16 MiB."""
    title: str | None = None
    """At most 200 characters. Needed for a text; else it is what the document calls itself, or its file's name."""
    owner: Owner | None = None
    """`personal` when left out; `system` needs the setting `knowledge.shared`."""
    id: str | None = None
    """The document that this is a new revision of; a file knows its own."""
    follow: bool = False
    """Notice changes in the folder from now on."""
    workspace: str | None = None


@frozen
class Publish:
    """`knowledge/publish`: serve a document."""

    id: str
    revision: str | None = None
    """The revision that was reviewed; `conflict` when another one waits by now."""
    workspace: str | None = None


@frozen
class ListDocuments:
    """`knowledge/list`: the owner's view of all documents."""

    status: DocumentStatus | None = None
    owner: Owner | None = None
    offset: int = 0
    limit: int = 200
    """At most 2,000."""
    workspace: str | None = None


@frozen
class AttachDocuments:
    """`knowledge/attach` and `knowledge/detach`: what a task sees."""

    ids: tuple[str, ...]
    """At most 10,000; none: nothing changes."""
    task: str = DEFAULT_TASK
    """At most 200 characters."""
    workspace: str | None = None


@frozen
class MapDocuments:
    """`knowledge/map`: the documents that a task sees."""

    task: str = DEFAULT_TASK
    offset: int = 0
    limit: int = 200
    """At most 2,000."""
    workspace: str | None = None


@frozen
class ReadOutline:
    """`knowledge/outline`: the sections of a document."""

    id: str
    task: str = DEFAULT_TASK
    offset: int = 0
    limit: int = 10_000
    """At most 10,000."""
    workspace: str | None = None


@frozen
class FindSections:
    """`knowledge/search`: sections by words and exact phrases."""

    query: str
    """At most 1,000 characters. `"Words in quotation marks"` must stand in the section as they are, or as a reader of
    its Markdown sees them."""
    task: str = DEFAULT_TASK
    limit: int = 10
    """1 to 50."""
    offset: int = 0
    workspace: str | None = None


@frozen
class ReadSection:
    """`knowledge/readSection`: a page of a section."""

    id: str
    anchor: str
    task: str = DEFAULT_TASK
    cursor: str | None = None
    """Of the page before, for the next one."""
    workspace: str | None = None


@frozen
class Summarize:
    """`knowledge/summarize`: keep a summary."""

    id: str
    revision: str
    """The revision that the summary was made of."""
    summary: str
    """At most 2,000 characters; a blank one removes it."""
    workspace: str | None = None


@frozen
class Ask:
    """`knowledge/ask`: a question."""

    question: str
    """At most 1,000 characters."""
    task: str = DEFAULT_TASK
    workspace: str | None = None
