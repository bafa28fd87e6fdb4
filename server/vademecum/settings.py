"""Where everything lies, and what the user set: folded from a file, the editor and the environment.

The later source wins: built-in defaults, `~/.vademecum/config.toml`, what the editor sends, the environment
(`VADEMECUM_<SECTION>_<NAME>`). Names are camelCase in all but the environment. A value that cannot be used is reported
and the one before it holds; it never stops the server.
"""

import os
import sys
import tomllib
import types
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Literal, Union, cast, get_args, get_origin

import attrs
import platformdirs
from attrs import field, frozen

from vademecum.embedding.settings import USERS_ALONE
from vademecum.errors import ErrorKind, VademecumError
from vademecum.evidence.settings import EvidenceSettings
from vademecum.files.settings import FileSettings
from vademecum.knowledge.settings import KnowledgeSettings
from vademecum.memory.access import CannotRead, Corner
from vademecum.memory.settings import MemorySettings
from vademecum.model import ModelSettings
from vademecum.search.settings import SearchSettings
from vademecum.search.weights import Weights
from vademecum.session.settings import SessionSettings

ENVIRONMENT_PREFIX = "VADEMECUM_"
EDITOR = "editor"
"""The source of what the editor sent."""
_OFF = frozenset({"0", "off", "false", "no"})
_ON = frozenset({"1", "on", "true", "yes"})


@frozen
class Locations:
    """The folders that Vademecum keeps things in. `VADEMECUM_HOME` moves them all."""

    home: Path
    """What the user owns and may edit: memories, charters, config.toml."""
    state: Path
    """What cannot be rebuilt but is no text for people: prior versions, snapshots, trust, the registry of projects."""
    cache: Path
    """What is rebuilt when it is gone: indexes."""
    user_home: Path
    """The user's own home folder, which is never indexed as a whole."""

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.home / "config.toml"


class OtherSystem(StrEnum):
    """A system whose users may want the tools under the names that they know."""

    CODEBUDDY = "codebuddy"
    """`search_vector_db`."""
    CODEWHALE = "codewhale"
    """`memory_search` and `memory_get`."""
    CODEBASE_INDEX = "codebase-index"
    """`search_code`, `explain_code` and `index_stats`."""
    YOTTACODE = "yottacode"
    """`memory_search`, `memory_get`, `memory_save` and `memory_forget`."""


def _known_systems(_settings: object, _attribute: object, value: tuple[str, ...]) -> None:
    if not set(value) <= set(OtherSystem):
        raise ValueError(f"must name {', '.join(OtherSystem)}")


@frozen
class ToolSettings:
    """What models are offered; defined here, the desk being above. A value that cannot be used raises ValueError."""

    aliases: tuple[str, ...] = field(default=(), validator=_known_systems)
    """Other systems (`codebuddy`, `codewhale`, `codebase-index`, `yottacode`) under whose names for them tools are
    offered to models, too: `search_vector_db`, `memory_search`, `memory_save` and the like."""


@frozen
class Settings:
    """Everything that can be set; each section is defined by the room that it is for."""

    memory: MemorySettings = field(factory=MemorySettings)
    search: SearchSettings = field(factory=SearchSettings)
    evidence: EvidenceSettings = field(factory=EvidenceSettings)
    ranking: Weights = field(factory=Weights)
    knowledge: KnowledgeSettings = field(factory=KnowledgeSettings)
    files: FileSettings = field(factory=FileSettings)
    session: SessionSettings = field(factory=SessionSettings)
    model: ModelSettings = field(factory=ModelSettings)
    tools: ToolSettings = field(factory=ToolSettings)


@frozen
class Problem:
    """A setting that could not be used."""

    source: str
    """Where it came from: the path of the file, `editor`, or the name of the variable."""
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.name} {self.message}; it is left out"


def home_of(environment: Mapping[str, str]) -> Path:
    """The user's own home folder.

    An empty or relative `HOME` is never replaced by another folder: Python would take `/` for it, and whoever set it
    did not mean the home of the user database either.

    :raises VademecumError: when the variables name no folder, and the user database knows none.
    """
    names = ("HOME", "USERPROFILE") if sys.platform == "win32" else ("HOME",)
    named = [environment[name] for name in names if name in environment]
    for text in named:
        if Path(text).is_absolute():
            return Path(text)
    if named:
        said = "is empty" if not named[0] else "is no absolute path"
        raise VademecumError(ErrorKind.NOT_FOUND, f"the variable HOME {said}; set it to the path of your home folder")
    try:
        return Path.home()
    except RuntimeError as error:
        message = "there is no home folder: set the variable HOME to the path of yours, or VADEMECUM_HOME"
        raise VademecumError(ErrorKind.NOT_FOUND, message) from error


def locations(environment: Mapping[str, str]) -> Locations:
    """The folders for this user, in the places that the platform sets for each kind.

    :raises VademecumError: when there is no home folder, and no `VADEMECUM_HOME` in its place.
    """
    if moved := environment.get("VADEMECUM_HOME"):
        home = Path(moved).absolute()
        try:
            user_home = home_of(environment)
        except VademecumError:
            user_home = home
        return Locations(home, home / "state", home / "cache", user_home)
    user_home = home_of(environment)
    state = Path(platformdirs.user_state_dir("vademecum", appauthor=False))
    cache = Path(platformdirs.user_cache_dir("vademecum", appauthor=False))
    return Locations(
        home=user_home / ".vademecum",
        # The rules for XDG_STATE_HOME and XDG_CACHE_HOME say that a relative path in them is to be passed over.
        state=state if state.is_absolute() else user_home / ".local" / "state" / "vademecum",
        cache=cache if cache.is_absolute() else user_home / ".cache" / "vademecum",
        user_home=user_home,
    )


