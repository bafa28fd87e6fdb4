"""Which language a file is in, which grammar reads it, and whether it is code or prose."""

from pathlib import PurePosixPath

from attrs import frozen

from vademecum.errors import InvalidField
from vademecum.search.types import ContentClass


@frozen
class Language:
    """A language as the index names it.

    :param name: its name, unique.
    :param grammar: the name of its tree-sitter grammar; None when it is cut by lines.
    :param extensions: file name extensions, without the dot.
    :param names: whole file names.
    :param aliases: what else a person or an editor calls it.
    :param docs: whether it is prose.
    :param data: whether it is settings or data, which a search for code rarely means.
    """

    name: str
    grammar: str | None
    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    docs: bool = False
    data: bool = False

    @property
    def content(self) -> ContentClass:
        """The class of content its files belong to."""
        return ContentClass.DOCS if self.docs else ContentClass.CODE


def _code(name: str, extensions: str, *, grammar: str | None = "", names: str = "", aliases: str = "") -> Language:
    return Language(
        name,
        name if grammar == "" else grammar,
        tuple(extensions.split()),
        tuple(names.split()),
        tuple(aliases.split()),
    )


def _docs(name: str, extensions: str, *, grammar: str | None = None, names: str = "", aliases: str = "") -> Language:
    return Language(name, grammar, tuple(extensions.split()), tuple(names.split()), tuple(aliases.split()), docs=True)


def _data(name: str, extensions: str, *, names: str = "", aliases: str = "") -> Language:
    return Language(name, None, tuple(extensions.split()), tuple(names.split()), tuple(aliases.split()), data=True)


PLAIN = _docs("text", "txt text log", names="LICENSE COPYING NOTICE AUTHORS", aliases="plaintext plain")
"""What is in no language we know is prose cut by lines."""

UNKNOWN = Language("unknown", None)
"""A file whose name says nothing: searched as code, cut by lines."""

