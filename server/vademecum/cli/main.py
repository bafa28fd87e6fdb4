"""The `vademecum` command: reads the command line and runs one command. Imports little, so that it starts at once."""

import argparse
import difflib
import importlib
import logging
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vademecum import __version__
from vademecum.cli import streams
from vademecum.cli.outcome import Exit

# By name: what it does, in words for `--help`. The module of the same name is imported when the command runs.
COMMANDS = {
    "serve": "serve an editor: the language server, over standard input and output",
    "mcp": "serve an agent: the tools over the Model Context Protocol, on standard input and output",
    "search": "find code and documentation by words, a name or a question",
    "explain": "find whole bodies of code that answer a question",
    "related": "find code like the code at a place",
    "index": "bring the index of a folder up to date",
    "remember": "keep a note",
    "memories": "list, find, show, delete and restore what is remembered",
    "charter": "show, write and restore the curated text that every chat is told in full",
    "import": "import memories of other systems, lists of instructions, or an archive",
    "export": "write memories into an archive, or in a form that other systems read",
    "recall": "find what of memory fits a prompt",
    "docs": "import, review, attach, search and read documents that answers can cite",
    "prompt": "print the text that goes at the head of a chat",
    "cite": "print a reference to lines of a file",
    "verify": "tell whether references still hold",
    "evidence": "remove what is kept of what conversations were given",
    "chats": "list, show and remove the chat histories that are kept here",
    "tools": "list what a model may call here",
    "tool": "call a tool as a model would",
    "trust": "let memory that came with a repository be used, or not",
    "install": "set up the agents and editors on this machine, after showing what changes",
    "uninstall": "take out of agents and editors what `install` put there",
    "settings": "show the settings that hold, and where each comes from",
    "status": "show the state of memory and index",
    "clean": "remove what is kept for folders that are gone",
    "doctor": "check that everything is well, and say what to do where it is not",
}

# `git rev-parse --local-env-vars` of git 2.39, but for those that carry configuration of the user's own.
_REPOSITORY_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)

LOG_LEVELS = ("debug", "info", "warning", "error")

_EPILOG = """\
examples:
  vademecum remember 'Use pnpm, never npm' --category Rule
  vademecum search 'where are sessions expired'
  vademecum memories deploy
  vademecum -C ~/src/shop prompt

A command is about the git repository that the current folder lies in, or about the folder given with -C.
`vademecum COMMAND --help` explains a command. `vademecum '# a note'` is short for `vademecum remember 'a note'`.

exit codes: 0 done, 1 cannot be done (or is not well), 2 unusable command line, 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (this process's, when left out) and return the exit code."""
    streams.open_missing()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has read enough, as in `vademecum memories | head`.
        streams.discard(sys.stdout)
        return Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except OSError as error:
        streams.discard(sys.stdout)
        sys.stderr.write(f"vademecum: the result could not be written: {error.strerror}\n")
        return Exit.FAILED
    return code


def _run(arguments: list[str]) -> int:
    if is_quick_note(arguments):
        arguments = ["remember", "--", arguments[0].lstrip("# ")]
    try:
        options = _parser().parse_args(arguments)
        if options.command is None:
            raise SystemExit(_no_command())
        try:
            command = importlib.import_module(f"vademecum.cli.commands.{options.command}")
        except ImportError as error:
            return _not_loaded(error)
        own = _command_parser(options.command, command)
        if getattr(command, "IGNORES_UNKNOWN_OPTIONS", False):
            given, _ = own.parse_known_args(options.rest)
        else:
            given = own.parse_intermixed_args(options.rest)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else Exit.FAILED
    return _carry_out(command, given, (*options.before, *given.workspace), given.log_level or options.log_level_before)


def _forget_inherited_repository() -> None:
    """Started from a git hook, this process is told of one repository; each folder that it looks at has its own."""
    for name in _REPOSITORY_VARIABLES:
        os.environ.pop(name, None)


def is_quick_note(arguments: Sequence[str]) -> bool:
    """Whether the command line is one line that begins with a single `#`, as a quick note does in many chats."""
    if len(arguments) != 1:
        return False
    text = arguments[0]
    return text.startswith("#") and text[1:2] not in ("#", "!") and bool(text[1:].strip()) and "\n" not in text


def _not_loaded(error: ImportError) -> int:
    sys.stderr.write(
        f"vademecum: cannot be loaded: {error}. Install Vademecum again with pip; `doctor` may say more.\n"
    )
    return Exit.FAILED