def fold(
    config: Path, editor: Sequence[Mapping[str, Any]], environment: Mapping[str, str]
) -> tuple[Settings, tuple[Problem, ...]]:
    """Fold the sources into one `Settings`.

    :param config: the settings file; a missing one holds nothing.
    :param editor: what the editor sent, earliest first.
    :param environment: the process's variables.
    :return: the settings, and every value that could not be used.
    """
    problems: list[Problem] = []
    settings = Settings()
    for source, tree in _sources(config, editor, environment, problems):
        settings = _apply(settings, tree, source, problems)
    return settings, tuple(problems)


def settable(section: type | None) -> "tuple[attrs.Attribute[Any], ...]":
    """The fields of a section that a user may set; a path, such as our own folders, comes from the code alone."""
    return tuple(leaf for leaf in attrs.fields(cast(type, section)) if leaf.type != tuple[Path, ...])


def _sources(
    config: Path, editor: Sequence[Mapping[str, Any]], environment: Mapping[str, str], problems: list[Problem]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        data = Corner(config.parent).read(config.name)
        if data is not None:
            yield str(config), tomllib.loads(data.decode("utf-8"))
    except (CannotRead, ValueError, RecursionError) as error:
        problems.append(Problem(str(config), "the file", f"cannot be read ({error})"))
    for tree in editor:
        yield EDITOR, tree
    yield from _from_environment(environment)


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if switch := environment.get("VADEMECUM_MEMORY"):
        yield "VADEMECUM_MEMORY", {"memory": {"enabled": _parse(switch, bool)}}
    for section in attrs.fields(Settings):
        for leaf in settable(section.type):
            variable = f"{ENVIRONMENT_PREFIX}{section.name}_{leaf.name}".upper()
            if variable in environment:
                value = _parse(environment[variable], leaf.type)
                yield variable, {section.name: {camel(leaf.name): value}}


def _parse(text: str, kind: Any) -> Any:
    """A variable's text as the type that its setting has, or the text itself where it does not fit (and is refused)."""
    if kind is bool and text.strip().lower() in _OFF | _ON:
        return text.strip().lower() in _ON
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    if get_origin(kind) is tuple:
        return [part for part in text.split(os.pathsep) if part]
    return text


def _apply(settings: Settings, tree: Mapping[str, Any], source: str, problems: list[Problem]) -> Settings:
    sections = {camel(a.name): a for a in attrs.fields(Settings)}
    for key, given in tree.items():
        if key not in sections:
            if source != EDITOR:  # there, settings of the client's own come in the same section
                problems.append(Problem(source, key, "is not a known table of settings"))
            continue
        name = sections[key].name
        if given is None:
            continue
        if not isinstance(given, Mapping):
            problems.append(Problem(source, key, "must be a table of settings"))
            continue
        section = getattr(settings, name)
        leaves = {camel(a.name): a for a in settable(type(section))}
        for leaf, value in given.items():
            if value is None:
                continue
            if leaf not in leaves:
                problems.append(Problem(source, f"{key}.{leaf}", "is not a known setting"))
                continue
            try:
                fitting = _fit(value, leaves[leaf].type)
                changed = attrs.evolve(section, **{leaves[leaf].name: fitting})
                guarded = leaves[leaf].metadata.get(USERS_ALONE)
                if source == EDITOR and guarded is not None and guarded(fitting):
                    raise ValueError(
                        "may be that in config.toml or the environment alone, not in a repository's settings"
                    )
                section = changed
            except (TypeError, ValueError) as error:
                problems.append(Problem(source, f"{key}.{leaf}", str(error)))
        settings = attrs.evolve(settings, **{name: section})
    return settings


def _fit(value: Any, kind: Any) -> Any:
    """`value` as a `kind`, never converted.

    :raises TypeError: saying what it must be.
    """
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = set(get_args(kind)) - {type(None)}
    if get_origin(kind) is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise TypeError(f"must be one of {', '.join(map(str, get_args(kind)))}")
        return value
    if get_origin(kind) is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) and _is_whole(item) for item in value):
            raise TypeError("must be a list of texts")
        return tuple(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        allowed = [member.value for member in kind]
        if value not in allowed:
            raise TypeError(f"must be one of {', '.join(map(str, allowed))}")
        return kind(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) > sys.float_info.max:
            raise TypeError("is too large")
        return float(value)
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    if type(value) is not kind:
        raise TypeError(f"must be {words.get(kind, 'of another type')}")
    if isinstance(value, str) and not _is_whole(value):
        raise TypeError("must be a text without halves of characters")
    return value


def _is_whole(text: str) -> bool:
    """Whether the text can be written down; JSON can hold half a surrogate pair, which no file or pattern can."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def camel(name: str) -> str:
    """The name of a setting, or of a field on the wire: `token_budget` becomes `tokenBudget`."""
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)
