"""What part a file plays in its project, told from its path: code itself, tests, examples, generated, prose, data."""

import re
from enum import StrEnum
from functools import lru_cache

from vademecum.search.languages import by_name
from vademecum.search.types import ContentClass


class Role(StrEnum):
    """The part a file plays."""

    CODE = "code"
    TEST = "test"
    EXAMPLE = "example"
    GENERATED = "generated"
    VENDORED = "vendored"
    STUB = "stub"
    REEXPORT = "reexport"
    DOCS = "docs"
    DATA = "data"


# Whole words of a path only: `latest`, `contest.py` and `attestation/` are no tests; `Dapper.Tests/`, `unit-tests/`
# and `androidTest/` are.
_TEST_FOLDER = re.compile(
    r"(?i:(?:^|/)(?:tests?|__tests__|spec|specs|testing|testdata|test_?data|fixtures?|__mocks__|mocks?|e2e)/)"
    r"|(?i:[._-](?:tests?|specs?)/)|[a-z0-9](?:Tests?|Specs?)/"
)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?[_\-.][^/]*|[^/]*[_\-.](?:tests?|spec|specs)|conftest|[^/]*(?:Tests?|TestCase|Spec)|tests?)\.\w+$"
    r"|(?:^|/)[^/]+\.(?:test|spec|cy|stories)\.\w+$"
)
# Go leaves folders out of a build that begin with an underscore, hence `_examples`.
_EXAMPLE = re.compile(r"(?:^|/)_?(?:examples?|samples?|demos?|tutorials?|benchmarks?|bench|playground|sandbox)/", re.I)
_GENERATED = re.compile(
    r"(?:^|/)(?:generated|gen|autogen|__generated__)/|[._-](?:pb2?|generated|gen|g|designer)(?:_grpc)?\.\w+$|_pb2?(?:_grpc)?\.\w+$"
    r"|\.(?:min|bundle)\.\w+$|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Cargo\.lock|uv\.lock)$",
    re.I,
)
_VENDORED = re.compile(r"(?:^|/)(?:vendor|vendored|_vendor|third_?party|3rdparty|external|deps|extern)/", re.I)
_STUB = re.compile(r"\.(?:pyi|d\.ts|d\.mts)$")
_REEXPORT = re.compile(
    r"(?:^|/)(?:__init__\.py|index\.(?:[cm]?[jt]sx?)|mod\.rs|lib\.rs|__main__\.py|package-info\.java)$"
)


@lru_cache(maxsize=20_000)
def role_of(path: str, language: str) -> Role:
    """The part that a file plays, by its path and language."""
    known = by_name(language)
    if _GENERATED.search(path):
        return Role.GENERATED
    if _VENDORED.search(path):
        return Role.VENDORED
    if _TEST_FOLDER.search(path) or _TEST_FILE.search(path):
        return Role.TEST
    if _EXAMPLE.search(path):
        return Role.EXAMPLE
    if known.content is ContentClass.DOCS:
        return Role.DOCS
    if known.data:
        return Role.DATA
    if _STUB.search(path):
        return Role.STUB
    if _REEXPORT.search(path):
        return Role.REEXPORT
    return Role.CODE