LANGUAGES: tuple[Language, ...] = (
    _code("astro", "astro"),
    _code("bash", "sh bash zsh ksh", names=".bashrc .zshrc .profile", aliases="shell shellscript zsh"),
    _code("batch", "bat cmd"),
    _code("c", "c h"),
    _code("clojure", "clj cljs cljc edn"),
    _code("cmake", "cmake", names="CMakeLists.txt"),
    _code("cpp", "cc cpp cxx c++ hpp hxx hh h++ ipp inl cu cuh", aliases="c++"),
    _code("csharp", "cs csx", aliases="c#"),
    _code("css", "css"),
    _code("dart", "dart"),
    _code("dockerfile", "dockerfile", names="Dockerfile Containerfile"),
    _code("elixir", "ex exs"),
    _code("elm", "elm", grammar=None),
    _code("erlang", "erl hrl"),
    _code("fortran", "f f90 f95 f03 f08 for"),
    _code("fsharp", "fs fsx fsi", grammar=None, aliases="f#"),
    _code("go", "go", aliases="golang"),
    _code("graphql", "graphql gql"),
    _code("groovy", "groovy gradle", names="Jenkinsfile"),
    _code("haskell", "hs lhs"),
    _code("hcl", "hcl tf tfvars", aliases="terraform"),
    _code("html", "html htm xhtml"),
    _code("java", "java"),
    _code("javascript", "js jsx mjs cjs", aliases="javascriptreact"),
    _code("jinja2", "j2 jinja jinja2"),
    _code("julia", "jl"),
    _code("just", "just", names="justfile Justfile"),
    _code("kotlin", "kt kts"),
    _code("lisp", "lisp lsp el cl", grammar=None, aliases="elisp emacs-lisp commonlisp"),
    _code("lua", "lua"),
    _code("make", "mk mak", names="Makefile GNUmakefile makefile", aliases="makefile"),
    _code("nim", "nim nims", grammar=None),
    _code("nix", "nix"),
    _code("objc", "m mm", aliases="objective-c objectivec"),
    _code("ocaml", "ml mli"),
    _code("pascal", "pas pp dpr", grammar=None),
    _code("perl", "pl pm t"),
    _code("php", "php phtml php5"),
    _code("powershell", "ps1 psm1 psd1"),
    _code("proto", "proto", aliases="protobuf proto3"),
    _code("python", "py pyi pyw pyx", names="SConstruct SConscript", aliases="python3"),
    _code("r", "r rmd"),
    _code("racket", "rkt"),
    _code("ruby", "rb rake gemspec ru", names="Rakefile Gemfile Vagrantfile Podfile Brewfile"),
    _code("rust", "rs"),
    _code("scala", "scala sc sbt"),
    _code("scheme", "scm ss sld"),
    _code("scss", "scss sass less"),
    _code("solidity", "sol"),
    _code("sql", "sql"),
    _code("starlark", "bzl star", names="BUILD BUILD.bazel WORKSPACE", aliases="bazel"),
    _code("svelte", "svelte"),
    _code("swift", "swift"),
    _code("tsx", "tsx", aliases="typescriptreact"),
    _code("typescript", "ts mts cts"),
    _code("verilog", "v sv svh", grammar=None, aliases="systemverilog"),
    _code("vhdl", "vhd vhdl", grammar=None),
    _code("vim", "vim", names=".vimrc", aliases="viml vimscript"),
    _code("vue", "vue"),
    _code("wat", "wat wast"),
    _code("zig", "zig"),
    _docs("asciidoc", "adoc asciidoc"),
    _docs("latex", "tex ltx", aliases="tex"),
    _docs("markdown", "md markdown mdx mkd qmd", grammar="markdown"),
    _docs("org", "org"),
    _docs("rst", "rst rest", aliases="restructuredtext"),
    _docs("typst", "typ"),
    PLAIN,
    _data("csv", "csv tsv"),
    _data("diff", "diff patch"),
    _data("ini", "ini cfg conf properties editorconfig", names=".gitconfig .gitmodules .editorconfig", aliases="conf"),
    _data("json", "json jsonc json5 jsonl ndjson geojson webmanifest", aliases="jsonc"),
    _data("po", "po pot", aliases="gettext"),
    _data("svg", "svg"),
    _data("toml", "toml", names="Pipfile"),
    _data("xml", "xml xsd xsl xslt plist resx csproj vcxproj", aliases="plist"),
    _data("yaml", "yaml yml", aliases="yml"),
    UNKNOWN,
)

_BY_NAME = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_FILE = {name: language for language in LANGUAGES for name in language.names}
_BY_ALIAS = {alias: language for language in LANGUAGES for alias in language.aliases}


def language_of(path: str) -> Language:
    """The language of a file, by its name alone."""
    name = PurePosixPath(path).name
    if (whole := _BY_FILE.get(name)) is not None:
        return whole
    _, dot, extension = name.rpartition(".")
    if dot and (known := _BY_EXTENSION.get(extension.lower())) is not None:
        return known
    # Dockerfile.dev, Makefile.am, LICENSE.md is markdown (above), LICENSE-APACHE is a licence.
    head = name.split(".", 1)[0].split("-", 1)[0]
    return _BY_FILE.get(head, PLAIN if name.isupper() and not dot else UNKNOWN)


def by_name(name: str) -> Language:
    """The language of an indexed file, by the name the index holds."""
    return _BY_NAME.get(name, UNKNOWN)


def named(text: str) -> Language:
    """The language that a person means by a name, an alias or an extension.

    :raises InvalidField: for a name that means none; the message tells the names there are.
    """
    name = text.strip().lower().removeprefix(".")
    for table in (_BY_NAME, _BY_ALIAS, _BY_EXTENSION):
        if (language := table.get(name)) is not None:
            return language
    raise InvalidField("languages", f"does not know {text[:40]!r}; it knows {', '.join(sorted(_BY_NAME))}")
