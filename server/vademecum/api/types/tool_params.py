"""The arguments of tools, as a model gives them: each class is a tool's, and makes the schema that the model is shown.

Beside the wire's own params these are flat and short, files go by their paths and lines are counted from one.
"""

from enum import StrEnum

from attrs import field, frozen

from vademecum.api.types.bounds import at_least, between, longest, most
from vademecum.knowledge.types import QUERY_CHARACTERS
from vademecum.memory.checks import QUERY_CHARACTERS as MEMORY_QUERY_CHARACTERS
from vademecum.memory.types import Category, Scope
from vademecum.search.types import MAX_OFFSET, MAX_QUERY, ContentClass, Purpose

MOST_PASSAGES = 30
MOST_MEMORIES = 50
MOST_SECTIONS = 200
MOST_REFERENCES = 200


class MemoryAction(StrEnum):
    """What `manage_core_memory` is to do."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    SEARCH = "search"


@frozen
class RememberArguments:
    """The arguments of `remember`."""

    note: str
    """The fact to keep, in one self-contained sentence or two; at most 8 KiB."""
    scope: Scope | None = None
    """`project` (the default where a folder is open): holds in this project only. `user`: holds about the user
    everywhere."""
    category: Category | None = None
    """`Rule`: to be followed from now on (conventions, preferences, prohibitions). `Knowledge` (the default): a fact,
    told as background. `Experience`: a lesson learned."""
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class MemoryFields:
    """The fields of a memory in `manage_core_memory`; to update give those that change alone."""

    id: str | None = None
    """To update, to delete, or to read one memory whole by `search`."""
    title: str | None = field(default=None, metadata=longest(200))
    content: str | None = None
    """The text, whole; Markdown, at most 64 KiB."""
    category: Category | None = None
    """`Rule` is to be followed, `Knowledge` is background, `Experience` is a lesson."""
    scope: Scope | None = None
    """`user` holds everywhere, `project` in this project alone. An update moves the memory; a search keeps to it."""
    type: str | None = field(default=None, metadata=longest(32))
    """`user`, `feedback`, `project`, `reference` or a label of your own."""
    description: str | None = field(default=None, metadata=longest(1_000))
    """One line for lists."""
    keywords: tuple[str, ...] | None = field(default=None, metadata=most(32))
    """Further words to find it by."""
    evidence: tuple[str, ...] | None = field(default=None, metadata=most(64))
    """References `path:start-end@hash` (or `path:start-end`) to the code that it rests on; it is marked stale once
    that code changes."""


@frozen
class ManageMemoryArguments:
    """The arguments of `manage_core_memory`."""

    action: MemoryAction
    memory: MemoryFields | None = None
    """`add` needs title, content, category and scope; `update` and `delete` need the id."""
    query: str | None = field(default=None, metadata=longest(MEMORY_QUERY_CHARACTERS))
    """For `search`: a few words on the subject; without it everything is listed."""
    limit: int = field(default=10, metadata=between(1, MOST_MEMORIES))
    """For `search`: memories at most."""
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class FindMemoriesArguments:
    """The arguments of `memory_search`."""

    query: str | None = field(default=None, metadata=longest(MEMORY_QUERY_CHARACTERS))
    """A few words on the subject; without it everything is listed."""
    scope: Scope | None = None
    limit: int = field(default=8, metadata=between(1, MOST_MEMORIES))
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class OneMemoryArguments:
    """The arguments of `memory_get` and `memory_forget`: an id, or a name."""

    id: str | None = None
    """As `memory_search` gives it."""
    name: str | None = field(default=None, metadata=longest(200))
    """In place of the id: the memory's title, as `memory_save` was given it."""
    scope: Scope | None = None
    """With a name: where to look for it; everywhere when left out."""
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class AuditMemoriesArguments:
    """The arguments of `memory_audit`."""

    scope: Scope | None = None
    limit: int = field(default=20, metadata=between(1, MOST_MEMORIES))
    """Findings at most."""
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class SaveMemoryArguments:
    """The arguments of `memory_save`."""

    name: str = field(metadata=longest(200))
    """Its title. A memory of this title in the same scope is updated."""
    content: str
    scope: Scope = Scope.USER
    type: str | None = field(default=None, metadata=longest(32))
    description: str | None = field(default=None, metadata=longest(1_000))
    """One line for lists."""
    category: Category = Category.KNOWLEDGE
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class RecallArguments:
    """The arguments of `memory_recall`."""

    prompt: str
    """What the user asks, in their own words."""
    limit: int = field(default=5, metadata=between(1, 5))
    workspace: str | None = None
    """Path of the open folder meant; only where several are open."""