def _carry_out(command: Any, options: argparse.Namespace, workspace: tuple[str, ...], log_level: str | None) -> int:
    try:
        from vademecum.cli.failures import told
        from vademecum.cli.interrupt import Interrupt
        from vademecum.cli.job import Job
        from vademecum.cli.output import Output
        from vademecum.settings import locations
    except ImportError as error:
        return _not_loaded(error)

    # Whatever is made in home, state and cache, by us, by a library or by a child process, is this user's alone.
    os.umask(0o077)
    _forget_inherited_repository()
    _log_to_stderr(log_level or str(getattr(command, "LOG_LEVEL", "error")))
    interrupt = Interrupt()
    interrupt.install()
    output = Output(sys.stdout, sys.stderr)
    environment = dict(os.environ)
    try:
        job = Job(options, workspace, Path.cwd(), environment, locations(environment), interrupt, output)
        code: int = command.run(job)
    except BrokenPipeError:
        raise
    except ImportError as error:
        logging.getLogger(__name__).debug("The command failed", exc_info=error)
        return _not_loaded(error)
    except (Exception, KeyboardInterrupt) as error:
        code, message = told(error)
        logging.getLogger(__name__).debug("The command failed", exc_info=error)
        output.note(message)
        return 128 + interrupt.signal if code == Exit.INTERRUPTED and interrupt.signal else code
    return code


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    parser = _Parser(
        prog="vademecum",
        usage="vademecum [-C DIR] COMMAND …",
        description=f"Durable memory and code search for AI chats.\n\ncommands:\n{listed}",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"vademecum {__version__}")
    _add_common(parser, "before", "log_level_before")
    parser.add_argument("command", nargs="?", type=_command, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _command_parser(name: str, command: Any) -> argparse.ArgumentParser:
    summary = COMMANDS[name]
    parser = _Parser(prog=f"vademecum {name}", description=summary[0].upper() + summary[1:] + ".")
    command.describe(parser)
    _add_common(parser, "workspace", "log_level")
    return parser


def _add_common(parser: argparse.ArgumentParser, workspace: str, log_level: str) -> None:
    parser.add_argument(
        "-C",
        "--workspace",
        dest=workspace,
        metavar="DIR",
        action="append",
        default=[],
        help="the folder meant, instead of the repository around the current one; may be given several times",
    )
    parser.add_argument(
        "--log-level",
        dest=log_level,
        choices=LOG_LEVELS,
        metavar="LEVEL",
        help=f"log to stderr: {', '.join(LOG_LEVELS)}",
    )


class _Parser(argparse.ArgumentParser):
    """Lays texts out as they are written, takes no abbreviations, and tells an error in one line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **kwargs)

    def error(self, message: str) -> Any:
        self.exit(Exit.USAGE, f"vademecum: {self._in_our_words(message)} (see `{self.prog} --help`)\n")

    def _in_our_words(self, message: str) -> str:
        """What argparse says, as the rest of this command line says it: the option, a colon, what it may hold."""
        message = message.removeprefix("argument COMMAND: ").removeprefix("argument ")
        if found := re.fullmatch(r"(\S+): invalid int value: (.*)", message):
            return f"{found[1]}: must be a whole number, not {found[2]}"
        if found := re.fullmatch(r"(\S+): invalid choice: (.*) \(choose from (.*)\)", message):
            return f"{found[1]}: must be one of {found[3].replace(chr(39), '')}, not {found[2]}"
        if found := re.fullmatch(r"the following arguments are required: (.*)", message):
            return f"{found[1]}: is missing"
        if found := re.fullmatch(r"unrecognized arguments: ((-\S+?)(?:=.*|\s.*)?)", message):
            near = difflib.get_close_matches(found[2], self._option_string_actions, 1)
            return f"there is no option {found[2]}" + (f"; did you mean {near[0]}?" if near else "")
        return message


def _command(name: str) -> str:
    if name in COMMANDS:
        return name
    near = difflib.get_close_matches(name, COMMANDS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise argparse.ArgumentTypeError(f"there is no command {name!r}{hint}")


def _no_command() -> int:
    sys.stderr.write("vademecum: name a command, such as `vademecum search WORDS` (see `vademecum --help`)\n")
    return Exit.USAGE


def _log_to_stderr(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Format("%(levelname).1s %(asctime)s %(name)s: %(message)s", with_traceback=level == "debug"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    if level == "info":  # where pygls tells each of its own handlers and all that the client said of itself
        logging.getLogger("pygls").setLevel(logging.WARNING)


class _Format(logging.Formatter):
    def __init__(self, layout: str, with_traceback: bool) -> None:
        super().__init__(layout)
        self._with_traceback = with_traceback

    def formatException(self, ei: Any) -> str:
        return super().formatException(ei) if self._with_traceback else f"({ei[0].__name__})"
