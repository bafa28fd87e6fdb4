"""The functions behind `memory/import` and `memory/export`."""

from attrs import evolve

from vademecum.api.calls import Call
from vademecum.api.limits import between
from vademecum.api.types import transfer as wire
from vademecum.errors import InvalidField
from vademecum.files.uris import path_of_uri
from vademecum.memory.transfer.types import Exported, ExportFormat, Imported
from vademecum.memory.types import Scope, Span

_MAX_KEYS = 20_000


def import_(call: Call, params: wire.ImportMemories) -> Imported:
    """Import memories of another system, a list of instructions, or an archive. For the user alone: never a tool.

    | format | what is read |
    |---|---|
    | `archive` | one file that `memory/export` wrote; files return byte for byte, with versions, counts and charters |
    | `codebuddy` | `memory.json`, `user-memory.json` |
    | `codewhale` | `MEMORY.md`, the folder of them, the text that it exports, or the lines of JSON of its later store |
    | `yottacode` | its folder or a part of it; charters are left for the user to copy |
    | `claudeCode` | a memory folder, the folder of a project or of all projects, or one file |
    | `list` | items of lists in `CLAUDE.md`, `AGENTS.md`, `copilot-instructions.md`, …: rules and knowledge |

    The answer tells item by item what was done, or with `dryRun` what would be: `add`, `similar` (added, but comes
    close to others), `same` (there already), `skip` (as the request wished), `refuse` (with `kind` and `reason`). What
    is malformed or holds a secret is refused, and all else imported. Imported twice, nothing doubles. In a folder of
    several projects what belongs to another one than the open one is refused. What is there is never changed.

    Stopping it leaves everything as it was; once it writes, it goes on to its end. `excluded`, `notFound`, `tooLarge`
    and `outsideWorkspace` as in `knowledge/import`; `untrusted` for an archive in an open folder without
    `origin: "user"`.
    """
    from vademecum.memory.transfer import gathering
    from vademecum.memory.transfer.judging import Wish

    memories = call.workspaces.memories(params.workspace)
    transfer = memories.transfer
    if (params.source is None) == (params.text is None):
        raise InvalidField("source", "name either a source or a text, not both and not neither")
    if params.only is not None:
        between("only", len(params.only), 0, _MAX_KEYS)
    if params.text is not None:
        gathered = gathering.from_text(params.text, params.format)
    else:
        assert params.source is not None
        path = path_of_uri(params.source, "source")
        gathered = gathering.gather(call.workspaces.named_memories, path, params.format, call.cancel, call.progress)
    wish = Wish(
        scope=params.scope,
        origin=params.origin,
        skip_similar=params.skip_similar,
        only=None if params.only is None else frozenset(params.only),
        dry_run=params.dry_run,
    )
    done = transfer.bring_in(gathered, wish, call.cancel, call.progress, call.settle)
    added = set(done.ids)
    for scope in Scope:
        if ids := tuple(item.id for item in done.items if item.id in added and item.scope is scope and item.id):
            call.workspaces.observer.memory_changed(scope, ids)
    return done


def export(call: Call, params: wire.ExportMemories) -> Exported:
    """Export memories, as an archive of everything or in a form that other systems read. For the user alone.

    An archive holds the files byte for byte, prior versions, recall counts, what waits for review, and the charters. It
    tells what was deleted and not purged, too, so keep it as carefully as the memories; purging does not reach it. The
    other forms hold what is told to a model.

    `conflict` when the target is there already; `excluded` for an archive in an open folder, which would be found
    there by search and committed by accident, and for our own folders.
    """
    from vademecum.memory.transfer import exporting

    transfer = call.workspaces.memories(params.workspace).transfer
    target = None
    if params.target is not None:
        target = path_of_uri(params.target, "target")
        call.workspaces.named_memories.refuse_target(target, outside=params.format is ExportFormat.ARCHIVE)
    scopes = tuple(Scope) if params.scope is Span.ALL else (Scope(params.scope.value),)
    done = transfer.take_out(params.format, scopes, call.cancel, call.progress)
    if target is None:
        return evolve(done.about, text=done.text)
    call.settle()
    exporting.write(target, done.text)
    return evolve(done.about, path=target.as_uri())