@frozen
class SearchArguments:
    """The arguments of `search_workspace`."""

    query: str = field(metadata=longest(MAX_QUERY))
    """Identifiers, words or a question. There is no query syntax."""
    limit: int = field(default=8, metadata=between(1, MOST_PASSAGES))
    """Passages at most."""
    offset: int = field(default=0, metadata=between(0, MAX_OFFSET))
    """`nextOffset` of the answer before, for more of the same."""
    purpose: Purpose = Purpose.FIND
    """`find` places; `explain`: few whole bodies, to understand how something works."""
    content: ContentClass = ContentClass.ALL
    paths: tuple[str, ...] = field(default=(), metadata=most(100))
    """Globs that paths must match, such as `src/**` or `!**/test_*`."""
    languages: tuple[str, ...] = field(default=(), metadata=most(50))
    """Such as `python` or `ts`."""
    session: str | None = field(default=None, metadata=longest(200))
    """A word of your own for this conversation: passages that it was given under that word, and that have not changed,
    come back by reference alone. Leave it out unless all earlier answers are still before you."""
    workspace: str | None = None
    """Path of the open folder to search; all that are open when left out."""


@frozen
class PlainSearchArguments:
    """The arguments of `search_vector_db`."""

    query: str = field(metadata=longest(MAX_QUERY))
    """Identifiers, words or a question."""
    limit: int = field(default=10, metadata=between(1, MOST_PASSAGES))
    """Passages at most."""


@frozen
class SymbolArguments:
    """The arguments of `find_symbol`."""

    name: str = field(metadata=longest(MAX_QUERY))
    """As the code spells it: `parse_config`, `Circle.area`."""
    limit: int = field(default=5, metadata=between(1, MOST_PASSAGES))
    """Passages at most."""
    workspace: str | None = None
    """Path of the open folder to search; all that are open when left out."""


@frozen
class RelatedArguments:
    """The arguments of `find_related`."""

    path: str
    """A file, relative to the repository as in answers of search_workspace, or absolute."""
    line: int = field(metadata=at_least(1))
    """A line of the code to compare, from 1."""
    limit: int = field(default=8, metadata=between(1, MOST_PASSAGES))
    """Passages at most."""
    offset: int = field(default=0, metadata=between(0, MAX_OFFSET))
    """`nextOffset` of the answer before, for more of the same."""
    session: str | None = field(default=None, metadata=longest(200))
    """As in search_workspace."""
    workspace: str | None = None
    """Path of the open folder that the file is in; only where several have such a file."""


@frozen
class VerifyArguments:
    """The arguments of `verify_evidence`: references or a session."""

    references: tuple[str, ...] | None = field(default=None, metadata=most(MOST_REFERENCES))
    """`path:start-end@hash`, as answers and memories give them."""
    session: str | None = field(default=None, metadata=longest(200))
    """In place of references: all that was given under this word in searches."""
    workspace: str | None = None
    """Path of the open folder meant; all that are open when left out."""


@frozen
class StatusArguments:
    """The arguments of `index_status`."""

    workspace: str | None = None
    """Path of the open folder meant; all that are open when left out."""


@frozen
class QuestionArguments:
    """The arguments of `ask_documents`."""

    question: str = field(metadata=longest(QUERY_CHARACTERS))
    """A whole question, understood without this conversation."""


@frozen
class NoArguments:
    """The arguments of a tool that takes none."""


@frozen
class OutlineArguments:
    """The arguments of `read_doc`."""

    id: str
    """Of a document, as `list_documents` or `search_docs` gives it."""
    offset: int = field(default=0, metadata=at_least(0))
    """`nextOffset` of the answer before."""
    limit: int = field(default=80, metadata=between(1, MOST_SECTIONS))


@frozen
class FindSectionsArguments:
    """The arguments of `search_docs`."""

    query: str = field(metadata=longest(QUERY_CHARACTERS))
    """Words; `"words in quotation marks"` must stand in the section as they are."""
    limit: int = field(default=8, metadata=between(1, 30))
    offset: int = field(default=0, metadata=between(0, 10_000))
    """`nextOffset` of the answer before."""


@frozen
class SectionArguments:
    """The arguments of `read_section`."""

    id: str
    """Of a document."""
    anchor: str
    """Of a section in it, as `read_doc` or `search_docs` gives it."""
    cursor: str | None = None
    """Of the page before, for the next one."""
