"""Languages and frameworks by the words that name them: what a memory is about, and what a workspace is made of.

Only words that mean nothing else are here: "go", "C", "R", "rust on steel" or a "spring cleaning" would call memories
foreign that are not. Extending the table is adding a row; a name that is not in it is neither here nor foreign.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from attrs import frozen


@frozen
class Technology:
    """A language (one that has `extensions`) or a framework. `words`, in lower case, name it and nothing else."""

    name: str
    words: frozenset[str]
    extensions: frozenset[str] = frozenset()


def _language(name: str, extensions: str, words: str) -> Technology:
    return Technology(name, frozenset(words.split()), frozenset(extensions.split()))


#: A language is also named by the tools that serve it alone.
LANGUAGES: Final = (
    _language("Python", "py pyi ipynb", "python pip pytest pyproject virtualenv venv mypy ruff pylint conda pydantic"),
    _language(
        "TypeScript",
        "ts tsx mts cts",
        "typescript tsc tsconfig npm pnpm yarn eslint nodejs webpack vite babel jest vitest",
    ),
    _language("JavaScript", "js jsx mjs cjs", "javascript npm pnpm yarn eslint nodejs webpack vite babel jest vitest"),
    _language("Rust", "rs", "rustc cargo clippy rustfmt crates tokio serde"),
    _language("Go", "go", "golang gofmt goroutine goroutines gopls golangci"),
    _language("Java", "java", "java jvm maven gradle junit jdk"),
    _language("Kotlin", "kt kts", "kotlin ktor ktlint jvm maven gradle junit"),
    _language("Scala", "scala sc", "scala sbt akka jvm"),
    _language("C#", "cs csx", "csharp dotnet nuget msbuild c#"),
    _language("F#", "fs fsx", "fsharp f#"),
    _language("C++", "cpp cc cxx hpp hh hxx", "c++ cpp cmake clang gcc conan vcpkg"),
    _language("C", "c h", "gcc clang cmake valgrind autotools makefile"),
    _language("Ruby", "rb rake gemspec", "ruby rubocop rspec gemfile rubygems"),
    _language("PHP", "php phtml", "php phpunit phpstan"),
    _language("Swift", "swift", "swiftui swiftlint xcode cocoapods"),
    _language("Objective-C", "m mm", "objc cocoapods xcode"),
    _language("Dart", "dart", "pubspec dartfmt"),
    _language("Elixir", "ex exs", "elixir exunit"),
    _language("Erlang", "erl hrl", "erlang rebar3"),
    _language("Haskell", "hs lhs", "haskell ghc"),
    _language("OCaml", "ml mli", "ocaml opam"),
    _language("Clojure", "clj cljs cljc edn", "clojure leiningen"),
    _language("Lua", "lua", "lua luarocks luajit"),
    _language("Perl", "pl pm", "perl cpan"),
    _language("R", "r rmd", "tidyverse ggplot2 dplyr rstudio cran"),
    _language("Julia", "jl", "juliaup"),
    _language("Zig", "zig", "zig"),
    _language("Nim", "nim", "nimlang"),
    _language("Shell", "sh bash zsh fish", "bash zsh shellcheck shfmt"),
    _language("PowerShell", "ps1 psm1", "powershell pwsh"),
    _language("SQL", "sql", "sql postgres postgresql mysql sqlite plpgsql"),
    _language("Terraform", "tf tfvars hcl", "terraform terragrunt hcl"),
    _language("CSS", "css scss sass less", "css scss sass stylelint"),
    _language("HTML", "html htm", "html"),
    _language("Vue", "vue", "vue vuex pinia"),
    _language("Svelte", "svelte", "svelte sveltekit"),
    _language("GDScript", "gd tscn", "gdscript godot"),
    _language("Solidity", "sol", "solidity"),
    _language("LaTeX", "tex bib", "latex bibtex"),
    _language("Nix", "nix", "nixos nixpkgs"),
    _language("Protobuf", "proto", "protobuf grpc protoc"),
    _language("GraphQL", "graphql gql", "graphql"),
)

#: Known by its name in a manifest (package.json, pyproject.toml, Cargo.toml, …); the words are names of packages, too.
FRAMEWORKS: Final = tuple(
    Technology(name, frozenset(words.split()))
    for name, words in (
        ("Django", "django drf"),
        ("Flask", "werkzeug"),
        ("FastAPI", "fastapi starlette"),
        ("SQLAlchemy", "sqlalchemy alembic"),
        ("NumPy", "numpy"),
        ("pandas", "pandas"),
        ("polars", "polars"),
        ("PyTorch", "torch pytorch"),
        ("TensorFlow", "tensorflow keras"),
        ("scikit-learn", "sklearn scikit"),
        ("Celery", "celery"),
        ("React", "reactjs jsx"),
        ("Next.js", "nextjs"),
        ("Redux", "redux"),
        ("Angular", "angular rxjs"),
        ("Nuxt", "nuxt"),
        ("Express", "expressjs"),
        ("NestJS", "nestjs"),
        ("Electron", "electronjs"),
        ("Tailwind", "tailwind tailwindcss"),
        ("Prisma", "prisma"),
        ("Playwright", "playwright"),
        ("Cypress", "cypress"),
        ("Storybook", "storybook"),
        ("React Native", "expo"),
        ("Axum", "axum"),
        ("Actix", "actix"),
        ("Diesel", "sqlx"),
        ("Bevy", "bevy"),
        ("Tauri", "tauri"),
        ("Spring", "springframework springboot"),
        ("Hibernate", "hibernate"),
        ("Quarkus", "quarkus"),
        ("Android", "android androidx"),
        ("Rails", "activerecord sidekiq"),
        ("Laravel", "laravel eloquent"),
        ("Symfony", "symfony"),
        ("WordPress", "wordpress"),
        ("Phoenix", "liveview"),
        ("Flutter", "flutter"),
        ("Unity", "unityengine"),
        ("Unreal", "unrealengine"),
        ("Qt", "qml pyside6 pyqt5 pyqt6"),
        ("Kubernetes", "kubernetes kubectl helm kustomize"),
        ("Docker", "docker dockerfile"),
        ("Ansible", "ansible"),
        ("Kafka", "kafka"),
        ("Redis", "redis"),
        ("MongoDB", "mongodb mongoose"),
        ("Elasticsearch", "elasticsearch opensearch"),
        ("Spark", "pyspark"),
        ("Airflow", "airflow"),
        ("dbt", "dbt"),
    )
)

#: Names that are common words, too: they count where a text has them capitalised within a sentence, and as keywords.
COMMON: Final = {
    "react": "React",
    "rust": "Rust",
    "go": "Go",
    "swift": "Swift",
    "dart": "Dart",
    "julia": "Julia",
    "nim": "Nim",
    "c": "C",
    "r": "R",
    "flask": "Flask",
    "rails": "Rails",
    "spring": "Spring",
    "express": "Express",
    "electron": "Electron",
    "phoenix": "Phoenix",
    "unity": "Unity",
    "spark": "Spark",
}

#: Files that name what a project is built on, wherever they lie; read no more of than says so.
MANIFESTS: Final = frozenset(
    {
        *(
            "package.json",
            "pyproject.toml",
            "requirements.txt",
            "pipfile",
            "setup.cfg",
            "environment.yml",
            "cargo.toml",
        ),
        *(
            "go.mod",
            "pom.xml",
            "build.gradle",
            "build.gradle.kts",
            "gemfile",
            "composer.json",
            "pubspec.yaml",
            "mix.exs",
        ),
        *("podfile", "dockerfile", "docker-compose.yml", "compose.yaml", "chart.yaml", "deno.json", "package.swift"),
    }
)

#: A language counts as one of the workspace's from this share of its files of any language on, or this many files:
#: one script in a repository of another language does not make it one of that.
LEAST_SHARE: Final = 0.05
LEAST_FILES: Final = 20


_NAMES: Final = "|".join(sorted(name for name in COMMON.values() if len(name) > 1))
_WITHIN: Final = re.compile(rf"(?<=[a-z0-9,;(/] )(?:{_NAMES})\b")


@cache
def _by_word() -> dict[str, frozenset[str]]:
    named: dict[str, set[str]] = {}
    for technology in (*LANGUAGES, *FRAMEWORKS):
        for word in technology.words:
            named.setdefault(word, set()).add(technology.name)
    return {word: frozenset(names) for word, names in named.items()}


def named_by(found: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return what each of these words (in lower case) names, the words that name nothing aside.

    One word may name either of two.
    """
    table = _by_word()
    return tuple(table[word] for word in sorted(found) if word in table)


def named_in(text: str, words: frozenset[str], keywords: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return what a text names, whose `words` are these in lower case, and what its keywords name."""
    named = named_by(words & _by_word().keys())
    common = {name.lower() for name in _WITHIN.findall(text)} | {word.lower() for word in keywords} & COMMON.keys()
    return (*named, *(frozenset({COMMON[word]}) for word in sorted(common)))


@cache
def _by_extension() -> dict[str, str]:
    return {extension: language.name for language in LANGUAGES for extension in language.extensions}


def language_of(path: str) -> str | None:
    """Return the language of a file by its extension."""
    return _by_extension().get(path.rsplit(".", 1)[-1].lower()) if "." in path.rsplit("/", 1)[-1] else None


def is_language(name: str) -> bool:
    """Whether a technology is a language, which files show, rather than a framework, which manifests name."""
    return name in _language_names()


@cache
def _language_names() -> frozenset[str]:
    return frozenset(language.name for language in LANGUAGES)
