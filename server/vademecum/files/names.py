"""What a name alone decides: version control, dependency folders, and files that hold secrets.

All rules compare case-insensitively, since on some file systems `.GIT` opens `.git`.
"""

import re
from fnmatch import translate

from vademecum.files.content import Reason

#: Folders of version control systems. A file of that name (`.git` of a worktree) counts too.
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})

#: Where a repository keeps the memories it shares: read by the memory room, never as code.
OWN_FOLDER = ".vademecum"

#: Folders that hold installed or derived code under names that nobody gives to source. Refused even where git tracks
#: them: the few repositories that commit such a folder do not mean its content to be found in place of their own code.
DEPENDENCY_FOLDERS = frozenset(
    {
        "node_modules",
        "bower_components",
        "jspm_packages",
        ".yarn",
        ".pnpm-store",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "site-packages",
        ".tox",
        ".nox",
        ".eggs",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".gradle",
        ".terraform",
        ".dart_tool",
        ".next",
        ".nuxt",
        ".svelte-kit",
        ".parcel-cache",
        ".turbo",
        ".angular",
        ".stack-work",
        ".bundle",
        "elm-stuff",
    }
)

#: Folders of build output under names that source may have too. In a repository git's rules judge them; they are
#: refused only where there is no git to ask.
BUILD_FOLDERS = frozenset({"build", "dist", "target", "_build", "venv", "env", "htmlcov"})

_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"})

_SECRET_FILES = frozenset(
    {
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        ".vault-token",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials",
        "credentials.json",
        "credentials.yml",
        "credentials.yaml",
        "client_secret.json",
        "service-account.json",
        "service_account.json",
        "serviceaccount.json",
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        "master.key",
        "terraform.tfstate",
        "terraform.tfstate.backup",
    }
)

_SECRET_SUFFIXES = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".pkcs12",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfvars",
)

_SECRET_PATTERNS = (".env.*", "*.env", "client_secret*.json", "*.tfstate.*", "*serviceaccount*.json")

#: Endings of files that show what a secret file looks like, with nothing secret in them.
_HARMLESS_PATTERNS = ("*.example", "*.sample", "*.template", "*.dist", "*.defaults", "example.env", "sample.env")

_SECRET = re.compile("|".join(map(translate, (*(f"*{end}" for end in _SECRET_SUFFIXES), *_SECRET_PATTERNS))))
_HARMLESS = re.compile("|".join(map(translate, _HARMLESS_PATTERNS)))


def refuse_folder(name: str) -> Reason | None:
    """Return why nothing below a folder of this name is read, or None."""
    name = name.casefold()
    if name in VERSION_CONTROL:
        return Reason.VERSION_CONTROL
    if name == OWN_FOLDER:
        return Reason.OWN
    if name in DEPENDENCY_FOLDERS or name.endswith(".egg-info"):
        return Reason.DEPENDENCY
    if name in _SECRET_FOLDERS:
        return Reason.SECRET_NAME
    return None


def refuse_file(name: str) -> Reason | None:
    """Return why a file of this name is not read, or None."""
    name = name.casefold()
    if name in VERSION_CONTROL:
        return Reason.VERSION_CONTROL
    if name not in _SECRET_FILES and not _SECRET.match(name):
        return None
    return None if _HARMLESS.match(name) else Reason.SECRET_NAME
